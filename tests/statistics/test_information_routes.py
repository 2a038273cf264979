"""The better way to a mutual information, and the histogram that tells it."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from reaedp import (
    Budget,
    Category,
    Contract,
    Curator,
    DeclarationError,
    EntropyHistogram,
    Laplace,
    MutualInformation,
    PlannedRelease,
    Unit,
    best_information_route,
)
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.plan.advice import advice
from reaedp.statistics.entropy.entropies import mutual_information
from reaedp.statistics.entropy.information_routes import information_errors, information_examples
from tests_support import ledger_in


def terms(levels: int, rows: int | None, ledger: str = "none.sqlite") -> Contract:
    columns = tuple(
        Category(name=name, levels=tuple(f"{name}{place}" for place in range(levels)), provenance="public")
        for name in ("a", "b")
    )
    return Contract(
        dataset="d", unit=Unit("add-remove", at_least=rows), budget=Budget(9.0, 1e-6), ledger=ledger, columns=columns
    )


def test_made_up_tables_go_from_no_dependence_to_all_of_it() -> None:
    for sizes in ((4, 4), (2, 7), (9, 3)):
        tables = information_examples(60_000, sizes)
        found = [mutual_information(table) for table in tables]
        assert found == sorted(found)
        assert found[0] < 1e-4
        assert found[-1] > 0.7 * np.log2(min(sizes))
        assert all(60_000 == table.sum() for table in tables)


def test_few_cells_go_by_counts_and_many_directly() -> None:
    few, many = terms(2, 20_000), terms(12, 20_000)
    assert "histogram" == best_information_route(few, "a", "b", 1.0).name
    assert isinstance(best_information_route(many, "a", "b", 0.1).statistic, MutualInformation)
    unknown = best_information_route(terms(2, None), "a", "b", 1.0)
    assert "histogram" == unknown.name
    assert "no at_least" in unknown.why


def test_a_predicted_error_is_about_the_one_that_is_made() -> None:
    contract, rng = terms(3, 5_000), np.random.default_rng(1)
    predicted = information_errors(contract, MutualInformation(("a",), ("b",)), 0.5)
    histogram = EntropyHistogram.under(contract, ("a", "b"), first=("a",))
    noise = Calibrated(Laplace(0.5), histogram.sensitivity(contract))
    first, second = (column.size for column in contract.columns)
    for place in (0, 5):
        exact = information_examples(5_000, (first, second))[place]
        errors = []
        for _ in range(60):
            drawn = exact + rng.geometric(1 - np.exp(-0.5), exact.shape) - rng.geometric(1 - np.exp(-0.5), exact.shape)
            found = histogram.frame(histogram.value(contract, drawn.ravel()), noise)["information_bits"][0]
            errors.append(abs(found - mutual_information(exact)))
        # Means of 60 and of 15 errors that are about as large as their spread: each is known to a third or better.
        assert predicted.histogram[place] / 3 < np.mean(errors) < 3 * predicted.histogram[place]


def test_a_plan_takes_either_route_and_says_which_is_better(tmp_path: Path) -> None:
    contract = terms(2, 5_000, ledger_in(tmp_path))
    keys = {"kind": "mutual-information", "columns": ("a",), "given": ("b",), "mechanism": "laplace", "epsilon": 2.0}
    direct, by_counts, best = (
        PlannedRelease(name=route, route=route, **keys).request(contract)  # type: ignore[arg-type]
        for route in ("direct", "histogram", "best")
    )
    assert isinstance(direct.statistic, MutualInformation)
    assert by_counts.statistic == best.statistic
    assert "histogram of a × b and" in by_counts.statistic.title
    (line,) = [text for text in advice([direct], contract) if "Best route" in text]
    assert "Best route: histogram." in line
    data = pd.DataFrame({"a": ["a0", "a1"] * 2_500, "b": ["b0", "b1"] * 2_500})
    found = Curator(contract, data).release(best.statistic, best.mechanism).columns()
    assert 1.0 == pytest.approx(found["information_bits"][0], abs=0.05)  # noise of a few rows among thousands
    assert 1.0 == pytest.approx(found["information_bits"][0], abs=0.05)


@pytest.mark.parametrize("first", [("a", "b"), ("c",)])
def test_a_side_that_leaves_nothing_for_the_other_is_refused(first: tuple[str, ...]) -> None:
    with pytest.raises(DeclarationError, match="some of the columns, and leave others"):
        EntropyHistogram(("a", "b"), first=first)
