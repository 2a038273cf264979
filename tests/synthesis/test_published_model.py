"""The model as an artefact: what is written is enough to draw more rows, also under conditions."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from modelled import COLUMNS, people, released_by
from reaedp import DeclarationError, Release
from reaedp.release.folder import write_parts, write_values
from reaedp.synthesis import sampling
from reaedp.synthesis.model_file import read_model
from reaedp.synthesis.published_model import MODEL_SUFFIX, PublishedModel


@pytest.fixture(scope="module")
def released() -> dict[str, Release]:
    return released_by()


def again(release: Release) -> PublishedModel:
    return read_model(release.attachments[MODEL_SUFFIX], COLUMNS, ())


@pytest.mark.parametrize("method", ["network", "amortised"])
def test_a_model_that_was_written_gives_the_rows_that_it_gave(released: dict[str, Release], method: str) -> None:
    model = released[method].value.model
    for given in (None, {1: np.array([True, False, False, False])}):
        first = model.cells(2_000, np.random.default_rng(7), given)
        second = again(released[method]).cells(2_000, np.random.default_rng(7), given)
        assert 0.99 < (first == second).mean(), "up to digits that no noise leaves"
    assert again(released[method]).content() == again(released[method]).content()


@pytest.mark.parametrize("method", ["network", "amortised"])
def test_rows_under_a_condition_have_the_law_of_such_rows_among_all(released: dict[str, Release], method: str) -> None:
    """Total variation of two samples of one law over 5 cells, 5,000 rows each, is below .06 but once in 10^6."""
    release = released[method]
    every = release.sample(10_000, seed=1).to_pandas()
    some = release.sample(5_000, {"sex": "f"}, seed=2).to_pandas()
    assert (some["sex"] == "f").all()
    wanted = every[every["sex"] == "f"]
    for laws in ([wanted["city"], some["city"]], [wanted["age"] // 20, some["age"] // 20]):
        first, second = (law.value_counts(normalize=True) for law in laws)
        assert first.sub(second, fill_value=0).abs().sum() / 2 < 0.06


def test_conditions_hold_in_every_row_also_inside_cells(released: dict[str, Release]) -> None:
    found = released["network"].sample(3_000, "age >= 42 and age < 58 and city != Bern", seed=1).to_pandas()
    assert 42 <= found["age"].min()
    assert found["age"].max() < 58
    assert {"Chur", "Genf"} == set(found["city"])
    assert (found["age"] % 1 == 0).all()


def test_the_same_seed_gives_the_same_rows_and_another_one_others(released: dict[str, Release]) -> None:
    first, second, third = (released["network"].sample(200, seed=seed).to_pandas() for seed in (1, 1, 2))
    assert first.equals(second)
    assert not first.equals(third)


def test_rows_in_parts_are_those_of_one_sample_and_fill_one_file(
    released: dict[str, Release], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "ROWS_OF_A_PART", 150)
    release = released["network"]
    parts = list(sampling.sample_parts(release.value, 400, "age >= 42", 1))
    assert [150, 150, 100] == [len(part) for part in parts]
    whole = release.sample(400, "age >= 42", seed=1)
    assert np.array_equal(np.concatenate([part.codes for part in parts]), whole.codes)
    write_parts(tmp_path / "parts", (part.values for part in parts), (".csv", ".parquet"))
    write_values(tmp_path / "whole", whole.values)
    assert (tmp_path / "whole.csv").read_bytes() == (tmp_path / "parts.csv").read_bytes()
    assert pd.read_parquet(tmp_path / "whole.parquet").equals(pd.read_parquet(tmp_path / "parts.parquet"))


@pytest.mark.parametrize(
    "keys",
    [
        {"rows": 0},
        {"rows": 2.5},
        {"rows": 10, "given": {"sx": "f"}},
        {"rows": 10, "given": "sex = x"},
        {"rows": 10, "seed": -1},
        {"rows": 10, "given": "age > 100"},
    ],
)
def test_what_cannot_be_drawn_is_refused(released: dict[str, Release], keys: dict[str, Any]) -> None:
    with pytest.raises(DeclarationError):
        released["network"].sample(**keys)


def test_the_file_holds_nothing_but_noisy_and_public_numbers(released: dict[str, Release]) -> None:
    """Every number follows from noisy counts: the columns' own counts are those of the noise, not of the data."""
    record = json.loads(released["network"].attachments[MODEL_SUFFIX])
    told = {"format", "rows", "noise", "rounds", "choice_mu", "columns", "variables", "tree", "links", "tables"}
    assert told == set(record) - {"inner"}
    truth = people()["sex"].value_counts()[["f", "m"]].tolist()
    noisy = record["columns"][1]["noisy_counts"]
    assert truth != noisy[:2]
    model = released["network"].value.model.learned
    assert noisy == model.singles[1].values.tolist()
    assert all(map(np.array_equal, [t.counts for t in model.evidence.tables[3:]], [t.counts for t in model.tables]))
    for table, written in zip(model.evidence.tables, record["tables"], strict=True):
        assert np.allclose(table.counts.ravel(), written["noisy_counts"])
    assert [each.counts.tolist() for each in model.inner] == [each["noisy_counts"] for each in record.get("inner", [])]


def spoilt(record: dict[str, Any], way: str) -> dict[str, Any]:
    ways: dict[str, Any] = {
        "format": lambda r: r | {"format": 2},
        "names": lambda r: r | {"columns": r["columns"][::-1]},
        "lost": lambda r: {key: value for key, value in r.items() if key != "tree"},
        "tree": lambda r: r | {"tree": r["tree"] | {"parents": [0] * len(r["tree"]["parents"])}},
        "rows": lambda r: r | {"rows": float("nan")},
        "counts": lambda r: r | {"columns": [r["columns"][0] | {"noisy_counts": [1.5]}, *r["columns"][1:]]},
        "shares": lambda r: r | {"columns": [r["columns"][0] | {"shares": [0.0] * 23}, *r["columns"][1:]]},
        "cells": lambda r: r | {"variables": [r["variables"][0] | {"cells": [[5, 23]]}, *r["variables"][1:]]},
    }
    changed: dict[str, Any] = ways[way](record)
    return changed


@pytest.mark.parametrize("way", ["format", "names", "lost", "tree", "rows", "counts", "shares", "cells"])
def test_a_file_that_holds_no_model_is_refused(released: dict[str, Release], way: str) -> None:
    record = json.loads(released["network"].attachments[MODEL_SUFFIX])
    with pytest.raises((ValueError, LookupError, TypeError)):
        read_model(json.dumps(spoilt(record, way)).encode(), COLUMNS, ())
