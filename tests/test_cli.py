"""Commands as a user types them."""

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pandas as pd
import pytest

from reaedp import Contract, Ledger
from tests_support import unwatched

Run = Callable[..., CompletedProcess[str]]
RELEASE = ("release", "plan.toml", "--data", "data.csv", "--out", "out")


def test_the_whole_path_from_plan_to_verified_release(clinic: Path, started: Run, reaedp: Run) -> None:
    for command in (("check", "contract.toml"), ("check", "plan.toml"), ("plan", "plan.toml"), RELEASE):
        done = started(*command) if command == RELEASE else reaedp(*command)
        assert 0 == done.returncode, done.stderr
        assert "" == done.stderr or command == RELEASE
    verified = started("verify", "out", "--ledger", "budget.sqlite")
    assert 0 == verified.returncode, verified.stderr
    assert 12 == verified.stdout.count("✓")
    assert sorted(path.name for path in (clinic / "out").iterdir()) == [
        "README.txt", "ages.csv", "ages.parquet", "both.csv", "both.parquet", "frequent.csv", "frequent.parquet",
        "release.json", "report.html",
    ]  # fmt: skip
    assert not [path for path in clinic.iterdir() if path.name.startswith(".")]


@pytest.mark.slow
def test_csv_and_parquet_hold_the_same_numbers(clinic: Path, reaedp: Run) -> None:
    assert 0 == reaedp(*RELEASE).returncode
    for name in ("ages", "both", "frequent"):
        from_csv = pd.read_csv(clinic / "out" / f"{name}.csv", keep_default_na=False)
        from_parquet = pd.read_parquet(clinic / "out" / f"{name}.parquet")
        assert list(from_csv.columns) == list(from_parquet.columns)
        for column in from_csv:
            assert from_csv[column].tolist() == pytest.approx(from_parquet[column].tolist())
    ages = pd.read_csv(clinic / "out" / "ages.csv")
    assert 13 == len(ages)
    # 200 rows in each of ten bins, noise of scale 4: off by more than 120 with probability 1e-13
    assert (ages["count"][:10] - 200).abs().max() < 120
    assert ages["share"].sum() == pytest.approx(1.0)
    assert (ages["low_95"] <= ages["high_95"]).all()


def test_the_plan_tells_cost_and_error_in_words_without_opening_data(clinic: Path, reaedp: Run) -> None:
    (clinic / "data.csv").unlink()
    done = reaedp("plan", "plan.toml")
    assert 0 == done.returncode, done.stderr
    text = " ".join(done.stdout.split())
    assert "ages: Counts are off by about 4 on average, at most 12 with 95 % confidence." in text
    assert "Counts below 24 are mostly noise." in text
    assert "The ledger has ε = 1 left for a release with Laplace noise." in text
    for path in clinic.glob("budget.sqlite*"):
        path.unlink()
    before = reaedp("plan", "plan.toml")
    assert 0 == before.returncode
    assert f"There is no ledger at {clinic / 'budget.sqlite'}." in before.stdout
    assert not list(clinic.glob("budget.sqlite*"))


@pytest.mark.slow
def test_a_changed_file_does_not_verify(clinic: Path, reaedp: Run) -> None:
    assert 0 == reaedp(*RELEASE).returncode
    path = clinic / "out" / "ages.csv"
    path.write_text(path.read_text().replace("count", "Count"))
    done = reaedp("verify", "out")
    assert (1, "ages.csv was changed after the release was made.\n") == (done.returncode, done.stderr)


