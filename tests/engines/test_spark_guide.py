"""What the guide to Spark shows is run."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests_support import CONTRACT as CLINIC
from tests_support import ledger_in

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]
pytest.importorskip("pyspark", reason='pyspark is not installed: pip install "reaedp[spark]"')

GUIDE = Path(__file__).parents[2] / "docs" / "spark.md"
CONTRACT = CLINIC.replace("clinic", "visits")
PLAN = """
contract = "contract.toml"
[[release]]
name = "ages"
kind = "histogram"
columns = ["age", "sex"]
mechanism = "laplace"
epsilon = 0.5
"""


def blocks(language: str) -> list[str]:
    text = GUIDE.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    import pandas as pd

    from spark_cluster import java_found

    if not java_found():
        pytest.skip("no Java was found, and none could be installed")
    (tmp_path / "contract.toml").write_text(CONTRACT, encoding="utf-8")
    (tmp_path / "plan.toml").write_text(PLAN, encoding="utf-8")
    ledger_in(tmp_path)
    rng = np.random.default_rng(1)
    pd.DataFrame({"age": rng.uniform(0, 100, 999), "sex": rng.choice(["f", "m"], 999)}).to_parquet(
        tmp_path / "visits.parquet"
    )
    return tmp_path


def run(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=300
    )
    assert 0 == done.returncode, done.stderr
    return done.stdout


def test_the_commands_of_the_guide_run(folder: Path) -> None:
    (block,) = blocks("sh")
    for line in block.strip().splitlines():
        program, *arguments = shlex.split(line)
        assert "reaedp" == program
        run(folder, "-m", "reaedp", *arguments)
    assert (folder / "published" / "ages.csv").exists()


def test_the_python_of_the_guide_runs(folder: Path) -> None:
    (block,) = blocks("python")
    # Noise of scale 10 in at most 20 cells sums to -999 with probability below (1 / (1 - 0.9²))^20 · e^(-0.09 · 999)
    # < 1e-24, by Chernoff's bound at 0.09.
    assert "True\nTrue\n" == run(folder, "-c", block)
