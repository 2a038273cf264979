"""Reads the source and holds the lines that the architecture draws."""

import ast
import re
from pathlib import Path

import pytest

from source_rules import calls, dynamic, imports, parsed, randomness, reached, walked, whole_package
from tests_support import unwatched

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "reaedp"
FILES = sorted(SOURCE.rglob("*.py"))

#: Imports go from a later layer to an earlier one, or stay within a layer.
LAYERS = [
    ["errors"],
    ["disk"],
    ["privacy"],
    ["ledger"],
    ["contract"],
    ["rate", "label"],
    ["frames"],
    ["answer", "table"],
    ["mechanisms"],
    ["statistics"],
    ["synthesis"],
    ["inference"],
    ["curves"],
    ["plan"],
    ["report.charts"],
    ["release"],
    ["report"],
    ["engines"],
    ["curator"],
    ["drafting"],
    ["attacks"],
    ["evaluation"],
    ["audits"],
    ["release.publication", "release.verification"],
    ["paper"],
    ["studio"],
    ["cli", "__init__", "__main__"],
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}


#: Where randomness may come from, file by file: secret noise; generators whose seed a user gives, or is that of the
#: command; examples of declared values, rows made up from the contract, rows of published models and replays of their
#: noise, which no data has touched; data of the paper, whose seed is printed there; TLS; and names of tables, files and
#: ledgers that nobody else has, which hide nothing.
RANDOM = {
    "mechanisms/noise.py": {"numpy.random.default_rng", "opendp", "os.urandom"},
    "audits/cell_texts.py": {"numpy.random.default_rng"},
    "synthesis/ruled.py": {"numpy.random.default_rng"},
    "synthesis/search.py": {"numpy.random.default_rng"},
    "synthesis/sampling.py": {"numpy.random.default_rng"},
    "inference/ask.py": {"numpy.random.default_rng"},
    "inference/sources.py": {"numpy.random.default_rng"},
    "cli/audit.py": {"numpy.random.default_rng"},
    "cli/evaluate.py": {"numpy.random.default_rng"},
    "cli/report.py": {"numpy.random.default_rng"},
    "cli/reproduce.py": {"numpy.random.default_rng"},
    "paper/datasets.py": {"numpy.random.RandomState"},
    "engines/kept_rows.py": {"uuid.uuid4"},
    "report/page.py": {"uuid.uuid4"},
    "studio/gate.py": {"secrets"},
    "studio/server.py": {"ssl"},
    "drafting/analyst_package.py": {"numpy.random.default_rng"},
    "studio/pages/evaluate.py": {"numpy.random.default_rng"},
    "audits/kept_audit.py": {"uuid.uuid4"},
    "release/signature.py": {"uuid.uuid4"},
    "ledger/schema.py": {"secrets", "secrets.token_hex"},
}
#: Where modules are looked up while the program runs, and foreign memory is read.
DYNAMIC = {
    "__init__.py": {"importlib.import_module"},
    "cli/app.py": {"importlib.import_module"},
    "disk/system.py": {"getattr(os)"},
    "paper/items.py": {"importlib.import_module"},
    "statistics/images/pixels.py": {"importlib.import_module"},
    "release/signature.py": {"importlib.import_module"},
}
#: It tells Spark to send the package, and looks at nothing in it.
WHOLE = {"engines/spark/python_workers.py": {"reaedp"}}


def homes() -> dict[str, str]:
    """The module of every public name, as the package declares it."""
    tree = ast.parse((SOURCE / "__init__.py").read_text(encoding="utf-8"))
    (table,) = (
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["_HOMES"]
    )
    return {name: module for module, names in ast.literal_eval(table).items() for name in names}


HOMES = homes()


def unexpected(found: list[str], file: str, allowed: dict[str, set[str]]) -> list[str]:
    """What is found in a file and not allowed there."""
    known = allowed.get(file, set())
    return [name for name in found if not any(name == one or name.startswith(f"{one}.") for one in known)]


