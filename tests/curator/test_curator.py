from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reaedp import (
    Budget,
    Contract,
    Curator,
    Gaussian,
    Integer,
    KeyedMarginal,
    Laplace,
    Ledger,
    Marginal,
    Threshold,
    Unit,
)
from reaedp.curator.records import Records
from reaedp.errors import BudgetRefused, DeclarationError
from reaedp.mechanisms.noise import SeededNoise
from tests_support import ledger_in

X = Integer(name="x", lower=0, upper=9, provenance="public")
FRAME = pd.DataFrame({"x": [1, 2, 2, 3] * 100})


def contract(folder: Path, epsilon: float = 1.0, **arguments: Any) -> Contract:
    return Contract(
        dataset="d",
        unit=Unit("add-remove"),
        budget=Budget(epsilon, 1e-6),
        ledger=ledger_in(folder),
        columns=(X,),
        **arguments,
    )


def test_a_release_is_charged_and_finished(tmp_path: Path) -> None:
    curator = Curator(contract(tmp_path), FRAME)
    release = curator.release(Marginal("x"), Laplace(0.25))
    assert 0.25 == pytest.approx(curator.ledger.spent("d"), rel=1e-4)  # δ makes it a little less
    entry = next(entry for entry in curator.ledger.history("d") if entry.number == release.entry)
    assert ("finished", "histogram of x") == (entry.state, entry.act.statistic)
    assert not release.seeded
    # |noise| > 100 at scale 4 has probability 3e-11 a cell.
    assert np.all(np.abs(release.counts.values[:4] - [0, 100, 200, 100]) <= 100)


def test_the_charge_is_on_disk_before_the_data_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terms = contract(tmp_path)
    curator = Curator(terms, FRAME)
    seen = []

    def spy(self: Records, names: tuple[str, ...]) -> Any:
        with Ledger.open(terms.ledger) as other:
            seen.append(other.spent("d"))
        raise RuntimeError("the machine stops here")

    monkeypatch.setattr(Records, "counts", spy)
    with pytest.raises(RuntimeError):
        curator.release(Marginal("x"), Laplace(0.25))
    assert [0.25] == pytest.approx(seen, rel=1e-4)
    assert "charged, not finished" == list(curator.ledger.history("d"))[-1].state


def test_a_refused_charge_counts_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    curator = Curator(contract(tmp_path, epsilon=0.5), FRAME)
    monkeypatch.setattr(Records, "counts", lambda *_: pytest.fail("counted without paying"))
    with pytest.raises(BudgetRefused, match=r"costs ε = 0\.6.*0\.5 left"):
        curator.release(Marginal("x"), Laplace(0.6))
    assert 0 == curator.ledger.spent("d")


def test_the_budget_is_shared_by_all_curators_of_a_data_set(tmp_path: Path) -> None:
    terms = contract(tmp_path)
    Curator(terms, FRAME).release(Marginal("x"), Laplace(0.75))
    with pytest.raises(BudgetRefused):
        Curator(terms, FRAME).release(Marginal("x"), Laplace(0.5))


def test_what_the_contract_or_the_data_lacks_costs_nothing(tmp_path: Path) -> None:
    curator = Curator(contract(tmp_path), pd.DataFrame({"y": [1]}))
    for statistic, mechanism in (
        (Marginal("x"), Laplace(0.5)),
        (Marginal("z"), Laplace(0.5)),
        (KeyedMarginal("x"), Laplace(0.5)),
        (Marginal("x"), Threshold(0.5, 1e-7)),
    ):
        with pytest.raises(DeclarationError):
            curator.release(statistic, mechanism)
    assert 0 == curator.ledger.spent("d")


def test_seeded_noise_marks_the_release(tmp_path: Path) -> None:
    releases = [
        Curator(contract(tmp_path), FRAME, noise=SeededNoise(np.random.default_rng(1))).release(
            Marginal("x"), Laplace(0.1)
        )
        for _ in range(2)
    ]
    assert np.array_equal(releases[0].counts.values, releases[1].counts.values)
    assert "NOT PRIVATE" in repr(releases[0])


def test_keys_above_the_threshold_are_released_in_order(tmp_path: Path) -> None:
    release = Curator(contract(tmp_path), FRAME).release(KeyedMarginal("x"), Threshold(0.9, 1e-7))
    assert [[1], [2], [3]] == release.value.keys.tolist()
    with pytest.raises(DeclarationError, match="no table of counts"):
        release.intervals()


def test_gaussian_noise_is_cheaper_for_many_releases(tmp_path: Path) -> None:
    curator = Curator(contract(tmp_path), FRAME)
    for _ in range(10):
        curator.release(Marginal("x"), Gaussian(0.002))
    # Ten times the concentrated loss, not ten times its ε: ρ = 0.02 is ε = 1.04 by the simple conversion.
    assert 0.5 < curator.ledger.spent("d") < 1.0


def test_only_noise_separates_the_releases_of_neighbours(tmp_path: Path) -> None:
    """With the noise frozen, releases of two neighbours differ by the neighbour's row and in nothing else."""

    def run(folder: str, frame: pd.DataFrame) -> Any:
        (tmp_path / folder).mkdir()
        terms = contract(tmp_path / folder)
        return Curator(terms, frame, noise=SeededNoise(np.random.default_rng(1))).release(Marginal("x"), Laplace(0.5))

    extremes = [7, -(10**9), None]
    base = run("base", FRAME)
    for number, extreme in enumerate(extremes):
        row = pd.DataFrame({"x": pd.array([extreme], dtype="Int64")})
        other = run(str(number), pd.concat([FRAME.astype("Int64"), row], ignore_index=True))
        assert 1 == np.abs(other.counts.values - base.counts.values).sum()
        for field in ("name", "dataset", "statistic", "noise", "unit", "entry", "contract", "seeded"):
            assert getattr(base, field) == getattr(other, field)
