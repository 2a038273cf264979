"""Rules of a contract: how they are written, which are refused, and that contracts without them stay what they were."""

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reaedp import Boolean, Budget, Category, Contract, Date, DeclarationError, Integer, Number, RowRule, Unit
from reaedp.contract.expression import DEEPEST, parse
from reaedp.contract.row_rule import read_rule

COLUMNS = (
    Integer(name="time", lower=0, upper=2359, provenance="public"),
    Integer(name="hour", lower=0, upper=23, provenance="public"),
    Number(name="age", lower=0, upper=100, bins=10, provenance="public"),
    Boolean(name="married", provenance="public"),
    Category(name="sex", levels=("f", "m"), provenance="public"),
    Date(name="born", lower=date(1990, 1, 1), upper=date(2020, 12, 31), every="day", provenance="public"),
    Number(name="net-pay", lower=0, upper=9, bins=3, provenance="public"),
)
ROWS: dict[str, Any] = {
    "time": np.array([0, 959, 2359]),
    "hour": np.array([0, 9, 23]),
    "age": np.array([15.5, 40.0, 90.0]),
    "married": np.array([True, False, True]),
    "sex": np.array(["f", "m", "f"], dtype=object),
    "born": np.array([date(1990, 1, 31), date(2000, 2, 29), date(2020, 12, 31)], dtype=object),
    "net-pay": np.array([0.0, 4.5, 9.0]),
}


def contract(*rules: RowRule) -> Contract:
    return Contract(
        dataset="d", unit=Unit("add-remove"), budget=Budget(1, 1e-6), ledger="unused", columns=COLUMNS, rules=rules
    )


def rule(**keys: Any) -> RowRule:
    return read_rule({"provenance": "public", **keys})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("time div 100", [0, 9, 23]),
        ("time mod 100", [0, 59, 59]),
        ("1 + 2 * 3 - -4", [11, 11, 11]),
        ("(1 + 2) * 3 / 2", [4.5, 4.5, 4.5]),
        ("max(hour, 10) + min(hour, 10)", [10, 19, 33]),
        ("round(abs(-`net-pay` / 2)) + floor(1.9)", [1, 3, 5]),
        ('"net-pay" >= 4.5', [False, True, True]),
        ("married and age < 16", [True, False, False]),
        ("not married or sex != 'f'", [False, True, False]),
        ("sex = 'f'", [True, False, True]),
        ("born > '2000-01-01'", [False, True, True]),
        ("year(born) + month(born) * 100 + day(born) * 10000", [312_090 - 0, 292_200, 313_220]),
        ("hour == 9 and married <> true", [False, True, False]),
    ],
)
def test_an_expression_means_what_it_says(text: str, expected: list[object]) -> None:
    found, missing = parse(text).evaluate(ROWS, 3)
    assert expected == found.tolist()
    assert not missing.any()


def test_what_is_missing_or_divided_by_zero_has_no_value() -> None:
    rows = ROWS | {"hour": np.ma.MaskedArray([0, 9, 23], mask=[False, True, False])}
    assert [True, True, False] == parse("time / hour").evaluate(rows, 3).missing.tolist()
    assert [False, True, False] == parse("hour > 3 or married").evaluate(rows, 3).missing.tolist()


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "1 +",
            "(1",
            "1 2",
            "time div",
            "import os",
            "hour.__class__",
            "min(1)",
            "a; b",
            "'f",
            "x = = 2",
            "div 3",
        ),
        *(
            "(" * (DEEPEST + 2) + "1" + ")" * (DEEPEST + 2),
            "-" * 5_000 + "1",
            "not " * 200 + "married",
            "1+" * 600 + "1",
        ),
    ],
)
def test_what_is_no_expression_is_refused(text: str) -> None:
    with pytest.raises(DeclarationError):
        RowRule(act="always", expression=text, provenance="public")