def part(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def layer(module: str) -> str:
    """The name in LAYERS that speaks for a module: its own, its sub-room's, or its room's."""
    parts = module.split(".")
    return next((name for size in (2, 1) if (name := ".".join(parts[:size])) in LEVEL), parts[0])


def module(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts)


def trees(*folders: str) -> list[tuple[Path, ast.Module]]:
    chosen = [path for path in FILES if not folders or part(path) in folders]
    assert chosen
    return [(path, parsed(path)) for path in chosen]


def test_every_part_has_a_layer() -> None:
    assert {layer(module(path)) for path in FILES} == set(LEVEL)


@pytest.mark.parametrize("room", sorted({part(path) for path in FILES}))
def test_imports_go_downward_only(room: str) -> None:
    assert not {path.name: found for path, tree in trees(room) if (found := upward(layer(module(path)), tree))}


def upward(own: str, tree: ast.AST) -> list[str]:
    """Names of the package that lie above this part, however they are imported."""
    names = (name for name in imports(tree, HOMES) if name.startswith("reaedp."))
    return [name for name in names if LEVEL.get(layer(name.removeprefix("reaedp.")), -1) > LEVEL[own]]


def test_only_one_file_imports_the_noise_library() -> None:
    users = [path.name for path, tree in trees() if any(name.split(".")[0] == "opendp" for name in imports(tree))]
    assert ["noise.py"] == users


def test_only_the_curator_and_audits_of_made_up_data_name_the_secret_source() -> None:
    users = {path.relative_to(SOURCE).as_posix() for path, tree in trees() if holds(tree, ".SecretNoise")}
    assert {"audits/release_channel.py", "curator/curator.py"} == users


def holds(tree: ast.AST, ending: str) -> bool:
    """Whether a name with this ending is reached, directly or as an attribute of what was imported."""
    return any(name.endswith(ending) or f"{ending}." in name for name in reached(tree, HOMES))


def test_records_are_held_only_by_the_curator_and_by_what_looks_at_truth_or_at_made_up_data() -> None:
    users = {part(path) for path, tree in trees() if holds(tree, "records.Records")}
    assert {"audits", "curator", "evaluation"} == users


def test_public_reports_cannot_reach_records() -> None:
    for path, tree in trees("report"):
        assert not beside_records(tree), path.name


def beside_records(tree: ast.AST) -> set[str]:
    """Parts that hold records or truth, or look at them, and are reached from here."""
    used = {layer(name.removeprefix("reaedp.")) for name in reached(tree, HOMES) if name.startswith("reaedp.")}
    return used & {"engines", "curator", "attacks", "evaluation", "audits", "release.publication"}


def test_true_rows_are_asked_for_only_by_evaluation() -> None:
    users = {
        part(path)
        for path, tree in trees()
        if any(call.endswith((".truth.rows", ".others.rows")) for call in calls(tree))
    }
    assert {"evaluation"} == users
    assert not any(call in ("self._records.rows", "records.rows") for _, tree in trees() for call in calls(tree))


def test_randomness_comes_from_nowhere_but_the_noise_and_generators_that_were_given() -> None:
    for path, tree in trees():
        file = path.relative_to(SOURCE).as_posix()
        assert not unexpected(randomness(tree), file, RANDOM), file


def test_no_file_reaches_what_its_imports_do_not_show() -> None:
    for path, tree in trees():
        file = path.relative_to(SOURCE).as_posix()
        assert not unexpected(dynamic(tree), file, DYNAMIC), file
        assert not unexpected(whole_package(tree), file, WHOLE), file


def test_every_exception_to_these_rules_is_still_needed() -> None:
    for rule, allowed in ((randomness, RANDOM), (dynamic, DYNAMIC), (whole_package, WHOLE)):
        for file, names in allowed.items():
            found = rule(ast.parse((SOURCE / file).read_text(encoding="utf-8")))
            for name in names:
                assert any(one == name or one.startswith(f"{name}.") for one in found), f"{file} no longer needs {name}"


def test_modules_that_are_looked_up_by_name_are_not_of_this_package() -> None:
    """Names are constants; the two tables of the package and of the paper name modules at or below their own level."""
    named = [
        ast.literal_eval(node.args[0])
        for _, tree in trees()
        for node in walked(tree)
        if isinstance(node, ast.Call)
        and "image_library" in (getattr(node.func, "id", ""), getattr(node.func, "attr", ""))
    ]
    assert named
    assert not [name for name in named if name.startswith("reaedp")]


#: Ways around the rules, in a file that has no right to them.
ROUND_ABOUT = {
    "from numpy.random import normal": randomness,
    "from numpy.random import default_rng": randomness,
    "from numpy import random": randomness,
    "import numpy.random": randomness,
    "import numpy.random as nothing": randomness,
    "import numpy as zeros\nzeros.random.normal()": randomness,
    "import numpy as np\nchance = np.random\nchance.normal()": randomness,
    "import numpy as np\nnp.random.seed(1)": randomness,
    "import random": randomness,
    "from random import gauss as laplace": randomness,
    "import secrets": randomness,
    "from secrets import token_bytes": randomness,
    "import os\nos.urandom(8)": randomness,
    "import os as system\nsystem.urandom(8)": randomness,
    "from os import urandom": randomness,
    "from os import getrandom as read": randomness,
    "import uuid": randomness,
    "from uuid import uuid4": randomness,
    "def f():\n    from uuid import uuid1 as name": randomness,
    "import opendp.prelude as dp": randomness,
    "open('/dev/urandom', 'rb')": randomness,
    "query = 'SELECT * FROM rows ORDER BY random()'": randomness,
    "query = 'SELECT * FROM rows USING SAMPLE 10'": randomness,
    "import importlib": dynamic,
    "from importlib import import_module": dynamic,
    "from importlib import util": dynamic,
    "import importlib.util": dynamic,
    "__import__('random')": dynamic,
    "import builtins\nbuiltins.__import__('os')": dynamic,
    "exec('import random')": dynamic,
    "eval('1')": dynamic,
    "import sys\nsys.modules['random']": dynamic,
    "from sys import modules": dynamic,
    "globals()['np']": dynamic,
    "import numpy as np\ngetattr(np, 'ran' + 'dom')": dynamic,
    "import os\ngetattr(os, 'urandom')(8)": dynamic,
    "import os\nvars(os)['urandom']": dynamic,
    "import os\nos.__dict__['urandom']": dynamic,
    "def f(g):\n    return g.__globals__": dynamic,
    "import reaedp": whole_package,
    "import reaedp as r\nr.Curator": whole_package,
    "import reaedp.curator.curator": whole_package,
    "from reaedp import *": whole_package,
    "from reaedp.curator.records import *": whole_package,
}


@pytest.mark.parametrize("source", ROUND_ABOUT)
def test_no_way_around_these_rules_is_overlooked(source: str) -> None:
    tree = ast.parse(source)
    assert unexpected(ROUND_ABOUT[source](tree), "statistics/marginal.py", RANDOM | DYNAMIC | WHOLE)


@pytest.mark.parametrize(
    "source",
    [
        "import numpy as np\ndef f(rng: np.random.Generator) -> None:\n    rng.normal()",
        "from numpy.random import Generator",
        "from importlib.metadata import version",
        "secrets = {}\nsecrets.items()",
        "random = 1",
        "import os\nos.replace('a', 'b')\nhasattr(os, 'sched_getaffinity')",
        "import re\nre.compile('x')",
        "text = 'drawn at random'",
        "def f(value):\n    return getattr(value, 'details', {})",
    ],
)
def test_nothing_is_found_where_nothing_is(source: str) -> None:
    tree = ast.parse(source)
    assert [] == randomness(tree) + dynamic(tree) + whole_package(tree)


@pytest.mark.parametrize(
    "source",
    [
        "from reaedp.curator.curator import Curator",
        "from reaedp.curator import curator",
        "from reaedp import Curator",
        "from reaedp import Curator as Table",
        "from reaedp import publish",
        "def f():\n    from reaedp import evaluate",
        "import reaedp.curator.records as table",
    ],
)
def test_an_upward_import_is_found_by_whatever_name(source: str) -> None:
    assert upward("report", ast.parse(source))
    assert beside_records(ast.parse(source))
    assert not upward("cli", ast.parse(source))


@pytest.mark.parametrize(
    "source",
    [
        "from reaedp.mechanisms.noise import SecretNoise",
        "from reaedp.mechanisms.noise import SecretNoise as Noise",
        "from reaedp.mechanisms import noise\nnoise.SecretNoise()",
        "from reaedp.mechanisms import noise as sound\nsound.SecretNoise().words(3)",
        "import reaedp.mechanisms.noise as sound\nsound.SecretNoise()",
    ],
)
def test_the_secret_source_is_found_by_whatever_name(source: str) -> None:
    assert holds(ast.parse(source), ".SecretNoise")


def test_every_public_name_is_followed_home() -> None:
    assert "reaedp.curator.curator" == HOMES["Curator"]
    assert len(HOMES) > 50


def test_nothing_is_printed_or_logged_outside_the_command_line() -> None:
    for path, tree in trees():
        if path.name == "collect.py":  # it silences the loggers of others
            assert not [call for call in calls(tree) if call.startswith("logging")]
        elif path.name == "postgres_server.py":  # it silences its driver
            assert {"logging.getLogger", "logging.NullHandler"} == {
                call for call in calls(tree) if call.startswith(("logging", "warnings", "print"))
            }
        elif path.name == "workbooks.py":  # it silences the warnings of a library
            silent = {"warnings.catch_warnings", "warnings.simplefilter"}
            assert silent == {call for call in calls(tree) if call.startswith(("logging", "warnings", "print"))}
        elif path.name == "state_folder.py":  # it warns of a folder that knows no rows
            assert {"warnings.warn"} == {
                call for call in calls(tree) if call.startswith(("logging", "warnings", "print"))
            }
        elif part(path) not in ("cli", "__main__"):
            names = [call.split(".")[0] for call in calls(tree)]
            assert not {"print", "logging", "warnings", "sys"} & set(names), path.name
            assert not {"logging", "warnings"} & set(imports(tree)), path.name


def test_errors_where_rows_are_never_quote_what_the_engine_said() -> None:
    """Where rows are no message contains the text of a caught exception, except one about opening a file."""
    for path, tree in trees("curator", "engines"):
        for handler in (node for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler) and node.name):
            if ast.unparse(handler.type or handler) == "ReaedpError":  # our own words
                continue
            used = [
                ast.unparse(node)
                for node in ast.walk(ast.Module(handler.body, []))
                if isinstance(node, ast.Attribute | ast.Call | ast.FormattedValue) and handler.name in ast.unparse(node)
            ]
            for text in used:
                assert re.search(
                    rf"type\({handler.name}\)|{handler.name}\.strerror|getattr\({handler.name}, 'strerror', None\)"
                    rf"|fail(ed|ure)\({handler.name}\)|DeclarationError|ReaedpError",
                    text,
                ), f"{path.name}: {text}"


