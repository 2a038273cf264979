import csv
from pathlib import Path

import pytest

from reaedp import Ledger, verify
from reaedp.errors import DeclarationError
from reaedp.paper.many_files import data_files, release_all

CONTRACT = """
[dataset]
name = "{name}"

[unit]
change = "add-remove"
at_least = 1000

[budget]
epsilon = 10.0
delta = 1e-6
ledger = "{name}.sqlite"

[columns.x]
kind = "integer"
lower = 0
upper = 3
provenance = "public"
"""


def data_set(folder: Path, name: str) -> None:
    (folder / f"{name}.toml").write_text(CONTRACT.format(name=name))
    (folder / f"{name}.csv").write_text("x\n" + "0\n1\n2\n3\n" * 300)
    Ledger.create(folder / f"{name}.sqlite").close()


@pytest.mark.slow
def test_every_column_of_every_file_is_released_through_its_own_ledger(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    for name in ("one", "two"):
        data_set(tmp_path, name)
    rows = release_all(tmp_path, tmp_path / "out", epsilon=2.0, orders=(1.0, 2.0))
    assert [("one", "x"), ("two", "x")] == [(row["data"], row["column"]) for row in rows]
    # Four cells of 300 rows, three empty ones, noise of half a row: a tenth of a bit has a probability below 1e-9.
    assert all(abs(row[name] - 2) < 0.1 for row in rows for name in ("H_1", "H_2"))
    assert all(row["delta_H_exact"] < row["delta_H_published"] for row in rows)
    with (tmp_path / "out" / "entropies.csv").open() as file:
        assert 2 == len(list(csv.DictReader(file)))
    assert (tmp_path / "out" / "entropies.svg").read_text().startswith("<svg")
    for name in ("one", "two"):
        assert verify(tmp_path / "out" / name, tmp_path / f"{name}.sqlite")


def test_a_mistake_in_one_file_is_found_before_any_is_charged(tmp_path: Path) -> None:
    data_set(tmp_path, "one")
    data_set(tmp_path, "two")
    (tmp_path / "two.csv").unlink()
    with pytest.raises(DeclarationError, match=r"beside two\.toml"):
        release_all(tmp_path, tmp_path / "out", epsilon=1.0)
    with Ledger.open(tmp_path / "one.sqlite") as ledger:
        assert [] == list(ledger.datasets())
    assert not (tmp_path / "out").exists()
    with pytest.raises(DeclarationError, match="must hold contracts"):
        data_files(tmp_path / "nowhere", 1.0)
    (tmp_path / "out").mkdir()
    with pytest.raises(DeclarationError, match="must be new"):
        release_all(tmp_path, tmp_path / "out", epsilon=1.0)
