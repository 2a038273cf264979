"""What surrounds the code agrees with it and with itself: versions, lock file, hosted jobs, hooks, packages."""

import ast
import re
import runpy
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCK = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))
CI = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
SUBJECT = runpy.run_path(str(ROOT / ".ci" / "subject.py"))
PACKAGES = runpy.run_path(str(ROOT / "tests" / "packages" / "run.py"))

Stated = set[tuple[str, str, frozenset[str], str]]


def own() -> dict[str, Any]:
    (entry,) = (package for package in LOCK["package"] if package["name"] == "reaedp")
    return dict(entry)


def stated(requirements: list[str], extra: str = "") -> Stated:
    """Requirements in one form: name, versions, extras of theirs, and the extra or group of ours that wants them."""
    read = [Requirement(text) for text in requirements]
    return {(canonicalize_name(one.name), str(one.specifier), frozenset(one.extras), extra) for one in read}


def locked(entries: list[dict[str, Any]], extra: str = "") -> Stated:
    """The same of what the lock file was made from."""
    found = set()
    for entry in entries:
        wanted_by = re.search(r"extra == '([\w-]+)'", entry.get("marker", ""))
        specifier = str(Requirement(f"x{entry.get('specifier', '')}").specifier)
        extras = frozenset(entry.get("extras", ()))
        found.add((entry["name"], specifier, extras, wanted_by[1] if wanted_by else extra))
    return found


def group(name: str) -> list[str]:
    """The requirements of a dependency group, with those of the groups that it includes."""
    entries = PROJECT["dependency-groups"][name]
    return [
        text for one in entries for text in ([one] if isinstance(one, str) else group(one["include-group"]))
    ]  # fmt: skip


def test_one_version_is_stated_everywhere() -> None:
    version = PROJECT["project"]["version"]
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    changes = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert changes
    assert {version} == {str(cited["version"]), changes[1], own()["version"]}
    assert PROJECT["project"]["license"] == cited["license"]


def test_the_lock_file_is_in_step_with_the_declared_dependencies() -> None:
    """`make lock` writes it anew."""
    metadata = own()["metadata"]
    declared = stated(PROJECT["project"]["dependencies"])
    for extra, requirements in PROJECT["project"]["optional-dependencies"].items():
        declared |= stated(requirements, extra)
    assert declared == locked(metadata["requires-dist"])
    for name, entries in metadata["requires-dev"].items():
        assert stated(group(name), name) == locked(entries, name)
    assert PROJECT["project"]["requires-python"] == LOCK["requires-python"]


def test_everything_locked_comes_from_the_public_index_with_a_hash() -> None:
    for package in LOCK["package"]:
        if package["name"] != "reaedp":
            assert {"registry": "https://pypi.org/simple"} == package["source"]
            files = [*package.get("wheels", ()), *([package["sdist"]] if "sdist" in package else ())]
            assert files
            assert all(file["hash"].startswith("sha256:") for file in files), package["name"]