def test_private_parts_are_never_serialised_by_default() -> None:
    for path, tree in trees("curator", "engines"):
        assert not {"pickle", "marshal", "shelve"} & {name.split(".")[0] for name in imports(tree)}, path.name


def test_slow_libraries_are_not_imported_by_the_command_line_at_start() -> None:
    import subprocess
    import sys

    code = "import sys, reaedp.cli.app; print([m for m in sys.modules if m.split('.')[0] in set(sys.argv[1].split())])"
    slow = "numpy scipy duckdb opendp dp_accounting sqlite3 narwhals pandas tomlkit"
    done = subprocess.run(
        [sys.executable, "-c", code, slow], capture_output=True, text=True, check=True, env=unwatched()
    )
    assert "[]" == done.stdout.strip()


#: What each command has no use for on the demo's plan.
UNUSED = {
    "check": "scipy duckdb opendp sqlite3 narwhals pandas sklearn pydantic rich jinja2 vl_convert",
    "plan": "scipy duckdb opendp narwhals pandas sklearn pydantic jinja2 vl_convert",
    "release": "scipy pandas sklearn pydantic vl_convert pyarrow polars",
}
ARGUMENTS = {"release": ("--data", "data.csv", "--out", "out")}


def loaded(command: str, folder: Path, plan: str = "") -> set[str]:
    """The modules that a command on the demo's plan, or on another one for its contract, has loaded by its end."""
    import shutil
    import subprocess
    import sys

    from reaedp import Ledger

    for name in ("contract.toml", "plan.toml"):
        shutil.copy(SOURCE / "cli" / "demo" / name, folder)
    if plan:
        (folder / "plan.toml").write_text(plan, encoding="utf-8")
    (folder / "data.csv").write_text("mdvis,disea,idp,physlm\n1,2,1,0\n", encoding="utf-8")
    Ledger.create(folder / "budget.sqlite").close()
    code = "import sys, atexit; atexit.register(lambda: print(*sys.modules)); from reaedp.cli import main; main()"
    arguments = [sys.executable, "-c", code, command, "plan.toml", *ARGUMENTS.get(command, ())]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True, cwd=folder, env=unwatched())
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("command", ["check", "plan", pytest.param("release", marks=pytest.mark.slow)])
def test_a_command_imports_nothing_slow_that_it_does_not_use(command: str, tmp_path: Path) -> None:
    found = loaded(command, tmp_path)
    assert "reaedp.cli" in found
    assert not {name.split(".")[0] for name in found} & set(UNUSED[command].split())


