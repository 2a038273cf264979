"""The model as it is published: noisy tables and the factors of their fit, as a file from which rows can be drawn.

Everything in it went through noise or is public, so that whoever has the file may draw as many rows as they like.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.contract import RowRule
from reaedp.errors import DeclarationError
from reaedp.synthesis.amortised_rows import amortised_rows
from reaedp.synthesis.coarsening import Coarsening
from reaedp.synthesis.fitting import NoisyTable
from reaedp.synthesis.learned import LearnedModel
from reaedp.synthesis.merging import Floats, Merging
from reaedp.synthesis.model import Codes
from reaedp.synthesis.purse import PARTS_OF_A_ROW
from reaedp.synthesis.rows import rows as drawn_rows
from reaedp.table import KeyCounts

#: What follows the release's name in the name of the file, and the number of its format.
MODEL_SUFFIX, FORMAT = ".model.json", 1
#: Declared cells of all columns together; larger models are not written.
MOST_CELLS = 2_000_000
#: Digits of a share or factor: far beyond what noise leaves of them.
_DIGITS = 12
#: Rows that keep a condition are looked for among so many times as many, where more than tables was released; at most.
_TRIED, _MOST_TRIED = 50, 2_000_000

Given = Mapping[int, NDArray[np.bool_]]


@dataclass(frozen=True, eq=False)
class PublishedModel:
    """A model with the `rules` of its contract; `keys` are those that the amortised method released."""

    learned: LearnedModel
    rules: tuple[RowRule, ...] = ()
    keys: KeyCounts | None = None

    @property
    def small(self) -> bool:
        """Whether it is written beside its rows; decided by public facts."""
        return sum(axis.size for axis in self.learned.axes) <= MOST_CELLS

    def cells(self, count: int, rng: np.random.Generator, given: Given | None = None) -> Codes:
        """Rows of cell numbers; with `given`, cells of these columns that rows must have."""
        if not given:
            keys = self.keys
            return self.learned.rows(count, rng) if keys is None else amortised_rows(self.learned, keys, count, rng)
        found = self._conditioned(count, rng, given)
        if self.keys is not None or self.learned.regions is not None or self.learned.inner:
            tried = self.cells(min(_TRIED * count, _MOST_TRIED), rng)
            fitting = tried[_fits(tried, given)][:count]
            found[: len(fitting)] = fitting
        return found

    def _conditioned(self, count: int, rng: np.random.Generator, given: Given) -> Codes:
        """Rows of the model's law under a condition: its weight on each cell, and the declared cells that are left."""
        evidence, coarse = self.learned.evidence, list(self.learned.coarsenings)
        weights: dict[int, Floats] = {}
        for column, allowed in given.items():
            old = coarse[column]
            shares = np.where(allowed, old.shares, 0.0)
            kept = old.merging.sums(shares)
            weights[column] = kept / old.coarse_shares
            # Where no cell of a coarse one is left none will be drawn; its law must exist all the same.
            full = np.where((kept > 0)[old.merging.cell], shares, old.shares)
            coarse[column] = Coarsening(full, old.merging, old.views)
        rows = drawn_rows(evidence.beliefs(weights), coarse, count, rng)
        good = _fits(rows, given)
        if not good.any():
            raise DeclarationError("The model has no row that meets these conditions. Use fewer conditions.")
        rows[~good] = rows[rng.choice(np.flatnonzero(good), int((~good).sum()))]
        return rows

    def content(self) -> bytes:
        """The model as JSON, as its file has it."""
        return json.dumps(self._record(), separators=(",", ":"), ensure_ascii=False).encode()

    def _record(self) -> dict[str, Any]:
        learned, evidence = self.learned, self.learned.evidence
        tree = evidence.tree
        own = zip(learned.axes, evidence.column_scales, learned.singles, learned.coarsenings, strict=True)
        return (
            {
                "format": FORMAT,
                "rows": learned.total,
                "noise": {
                    "columns": learned.column_scale,
                    "choices": learned.choice_scale,
                    "tables": learned.table_scale,
                    PARTS_OF_A_ROW: learned.finest,
                },
                "rounds": learned.rounds,
                "choice_mu": learned.choice_mu,
                "columns": [
                    {
                        "name": axis.name,
                        "noise": scale,
                        "noisy_counts": _counts(single.values),
                        "shares": _short(coarse.shares),
                    }
                    for axis, scale, single, coarse in own
                ],
                "variables": [
                    {"column": learned.axes[owner].name, "cells": _runs(merging)}
                    for owner, merging in zip(evidence.owners, evidence.mergings, strict=True)
                ],
                "tree": {"cliques": tree.cliques, "parents": tree.parents, "separators": tree.separators},
                "links": [{"variables": link.group, "logarithms": _short(link.logarithm)} for link in evidence.links],
                "tables": [_table(*each) for each in zip(evidence.tables, evidence.thetas, strict=True)],
            }
            | _keys(self.keys)
            | _regions(learned)
            | _inner(learned)
        )


def _keys(keys: KeyCounts | None) -> dict[str, Any]:
    if keys is None:
        return {}
    return {"keys": {"columns": keys.names, "cells": keys.keys.tolist(), "counts": keys.counts.tolist()}}


def _regions(learned: LearnedModel) -> dict[str, Any]:
    found = learned.regions
    if found is None:
        return {}
    sides = zip(found.cuts.columns.tolist(), found.cuts.inside, strict=True)
    return {
        "regions": {
            "column": learned.axes[found.column].name,
            "cuts": [
                {"column": learned.axes[column].name, "inside": np.flatnonzero(inside).tolist()}
                for column, inside in sides
            ],
            "levels": [level.tolist() for level in found.levels],
            "noisy_counts": [_counts(row) for row in found.counts],
            "noise": found.scale,
        }
    }


def _inner(learned: LearnedModel) -> dict[str, Any]:
    if not learned.inner:
        return {}
    return {
        "inner": [
            {
                "column": learned.axes[each.column].name,
                "with": learned.axes[each.parent].name,
                "noisy_counts": [_counts(row) for row in each.counts],
                "noise": each.scale,
            }
            for each in learned.inner
        ]
    }


def _fits(rows: Codes, given: Given) -> NDArray[np.bool_]:
    met: NDArray[np.bool_] = np.logical_and.reduce([allowed[rows[:, column]] for column, allowed in given.items()])
    return met


def _counts(values: NDArray[Any]) -> list[int | float]:
    """Whole rows without a point."""
    return [int(value) if value.is_integer() else value for value in values.astype(np.float64).tolist()]


def _short(values: Floats) -> list[float]:
    """Numbers of as many digits as matter, end to end."""
    return [float(f"{value:.{_DIGITS}g}") for value in values.ravel().tolist()]


def _runs(merging: Merging) -> list[list[int]]:
    """Which merged cell each cell belongs to: a number, and how many neighbours have the same."""
    starts = np.flatnonzero(np.diff(merging.cell, prepend=-1))
    lengths = np.diff(np.append(starts, len(merging.cell)))
    return [[int(cell), int(length)] for cell, length in zip(merging.cell[starts], lengths, strict=True)]


def _table(table: NoisyTable, theta: Floats) -> dict[str, Any]:
    return {
        "variables": table.group,
        "cells": [_runs(merging) for merging in table.mergings],
        "noisy_counts": _short(table.counts),
        "noise": _short(table.scales),
        "factors": _short(theta),
    }
