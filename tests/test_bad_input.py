"""Whatever is wrong is said in one clear error, before anything is spent, and leaves nothing behind."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reaedp import Contract, Ledger, Plan, publish
from reaedp.errors import DeclarationError, ReaedpError
from reaedp.mechanisms.noise import SeededNoise
from reaedp.release.folder import new_folder
from tests_support import folder_facts, small_plan

Run = Callable[..., CompletedProcess[str]]
RELEASE = ("release", "plan.toml", "--data", "data.csv", "--out", "out")


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def nothing_happened(folder: Path) -> None:
    assert not (folder / "out").exists()
    assert not [path.name for path in folder.iterdir() if path.name.startswith(".out")]
    with Ledger.open(folder / "budget.sqlite") as ledger:
        assert all(0 == ledger.spent(name) for name in ledger.datasets())


CONTRACT_EDITS = [
    ("epsilon = 1.0", "epsilon = 0"),
    ("epsilon = 1.0", "epsilon = -1"),
    ("epsilon = 1.0", "epsilon = nan"),
    ("epsilon = 1.0", "epsilon = inf"),
    ("epsilon = 1.0", "epsilon = 1e-320"),
    ("delta = 1e-6", "delta = 0"),
    ("delta = 1e-6", "delta = 1"),
    ("delta = 1e-6", "delta = 2.5"),
    ("upper = 100", "upper = -1"),
    ("bins = 10", "bins = 0"),
    ("bins = 10", "edges = [0, 0]"),
    ('levels = ["f", "m"]', 'levels = ["f", "f"]'),
    ('change = "add-remove"', 'change = "both"'),
    ('kind = "number"', 'kind = "numbr"'),
    ("[columns.age]", "[colums.age]"),
    ('name = "clinic"', 'name = ""'),
]
PLAN_EDITS = [
    ("share = 0.25", "share = 0"),
    ("share = 0.25", "share = 1.5"),
    ("share = 0.25", "share = 0.25\nepsilon = 0.2"),
    ("share = 0.25", "epsilon = nan"),
    ("share = 0.25", "shere = 0.25"),
    ('mechanism = "laplace"', 'mechanism = "laplac"'),
    ('columns = ["age"]', 'columns = ["agee"]'),
    ('columns = ["age"]', "columns = []"),
    ('columns = ["age"]', 'columns = ["age", "age"]'),
    ('columns = ["age"]', 'columns = "age"'),
    ('name = "ages"', 'name = "../ages"'),
    ('name = "ages"', 'name = "both"'),
    ('kind = "histogram"', 'kind = "histogramm"'),
    ('contract = "contract.toml"', 'contract = "none.toml"'),
    ('contract = "contract.toml"', ""),
    ("[[release]]", "[release]"),
]


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [("contract.toml", *change) for change in CONTRACT_EDITS] + [("plan.toml", *change) for change in PLAN_EDITS],
)
def test_a_wrong_declaration_is_one_clear_error_and_costs_nothing(clinic: Path, file: str, old: str, new: str) -> None:
    edit(clinic / file, old, new)
    with pytest.raises(DeclarationError) as caught:
        publish(Plan.load(clinic / "plan.toml"), clinic / "data.csv", clinic / "out")
    assert 2 == caught.value.exit_code
    assert str(caught.value)
    nothing_happened(clinic)


@pytest.mark.parametrize(
    "content",
    [
        None,
        b"height,weight\n1,2\n",
        *(pytest.param(it, marks=pytest.mark.slow) for it in (b"", b"\n", b"age,age,sex\n1,2,f\n", b"\xff\xfe\x00")),
    ],
)
def test_data_without_the_declared_table_is_exit_code_2(clinic: Path, reaedp: Run, content: bytes | None) -> None:
    (clinic / "data.csv").unlink()
    if content is not None:
        (clinic / "data.csv").write_bytes(content)
    done = reaedp(*RELEASE)
    assert (2, "") == (done.returncode, done.stdout)
    assert "Traceback" not in done.stderr
    nothing_happened(clinic)


def test_an_output_folder_in_use_is_left_alone(clinic: Path, reaedp: Run) -> None:
    (clinic / "out").mkdir()
    (clinic / "out" / "precious.txt").write_text("mine")
    done = reaedp(*RELEASE)
    assert 2 == done.returncode
    assert "in use" in done.stderr
    assert ["precious.txt"] == [path.name for path in (clinic / "out").iterdir()]
    with Ledger.open(clinic / "budget.sqlite") as ledger:
        assert 0 == ledger.spent("clinic")


@pytest.mark.slow
@pytest.mark.parametrize("rows", ["", "\n", ",\n,\n", "x,y\n" * 5, "nan,f\ninf,m\n-inf,\n1e999,🙂\n"])
def test_whatever_depends_on_rows_is_released_not_refused(clinic: Path, rows: str) -> None:
    (clinic / "data.csv").write_text("age,sex\n" + rows, encoding="utf-8")
    publish(Plan.load(clinic / "plan.toml"), clinic / "data.csv", clinic / "out")
    assert (clinic / "out" / "release.json").exists()


def test_no_room_on_the_disk_is_found_before_anything_is_charged(clinic: Path) -> None:
    code = (
        "import resource, sys; from pathlib import Path\n"
        "from reaedp import Plan, publish\n"
        "plan = Plan.load('plan.toml')\n"
        "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (90_000, 90_000))\n"
        "publish(plan, 'data.csv', 'out')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=clinic, capture_output=True, text=True, check=False)
    assert "Nothing was charged" in done.stderr
    nothing_happened(clinic)


def test_a_failure_while_writing_leaves_no_folder_and_keeps_the_charge(
    clinic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = Plan.load(clinic / "plan.toml")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("reaedp.release.folder.sync", full)
    with pytest.raises(ReaedpError, match="The charge stands"):
        publish(plan, clinic / "data.csv", clinic / "out")
    assert not (clinic / "out").exists()
    with Ledger.open(plan.contract.ledger) as ledger:
        assert ledger.spent("clinic") > 0.5
        assert {"charged, not finished"} == {entry.state for entry in ledger.history("clinic") if entry.charge}


def test_an_unwritable_place_is_an_error_before_the_charge(clinic: Path) -> None:
    (clinic / "file").write_text("")
    with pytest.raises(DeclarationError, match="Nothing was charged"), new_folder(clinic / "file" / "out", 10):
        pytest.fail("made a folder below a file")


HOSTILE = ["<script>", "a\nb", "\u202eabc", 'x"y', "x'y", "a,b", "; DROP TABLE", "🙂", "c0", "count", "v0", "x" * 1_000]


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_column_names_and_levels_are_hostile_input(clinic: Path, name: str) -> None:
    from reaedp import Budget, Category, PlannedRelease, Unit

    columns = (Category(name=name, levels=(name, "=1+1", "b"), provenance="public"),)
    terms = Contract(
        dataset="d", unit=Unit("replace"), budget=Budget(1, 1e-6), ledger=str(clinic / "budget.sqlite"), columns=columns
    )
    planned = PlannedRelease(name="h", kind="histogram", columns=(name,), mechanism="laplace", epsilon=0.5)
    frame = pd.DataFrame({name: [name] * 500})
    publish(Plan(terms, (planned,)), frame, clinic / "out")
    table = pd.read_parquet(clinic / "out" / "h.parquet")
    assert name == table[table.columns[0]][0]
    # 500 rows, noise of scale 4: below 300 with probability e^-50
    assert table["count"][0] > 300


values = st.one_of(st.none(), st.floats(), st.integers(-(10**30), 10**30), st.text(max_size=30))


@pytest.mark.slow
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.lists(values, max_size=15), st.lists(values, max_size=15))
def test_any_two_tables_give_outputs_that_differ_in_noisy_numbers_only(
    tmp_path_factory: pytest.TempPathFactory, first: list[object], second: list[object]
) -> None:
    """Fuzz: whatever the cells hold, the same files with the same shape and the same public text appear."""
    facts = []
    for cells in (first, second):
        folder = tmp_path_factory.mktemp("fuzz")
        frame = pd.DataFrame({"x": pd.Series(cells, dtype=object)})
        publish(small_plan(folder), frame, folder / "out", noise=SeededNoise(np.random.default_rng(1)), audited=False)
        facts.append(folder_facts(folder / "out"))
    assert facts[0] == facts[1]