#: Kinds of which the demo's plan has none, by their folders and modules.
KINDS_UNUSED = (
    "reaedp.curves.",
    "reaedp.statistics.images.",
    "reaedp.statistics.moments.",
    "reaedp.statistics.quantiles.",
    "reaedp.statistics.rates.",
    "reaedp.statistics.summary.",
    "reaedp.synthesis.amortised",
    "reaedp.synthesis.deniability",
)


@pytest.mark.parametrize("command", ["check", "plan"])
def test_a_command_imports_no_kind_that_its_plan_has_nothing_of(command: str, tmp_path: Path) -> None:
    found = loaded(command, tmp_path)
    assert "reaedp.cli" in found
    assert not [name for name in found if name.startswith(KINDS_UNUSED)]


HISTOGRAM = (
    'contract = "contract.toml"\n[[release]]\nname = "visits"\nkind = "histogram"\ncolumns = ["mdvis"]\n'
    'mechanism = "laplace"\nshare = 0.5\n'
)
#: What a release of one histogram, with its audit and its report, has no use for; words that sections share are light.
UNUSED_BY_A_HISTOGRAM = (*KINDS_UNUSED, "reaedp.statistics.entropy.", "reaedp.synthesis.", "numpy.ma.", "nanoarrow")
LIGHT = (
    *("reaedp.statistics.moments.words", "reaedp.synthesis.encode", "reaedp.synthesis.known_fits"),
    *(f"reaedp.statistics.entropy.{name}" for name in ("entropies", "information", "lattice")),
)