@pytest.mark.slow
def test_an_altered_price_does_not_verify(clinic: Path, reaedp: Run) -> None:
    assert 0 == reaedp(*RELEASE).returncode
    path = clinic / "out" / "release.json"
    record = json.loads(path.read_text())
    for change in ({"scale": 99.0}, {"sensitivity": {"l1": 2, "l2_squared": 2, "linf": 1}}, {"epsilon": 0.01}):
        altered = {**record, "releases": [{**record["releases"][0], **change}, *record["releases"][1:]]}
        path.write_text(json.dumps(altered))
        done = reaedp("verify", "out")
        assert 1 == done.returncode
        assert "do not follow" in done.stderr
    readme = clinic / "out" / "README.txt"
    readme.write_text(readme.read_text().replace("ledger entry 2\n", "ledger entry 1\n"))
    record["files"]["README.txt"] = hashlib.sha256(readme.read_bytes()).hexdigest()
    record["releases"][0]["entry"] = 1
    path.write_text(json.dumps(record))
    done = reaedp("verify", "out", "--ledger", "budget.sqlite")
    assert "does not pay" in done.stderr


def test_a_plan_over_budget_is_refused_with_exit_code_3_and_costs_nothing(clinic: Path, reaedp: Run) -> None:
    plan = clinic / "plan.toml"
    plan.write_text(plan.read_text().replace("share = 0.25", "epsilon = 0.9"))
    done = reaedp(*RELEASE)
    assert 3 == done.returncode
    assert "left" in done.stderr
    assert not (clinic / "out").exists()
    with Ledger.open(clinic / "budget.sqlite") as ledger:
        assert 0 == ledger.spent("clinic")


def test_init_drafts_from_names_and_types_alone(clinic: Path, reaedp: Run) -> None:
    (clinic / "secret.csv").write_text("name,salary\nAlice Example,123456\n")
    done = reaedp("init", "secret.csv", "--out", "draft.toml")
    assert (2, "plan.toml exists already. Choose another --plan.\n") == (done.returncode, done.stderr)
    done = reaedp("init", "secret.csv", "--out", "draft.toml", "--plan", "first.toml")
    assert 0 == done.returncode, done.stderr
    draft = (clinic / "draft.toml").read_text() + (clinic / "first.toml").read_text()
    assert 'salary = { kind = "FILL IN" }' in draft
    assert "Alice" not in draft
    assert "123456" not in draft
    left = reaedp("check", "draft.toml")
    assert 2 == left.returncode
    assert "not filled in yet" in left.stderr
    assert 2 == reaedp("init", "secret.csv", "--out", "draft.toml").returncode


def test_no_command_but_create_makes_a_ledger(clinic: Path, reaedp: Run) -> None:
    for path in clinic.glob("budget.sqlite*"):
        path.unlink()
    before = sorted(clinic.iterdir())
    learn = ("learn", "bounds", "contract.toml", "age", "--data", "data.csv", "--epsilon", "0.3", "--bins", "10")
    for command in (RELEASE, learn, ("ledger", "show", "budget.sqlite")):
        done = reaedp(*command)
        assert 2 == done.returncode, command
        assert f"There is no ledger at {clinic / 'budget.sqlite'}." in done.stderr
        assert f"reaedp ledger create {clinic / 'budget.sqlite'}" in done.stderr
    assert before == sorted(clinic.iterdir())
    made = reaedp("ledger", "create", "budget.sqlite")
    assert (0, "") == (made.returncode, made.stderr)
    assert f"Created the ledger {clinic / 'budget.sqlite'}, identity " in made.stdout
    assert 2 == reaedp("ledger", "create", "budget.sqlite").returncode


def test_init_makes_the_ledger_beside_the_contract_where_that_is_asked_for(clinic: Path, reaedp: Run) -> None:
    (clinic / "new").mkdir()
    done = reaedp("init", "data.csv", "--out", "new/contract.toml", "--ledger", "all spent.sqlite")
    assert 0 == done.returncode, done.stderr
    place = clinic / "new" / "all spent.sqlite"
    assert f"Created the ledger {place}" in done.stdout
    assert 'ledger = "all spent.sqlite"' in (clinic / "new" / "contract.toml").read_text(encoding="utf-8")
    second = ("init", "data.csv", "--out", "new/second.toml", "--plan", "new/second-plan.toml")
    again = reaedp(*second, "--ledger", "all spent.sqlite")
    assert (0, "") == (again.returncode, again.stderr)
    assert f"The ledger {place} already exists and is used." in again.stdout
    assert 4 == reaedp("init", "data.csv", "--out", "c.toml", "--plan", "p.toml", "--ledger", "data.csv").returncode
    assert not (clinic / "c.toml").exists()
    with Ledger.open(place) as ledger:
        assert 0 == ledger.verify()


