"""Columns: closed lists of cells, declared before the data is seen.

Every value of a column, however broken, falls into exactly one cell or is dropped, by a rule that looks at
that value alone. The kinds differ in how they draw their cells; what is common to them is here.
"""

import sys
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

from numpy.typing import NDArray

from reaedp.contract.wording import Described
from reaedp.errors import Mistakes

Rule = Literal["cell", "nearest", "drop"]
Provenance = Literal["public", "dp"]
#: What begins a provenance that names the public file or codebook from which the facts were taken.
PUBLIC_FILE = "public: "
#: Ways in which a value can fail to lie in a regular cell.
Trouble = Literal["null", "nan", "infinite", "unparsable", "unseen", "outside"]

MOST_CELLS = 10_000_000


class Ends(NamedTuple):
    """Lower and upper ends of cells: numbers or days."""

    low: NDArray[Any]
    high: NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column(Described, ABC):
    """What every kind of column declares.

    `provenance` is the custodian's word that the declared cells are public knowledge, "public: FILE" where a public
    file or codebook has them, or "dp" with the ledger entry that paid for learning them.
    """

    kind: ClassVar[str]
    #: The troubles this kind can meet, and where "nearest" is a possible answer.
    troubles: ClassVar[tuple[Trouble, ...]]

    provenance: str
    entry: int | None = None

    def __post_init__(self) -> None:
        mistakes = Mistakes()
        self.note_mistakes(mistakes)
        mistakes.report()

    @property
    @abstractmethod
    def labels(self) -> tuple[str, ...]:
        """Names of the regular cells, in order."""

    @property
    def regular(self) -> int:
        """Number of regular cells; kinds with many of them count without naming them."""
        return len(self.labels)

    @property
    def ends(self) -> Ends | None:
        """Where the regular cells begin and end, in order; nothing where they are names."""
        return None

    def where(self, key: str) -> str:
        """The key's full name, as messages use it."""
        return f"columns.{self.name}.{key}"

    def rule(self, trouble: Trouble) -> Rule:
        """What the contract says about this trouble."""
        chosen: Rule = getattr(self, trouble)
        return chosen

    @property
    def own_cells(self) -> tuple[Trouble, ...]:
        """Troubles that have a cell of their own, in order."""
        return tuple(trouble for trouble in self.troubles if self.rule(trouble) == "cell")

    @property
    def cells(self) -> tuple[str, ...]:
        """Names of all cells: the regular ones, then one for each trouble that has its own."""
        return self.labels + tuple(f"<{trouble}>" for trouble in self.own_cells)

    @property
    def size(self) -> int:
        """The number of cells, those for missing and unusable values included."""
        return self.regular + len(self.own_cells)

    def code(self, trouble: Trouble) -> int:
        """The trouble's own cell, or -1 where the row is dropped."""
        if self.rule(trouble) == "drop":
            return -1
        return self.regular + self.own_cells.index(trouble)

    @property
    def drops(self) -> bool:
        """True when some value of this column makes its row disappear."""
        return any(self.rule(trouble) == "drop" for trouble in self.troubles)

    def note_mistakes(self, mistakes: Mistakes) -> None:
        """Note whatever is wrong with the declaration."""
        self.note_name(mistakes, "A column")
        self.note_wording(mistakes, self.where(""))
        mistakes.unless(
            self.provenance == "dp" or names_public_source(self.provenance),
            f"{self.where('provenance')} must be 'public', 'public: FILE' or 'dp'",
            given=self.provenance,
            remedy="Write 'public' if you knew the bounds or levels without looking at the data.",
        )
        mistakes.unless(
            (self.entry is not None) == (self.provenance == "dp"),
            f"{self.where('entry')} must name the ledger entry that paid for a column with provenance 'dp'",
            given=self.entry,
        )
        for trouble in self.troubles:
            allowed = ("cell", "nearest", "drop") if trouble in {"infinite", "outside"} else ("cell", "drop")
            mistakes.unless(
                self.rule(trouble) in allowed,
                f"{self.where(trouble)} must be one of {', '.join(allowed)}",
                given=self.rule(trouble),
            )


def names_public_source(provenance: object) -> bool:
    """Whether it says that facts are public, or which public file they were taken from."""
    return provenance == "public" or (
        isinstance(provenance, str)
        and provenance.startswith(PUBLIC_FILE)
        and len(PUBLIC_FILE) < len(provenance) <= 500
        and provenance.isprintable()
    )


def repetitions(names: Iterable[str]) -> list[str]:
    """Names that occur more than once, each once."""
    return sorted(name for name, times in Counter(names).items() if times > 1)


def finite(value: object) -> bool:
    """True for a finite number that is not a truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def whole(value: object, low: int, high: int) -> bool:
    """True for a whole number in a closed range."""
    return type(value) is int and low <= value <= high
