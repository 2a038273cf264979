"""The reference of everything that `import reaedp` offers, made from the docstrings."""

import inspect
import re

from sphinx.pycode import ModuleAnalyzer

import reaedp
from reaedp import errors
from reaedp.contract.column import Column
from reaedp.frames.framed import Framed

#: The pages of the reference: what is on each, and the parts of the package whose public names it has.
TOPICS = {
    "Contract": (
        "What is public before anyone looks at the data. A file says the same: :doc:`/formats`.",
        ("contract.contract", "privacy.unit", "privacy.budget", "contract"),
    ),
    "Curator and releases": (
        "The only way to the records, and what comes out of it.",
        ("curator.curator", "engines.data", "release.release", "table"),
    ),
    "Statistics": (
        "What can be asked of the records. Give one to ``Curator.release`` with a mechanism.",
        ("statistics",),
    ),
    "Mechanisms": ("The noise that hides one row or person, and what it costs.", ("mechanisms",)),
    "Synthetic records": (
        "Records that nobody is behind (:doc:`/synthetic`), and intervals from copies of them (:doc:`/asking`).",
        ("synthesis", "inference"),
    ),
    "Curves": ("Means of curves, and curves that nobody is behind: :doc:`/curves`.", ("curves",)),
    "Plans": (
        "Many releases at once: what they cost, how good they will be, from a plan to a folder that others can verify.",
        (
            *("plan.plan", "plan.request", "plan.kinds", "plan.forecast", "plan.calibration"),
            *("release.publication", "release.verification", "curator.learning", "curator.quantile_bins"),
        ),
    ),
    "Reports": ("Pages for people: :doc:`/reports`.", ("report",)),
    "Ledger": ("The durable budget: :doc:`/ledger`.", ("ledger",)),
    "Audits and evaluation": (
        "Audits run on made-up data and may be published; evaluation looks at the truth and may not: :doc:`/auditing`.",
        ("audits", "evaluation"),
    ),
    "Extending": ("Kinds and engines of other packages: :doc:`/extending`.", ("plan.registration", "engines.source")),
    "Errors": ("Every error that is raised on purpose.", ("errors",)),
}
_ARRAY = re.compile(r"~?[\w.]*ndarray\[tuple\[~?[\w.]*Any, \.\.\.\], ~?[\w.]*dtype\[~?(?:[\w.]+\.)?(\w+)\]\]")
#: Aliases as a signature has them, taken apart.
_ALIASES = {
    "Data": re.compile(r"str \| ~?[\w.]*Path \| ~?[\w.]*Frame \| ~?[\w.]*ArrowStream \| NDArray\[generic\]"),
    "Engine": re.compile(r"str \| ~?[\w.]*Session"),
}


def pages() -> dict[str, str]:
    """Every page of the reference by its name, as reStructuredText."""
    homes = {name: home(name).removeprefix("reaedp.") for name in reaedp.__all__}
    found = {
        topic: list(
            dict.fromkeys(name for part in parts for name, home in homes.items() if f"{home}.".startswith(f"{part}."))
        )
        for topic, (_, parts) in TOPICS.items()
    }
    missing = set(homes) - {name for names in found.values() for name in names}
    assert not missing, f"no page of the reference has {missing}"
    return {f"reference/{topic.lower().replace(' ', '-')}": _page(topic, names) for topic, names in found.items()}


def home(name: str) -> str:
    """The module in which a public name is defined."""
    return str(reaedp._HOME[name] if _is_alias(getattr(reaedp, name)) else getattr(reaedp, name).__module__)  # noqa: SLF001


def documentation(name: str) -> str:
    """What is said of a public name: its docstring, or the comment above an alias of types."""
    if not _is_alias(thing := getattr(reaedp, name)):
        return inspect.cleandoc(thing.__doc__ or "")
    return "\n".join(ModuleAnalyzer.for_module(home(name)).find_attr_docs()["", name]).strip()


def _is_alias(thing: object) -> bool:
    return not (inspect.isclass(thing) or inspect.isfunction(thing))


def _page(topic: str, names: list[str]) -> str:
    shared = "Shared parameters and the setup of the examples: :doc:`/parameters`.\n"
    blocks = [f"{topic}\n{'=' * len(topic)}\n", f"{TOPICS[topic][0]}\n", shared, *map(_directive, names)]
    if topic == "Errors":
        tree = inspect.cleandoc(errors.__doc__ or "").partition("\n\n")[2]
        kinds = sorted(name for name, thing in vars(errors).items() if _is_error(thing) and name not in names)
        blocks[3:3] = ["::\n", *(f"   {line}".rstrip() for line in tree.splitlines()), ""]
        blocks += [f".. autoexception:: reaedp.errors.{name}\n" for name in kinds]
    return "\n".join(blocks)


def _is_error(thing: object) -> bool:
    return inspect.isclass(thing) and issubclass(thing, Exception)


def _directive(name: str) -> str:
    thing = getattr(reaedp, name)
    if _is_alias(thing):
        lines = documentation(name).split("\n")
        plain(None, "data", name, thing, None, lines)
        return "\n".join([f".. py:data:: reaedp.{name}", "", *(f"   {line}".rstrip() for line in lines), ""])
    if not inspect.isclass(thing):
        return f".. autofunction:: reaedp.{name}\n"
    if _is_error(thing):
        return f".. autoexception:: reaedp.{name}\n"
    options = ["members:", "member-order: bysource", "exclude-members: troubles, note_mistakes"]
    options += ["inherited-members:"] if issubclass(thing, Column | Framed) else []
    return "\n".join([f".. autoclass:: reaedp.{name}", *(f"   :{option}" for option in options), ""])


def plain(_app: object, _what: str, _name: str, _thing: object, _options: object, lines: list[str]) -> None:
    """Docstrings are plain words with `code` in single backticks, and examples: nothing else in them is markup."""
    paragraphs = "\n".join(lines).split("\n\n")
    lines[:] = "\n\n".join(one if one.startswith(">>> ") else _escaped(one) for one in paragraphs).split("\n")


def _escaped(text: str) -> str:
    parts = re.split(r"(`[^`]+`)", text)
    return "".join(f"`{part}`" if part.startswith("`") else re.sub(r"([*|_\\])", r"\\\1", part) for part in parts)


def short(
    _app: object, _what: str, _name: str, _thing: object, _options: object, arguments: str | None, result: str | None
) -> tuple[str | None, str | None]:
    """Types are written as in the source: NDArray[float64], Data, Engine."""
    return arguments and _as_written(arguments), result and _as_written(result)


def _as_written(types: str) -> str:
    types = _ARRAY.sub(r"NDArray[\1]", types)
    for name, alias in _ALIASES.items():
        types = alias.sub(name, types)
    return types
