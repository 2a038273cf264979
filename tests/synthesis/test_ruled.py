"""Synthetic rows keep the rules of the contract, and conditions that were asked for."""

from typing import Any

import numpy as np
import pytest

from reaedp import Boolean, Budget, Category, Contract, DeclarationError, Integer, Number, RowRule, Unit
from reaedp.contract.row_rule import read_rule
from reaedp.synthesis.conditions import met, read_condition, read_given
from reaedp.synthesis.ruled import check_rules, keeping, ruled
from reaedp.synthesis.synthetic import Synthetic

AXES = (
    Integer(name="time", lower=0, upper=2359, provenance="public"),
    Integer(name="hour", lower=0, upper=23, provenance="public"),
    Number(name="age", lower=0, upper=100, bins=20, provenance="public"),
    Boolean(name="married", provenance="public"),
    Category(name="sex", levels=("f", "m", "3"), provenance="public"),
)


def rules(*tables: dict[str, Any]) -> tuple[RowRule, ...]:
    return tuple(read_rule({"provenance": "public", **table}) for table in tables)


HOURS = {"hour": "time div 100"}
CHILDREN = {"never": {"age": "< 16", "married": True}}


def rows(count: int, rng: np.random.Generator) -> np.ndarray:
    cells = [rng.integers(0, axis.regular, count) for axis in AXES]
    return np.stack(cells, axis=1).astype(np.int32)


def test_every_row_keeps_every_rule_and_values_agree_with_their_cells() -> None:
    rng = np.random.default_rng(1)
    declared = rules(HOURS, CHILDREN)
    codes = rows(5_000, rng)
    codes[:50, 0] = AXES[0].size - 1  # a time that is missing
    cells, values = ruled(declared, AXES, codes, rng, lambda count: rows(count, rng))
    assert (5_000, 5) == cells.shape
    assert keeping(declared, AXES, values).all()
    known = ~np.ma.getmaskarray(values["time"])
    assert (values["hour"][known] == values["time"][known] // 100).all()
    assert np.ma.getmaskarray(values["hour"])[~known].all(), "what follows from a missing value is missing"
    assert not ((values["age"] < 16) & values["married"]).filled(False).any()
    assert (cells[known, 1] == values["hour"][known]).all()


def test_rows_that_break_a_rule_keep_the_law_of_the_others() -> None:
    """Of the rows that keep the rule a half is f. 5 deviations of 4,000 rows: a false alarm in 10^6."""
    rng = np.random.default_rng(2)
    _, values = ruled(rules(CHILDREN), AXES, rows(4_000, rng), rng, lambda count: rows(count, rng))
    share = float((values["sex"] == "f").mean())
    assert abs(share - 1 / 3) < 5 * np.sqrt(2 / 9 / 4_000)


def test_without_more_rows_those_that_break_a_rule_are_left_out() -> None:
    rng = np.random.default_rng(3)
    codes = rows(2_000, rng)
    cells, values = ruled(rules(CHILDREN), AXES, codes, rng, None)
    broken = np.isin(codes[:, 2], [0, 1, 2]) & (codes[:, 3] == 1)
    partly = (codes[:, 2] == 3) & (codes[:, 3] == 1)  # the bin of 15 to 20
    assert (~broken & ~partly).sum() <= len(cells) < 2_000
    assert keeping(rules(CHILDREN), AXES, values).all()


def test_a_model_without_any_row_that_keeps_the_rules_gives_an_example_of_one() -> None:
    rng = np.random.default_rng(4)
    child = np.tile(np.array([[0, 0, 0, 1, 0]], dtype=np.int32), (10, 1))
    _, values = ruled(rules(CHILDREN), AXES, child, rng, lambda count: child[:count])
    assert 10 == len(values["age"])
    assert keeping(rules(CHILDREN), AXES, values).all()


@pytest.mark.parametrize(
    "table",
    [{"always": "age > 100"}, {"hour": "time + 100000"}, {"never": "hour >= 0"}, {"hour": "time div 100 + 0.5"}],
)
def test_rules_that_no_row_can_keep_are_refused_before_anything_is_paid(table: dict[str, Any]) -> None:
    made = Contract(
        dataset="d",
        unit=Unit("add-remove"),
        budget=Budget(1, 1e-6),
        ledger="unused",
        columns=AXES,
        rules=rules(table),
    )
    with pytest.raises(DeclarationError, match="must leave some rows possible"):
        check_rules(made)
    with pytest.raises(DeclarationError, match="must leave some rows possible"):
        Synthetic(("age", "hour", "time"), 10).check(made)
    Synthetic(("sex", "married"), 10).check(made)  # no rule is about these


@pytest.mark.parametrize(
    ("text", "some", "every"),
    [
        ("age >= 42", [8, 9, 10], [9, 10]),
        ("age = 42", [8], []),
        ("age != 42", [7, 8, 9, 10], [7, 9, 10]),
        ("age > 40 and age < 45", [8], []),
        ("age >= 40 and age < 45", [8], [8]),
        ("age < 40 or age >= 50", [7, 10], [7, 10]),
    ],
)
def test_a_condition_knows_which_cells_it_fills_and_which_it_touches(
    text: str, some: list[int], every: list[int]
) -> None:
    found = met(AXES[2], read_condition(text, AXES)["age"])
    near = np.arange(7, 11)
    assert some == near[found.some[near]].tolist()
    assert every == near[found.every[near]].tolist()
    assert not found.some[AXES[2].regular :].any(), "a missing value meets no condition"


def test_names_of_levels_need_no_quotes_whatever_they_look_like() -> None:
    for text in ("sex = f", "sex = 'f'", "sex=f", "f = sex"):
        assert [True, False, False] == met(AXES[4], read_condition(text, AXES)["sex"]).some[:3].tolist()
    assert [False, False, True] == met(AXES[4], read_condition("sex = 3", AXES)["sex"]).some[:3].tolist()
    assert [False, True] == met(AXES[3], read_condition("married = yes", AXES)["married"]).some[:2].tolist()
    assert [True, False, True] == met(AXES[4], read_given({"sex": ["f", "3"]}, AXES)["sex"]).some[:3].tolist()
    assert {"sex", "age"} == set(read_given(["sex=f", "age >= 40"], AXES))


@pytest.mark.parametrize(
    "text", ["sx = f", "sex = x", "age >", "sex", "age = f", "age > hour", "sex = f or age > 3", "age >= 'f'"]
)
def test_conditions_that_are_none_are_refused_with_one_that_is(text: str) -> None:
    with pytest.raises(DeclarationError, match=r"time >= 0|Join conditions"):
        read_condition(text, AXES)
