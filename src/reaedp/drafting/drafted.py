"""What is known of a column before the data is seen, as a draft writes it down."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from reaedp.contract.column import Column
from reaedp.contract.contract import KINDS
from reaedp.contract.document import FILL_IN, declare
from reaedp.contract.notation import Notation
from reaedp.errors import Mistakes

#: The keys that a column of each kind must have.
NEEDED: Mapping[str, tuple[str, ...]] = {
    "number": ("lower", "upper", "bins"),
    "integer": ("lower", "upper"),
    "category": ("levels",),
    "boolean": (),
    "date": ("lower", "upper", "every"),
}
#: Bins of numbers and cells of dates where nobody says otherwise; neither says anything about rows.
USUAL = {"bins": 20, "every": "month"}


@dataclass(frozen=True, slots=True)
class Drafted:
    """A column of a draft: its `facts`, which may be none, a `label` for people, how its texts are written.

    `why_not` says why a column is better left out.
    """

    name: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    label: str = ""
    notation: Notation = field(default_factory=Notation)
    why_not: str = ""

    @classmethod
    def of(cls, name: str, kind: str, provenance: str, facts: Mapping[str, Any], **more: Any) -> "Drafted":
        """A column of a kind; what its kind needs and nobody said is marked, and so is then its provenance.

        Raises what is wrong with the facts.
        """
        given = {key: value for key, value in facts.items() if value is not None}
        needed = () if "edges" in given else NEEDED.get(kind, ())
        whole = {key: given.get(key, USUAL.get(key, FILL_IN)) for key in needed} | given
        source = FILL_IN if FILL_IN in whole.values() else provenance
        made = cls(name, {"kind": kind, **whole, "provenance": source}, **more)
        made.column()
        return made

    @property
    def known(self) -> bool:
        """Whether anything is known of it."""
        return bool(self.facts)

    def column(self) -> Column | None:
        """The column as a contract has it; None while something is open. Raises what is wrong with it."""
        if not self.facts or FILL_IN in self.facts.values():
            return None
        mistakes = Mistakes()
        kind = KINDS[self.facts["kind"]]
        rest = {key: value for key, value in self.facts.items() if key != "kind"}
        made = declare(kind, rest, f"columns.{self.name}", mistakes, name=self.name)
        mistakes.report()
        return made

    def line(self) -> dict[str, Any]:
        """What the contract says of it; the label too, where columns of its kind have one."""
        if not self.facts:
            return {"kind": FILL_IN}
        labelled = self.label and any(one.name == "label" for one in fields(KINDS[self.facts["kind"]]))
        return {**self.facts, **({"label": self.label} if labelled else {})}
