"""Charts of figures by groups: what their axes and lines are."""

from typing import Any

import numpy as np

from reaedp.report.charts.quantiles import quantiles
from reaedp.report.charts.summaries import dots


def means(**more: Any) -> dict[str, Any]:
    """Two groups' means of a column whose values are about 19,000."""
    return {
        "sex": np.array(["f", "m"], dtype=object),
        "column": np.array(["admitted"] * 2, dtype=object),
        "statistic": np.array(["mean"] * 2, dtype=object),
        "value": np.array([19_000.5, 19_010.25]),
        "low_95": np.array([18_990.9, 19_000.0]),
        "high_95": np.array([19_009.1, 19_020.0]),
        "note": np.array(["", ""], dtype=object),
    } | more


def test_means_of_dates_lie_on_an_axis_of_days() -> None:
    dates = np.array(["2022-01-08", "2022-01-18"], dtype=object)
    made: Any = dots(means(date=dates), ["sex"], np.arange(2), "mean of admitted", np.array([19_000.0, 19_011.0]))
    assert {"temporal"} == {layer["encoding"]["x"]["type"] for layer in made["layer"]}
    first = made["data"]["values"][0]
    assert ("2022-01-08T12:00", "2021-12-29T21:36", "2022-01-17T02:24", "2022-01-08T00:00") == tuple(
        first[name] for name in ("figure", "low", "high", "original")
    )
    assert "%Y-%m-%d" == made["layer"][0]["encoding"]["x"]["axis"]["format"]
    narrow = means(date=dates, low_95=np.array([19_009.0, 19_010.0]), high_95=np.array([19_010.5, 19_011.5]))
    assert "%Y-%m-%d %H:%M" == dots(narrow, ["sex"], np.arange(2), "")["layer"][0]["encoding"]["x"]["axis"]["format"]


def test_means_of_numbers_lie_on_an_axis_of_numbers() -> None:
    made: Any = dots(means(), ["sex"], np.arange(2), "mean of admitted")
    assert {"quantitative"} == {layer["encoding"]["x"]["type"] for layer in made["layer"]}
    assert 19_000.5 == made["data"]["values"][0]["figure"]


def medians(ranks: int) -> dict[str, Any]:
    count = 2 * ranks
    return {
        "sex": np.repeat(np.array(["f", "m"], dtype=object), ranks),
        "quantile": np.tile(np.arange(1, ranks + 1) / (ranks + 1), 2),
        "value": np.arange(count),
        "low_95": np.arange(count) - 1,
        "high_95": np.arange(count) + 1,
        "note": np.array([""] * count, dtype=object),
    }


def test_one_quantile_by_groups_has_a_line_for_each_group() -> None:
    made: Any = quantiles(medians(1), ["sex"], "age", np.array([3, 4]))
    assert "group" == made["encoding"]["y"]["field"]
    assert ["rule", "point", "tick"] == [layer["mark"]["type"] for layer in made["layer"]]
    assert ["f", "m"] == [row["group"] for row in made["data"]["values"]]


def test_several_quantiles_by_groups_have_a_curve_for_each_group() -> None:
    made: Any = quantiles(medians(3), ["sex"], "age")
    assert ["line", "rule"] == [layer["mark"]["type"] for layer in made["layer"]]
