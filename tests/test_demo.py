"""The demo comes with the package and needs nothing else."""

import gzip
import io
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from reaedp.cli import demo

HERE = Path(demo.__file__).parent


def run(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "reaedp", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=3600)


@pytest.mark.slow
def test_the_demo_runs(tmp_path: Path) -> None:
    done = run("demo", "new/folder", folder=tmp_path)
    assert 0 == done.returncode, done.stderr
    made = tmp_path / "new" / "folder"
    for file in ("published/release.json", "plan.html", "not-to-be-published/custodian-report.html"):
        assert (made / file).exists(), file
    assert [f"$ reaedp {command}" for command in demo.COMMANDS] == [
        line for line in done.stdout.splitlines() if line.startswith("$ ")
    ]


def test_the_demo_replaces_nothing(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("a year of work", encoding="utf-8")
    for folder in (".", "mine"):
        done = run("demo", folder, folder=tmp_path)
        assert 2 == done.returncode
        assert f"{folder} exists already. Choose another folder.\n" == done.stderr
    assert ["mine"] == [path.name for path in tmp_path.iterdir()]


def test_the_demo_ends_with_the_code_of_the_command_that_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import typer

    monkeypatch.setattr(demo, "COMMANDS", ("check nothing.toml", "check plan.toml"))
    with pytest.raises(typer.Exit) as ended:
        demo.demo(tmp_path / "demo")
    assert 2 == ended.value.exit_code


def test_the_data_set_of_the_demo_is_that_of_statsmodels() -> None:
    randhie = pytest.importorskip("statsmodels.datasets.randhie", reason='not installed: pip install "reaedp[demo]"')
    packed = gzip.decompress((HERE / "rand_hie.csv.gz").read_bytes())
    pd.testing.assert_frame_equal(randhie.load_pandas().data, pd.read_csv(io.BytesIO(packed)))
