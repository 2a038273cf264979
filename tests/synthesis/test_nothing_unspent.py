"""What a model is charged is what its questions cost: nothing is left over, and nothing is bought and thrown away."""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from reaedp import Budget, Category, Contract, Curator, Integer, MarginalModel, Synthetic, Unit
from reaedp.synthesis.learned import LearnedModel
from reaedp.synthesis.purse import SLACK, Purse
from reaedp.synthesis.structure import Structure
from tests_support import ledger_in

SHAPES = [
    (50, 2, (2,)),
    (300, 4, (3, 10)),
    (800, 8, (2, 5, 30)),
    (3_000, 5, (2, 60)),
    (100, 1, (5,)),
]


def columns_of(many: int, levels: tuple[int, ...]) -> list[Integer | Category]:
    sizes = [levels[place % len(levels)] for place in range(many)]
    return [
        Integer(name=f"c{place}", lower=0, upper=size - 1, provenance="public", null="drop", nan="drop")
        if place % 2
        else Category(name=f"c{place}", levels=tuple(map(str, range(size))), provenance="public")
        for place, size in enumerate(sizes)
    ]


def made_up(rows: int, many: int, levels: tuple[int, ...]) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    common = rng.integers(0, 4, rows)
    sizes = [levels[place % len(levels)] for place in range(many)]
    return pd.DataFrame(
        {
            f"c{place}": (common * (place % 3 + 1) + rng.integers(0, size, rows)) % size
            for place, size in enumerate(sizes)
        }
    )


@pytest.mark.quick_every(4)
@pytest.mark.parametrize("mu", [0.03, 0.25, 0.925, 6.0])
@pytest.mark.parametrize(("rows", "many", "levels"), SHAPES)
def test_all_that_is_charged_is_spent_on_numbers_that_the_model_keeps(
    rows: int, many: int, levels: tuple[int, ...], mu: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    purses, added = list[Purse](), list[bool]()
    begin, add = Purse.__init__, Structure.add

    def begun(self: Purse, *arguments: object) -> None:
        purses.append(self)
        begin(self, *arguments)  # type: ignore[arg-type]

    def put(self: Structure, *arguments: object) -> bool:
        added.append(add(self, *arguments))  # type: ignore[arg-type]
        return added[-1]

    monkeypatch.setattr(Purse, "__init__", begun)
    monkeypatch.setattr(Structure, "add", put)
    columns = columns_of(many, levels)
    names = tuple(column.name for column in columns)
    with tempfile.TemporaryDirectory() as home:
        contract = Contract(
            dataset="made up", unit=Unit("add-remove"), budget=Budget(1e3, 1e-3), ledger=ledger_in(Path(home)),
            columns=tuple(columns),
        )  # fmt: skip
        release = Curator(contract, made_up(rows, many, levels)).release(Synthetic(names, 10), MarginalModel(many, mu))
    (purse,) = purses
    learned: LearnedModel = release.value.model.learned
    print(f"{len(learned.tables)} of {learned.rounds} tables, unused {purse.left / purse.whole:.2g} of the price")
    assert mu**2 * (1 - SLACK) == purse.whole
    least = 1 / 3 if np.mean([column.size for column in columns]) > 4 else 1 / 4
    assert sum(scale**-2 for scale in learned.evidence.column_scales) >= mu**2 * least * 0.9, "columns have their share"
    assert purse.left <= 1e-9 * purse.whole
    assert all(added), "no table is bought for which there is no room"
    assert len(learned.tables) == len(added)
