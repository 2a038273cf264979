"""Curves and images through the curator: from files to a verified folder, and back to the truth for the custodian."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from reaedp import Plan, publish, verify
from reaedp.curator.curator import Curator
from reaedp.errors import DeclarationError
from reaedp.evaluation.evaluate import evaluate
from reaedp.plan.forecast import Forecast
from tests_support import ledger_in

HEAD = """
[dataset]
name = "others"
[unit]
change = "replace"
at_least = {rows}
[budget]
epsilon = 4
delta = 1e-5
ledger = "ledger.sqlite"
"""
CURVES = """
[curves.height]
form = "wide"
points = ["a", "b", "c"]
at = [1.0, 5.0, 18.0]
interval = [1.0, 18.0]
basis = "wiener"
rank = 3
clip = 2.0
provenance = "public"
"""
PICTURE = """
[picture]
width = 12
height = 9
channels = 1
lower = 0
upper = 255
provenance = "public"
"""


def plan(folder: Path, parts: str, release: str, rows: int = 5_000) -> Plan:
    ledger_in(folder, "ledger.sqlite")
    (folder / "contract.toml").write_text(HEAD.format(rows=rows) + parts)
    (folder / "plan.toml").write_text(f'contract = "contract.toml"\n[[release]]\nname = "r"\n{release}')
    return Plan.load(folder / "plan.toml")


def curves(folder: Path, rows: int = 5_000) -> Path:
    values = np.random.default_rng(3).normal(1.0, 0.2, (rows, 3))
    pd.DataFrame(values, columns=list("abc")).to_csv(folder / "curves.csv", index=False)
    return folder / "curves.csv"


def measured(folder: Path, data: Path) -> dict[str, float]:
    lines = evaluate(folder / "out", data, rng=np.random.default_rng(0))
    assert not any(line.disclosable for line in lines)
    return {line.measure: line.value for line in lines}


def test_a_mean_curve_is_released_with_bands_and_a_chart(tmp_path: Path) -> None:
    wanted = plan(tmp_path, CURVES, 'kind = "mean-curve"\ncurve = "height"\nepsilon = 1\ndelta = 1e-6\n')
    (release,) = publish(wanted, str(curves(tmp_path)), tmp_path / "out")
    table = pd.read_csv(tmp_path / "out" / "r.csv")
    assert [1.0, 5.0, 18.0] == table["time"].tolist()
    assert (table["all_low_95"] <= table["low_95"]).all()
    assert (table["low_95"] <= table["mean"]).all()
    assert (tmp_path / "out" / "r.svg").read_text().startswith("<svg")
    assert '<section id="release-r">' in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert verify(tmp_path / "out", str(tmp_path / "ledger.sqlite"))
    # Noise of 2·2/5000 times 4.2 in each of three coefficients is below 0.01; six deviations of it below 0.1.
    assert measured(tmp_path, tmp_path / "curves.csv")["root mean square error, clipped mean"] < 0.1
    (forecast,) = [Forecast.of(request, wanted.contract) for request in wanted.requests()]
    assert 0 < forecast.expected.mean_error < 0.02
    assert release.price


def test_synthetic_curves_are_released_and_drawn(tmp_path: Path) -> None:
    keys = (
        'kind = "synthetic-curves"\ncurve = "height"\ncurves = 30\nkept = 1\nspread = 0.2\nepsilon = 2\ndelta = 1e-6\n'
    )
    (release,) = publish(plan(tmp_path, CURVES, keys), str(curves(tmp_path)), tmp_path / "out")
    table = pd.read_csv(tmp_path / "out" / "r.csv")
    assert ["curve", "time", "value"] == list(table.columns)
    assert 3 * len(release.value) == len(table) <= 90
    assert '<section id="release-r">' in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert verify(tmp_path / "out", str(tmp_path / "ledger.sqlite"))


def test_an_image_is_released_as_a_picture_and_as_numbers(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="needs the extra images")
    pytest.importorskip("skimage", reason="needs the extra images")
    pixels = np.random.default_rng(5).integers(0, 256, (9, 12), dtype=np.uint8)
    image.fromarray(pixels).save(tmp_path / "in.png")
    wanted = plan(tmp_path, PICTURE, 'kind = "image"\nmechanism = "laplace"\nepsilon = 4\n')
    publish(wanted, str(tmp_path / "in.png"), tmp_path / "out")
    with image.open(tmp_path / "out" / "r.png") as picture:
        assert (12, 9) == picture.size
    assert 108 == len(pd.read_csv(tmp_path / "out" / "r.csv"))
    assert "pixel" in (tmp_path / "out" / "README.txt").read_text()
    record = json.loads((tmp_path / "out" / "release.json").read_text())
    assert ["r.csv", "r.parquet", "r.png"] == record["releases"][0]["files"]
    assert '<section id="release-r">' in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert verify(tmp_path / "out", str(tmp_path / "ledger.sqlite"))
    assert {"PSNR, dB", "mean error, levels", "SSIM"} == measured(tmp_path, tmp_path / "in.png").keys()


def test_a_missing_point_column_is_found_before_anything_is_charged(tmp_path: Path) -> None:
    wanted = plan(tmp_path, CURVES, 'kind = "mean-curve"\ncurve = "height"\nepsilon = 1\ndelta = 1e-6\n')
    curves(tmp_path)
    pd.read_csv(tmp_path / "curves.csv")[["a", "b"]].to_csv(tmp_path / "curves.csv", index=False)
    with pytest.raises(DeclarationError, match="lacks a declared column"):
        publish(wanted, str(tmp_path / "curves.csv"), tmp_path / "out")
    curator = Curator(wanted.contract, str(tmp_path / "curves.csv"))
    assert 0 == curator.ledger.spent("others")


def test_unknown_curves_and_mechanisms_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DeclarationError, match="weight"):
        plan(tmp_path, CURVES, 'kind = "mean-curve"\ncurve = "weight"\nepsilon = 1\ndelta = 1e-6\n').requests()
    with pytest.raises(DeclarationError, match="mechanism must be laplace or gaussian"):
        plan(tmp_path, PICTURE, 'kind = "image"\nmechanism = "threshold"\nepsilon = 1\ndelta = 1e-6\n')
