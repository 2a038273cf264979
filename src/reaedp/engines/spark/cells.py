"""The canonical form of one cell on Spark, in three selects: what it means, its names, its values and digests."""

from typing import Any

from pyspark.sql import functions as f

from reaedp.contract import shapes
from reaedp.contract.meaning import meaning
from reaedp.engines.canonical import TEXT, TIMES
from reaedp.engines.spark import values
from reaedp.engines.wanted import Wanted


class SparkCell(Wanted):
    """A cell `c` whose canonical form is wanted; the number that it means is `n` and its place, the moment `m`."""

    __slots__ = ()

    def _meant(self) -> list[str]:
        """Which of `n` and `m` are of interest."""
        if self.is_level:
            assert self.column is not None
            sorts = {sort for sort, _ in map(meaning, self.column.labels)}
            number, moment = (
                "number" in sorts and self.kind not in TIMES,
                "moment" in sorts and self.kind in TEXT | TIMES,
            )
        else:
            number, moment = self.is_name or not self.is_day, self.is_name or self.is_day
        return [f"{name}{self.place}" for name, there in (("n", number), ("m", moment)) if there]

    def read(self) -> list[Any]:
        """The cell and what it means."""
        cell = f.col(f"c{self.place}")
        shape = shapes.DATE if self.is_day else shapes.MOMENT
        made = {
            f"n{self.place}": values.number(cell, self.kind, words=not self.is_name),
            f"m{self.place}": values.moment(cell, self.kind, shape),
        }
        return [cell, *(made[name].alias(name) for name in self._meant())]

    def named(self) -> list[Any]:
        """Names beside what they are made of.

        Digests are made of names that need no Python: where the two differ, a digest is made of the number instead.
        """
        kept = [f.col(name) for name in (f"c{self.place}", *self._meant())]
        if not self.is_name:
            return kept
        parts = f.col(f"c{self.place}"), self.kind, f.col(f"n{self.place}"), f.col(f"m{self.place}")
        kept.append(values.name(*parts, values.javas).alias(f"name{self.place}"))
        if self.column is not None:
            kept.append(values.name(*parts, values.shortest).alias(f"v{self.place}"))
        return kept

    def finished(self) -> list[Any]:
        """Values and digests; of a category what its levels are compared with."""
        cell, place = f.col(f"c{self.place}"), self.place
        filled = cell.isNotNull().alias(f"filled{place}")
        if self.is_name:
            first, second = values.hashed(values.mark(self.kind, f.col(f"n{place}"), f.col(f"name{place}")))
            if self.column is None:
                return [f.col("name").alias("person"), first.alias("hash0"), second.alias("hash1")]
            return [filled, f.col(f"v{place}"), first.alias(f"h{place}")]
        if self.is_level:
            texts = [cell.alias(f"text{place}")] if self.kind in TEXT else []
            sorts = {"n": "number", "m": "moment"}
            return [filled, *texts, *(f.col(name).alias(f"{sorts[name[0]]}{place}") for name in self._meant())]
        assert self.column is not None
        (found,) = self._meant()
        return [filled, values.value(self.column, cell, self.kind, f.col(found)).alias(f"v{place}")]