def test_a_release_of_a_histogram_imports_no_other_kind(tmp_path: Path) -> None:
    found = loaded("release", tmp_path, HISTOGRAM) - set(LIGHT)
    assert {"reaedp.audits.replay", "reaedp.report.page"} <= found
    assert not [name for name in found if name.startswith(UNUSED_BY_A_HISTOGRAM)]


def test_no_file_is_left_open_ended() -> None:
    marks = re.compile(r"\b(TODO|FIXME|XXX)\b")
    for path in FILES:
        assert not marks.search(path.read_text(encoding="utf-8")), path.name


def proofs() -> list[tuple[Path, str, str]]:
    found = []
    for file in sorted(SOURCE.rglob("PROOFS.md")):
        sections = re.split(r"^## ", file.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
        found += [(file, section.splitlines()[0], section) for section in sections]
    return found


def test_there_are_proofs_beside_whatever_the_promise_rests_on() -> None:
    assert {"privacy", "ledger", "mechanisms", "statistics", "engines", "curator", "release"} <= {
        file.parent.name for file, _, _ in proofs()
    }


@pytest.mark.parametrize(
    ("file", "title", "text"), proofs(), ids=lambda v: v if isinstance(v, str) and len(v) < 80 else ""
)
def test_every_proof_has_its_parts_and_names_tests_that_exist(file: Path, title: str, text: str) -> None:
    for heading in ("Claim", "Proof", "Errors do not depend on rows", "Checked by"):
        assert f"**{heading}" in text, f"{file.parent.name}: {title} lacks {heading}"
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", text)
    assert named, f"{title} names no test"
    for test_file, function in named:
        content = (ROOT / test_file).read_text(encoding="utf-8")
        assert not function or f"def {function}(" in content, f"{title}: {test_file} has no {function}"
