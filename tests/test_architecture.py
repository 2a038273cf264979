"""Reads the source and holds the lines that the architecture draws."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "reaedp"
FILES = sorted(SOURCE.rglob("*.py"))

#: Imports go from a later layer to an earlier one, or stay within a layer.
LAYERS = [
    ["errors"],
    ["privacy"],
    ["contract"],
    ["answer", "table", "engine", "rate", "label", "place"],
    ["mechanisms"],
    ["statistics"],
    ["synthesis"],
    ["curves"],
    ["description", "request", "release"],
    ["planned"],
    ["plan", "forecast", "advice", "calibration", "purchase"],
    ["charts", "readme", "schema", "manifest", "folder", "signature"],
    ["report"],
    ["curator"],
    ["attacks"],
    ["evaluation"],
    ["audits"],
    ["learning", "publication", "verification"],
    ["paper"],
    ["cli", "__init__", "__main__"],
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}


def part(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def trees(*folders: str) -> list[tuple[Path, ast.Module]]:
    chosen = [path for path in FILES if not folders or part(path) in folders]
    assert chosen
    return [(path, ast.parse(path.read_text(encoding="utf-8"))) for path in chosen]


def imports(tree: ast.AST) -> list[str]:
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            found.append(node.module or "")
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def calls(tree: ast.AST) -> list[str]:
    return [ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)]


def test_every_part_has_a_layer() -> None:
    assert {part(path) for path in FILES} == set(LEVEL)


@pytest.mark.parametrize(
    ("path", "tree"), trees(), ids=lambda v: str(v.relative_to(SOURCE)) if isinstance(v, Path) else ""
)
def test_imports_go_downward_only(path: Path, tree: ast.Module) -> None:
    own = part(path)
    for name in imports(tree):
        if name.startswith("reaedp."):
            other = name.split(".")[1]
            if other in LEVEL:
                assert other == own or LEVEL[other] <= LEVEL[own], f"{own} must not import {other}"


def test_only_one_file_imports_the_noise_library() -> None:
    users = [path.name for path, tree in trees() if any(name.split(".")[0] == "opendp" for name in imports(tree))]
    assert ["noise.py"] == users


def test_only_curator_and_publishing_name_the_secret_source() -> None:
    users = {part(path) for path, tree in trees() if any(name.endswith(".SecretNoise") for name in imports(tree))}
    assert {"curator"} == users


def test_records_are_held_only_by_the_door_and_by_what_looks_at_truth_or_at_made_up_data() -> None:
    users = {part(path) for path, tree in trees() if any(name.endswith("records.Records") for name in imports(tree))}
    assert {"audits", "curator", "evaluation"} == users


def test_public_reports_cannot_reach_records() -> None:
    for path, tree in trees("report", "charts"):
        used = {name.split(".")[1] for name in imports(tree) if name.startswith("reaedp.")}
        assert not used & {"curator", "attacks", "evaluation", "audits"}, path.name


def test_true_rows_are_asked_for_only_by_evaluation() -> None:
    users = {
        part(path)
        for path, tree in trees()
        if any(call.endswith((".truth.rows", ".others.rows")) for call in calls(tree))
    }
    assert {"evaluation"} == users
    assert not any(call in ("self._records.rows", "records.rows") for _, tree in trees() for call in calls(tree))


def test_nothing_draws_from_a_global_generator() -> None:
    forbidden = re.compile(r"^(np|numpy)\.random\.(?!Generator|default_rng)|^random\.")
    for path, tree in trees():
        for call in calls(tree):
            assert not forbidden.search(call), f"{path.name} calls {call}"
        assert "random" not in imports(tree), path.name


def test_generators_are_arguments_and_have_no_default() -> None:
    for path, tree in trees():
        made = any("default_rng" in call for call in calls(tree))
        assert not made or path.name == "noise.py" or part(path) == "cli", path.name


def test_nothing_is_printed_or_logged_outside_the_command_line() -> None:
    for path, tree in trees():
        if path.name == "spark_collect.py":  # it silences the loggers of others
            assert not [call for call in calls(tree) if call.startswith("logging")]
        elif part(path) not in ("cli", "__main__"):
            names = [call.split(".")[0] for call in calls(tree)]
            assert not {"print", "logging", "warnings", "sys"} & set(names), path.name
            assert not {"logging", "warnings"} & set(imports(tree)), path.name


def test_errors_where_rows_are_never_quote_what_the_engine_said() -> None:
    """In the curator no message contains the text of a caught exception, except one about opening a file."""
    for path, tree in trees("curator"):
        for handler in (node for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler) and node.name):
            used = [
                ast.unparse(node)
                for node in ast.walk(ast.Module(handler.body, []))
                if isinstance(node, ast.Attribute | ast.Call | ast.FormattedValue) and handler.name in ast.unparse(node)
            ]
            for text in used:
                assert re.search(
                    rf"type\({handler.name}\)|{handler.name}\.strerror|DeclarationError|ReaedpError", text
                ), f"{path.name}: {text}"


def test_private_parts_are_never_serialised_by_default() -> None:
    for path, tree in trees("curator"):
        assert not {"pickle", "marshal", "shelve"} & {name.split(".")[0] for name in imports(tree)}, path.name


def test_slow_libraries_are_not_imported_by_the_command_line_at_start() -> None:
    import subprocess
    import sys

    code = "import sys, reaedp.cli.app; print([m for m in sys.modules if m.split('.')[0] in set(sys.argv[1].split())])"
    slow = "numpy scipy duckdb opendp dp_accounting sqlalchemy narwhals pandas tomlkit"
    done = subprocess.run([sys.executable, "-c", code, slow], capture_output=True, text=True, check=True)
    assert "[]" == done.stdout.strip()


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


def test_there_are_proofs_beside_statistics_mechanisms_privacy_and_curator() -> None:
    assert {"statistics", "mechanisms", "privacy", "curator"} <= {file.parent.name for file, _, _ in proofs()}


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
