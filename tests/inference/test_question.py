"""Questions are understood however people put them, and what is not understood is answered by what would be."""

from datetime import date
from typing import Any

import pytest

from reaedp import Boolean, Category, Date, DeclarationError, Integer, Number
from reaedp.inference.question import read_question

AXES = (
    Number(name="income", lower=0, upper=100, bins=10, provenance="public"),
    Integer(name="Age", lower=0, upper=99, provenance="public"),
    Category(name="sex", levels=("f", "m"), provenance="public"),
    Boolean(name="smokes", provenance="public"),
    Date(name="born", lower=date(1990, 1, 1), upper=date(2000, 12, 31), every="year", provenance="public"),
    Category(name="where by", levels=("x", "y"), provenance="public"),
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("count", {"figure": "count"}),
        ("How many rows where sex = f?", {"figure": "count", "where": {"sex"}}),
        ("number of rows by sex, smokes", {"figure": "count", "by": ("sex", "smokes")}),
        ("count of sex", {"figure": "count", "by": ("sex",)}),
        ("count of smokes = yes", {"figure": "count", "part": {"smokes"}}),
        ("share by sex", {"figure": "share", "by": ("sex",)}),
        ("share of sex by smokes", {"figure": "share", "of": "sex", "by": ("smokes",)}),
        ("proportion of smokes = true by sex", {"figure": "share", "part": {"smokes"}, "by": ("sex",)}),
        ("mean income by sex", {"figure": "mean", "of": "income", "by": ("sex",)}),
        ("What is the average of income where Age >= 40 and sex=f", {"figure": "mean", "of": "income"}),
        ("total income", {"figure": "sum", "of": "income"}),
        ("median age", {"figure": "quantile", "of": "Age", "at": 0.5}),
        ("quantile 0.9 of income by sex", {"figure": "quantile", "at": 0.9, "by": ("sex",)}),
        ("90th percentile of income", {"figure": "quantile", "at": 0.9}),
        ("p25 income", {"figure": "quantile", "at": 0.25}),
        ("mean smokes", {"figure": "mean", "of": "smokes"}),
        ("median born", {"figure": "quantile", "of": "born"}),
        ("count by `where by`", {"figure": "count", "by": ("where by",)}),
        ("count where born >= 1995-01-01", {"figure": "count", "where": {"born"}}),
        ("difference in mean income between sex = f and sex = m", {"comparison": "difference", "of": "income"}),
        ("ratio of median age between smokes = yes and smokes = no", {"comparison": "ratio", "at": 0.5}),
    ],
)
def test_questions_are_understood(text: str, expected: dict[str, Any]) -> None:
    found = read_question(text, AXES)
    for key, value in expected.items():
        told = getattr(found, key)
        assert value == (set(told) if isinstance(told, dict) else told)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "?",
            "foo",
            "mean",
            "mean sex",
            "median sex",
            "share",
            "share where sex = f",
            "mean incme",
            "count by sx",
            "count by",
            "share of nothing",
        ),
        *("quantile 2 of income", "percentile 101 of income", "count where", "count by sex by smokes"),
        *("difference of mean income", "mean income between sex = f and sex = m", "count where sx = f"),
        *("difference of mean income between sex = f", "x" * 2_000, "count; drop table", "mean income where sex > f"),
    ],
)
def test_what_is_no_question_is_answered_by_some_that_are(text: str) -> None:
    with pytest.raises(DeclarationError, match=r"`count by sex`|Write income >= 0|A quantile's rank must lie"):
        read_question(text, AXES)
