"""Files whose texts have no sign that would make the engine's cast take for numbers what are none."""

import datetime
from pathlib import Path

import pytest

from reaedp import Boolean, Budget, Category, Contract, Date, Integer, Number, Unit
from reaedp.contract.column import Column
from reaedp.curator.records import Records
from reaedp.engines import bytes_of_files
from reaedp.engines.bytes_of_files import PlainTexts

#: What only the engine's cast takes for numbers.
STRANGE = ("1_000", "+-5", "nan(1)")
#: Texts without a strange sign: numbers, words, moments, and what is none of them.
BARE = (
    *("1", "-1", "007", ".5", "5.", "1.5e1", "1e-3", "1E5", "-0", " 3 ", "\t2", "9" * 400, "1e999", "-1e999"),
    *("nan", "-NaN", "inf", "-Infinity", "true", " FALSE ", "t", "no", "yes", "", " "),
    *("2020-01-01", "2020-01-01 10:00:00", "2020-01-02T10:00:00Z", "2020-02-30"),
    *("--5", "1 2", "0x10", "1e", "e5", ".", "-", "1.2.3", "12e45678", "1-1", "१", "1\u00a0", "\0", "1\0", "1f"),
)
BOUNDS = {"lower": -10, "upper": 10, "outside": "cell", "infinite": "cell"}
KINDS: dict[str, Column] = {
    "number": Number(name="x", **BOUNDS, bins=40, provenance="public"),
    "integer": Integer(name="x", **BOUNDS, provenance="public"),
    "category": Category(name="x", levels=("1", "0.5", "false", "2020-01-01", "e5"), provenance="public"),
    "truth value": Boolean(name="x", provenance="public"),
    "date": Date(
        name="x", lower=datetime.date(2020, 1, 1), upper=datetime.date(2020, 1, 9), every="day", provenance="public"
    ),
}


def counted(column: Column, path: Path) -> list[int]:
    contract = Contract(
        dataset="d", unit=Unit("add-remove"), budget=Budget(1, 1e-6), ledger="unused", columns=(column,)
    )
    return [int(count) for count in Records(contract, path).counts(("x",)).values]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("strange", STRANGE)
def test_a_strange_text_changes_nothing_about_others(strange: str, kind: str, tmp_path: Path) -> None:
    """Where no text of a file is strange, such texts are not looked for."""
    path = tmp_path / "data.csv"

    def counts(*rows: tuple[str, str], bare: bool) -> list[int]:
        path.write_bytes(("x,a_b(+\n" + "".join(f"{x},{y}\n" for x, y in rows)).encode())
        assert bare == PlainTexts([str(path)], '"').bare()
        return counted(KINDS[kind], path)

    rows = [(text, "1") for text in BARE]
    found = counts(*rows, bare=True)
    assert len(rows) == sum(found)
    assert found == counts(*rows[1:], (rows[0][0], strange), bare=False)
    joined = counts(*rows, (strange, "1"), bare=False)
    trouble = KINDS[kind].code("unseen" if kind == "category" else "unparsable")
    assert {trouble: 1} == {
        cell: joined[cell] - found[cell] for cell in range(len(found)) if joined[cell] != found[cell]
    }


def test_a_strange_text_is_no_number_either_if_it_comes_later(tmp_path: Path) -> None:
    path, column = tmp_path / "data.csv", KINDS["integer"]
    path.write_bytes(b"x\n-5\n")
    records = Records(
        Contract(dataset="d", unit=Unit("add-remove"), budget=Budget(1, 1e-6), ledger="unused", columns=(column,)), path
    )
    assert 1 == records.counts(("x",)).values[5]
    path.write_bytes(b"x\n-5\n+-5\n")
    assert 1 == records.counts(("x",)).values[5]
    assert 1 == records.counts(("x",)).values[column.code("unparsable")]


@pytest.mark.parametrize("before", range(9))
@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_strange_signs_are_found_wherever_they_lie(
    before: int, end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bytes_of_files, "CHUNK", 4)
    path, other = tmp_path / "data.csv", tmp_path / "other.csv"
    other.write_bytes(b"x\n1\n")

    def bare(content: str) -> bool:
        path.write_bytes(content.encode())
        one, two = (PlainTexts(paths, '"').bare() for paths in ([str(path), str(other)], [str(other), str(path)]))
        assert one == two
        return one

    fill = "1" * before
    assert bare(f"x{end}{fill}{end}")
    for sign in "_(+":
        assert bare(f"{sign}{end}{fill}{end}")
        assert not bare(f"x{end}{fill}{sign}{end}")
        assert not bare(f"x{end}{sign}{fill}\n1{end}")
