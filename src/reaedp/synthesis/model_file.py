"""A published model read from its file; whatever does not fit together is refused."""

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Column, RowRule
from reaedp.synthesis.cliques import JunctionTree
from reaedp.synthesis.coarsening import Coarsening
from reaedp.synthesis.evidence import Evidence
from reaedp.synthesis.fitting import Link, NoisyTable
from reaedp.synthesis.inner_cells import InnerCells
from reaedp.synthesis.learned import LearnedModel
from reaedp.synthesis.merging import Floats, Merging
from reaedp.synthesis.published_model import FORMAT, PublishedModel
from reaedp.synthesis.purse import PARTS_OF_A_ROW
from reaedp.synthesis.regions import Cuts, Regions
from reaedp.table import KeyCounts, Table


def read_model(content: bytes, axes: tuple[Column, ...], rules: tuple[RowRule, ...]) -> PublishedModel:
    """The model in a file, on the columns of its release; raises ValueError, KeyError or TypeError if it is none."""
    record = json.loads(content)
    if record["format"] != FORMAT or [column["name"] for column in record["columns"]] != [axis.name for axis in axes]:
        raise ValueError("the model is of another format, or of other columns")
    return _Reader(record, axes).model(rules)


class _Reader:
    """A model from its record; whatever does not fit together raises."""

    def __init__(self, record: Mapping[str, Any], axes: tuple[Column, ...]) -> None:
        self.record, self.axes = record, axes
        names = [axis.name for axis in axes]
        self.owners = tuple(names.index(variable["column"]) for variable in record["variables"])
        if self.owners[: len(axes)] != tuple(range(len(axes))):
            raise ValueError("the first variables must be the columns")
        self.mergings = tuple(
            _merging(variable["cells"], axes[owner].size)
            for variable, owner in zip(record["variables"], self.owners, strict=True)
        )
        self.sizes = tuple(merging.size for merging in self.mergings)

    @property
    def finest(self) -> int:
        found = self.record["noise"].get(PARTS_OF_A_ROW, 1)
        if type(found) is not int or found < 1:
            raise ValueError("a row must have a whole number of parts")
        return found

    def _counts(self, values: Sequence[float], length: int) -> Floats:
        found = _floats(values, (length,))
        if not (np.rint(found * self.finest) == found * self.finest).all():
            raise ValueError("counts must be whole numbers of parts of a row")
        return found

    def model(self, rules: tuple[RowRule, ...]) -> PublishedModel:
        record, noise = self.record, self.record["noise"]
        evidence = self.evidence
        coarse = [
            Coarsening(_positive(column["shares"], (axis.size,)), merging, (Merging.none(merging.size),))
            for column, axis, merging in zip(record["columns"], self.axes, self.mergings, strict=False)
        ]
        learned = LearnedModel(
            axes=self.axes,
            singles=tuple(
                Table((axis,), self._counts(column["noisy_counts"], axis.size))
                for axis, column in zip(self.axes, record["columns"], strict=True)
            ),
            tables=evidence.tables[len(self.axes) :],
            dependences=(),
            coarsenings=tuple(coarse),
            total=evidence.total,
            column_scale=float(noise["columns"]),
            choice_scale=float(noise["choices"]),
            table_scale=float(noise["tables"]),
            finest=self.finest,
            rounds=int(record["rounds"]),
            choice_mu=float(record["choice_mu"]),
            beliefs=evidence.beliefs(),
            evidence=evidence,
            regions=self.regions(),
            inner=self.inner(),
        )
        return PublishedModel(learned, rules, self.keys())

    @cached_property
    def evidence(self) -> Evidence:
        record, sizes = self.record, self.sizes
        total = float(record["rows"])
        if not 1 <= total < 2**53:
            raise ValueError("the number of rows must be positive")
        read = [self._table(table) for table in record["tables"]]
        return Evidence(
            tree=_tree(sizes, record["tree"]),
            owners=self.owners,
            mergings=self.mergings,
            shares=tuple(
                merging.sums(_positive(column["shares"], (axis.size,)))
                for column, axis, merging in zip(record["columns"], self.axes, self.mergings, strict=False)
            ),
            links=tuple(
                Link(group, _floats(link["logarithms"], tuple(sizes[v] for v in group)))
                for link in record["links"]
                for group in [self._group(link["variables"])]
            ),
            column_scales=tuple(_positive([column["noise"] for column in record["columns"]], (-1,)).tolist()),
            tables=tuple(table for table, _ in read),
            thetas=tuple(theta for _, theta in read),
            total=total,
        )

    def _group(self, variables: Sequence[int]) -> tuple[int, ...]:
        group = tuple(variables)
        if list(group) != sorted({int(variable) for variable in group}) or not set(group) <= set(
            range(len(self.sizes))
        ):
            raise ValueError("a group must have different variables in increasing order")
        return group

    def _table(self, record: Mapping[str, Any]) -> tuple[NoisyTable, Floats]:
        group = self._group(record["variables"])
        mergings = tuple(
            _merging(runs, self.sizes[variable]) for runs, variable in zip(record["cells"], group, strict=True)
        )
        shape = tuple(merging.size for merging in mergings)
        noise = _positive(record["noise"], shape)
        return NoisyTable(group, mergings, _floats(record["noisy_counts"], shape), noise), _floats(
            record["factors"], shape
        )

    def regions(self) -> Regions | None:
        if "regions" not in self.record:
            return None
        found, names = self.record["regions"], [axis.name for axis in self.axes]
        column, cuts = names.index(found["column"]), found["cuts"]
        inside = np.zeros((len(cuts), max(axis.size for axis in self.axes)), dtype=bool)
        columns = np.array([names.index(cut["column"]) for cut in cuts], dtype=np.intp)
        for place, cut in enumerate(cuts):
            cells = np.array(cut["inside"], dtype=np.intp)
            if not ((cells >= 0) & (cells < self.axes[columns[place]].size)).all():
                raise ValueError("a cut must part cells of its column")
            inside[place, cells] = True
        levels = tuple(np.array(level, dtype=np.intp) for level in found["levels"])
        if any(
            len(each) != 2**level or not ((each >= 0) & (each < len(cuts))).all() for level, each in enumerate(levels)
        ):
            raise ValueError("every region needs a cut of the list")
        counts = np.array([self._counts(row, self.axes[column].size) for row in found["noisy_counts"]])
        if counts.shape != (2 ** len(levels), self.axes[column].size):
            raise ValueError("every region needs a row of counts")
        return Regions(column, Cuts(columns, inside), levels, counts, float(_positive([found["noise"]], (1,))[0]))

    def inner(self) -> tuple[InnerCells, ...]:
        names, found = [axis.name for axis in self.axes], list[InnerCells]()
        for record in self.record.get("inner", ()):
            column, parent = names.index(record["column"]), names.index(record["with"])
            counts = np.array([self._counts(row, self.sizes[parent]) for row in record["noisy_counts"]])
            if column == parent or len(counts) != self.axes[column].size:
                raise ValueError("every declared cell needs a row of counts, with another column")
            found.append(InnerCells(column, parent, counts, float(_positive([record["noise"]], (1,))[0])))
        if len({each.column for each in found}) < len(found):
            raise ValueError("a column may be counted with one other column")
        return tuple(found)

    def keys(self) -> KeyCounts | None:
        if "keys" not in self.record:
            return None
        found = self.record["keys"]
        known = {axis.name: axis for axis in self.axes}
        axes = tuple(known[name] for name in found["columns"])
        cells = np.array(found["cells"], dtype=np.int32).reshape(-1, len(axes))
        if not ((cells >= 0) & (cells < np.array([axis.size for axis in axes]))).all():
            raise ValueError("keys must be cells of their columns")
        return KeyCounts(axes, cells, _whole(found["counts"], len(cells)))