def test_a_release_says_which_ledger_paid_for_it_and_publishes_no_folder(clinic: Path, reaedp: Run) -> None:
    done = reaedp(*RELEASE)
    with Ledger.open(clinic / "budget.sqlite") as ledger:
        identity = ledger.identity
    assert f"Charged to the ledger {clinic / 'budget.sqlite'}, identity {identity}." in done.stdout
    record = json.loads((clinic / "out" / "release.json").read_text(encoding="utf-8"))
    assert ("budget.sqlite", identity) == (record["ledger"]["name"], record["ledger"]["identity"])
    for name in ("README.txt", "report.html"):
        text = " ".join((clinic / "out" / name).read_text(encoding="utf-8").split())
        assert f"harged to the ledger budget.sqlite, identity {identity}." in text
    for path in (clinic / "out").iterdir():
        assert str(clinic).encode() not in path.read_bytes()


@pytest.mark.slow
def test_bounds_and_levels_are_learned_for_a_price_into_the_contract(clinic: Path, reaedp: Run) -> None:
    contract = clinic / "contract.toml"
    blank = contract.read_text().replace("lower = 0\nupper = 100\nbins = 10", 'lower = "FILL IN"  # ask Bob')
    blank = blank.replace('levels = ["f", "m"]', 'levels = "FILL IN"').replace("epsilon = 1.0", "epsilon = 25.0")
    contract.write_text(blank)
    assert 2 == reaedp("check", "contract.toml").returncode
    bounds = reaedp("learn", "bounds", "contract.toml", "age", "--data", "data.csv", "--epsilon", "20", "--bins", "10")
    assert 0 == bounds.returncode, bounds.stderr
    levels = reaedp(
        "learn", "levels", "contract.toml", "sex", "--data", "data.csv", "--epsilon", "0.3", "--delta", "1e-7"
    )
    assert 0 == levels.returncode, levels.stderr
    learned = Contract.load(contract)
    age, sex = learned.columns
    assert ("dp", 10) == (age.provenance, age.bins)  # type: ignore[attr-defined]
    # At ε = 20 a bin stands out if it has a row. Noise gives one to an empty bin with probability e^-20 / (1 + e^-20),
    # 2.1e-9, and to one of 114 bins with less than 2.4e-7; it empties none of those at the ends, which have 20 or more.
    assert (0.0, 100.0) == (age.lower, age.upper)  # type: ignore[attr-defined]
    assert ("f", "m") == sex.levels  # type: ignore[attr-defined]
    assert age.entry is not None
    assert sex.entry is not None
    assert age.entry < sex.entry
    with Ledger.open(learned.ledger) as ledger:
        assert 20.29 < ledger.spent("clinic") <= 20.3


