"""Bins that follow the data, bought as quantiles; and when public ones are better."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from reaedp import (
    Budget,
    Contract,
    Curator,
    DeclarationError,
    Integer,
    Laplace,
    Ledger,
    Marginal,
    Number,
    RowRule,
    Unit,
    differential_entropy,
    learn_bins,
)
from reaedp.answer import Chosen
from reaedp.cli import learn
from reaedp.curator.quantile_bins import edges_of
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.entropy.binning import best_binning, ranks_of_edges
from reaedp.statistics.quantiles.chosen_quantiles import ChosenValues, parts_of
from reaedp.table import Table
from tests_support import ledger_in

ROWS = 4_000
#: Nearly all rows between 0 and 1, some far away.
VALUES = np.concatenate([np.linspace(0.0, 1.0, ROWS - 20), np.linspace(100.0, 1000.0, 20)])
WIDE = Number(name="x", lower=0, upper=1000, bins=5, provenance="public")


@pytest.fixture
def terms(tmp_path: Path) -> Contract:
    contract = Contract(
        dataset="d", unit=Unit("add-remove", at_least=ROWS), budget=Budget(20.0, 1e-6), ledger=ledger_in(tmp_path),
        columns=(WIDE, Integer(name="whole", lower=0, upper=9, provenance="public")),
    )  # fmt: skip
    with Ledger.open(contract.ledger) as ledger:
        ledger.register("d", contract.budget, contract.unit)
    return contract


def test_bins_at_quantiles_cost_what_was_given_and_follow_the_data(terms: Contract) -> None:
    """At ε = 9 the chosen places miss a few rows of 4,000, which are 0.001 apart; a cell of the grid is 0.1 wide."""
    learned = learn_bins(terms, pd.DataFrame({"x": VALUES}), "x", bins=8, epsilon=9.0)
    assert (0.0, 1000.0) == (learned.edges[0], learned.edges[-1])
    assert np.allclose(np.arange(1, 8) / 8, learned.edges[1:-1], atol=0.15)
    with Ledger.open(terms.ledger) as ledger:
        assert 9.0 == pytest.approx(ledger.spent("d"))


def test_rules_about_other_columns_and_steps_are_no_obstacle_to_bins(terms: Contract) -> None:
    rule = RowRule(act="never", expression="x > 5 and whole > 5", provenance="public")
    stepped = replace(WIDE, step=1.0)
    ruled = replace(terms, columns=(stepped, terms.columns[1]), rules=(rule,))
    learned = learn_bins(ruled, pd.DataFrame({"x": VALUES}), "x", bins=4, epsilon=1.0)
    assert 1000.0 == learned.edges[-1]
    assert learned.release is not None
    with Ledger.open(terms.ledger) as ledger:
        assert [True] == [entry.finished for entry in ledger.history("d") if entry.number == learned.release.entry]


def test_equal_bins_cost_nothing_where_they_will_do_better(terms: Contract) -> None:
    learned = learn_bins(terms, pd.DataFrame({"x": VALUES}), "x", bins=4, epsilon=0.001, histogram_epsilon=9.0)
    assert learned.release is None
    assert learned.binning is not None
    assert learned.bins == learned.binning.public_bins
    assert learned.binning.public_error <= learned.binning.quantile_error
    with Ledger.open(terms.ledger) as ledger:
        assert 0 == ledger.spent("d")


@pytest.mark.slow
def test_the_choice_follows_rows_and_prices() -> None:
    def quantiles(rows: int, bins: int, epsilon: float, histogram_epsilon: float) -> bool:
        unit = Unit("add-remove", at_least=rows)
        return best_binning(unit, bins=bins, epsilon=epsilon, histogram_epsilon=histogram_epsilon).quantiles

    assert quantiles(10_000, 20, 0.2, 0.8)
    assert not quantiles(100_000, 12, 0.2, 0.8)  # so many rows fill thousands of equal bins
    assert not quantiles(10_000, 20, 1e-5, 0.8)  # edges that are chosen at random


def test_edges_follow_from_chosen_places_and_public_facts_alone() -> None:
    fine = Number(name="x", lower=-2, upper=2, bins=8, provenance="public")
    starts = np.cumsum(parts_of(fine)) - parts_of(fine)
    chosen = ChosenValues((fine,), Chosen(np.array([7]), np.array([[starts[2], starts[2] + 1, starts[5]]])))
    assert (-2.0, -1.0, 0.5, 2.0) == edges_of(chosen, fine)
    at_the_ends = ChosenValues((fine,), Chosen(np.array([7]), np.array([[0, parts_of(fine).sum() - 1]])))
    assert (-2.0, 2.0) == edges_of(at_the_ends, fine)


def test_a_column_without_rows_has_edges_too(terms: Contract) -> None:
    learned = learn_bins(terms, pd.DataFrame({"x": pd.Series([], dtype=float)}), "x", bins=4, epsilon=1.0)
    assert (0.0, 1000.0) == (learned.edges[0], learned.edges[-1])


@pytest.mark.parametrize("bins", [3, 201, 8.0])
def test_numbers_of_bins_that_make_no_sense_are_refused_before_the_charge(terms: Contract, bins: int) -> None:
    with pytest.raises(DeclarationError, match="bins must be a whole number from 4 to 200"):
        learn_bins(terms, pd.DataFrame({"x": VALUES}), "x", bins=bins, epsilon=1.0)
    with pytest.raises(DeclarationError, match="kind number; 'whole' is of kind integer"):
        learn_bins(terms, pd.DataFrame({"whole": [1]}), "whole", bins=4, epsilon=1.0)
    with Ledger.open(terms.ledger) as ledger:
        assert 0 == ledger.spent("d")


@pytest.mark.parametrize("bins", [4, 11, 12, 20, 200])
def test_ranks_ascend_and_make_as_many_bins_as_were_wanted(bins: int) -> None:
    at = ranks_of_edges(bins)
    assert bins == len(at) + 1
    assert list(at) == sorted(set(at))
    assert np.allclose(np.array(at) + np.array(at)[::-1], 1.0, atol=1e-6)


@pytest.mark.slow
def test_the_command_writes_the_edges_in_place_of_the_bounds(tmp_path: Path) -> None:
    ledger_in(tmp_path)
    contract, data = tmp_path / "c.toml", tmp_path / "x.csv"
    contract.write_text(
        '[dataset]\nname = "d"\n[unit]\nchange = "add-remove"\nat_least = 4000\n'
        "[budget]\nepsilon = 20.0\ndelta = 1e-6\n"
        f'ledger = "{ledger_in(tmp_path)}"\n[columns.x]\nkind = "number"  # kept\nlower = 0\nupper = 1000\nbins = 5\n'
        'provenance = "public"\n'
    )
    data.write_text("x\n" + "\n".join(map(str, VALUES)))
    options = ["--data", str(data), "--bins", "8", "--epsilon", "9"]
    found = CliRunner().invoke(learn.app, ["bins", str(contract), "x", *options])
    assert 0 == found.exit_code, found.output
    assert "bins from 0 to 1000, paid for by ledger entry" in found.output
    column = Contract.load(contract).column("x")
    assert isinstance(column, Number)
    assert (None, None, None, "dp") == (column.lower, column.upper, column.bins, column.provenance)
    assert "# kept" in contract.read_text()
    options = ["--data", str(data), "--bins", "4", "--epsilon", "0.001", "--histogram-epsilon", "9"]
    kept = CliRunner().invoke(learn.app, ["bins", str(contract), "x", *options])
    assert "nothing was charged" in kept.output
    assert column == Contract.load(contract).column("x")


@pytest.mark.slow
def test_the_density_of_bins_that_follow_the_data_has_nearly_the_entropy_of_the_data(terms: Contract) -> None:
    """Even on [0, 1] but for half a percent: the differential entropy is near 0, that of wide bins near 7.6."""
    learned = learn_bins(terms, pd.DataFrame({"x": VALUES}), "x", bins=20, epsilon=5.0)
    found = []
    for column in (Number(name="x", edges=learned.edges, provenance="public"), WIDE):
        curator = Curator(
            Contract(dataset="d", unit=terms.unit, budget=terms.budget, ledger=terms.ledger, columns=(column,)),
            pd.DataFrame({"x": VALUES}),
        )
        release = curator.release(Marginal("x"), Laplace(5.0))
        found.append(differential_entropy(release.counts, release.noise, at_least=ROWS).value)
    assert abs(found[0]) < 0.5
    assert 7 < found[1]


def test_differential_entropies_are_those_of_densities_and_their_intervals_cover_the_noise() -> None:
    edges = (0.0, 1.0, 3.0, 11.0)
    column = Number(name="x", edges=edges, provenance="public", null="drop", nan="drop", unparsable="drop")
    counts, wide = np.array([500, 300, 200]), np.diff(edges)
    shares = counts / 1000
    truth = float((shares * np.log2(wide / shares)).sum())
    noise = Calibrated(Laplace(0.2), Sensitivity(1, 1, 1))
    rng, inside = np.random.default_rng(1), 0
    for _ in range(400):
        noisy = counts + rng.geometric(1 - np.exp(-0.2), 3) - rng.geometric(1 - np.exp(-0.2), 3)
        found = differential_entropy(Table((column,), noisy), noise)
        inside += found.low <= truth <= found.high
        assert found.low <= found.value <= found.high
    # 95 % of 400 less 4.9 standard errors.
    assert inside >= 400 * 0.95 - 4.9 * np.sqrt(400 * 0.95 * 0.05)
    with pytest.raises(DeclarationError, match="needs one column"):
        differential_entropy(Table((column, column), np.ones((3, 3))), noise)
