"""The parts of a report before they become a page: words, figures and tables under a heading."""

from dataclasses import dataclass, field
from typing import NamedTuple

from reaedp.report.charts.drawing import WIDTH, Specification


class Score(NamedTuple):
    """A number with what it is to be compared with, in words, in grey below it."""

    value: float
    beside: str


#: Numbers are written for people, and sorted as numbers.
Cell = str | int | float | Score


@dataclass(frozen=True, slots=True)
class Card:
    """One answer that fits a glance: a question, the answer, and a sentence."""

    title: str
    value: str
    words: str


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """A chart, and the same in words for those who do not see it."""

    chart: Specification
    words: str
    #: Whether it can share a line with others of its kind.
    small: bool = False
    #: Behind a heading that opens, for what says nearly the same as another figure.
    folded: str = ""

    @property
    def responsive(self) -> Specification:
        """The chart made as wide as its place; one that has a width of its own keeps it."""
        return self.chart if self.chart["width"] != WIDTH else self.chart | {"width": "container"}


@dataclass(frozen=True, slots=True)
class ImageFile:
    """An image file, written into the page."""

    content: bytes
    words: str


@dataclass(frozen=True, slots=True)
class Grid:
    """A table; `rest` says where the rows are that had no room."""

    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    rest: str = ""
    #: Behind a heading that opens, for numbers that a figure shows already.
    folded: bool = False
    #: Rows, by their number, that noise alone could have made.
    doubtful: frozenset[int] = frozenset()
    #: On a phone each row becomes a card, so that no column is out of sight.
    cards: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One section. What was computed from private truth is not disclosable, and no public page takes it."""

    anchor: str
    title: str
    words: tuple[str, ...] = ()
    #: Name and value pairs.
    facts: tuple[tuple[str, str], ...] = ()
    figures: tuple[Figure, ...] = ()
    pictures: tuple[ImageFile, ...] = ()
    grids: tuple[Grid, ...] = ()
    #: Sections within this one.
    panels: tuple["Panel", ...] = field(default=())
    disclosable: bool = True

    @property
    def all_disclosable(self) -> bool:
        """Whether this section and all within may be published."""
        return self.disclosable and all(panel.all_disclosable for panel in self.panels)