@pytest.mark.slow
def test_ledger_commands_tell_what_was_spent(clinic: Path, reaedp: Run) -> None:
    assert 0 == reaedp(*RELEASE).returncode
    shown = reaedp("ledger", "show", "budget.sqlite")
    assert "clinic: ε = " in shown.stdout
    assert "1 in 100 can become 2.7 in 100" in " ".join(shown.stdout.split())
    assert "histogram of age" in " ".join(reaedp("ledger", "history", "budget.sqlite").stdout.replace("│", " ").split())
    assert (
        "more histograms with discrete Gaussian noise"
        in reaedp("ledger", "forecast", "budget.sqlite", "--epsilon", "0.01", "--delta", "1e-7").stdout
    )
    assert 5 == len(json.loads(reaedp("ledger", "export", "budget.sqlite").stdout))
    assert 6 == len(reaedp("ledger", "export", "budget.sqlite", "--format", "csv").stdout.splitlines())
    assert 0 == reaedp("ledger", "checkpoint", "budget.sqlite", "--out", "mark.json").returncode
    assert "intact" in reaedp("ledger", "verify", "budget.sqlite", "--checkpoint", "mark.json").stdout
    checked = reaedp("ledger", "verify", "budget.sqlite", "--second-opinion")
    assert 0 == checked.returncode, checked.stderr
    assert "dp-accounting says" in checked.stdout
    raised = reaedp(
        "ledger",
        "raise",
        "budget.sqlite",
        "--dataset",
        "clinic",
        "--epsilon",
        "2",
        "--delta",
        "1e-6",
        "--reason",
        "board",
    )
    assert 0 == raised.returncode, raised.stderr
    assert 2 == reaedp("ledger", "show", "absent.sqlite").returncode
    assert not (clinic / "absent.sqlite").exists()


def test_the_version_is_said_without_a_command(reaedp: Run) -> None:
    from importlib.metadata import version

    done = reaedp("--version")
    assert (0, f"reaedp {version('reaedp')}\n", "") == (done.returncode, done.stdout, done.stderr)


def test_what_libraries_say_after_the_end_is_not_heard() -> None:
    script = (
        "import atexit, os, sys; atexit.register(os.write, 2, b'27 instances leaked');"
        "sys.argv = ['reaedp', '--version']; from reaedp.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("reaedp ")
    assert "" == done.stderr


def test_help_loads_no_slow_library(reaedp: Run) -> None:
    """How long it takes is measured by benchmarks/start_up.py; what takes long is what must not be loaded."""
    script = (
        "import sys\n"
        "sys.argv = ['reaedp', '--help']\n"
        "from reaedp.cli import main\n"
        "try:\n"
        "    main()\n"
        "except SystemExit:\n"
        "    slow = {'numpy', 'scipy', 'duckdb', 'narwhals', 'opendp', 'sqlite3', 'sklearn', 'tomllib', 'jinja2'}\n"
        "    print(sorted(slow & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=unwatched())
    assert "release" in done.stdout
    assert done.stdout.endswith("[]\n"), done.stdout[-200:]


@pytest.mark.quick_every(3)
@pytest.mark.parametrize("setting", ["", "ignore", "error"])
def test_without_a_state_folder_the_user_is_told_once_whatever_python_does_with_warnings(
    clinic: Path, setting: str, monkeypatch: pytest.MonkeyPatch, started: Run
) -> None:
    (clinic / "home").write_text("not a folder")
    monkeypatch.delenv("REAEDP_STATE", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(clinic / "home"))
    monkeypatch.setenv("PYTHONWARNINGS", setting)
    done = started("plan", "plan.toml")
    assert 0 == done.returncode, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("Warning: The ledger's high-water mark cannot be written to the state folder")
    assert line.endswith("Set REAEDP_STATE to a folder that lasts.")


@pytest.mark.slow
def test_the_name_of_a_ledger_cannot_turn_the_text_around_it(clinic: Path, reaedp: Run) -> None:
    name = "budget\u202egnp.sqlite"
    (clinic / "budget.sqlite").unlink(missing_ok=True)
    Ledger.create(clinic / name).close()
    contract = clinic / "contract.toml"
    contract.write_text(contract.read_text().replace('"budget.sqlite"', f'"{name}"'))
    assert 0 == reaedp(*RELEASE).returncode
    for file in ("README.txt", "report.html"):
        text = (clinic / "out" / file).read_text(encoding="utf-8")
        assert "\u202e" not in text
        assert "budget\\u202egnp.sqlite" in text
    assert 0 == reaedp("verify", "out", "--ledger", name).returncode
