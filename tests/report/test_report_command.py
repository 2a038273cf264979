"""`reaedp report` and `reaedp plan --html` as a user types them."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from reaedp import Ledger
from reaedp.errors import DeclarationError
from reaedp.report.page import save

Run = Callable[..., CompletedProcess[str]]


@pytest.fixture
def released(clinic: Path, reaedp: Run) -> Path:
    done = reaedp("release", "plan.toml", "--data", "data.csv", "--out", "published")
    assert 0 == done.returncode, done.stderr
    assert "Open published/report.html" in done.stdout
    return clinic


@pytest.mark.slow
def test_the_editions_have_different_names_and_places(released: Path, reaedp: Run) -> None:
    before = sorted(path.name for path in (released / "published").iterdir())
    assert "report.html" in before
    done = reaedp("report", "published")
    assert 0 == done.returncode, done.stderr
    public = (released / "published-report.html").read_bytes()
    assert (released / "published" / "report.html").read_bytes() == public
    done = reaedp("report", "published", "--custodian", "--data", "data.csv")
    assert 0 == done.returncode, done.stderr
    assert "NOT TO BE PUBLISHED" in done.stdout
    private = released / "published-not-to-be-published" / "custodian-report.html"
    assert b"NOT TO BE PUBLISHED" in private.read_bytes()
    assert b"NOT TO BE PUBLISHED" not in public
    assert (0o600, 0o700) == (private.stat().st_mode & 0o777, private.parent.stat().st_mode & 0o777)
    assert before == sorted(path.name for path in (released / "published").iterdir())
    assert [] == list(released.rglob(".*.html*"))


@pytest.mark.slow
def test_truth_in_a_public_report_is_refused_with_exit_code_5(released: Path, reaedp: Run) -> None:
    assert 0 == reaedp("evaluate", "published", "--data", "data.csv", "--out", "private").returncode
    for arguments in (
        ("--data", "data.csv"),
        ("--evaluation", "private"),
        ("--custodian", "--data", "data.csv", "--out", "published/mine.html"),
    ):
        done = reaedp("report", "published", *arguments)
        assert 5 == done.returncode, done.stdout
        assert "Traceback" not in done.stderr
    assert not (released / "published-report.html").exists()
    assert not (released / "published" / "mine.html").exists()
    done = reaedp("report", "published", "--custodian", "--data", "data.csv", "--evaluation", "private")
    assert 0 == done.returncode, done.stderr


@pytest.mark.slow
def test_a_custodians_edition_needs_the_data(released: Path, reaedp: Run) -> None:
    done = reaedp("report", "published", "--custodian")
    assert 2 == done.returncode
    assert "--data" in done.stderr
    assert released.exists()


@pytest.mark.slow
def test_a_plan_becomes_a_page_before_any_data_is_there(clinic: Path, reaedp: Run) -> None:
    (clinic / "data.csv").unlink()
    done = reaedp("plan", "plan.toml", "--html", "pages/plan.html")
    assert 0 == done.returncode, done.stderr
    page = (clinic / "pages" / "plan.html").read_text(encoding="utf-8")
    assert '<input type="range" id="factor"' in page
    assert "1 in 100 can become" in page
    assert () == Ledger.open(clinic / "budget.sqlite").datasets()
    done = reaedp("plan", "plan.toml", "--html", "plan.toml/x.html")
    assert 2 == done.returncode


def test_a_page_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "page.html").mkdir()
    with pytest.raises(DeclarationError, match="cannot be written"):
        save(tmp_path / "page.html", "the truth", secret=True)
    assert ["page.html"] == [path.name for path in tmp_path.iterdir()]