@pytest.mark.parametrize(
    ("made", "expression"),
    [
        ({"never": {"age": "< 16", "married": True}}, "age < 16 and married = true"),
        ({"never": {"sex": "m", "net-pay": ">= 4.5"}}, "sex = 'm' and `net-pay` >= 4.5"),
        ({"never": {"hour": 7, "born": "< 2000-01-01"}}, "hour = 7 and born < '2000-01-01'"),
        ({"always": "hour <= 23"}, "hour <= 23"),
        ({"hour": "time div 100"}, "time div 100"),
    ],
)
def test_every_way_of_writing_a_rule_is_understood(made: dict[str, Any], expression: str) -> None:
    found = rule(**made)
    assert expression == found.expression
    assert contract(found).rules == (found,)


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ([{"hour": "tme div 100"}], "Unknown column 'tme'. Did you mean 'time'"),
        ([{"minute": "time mod 100"}], "Unknown column 'minute'"),
        ([{"hour": "sex"}], "must give a number"),
        ([{"always": "time"}], "must give a truth"),
        ([{"always": "sex < 'm'"}], "needs numbers or days"),
        ([{"always": "sex = 3"}], "cannot compare a text with a number"),
        ([{"always": "born > 'soon'"}], "cannot compare a day with a text"),
        ([{"always": "married + 1 = 2"}], "'\\+' needs a number"),
        ([{"hour": "hour + 1"}], "must come after the rules that set its columns"),
        ([{"hour": "time div 100"}, {"hour": "time div 60"}], "Only one rule may set a column"),
        ([{"hour": "time div 100"}, {"time": "hour * 100"}], "must come after"),
    ],
)
def test_rules_that_do_not_fit_the_columns_are_refused(rules: list[dict[str, Any]], words: str) -> None:
    with pytest.raises(DeclarationError, match=words):
        contract(*(rule(**each) for each in rules))


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"hour": "time div 100"}, "provenance is missing"),
        ({"hour": "time", "time": "hour", "provenance": "public"}, "must set one column"),
        ({"provenance": "public"}, "must set one column"),
        ({"never": {}, "provenance": "public"}, "one condition or more"),
        ({"never": {"age": [1]}, "provenance": "public"}, "must be a value"),
        ({"hour": 3, "provenance": "public"}, "must be a text"),
        ({"hour": "time div 100", "provenance": "dp"}, "'public' or 'public: FILE'"),
    ],
)
def test_tables_that_are_no_rules_are_refused(table: dict[str, Any], words: str) -> None:
    with pytest.raises(DeclarationError, match=words):
        read_rule(table)


TOML = """\
[dataset]
name = "d"
[unit]
change = "add-remove"
[budget]
epsilon = 1
delta = 1e-6
ledger = "b.sqlite"
[columns]
time = { kind = "integer", lower = 0, upper = 2359, provenance = "public" }
hour = { kind = "integer", lower = 0, upper = 23, provenance = "public" }
"""


def test_a_mistake_in_a_rule_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "contract.toml"
    path.write_text(TOML + '[[rule]]\nhour = "time div 100"\nprovenance = "public"\n[[rule]]\nalways = "1 +"\n')
    with pytest.raises(DeclarationError, match=r"contract.toml:15: rule.provenance is missing"):
        Contract.load(path)
    path.write_text(TOML + 'rule = "hour"\n')
    with pytest.raises(DeclarationError, match=r"columns\.rule"):
        Contract.load(path)


def test_rules_are_part_of_the_fingerprint_and_their_absence_is_not(tmp_path: Path) -> None:
    path = tmp_path / "contract.toml"
    path.write_text(TOML)
    plain = Contract.load(path)
    assert plain.fingerprint == replace(plain, rules=()).fingerprint
    ruled = replace(plain, rules=(rule(hour="time div 100"),))
    other = replace(plain, rules=(rule(hour="time div 60"),))
    assert 3 == len({plain.fingerprint, ruled.fingerprint, other.fingerprint})
