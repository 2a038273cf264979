"""What was learned: noisy tables, the dependences they were chosen for, and the model that follows from them."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from reaedp.contract import Column
from reaedp.statistics.entropy.sensitivities import shannon_sensitivity
from reaedp.synthesis.ancestry import ancestral_model
from reaedp.synthesis.beliefs import Beliefs
from reaedp.synthesis.coarsening import Coarsening
from reaedp.synthesis.dependencies import Dependence
from reaedp.synthesis.draws import InnerLaw
from reaedp.synthesis.evidence import Evidence
from reaedp.synthesis.fitting import NoisyTable
from reaedp.synthesis.inner_cells import InnerCells, Known
from reaedp.synthesis.model import Codes, Model
from reaedp.synthesis.purse import PARTS_OF_A_ROW
from reaedp.synthesis.regions import Regions
from reaedp.synthesis.rows import rows
from reaedp.table import Table

#: The key of a release's details that names columns whose declared cells were counted with another one.
WITHIN = "within"


@dataclass(frozen=True, slots=True, eq=False)
class LearnedModel:
    """Released numbers and what was computed from them; nothing in here is private."""

    axes: tuple[Column, ...]
    #: Noisy counts of each column over its declared cells, and of the chosen tables over merged cells.
    singles: tuple[Table, ...]
    tables: tuple[NoisyTable, ...]
    #: Why each of the tables was chosen, in their order.
    dependences: tuple[Dependence, ...]
    coarsenings: tuple[Coarsening, ...]
    #: Estimated number of rows.
    total: float
    #: Noise, in rows: of a cell of a column's own table at most, of a score, of a cell of a chosen table.
    column_scale: float
    choice_scale: float
    table_scale: float
    #: Parts of a row that noisy counts have at most.
    finest: int
    #: Tables that could be chosen, fewer of which were if noise hides the rest; μ of each choice.
    rounds: int
    choice_mu: float
    beliefs: Beliefs
    #: What the beliefs were fitted to.
    evidence: Evidence
    #: A column in regions of the others, where a test found that tables cannot hold it.
    regions: Regions | None = None
    #: Columns whose declared cells were counted with another one.
    inner: tuple[InnerCells, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(axis.name for axis in self.axes)

    def rows(self, count: int, rng: np.random.Generator) -> Codes:
        """Synthetic rows of cell numbers, a column for each axis."""
        inner = self.inner_laws

        def plain(count: int) -> Codes:
            return rows(self.beliefs, self.coarsenings, count, rng, inner)

        return plain(count) if self.regions is None else self.regions.rows(plain, count, rng)

    @property
    def inner_laws(self) -> list[InnerLaw]:
        """How rows lie within merged cells where that follows another column."""
        return [InnerLaw(each.column, each.parent, each.law(self.known)) for each in self.inner]

    @property
    def known(self) -> Known:
        """What the model says of coarse cells."""
        return Known(self.beliefs, self.coarsenings, self.total)

    def model(self, first: tuple[str, ...] = ()) -> Model:
        """Nearly the same law as a Bayesian network that begins with the columns `first`, in this order."""
        return ancestral_model(self.axes, self.coarsenings, self.beliefs, first)

    @property
    def map_noise(self) -> float:
        """Bits by which the mutual information of a pair would be uncertain in an entropy map bought for the choices.

        The map has one entropy for each column and pair, and three of them make a mutual information.
        """
        entropies = len(self.axes) * (len(self.axes) + 1) // 2
        one = shannon_sensitivity(max(2, round(self.total)), change="add-remove")
        return math.sqrt(3 * entropies) * one / (self.choice_mu * math.sqrt(max(1, self.rounds)))

    @property
    def choice_noise(self) -> float:
        """Bits of mutual information that a pair surely has if it moves as many rows as a score is uncertain by.

        Pinsker's inequality: total variation t takes at least 2 t² / ln 2 bits.
        """
        return 2 * (self.choice_scale / (2 * self.total)) ** 2 / math.log(2)

    @property
    def account(self) -> str:
        """How the budget was spent, in words."""
        tables = "\n".join(
            f"{' × '.join(found.columns)}: {found.cells} cells, about {found.misplaced:,.0f} rows were in wrong cells"
            for found in self.dependences
        )
        return (
            f"{len(self.axes)} columns were counted with noise of at most {self.column_scale:.3g} rows a cell;"
            f" about {self.total:,.0f} rows were found.\n"
            f"{len(self.tables)} tables of several columns were chosen and counted with noise of about"
            f" {self.table_scale:.3g} rows a cell: more in small ones, less in large ones.\n"
            f"Choices compare counts with the model row by row, uncertain by about {self.choice_scale:.3g} rows"
            f" ({self.choice_noise:.2g} bits); an entropy map for the same price would be uncertain by"
            f" {self.map_noise:.2g} bits for each pair.\n{tables}{self._refined}{self._within}"
        )

    @property
    def _within(self) -> str:
        names = self.names
        return "".join(
            f"\nValues of {names[each.column]} within merged cells follow {names[each.parent]}: both were counted in"
            f" {each.counts.size:,} cells, with noise of {each.scale:.3g} rows each."
            for each in self.inner
        )

    @property
    def _refined(self) -> str:
        found = self.regions
        if found is None:
            return ""
        return (
            f"\n{self.axes[found.column].name} was far from what these tables tell: for the rest of the price it was"
            f" counted in {len(found.counts)} regions of the other columns, with noise of {found.scale:.3g} rows each."
        )

    @property
    def details(self) -> dict[str, Any]:
        """What a reader of the rows should know."""
        names = self.names
        within = [f"{names[each.column]} × {names[each.parent]}" for each in self.inner]
        return {
            "rows_found": round(self.total),
            "noise_of_columns": self.column_scale,
            "noise_of_choices": self.choice_scale,
            "noise_of_tables": self.table_scale,
            PARTS_OF_A_ROW: self.finest,
            "tables": [" × ".join(dependence.columns) for dependence in self.dependences],
            **({WITHIN: within} if within else {}),
            "account": self.account,
        }
