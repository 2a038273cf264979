"""The reference of everything that `import reaedp` offers, made from the docstrings."""

import inspect
import re

import reaedp
from reaedp import errors
from reaedp.contract.column import Column

#: The pages of the reference: what is on each, and the parts of the package whose public names it has.
TOPICS = {
    "Contract": (
        "What is public before anyone looks at the data. A file says the same: :doc:`/formats`.",
        ("contract.contract", "privacy.unit", "privacy.budget", "contract"),
    ),
    "Curator and releases": (
        "The one door to the records, and what comes out of it.",
        ("curator", "release", "table"),
    ),
    "Statistics": (
        "What can be asked of the records. Give one to ``Curator.release`` with a mechanism.",
        ("statistics",),
    ),
    "Mechanisms": ("The noise that hides one row or person, and what it costs.", ("mechanisms",)),
    "Synthetic records": ("Ways to make records that nobody is behind: :doc:`/synthetic`.", ("synthesis",)),
    "Curves": ("Means of curves, and curves that nobody is behind: :doc:`/curves`.", ("curves",)),
    "Plans": (
        "Many releases at once: what they cost, how good they will be, from a plan to a folder that others can verify.",
        ("plan", "planned", "publication", "verification", "forecast", "calibration", "learning"),
    ),
    "Reports": ("Pages for people: :doc:`/reports`.", ("report",)),
    "Ledger": ("The durable budget: :doc:`/ledger`.", ("privacy.ledger",)),
    "Audits and evaluation": (
        "Audits run on made-up data and may be published; evaluation looks at the truth and may not: :doc:`/auditing`.",
        ("audits", "evaluation"),
    ),
    "Errors": ("Every error that is raised on purpose.", ("errors",)),
}
_ARRAY = re.compile(r"~?[\w.]*ndarray\[tuple\[~?[\w.]*Any, \.\.\.\], ~?[\w.]*dtype\[~?(?:[\w.]+\.)?(\w+)\]\]")


def pages() -> dict[str, str]:
    """Every page of the reference by its name, as reStructuredText."""
    homes = {name: getattr(reaedp, name).__module__.removeprefix("reaedp.") for name in reaedp.__all__}
    found = {
        topic: list(
            dict.fromkeys(name for part in parts for name, home in homes.items() if f"{home}.".startswith(f"{part}."))
        )
        for topic, (_, parts) in TOPICS.items()
    }
    missing = set(homes) - {name for names in found.values() for name in names}
    assert not missing, f"no page of the reference has {missing}"
    return {f"reference/{topic.lower().replace(' ', '-')}": _page(topic, names) for topic, names in found.items()}


def _page(topic: str, names: list[str]) -> str:
    blocks = [f"{topic}\n{'=' * len(topic)}\n", f"{TOPICS[topic][0]}\n", *map(_directive, names)]
    if topic == "Errors":
        tree = inspect.cleandoc(errors.__doc__ or "").partition("\n\n")[2]
        kinds = sorted(name for name, thing in vars(errors).items() if _is_error(thing) and name not in names)
        blocks[2:2] = ["::\n", *(f"   {line}".rstrip() for line in tree.splitlines()), ""]
        blocks += [f".. autoexception:: reaedp.errors.{name}\n" for name in kinds]
    return "\n".join(blocks)


def _is_error(thing: object) -> bool:
    return inspect.isclass(thing) and issubclass(thing, Exception)


def _directive(name: str) -> str:
    thing = getattr(reaedp, name)
    if not inspect.isclass(thing):
        return f".. autofunction:: reaedp.{name}\n"
    if _is_error(thing):
        return f".. autoexception:: reaedp.{name}\n"
    options = ["members:", "member-order: bysource", "exclude-members: troubles, note_mistakes"]
    options += ["inherited-members:"] if issubclass(thing, Column) else []
    return "\n".join([f".. autoclass:: reaedp.{name}", *(f"   :{option}" for option in options), ""])


def plain(_app: object, _what: str, _name: str, _thing: object, _options: object, lines: list[str]) -> None:
    """Docstrings are plain words with `code` in single backticks: nothing else in them is markup."""
    parts = re.split(r"(`[^`]+`)", "\n".join(lines))
    lines[:] = "".join(
        f"`{part}`" if part.startswith("`") else re.sub(r"([*|_\\])", r"\\\1", part) for part in parts
    ).split("\n")


def short(
    _app: object, _what: str, _name: str, _thing: object, _options: object, arguments: str | None, result: str | None
) -> tuple[str | None, str | None]:
    """Arrays are written as in the source: NDArray[float64]."""
    return arguments and _ARRAY.sub(r"NDArray[\1]", arguments), result and _ARRAY.sub(r"NDArray[\1]", result)
