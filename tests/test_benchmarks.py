"""The benchmarks' shared parts, and that every script starts."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from harness import machine  # noqa: E402
from harness.document import Done, document  # noqa: E402
from harness.exponent import fitted  # noqa: E402
from harness.peer import OURS, Unavailable, run  # noqa: E402
from harness.row import Row, read_rows, write_rows  # noqa: E402
from harness.stopwatch import best  # noqa: E402
from harness.table import figure, markdown_table, text_table  # noqa: E402


def row(**facts: object) -> Row:
    common = {"section": "s", "what": "w", "against": "a", "ours": 2.0, "theirs": 1.0}
    return Row(**(common | facts))  # type: ignore[arg-type]


def test_tables_align_and_keep_bars_apart() -> None:
    assert "name    n\nlong   10\nx     200" == text_table(["name", "n"], [["long", 10], ["x", 200]])
    assert "| a |\n| --- |\n| 1 \\| 2 |" == markdown_table(["a"], [["1 | 2"]])


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "–"), (0.0, "0"), (0.012345, "0.0123"), (0.9996, "1.00"), (12.34, "12.3"), (123456.0, "123,456")],
)
def test_figures_have_three_digits_and_no_exponent(value: float | None, shown: str) -> None:
    assert shown == figure(value)


def test_the_exponent_of_known_powers_is_found_and_what_is_fixed_is_left_out() -> None:
    sizes = [10.0, 100.0, 1_000.0, 10_000.0]
    law = fitted(sizes, [5 * size**1.5 for size in sizes])
    assert law.exponent == pytest.approx(1.5)
    assert law.at(1e6) == pytest.approx(5e9)
    hidden = fitted(sizes, [7.0, 7.0, 1_000.0, 10_000.0], above=1_000)
    assert hidden.exponent == pytest.approx(1.0)
    assert (1_000.0, 10_000.0) == (hidden.smallest, hidden.largest)
    with pytest.raises(ValueError, match="two or more"):
        fitted(sizes, sizes, above=10_000)


def test_a_ratio_below_one_means_ahead_whatever_the_unit() -> None:
    assert ("BEHIND", 2.0) == (row().verdict, row().ratio)
    assert ("ahead", 0.5) == (row(more=True).verdict, row(more=True).ratio)
    assert "limit" == row(limit=True).verdict
    assert "goal met" == row(limit=True, goal=2.0).verdict
    assert "GOAL MISSED" == row(limit=True, goal=1.9).verdict
    assert ("not run", None) == (row(theirs=None).verdict, row(theirs=None).ratio)


def test_rows_come_back_as_they_were_written(tmp_path: Path) -> None:
    rows = [row(note="ε"), row(theirs=None, goal=1.3)]
    assert rows == list(write_rows(tmp_path / "rows", rows))
    assert rows == read_rows(tmp_path / "rows")


def test_the_document_tells_what_falls_short_and_under_which_load() -> None:
    done = Done("job", [row(), row(what="fine", ours=0.5)], {"seconds": 3, "load": [0.5, 2.5]})
    text = document([done], False, "growth.svg")
    behind, tables = text.split("## s\n", 1)
    assert "| s | w | a |" in behind
    assert "fine" not in behind
    assert "fine" in tables
    assert "0.5 to 2.5" in behind


def test_whatever_is_behind_says_why() -> None:
    results = (BENCHMARKS / "RESULTS.md").read_text(encoding="utf-8")
    table = results.split("## Behind a peer, or short of a goal")[1].split("##")[0].strip()
    if table == "Nothing.":
        return
    heads, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines())
    assert "why" == heads[-1]
    assert all(cells[-1] for cells in rows), [cells[:3] for cells in rows if not cells[-1]]


def test_jobs_take_turns() -> None:
    turns: list[str] = []
    found = best({name: lambda name=name: turns.append(name) for name in "ab"}, 2)  # type: ignore[misc]
    assert ["a", "b", "a", "b"] == turns
    assert {"a", "b"} == found.keys()


def test_a_contender_that_fails_says_why() -> None:
    with pytest.raises(Unavailable, match=r"fails .*: ValueError"):
        run("histogram_duckdb", "too", "many", "arguments", peer=OURS, cap=60)


SCRIPTS = sorted(path.stem for path in BENCHMARKS.glob("*.py"))


def test_every_script_is_explained() -> None:
    text = (BENCHMARKS / "README.md").read_text(encoding="utf-8")
    assert not [name for name in SCRIPTS if f"{name}.py" not in text and name != "suite"]


@pytest.mark.slow
def test_the_benchmark_of_neighbours_measures_eight_folders_of_one_size() -> None:
    done = subprocess.run(
        [sys.executable, str(BENCHMARKS / "neighbours.py"), "--rows", "10"], capture_output=True, text=True, check=False
    )
    assert 0 == done.returncode, done.stderr
    sizes = [line.split("|")[4] for line in done.stdout.splitlines()[2:]]
    assert (8, 1) == (len(sizes), len(set(sizes)))


@pytest.mark.slow
def test_every_script_has_help() -> None:
    """All in one process, which imports the libraries once; each defines what its help says before it measures."""
    code = (
        "import runpy, sys\n"
        "for path in sys.argv[1:]:\n"
        "    sys.argv = [path, '--help']\n"
        "    try: runpy.run_path(path, run_name='__main__')\n"
        "    except SystemExit as end: assert not end.code, path\n"
        "    else: raise AssertionError(path)\n"
    )
    paths = [str(BENCHMARKS / f"{name}.py") for name in SCRIPTS]
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\nsys.path.insert(0, {str(BENCHMARKS)!r})\n{code}", *paths],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert 0 == done.returncode, done.stderr
    assert len(SCRIPTS) == done.stdout.count("usage:")


@pytest.mark.slow
@pytest.mark.parametrize("script", ["histogram", "start_up"])
def test_a_tiny_run_writes_rows(script: str, tmp_path: Path) -> None:
    tiny = {"histogram": ["--rows", "1000", "--from", "memory", "--without-peers", "--rounds", "1"]}
    out = tmp_path / "rows"
    command = [sys.executable, str(BENCHMARKS / f"{script}.py"), *tiny.get(script, ["--rounds", "1"])]
    surroundings = {"REAEDP_BENCH": str(tmp_path), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [*command, "--rows-to", str(out)], capture_output=True, text=True, check=False, env=surroundings
    )
    assert 0 == done.returncode, done.stderr
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert all(row["ours"] > 0 and row["theirs"] > 0 for row in rows)
    assert len(rows) == {"histogram": 1, "start_up": 2}[script]


def test_results_do_not_make_the_source_look_changed(tmp_path: Path) -> None:
    def git(*words: str) -> str:
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        done = subprocess.run(["git", *identity, *words], cwd=tmp_path, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    for name in (*machine.RESULTS, "source.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("before")
    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "all")
    name = git("rev-parse", "--short", "HEAD")
    for result in machine.RESULTS:
        (tmp_path / result).write_text("after")
    assert name == machine.commit(tmp_path / "benchmarks")
    (tmp_path / "source.py").write_text("after")
    assert f"{name}-dirty" == machine.commit(tmp_path / "benchmarks")


def test_outside_a_repository_the_source_has_no_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert machine.commit(tmp_path) == ""