def _tree(sizes: tuple[int, ...], record: Mapping[str, Any]) -> JunctionTree:
    cliques = tuple(tuple(clique) for clique in record["cliques"])
    separators = tuple(tuple(separator) for separator in record["separators"])
    parents = tuple(record["parents"])
    shared = all(
        set(separator) == set(clique) & set(cliques[parent]) and 0 <= parent < place
        for place, (clique, separator, parent) in enumerate(zip(cliques, separators, parents, strict=True))
        if place
    )
    known = {variable for clique in cliques for variable in clique} <= set(range(len(sizes)))
    if not shared or not known or parents[:1] != (-1,) or separators[:1] != ((),):
        raise ValueError("the cliques are no tree over all variables")
    return JunctionTree(sizes, cliques, parents, separators)


def _floats(values: Sequence[float], shape: tuple[int, ...]) -> Floats:
    found = np.array(values, dtype=np.float64).reshape(shape)
    if not np.isfinite(found).all():
        raise ValueError("numbers must be finite")
    return found


def _positive(values: Sequence[float], shape: tuple[int, ...]) -> Floats:
    found = _floats(values, shape)
    if not (found > 0).all():
        raise ValueError("shares and noise must be positive")
    return found


def _whole(values: Sequence[int], length: int) -> NDArray[np.int64]:
    if len(values) != length or any(type(value) is not int for value in values):
        raise ValueError("not as many whole numbers as there are cells")
    return np.array(values, dtype=np.int64)


def _merging(runs: Sequence[Sequence[int]], cells: int) -> Merging:
    found = np.repeat([cell for cell, _ in runs], [length for _, length in runs]).astype(np.intp)
    if len(found) != cells or set(np.unique(found).tolist()) != set(range(int(found.max()) + 1)):
        raise ValueError("cells of a variable must be those of its column, merged")
    return Merging(found)