def test_the_first_example_needs_nothing_but_the_package() -> None:
    """Whatever the README's examples import is Python's own, the package, or required by it."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    trees = [ast.parse(text) for text in re.findall(r"^```python\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)]
    assert trees
    imported = {
        (node.module or "" if isinstance(node, ast.ImportFrom) else alias.name).split(".")[0]
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    required = {canonicalize_name(Requirement(text).name) for text in PROJECT["project"]["dependencies"]}
    assert imported - set(sys.stdlib_module_names) - {"reaedp"} <= required


def targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def steps() -> list[str]:
    return [step["run"] for job in CI["jobs"].values() for step in job["steps"] if "run" in step]


def test_hosted_jobs_call_make_targets_that_exist_and_hardly_anything_else() -> None:
    called = {found[1] for step in steps() if (found := re.match(r"make ([a-z-]+)", step))}
    assert {"check", "test", "slow", "coverage", "versions", "dist", "docs", "mutants", "lock-check"} == called
    assert called <= targets()
    assert 2 == len({step for step in steps() if not step.startswith("make ")})  # subjects, and make for Windows


def test_hosted_jobs_cover_three_systems_and_every_python() -> None:
    for job in ("test", "versions"):
        matrix = CI["jobs"][job]["strategy"]["matrix"]
        assert ["ubuntu-latest", "macos-latest", "windows-latest"] == matrix["os"]
        assert ["3.11", "3.12", "3.13", "3.14"] == matrix["python"]
    assert {"contents": "read"} == CI["permissions"]


def test_what_must_hold_before_a_change_lands_includes_the_slow_tests() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert ["check", "test", "slow"] == re.findall(r"^make ([a-z-]+)$", script, re.MULTILINE)


def test_hooks_run_the_tools_of_the_virtual_environment() -> None:
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    hooks = {hook["id"]: hook for repository in config["repos"] for hook in repository["hooks"]}
    assert {"ruff-format", "ruff-check", "mypy", "subject"} == hooks.keys()
    assert all(hook["entry"].startswith(".venv/bin/") and "system" == hook["language"] for hook in hooks.values())
    assert ["commit-msg"] == hooks["subject"]["stages"]
    assert (ROOT / hooks["subject"]["entry"].split()[1]).exists()


@pytest.mark.parametrize(
    ("message", "wrong"),
    [
        ("x" * 71, None),
        ("Short\n\nA body as long as it takes: " + "x" * 200, None),
        ("# a comment of git\nShort", None),
        ("x" * 72, "72 characters"),
        ("", "empty"),
        ("\n\nA body", "empty"),
        ("Short.", "full stop"),
        ("Short\nnot blank", "second line"),
    ],
)
def test_a_subject_is_one_short_line(message: str, wrong: str | None, tmp_path: Path) -> None:
    found = SUBJECT["troubles"](message)
    assert [] == found if wrong is None else any(wrong in trouble for trouble in found)
    (tmp_path / "message").write_text(message, encoding="utf-8")
    assert (wrong is not None) == bool(SUBJECT["main"](str(tmp_path / "message")))


def test_subjects_of_a_range_of_commits_are_read(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    git("init")
    for subject in ("First", "Second", "Third " + "x" * 80):
        git("commit", "--allow-empty", "--message", subject)
    script = [sys.executable, str(ROOT / ".ci" / "subject.py")]
    for commits, code in (("HEAD~2..HEAD~1", 0), ("HEAD~2..HEAD", 1)):
        done = subprocess.run([*script, commits], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (code, code) == (done.returncode, done.stderr.count("Keep it to 71"))


@pytest.mark.parametrize("form", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")), ids=lambda p: p.stem)
def test_forms_for_issues_are_complete(form: Path) -> None:
    read = yaml.safe_load(form.read_text(encoding="utf-8"))
    if form.stem == "config":
        assert {"blank_issues_enabled"} == read.keys()
        return
    assert {"name", "description", "labels", "body"} == read.keys()
    fields = [field for field in read["body"] if field["type"] != "markdown"]
    assert len(fields) == len({field["id"] for field in fields}) >= 2
    assert all(field["attributes"]["label"] for field in fields)
    assert any(field.get("validations", {}).get("required") for field in fields)


def packages(folder: Path, wheel: set[str], sdist: set[str]) -> list[str]:
    """What the check of built packages says of two that hold these files."""
    with zipfile.ZipFile(folder / "a.whl", "w") as archive:
        for name in wheel:
            archive.writestr(name, "")
    with tarfile.open(folder / "a.tar.gz", "w:gz") as packed:
        for name in sdist:
            packed.addfile(tarfile.TarInfo(f"reaedp-0/{name}"))
    return list(PACKAGES["missing"](folder / "a.whl", folder / "a.tar.gz"))


def test_a_package_that_lacks_a_file_or_has_a_foreign_one_is_noticed(tmp_path: Path) -> None:
    wheel = PACKAGES["in_tree"]() | {"reaedp-0.dist-info/METADATA"}
    sdist = {*PACKAGES["IN_SDIST"], "tests/conftest.py"}
    assert {"reaedp/cli/demo/rand_hie.csv.gz", "reaedp/py.typed", "reaedp/privacy/PROOFS.md"} <= wheel
    assert [] == packages(tmp_path, wheel, sdist)
    for name in ("reaedp/cli/demo/rand_hie.csv.gz", "reaedp/privacy/PROOFS.md"):
        assert [f"the wheel lacks {name}"] == packages(tmp_path, wheel - {name}, sdist)
    (foreign,) = packages(tmp_path, wheel | {"tests/conftest.py"}, sdist)
    assert "the wheel has tests/conftest.py" in foreign
    assert ["the sdist lacks uv.lock"] == packages(tmp_path, wheel, sdist - {"uv.lock"})


# Other ways to install it


def test_the_recipe_for_conda_asks_for_what_the_project_asks_for() -> None:
    text = (ROOT / "packaging" / "meta.yaml").read_text(encoding="utf-8")
    assert f'version = "{PROJECT["project"]["version"]}"' in text
    recipe = yaml.safe_load(
        "\n".join(line for line in text.splitlines() if not line.startswith("{%")).replace("{{", "<")
    )
    renamed = {"python-duckdb": "duckdb"}
    wanted = {tuple(line.split(" ", 1)) for line in recipe["requirements"]["run"]} - {("python", ">=3.11")}
    found = {(renamed.get(name, name), str(Requirement(f"x{versions}").specifier)) for name, versions in wanted}
    assert {(name, versions) for name, versions, *_ in stated(PROJECT["project"]["dependencies"])} == found


def test_the_image_is_made_from_files_that_are_there_and_runs_the_demo() -> None:
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    copied = [word for line in lines if line.startswith("COPY ") for word in line.split()[1:-1]]
    assert copied
    assert all((ROOT / name).exists() for name in copied)
    ignored = set((ROOT / ".dockerignore").read_text(encoding="utf-8").split())
    assert not ignored.intersection(copied)
    assert 'CMD ["reaedp", "demo", "/tmp/demo"]' == lines[-1]


@pytest.mark.slow
@pytest.mark.slow
def test_scripts_of_the_tests_that_the_documents_name_start_from_a_plain_shell() -> None:
    """pytest adds `tests` to the path, a shell does not: each is loaded as a shell would, without its main part."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "Makefile"]
    named = {name for page in pages for name in re.findall(r"\btests/[\w/]+\.py(?!\w|::)", page.read_text("utf-8"))}
    there = [name for name in named if (ROOT / name).is_file()]
    scripts = sorted(name for name in there if '"__main__"' in (ROOT / name).read_text("utf-8"))
    assert "tests/release/mutated_manifests.py" in scripts
    code = "import runpy, sys; sys.path[0], name = sys.argv[1:]; runpy.run_path(name, run_name='loaded')"
    for name in scripts:
        command = [sys.executable, "-c", code, str((ROOT / name).parent), name]
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert 0 == ran.returncode, f"{name}: {ran.stderr[-500:]}"
