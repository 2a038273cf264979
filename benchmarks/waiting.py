"""What a person waits for besides counting: a page in a browser, audits, tables of privacy tests, maps, bounds.

    python benchmarks/waiting.py [--rounds 3]

Each is held against the longest that we want anyone to wait on an idle machine. The page needs Chromium.
"""

import argparse
import shutil
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np

from harness.ledger import ledger_in
from harness.row import Row
from harness.script import parser, present
from harness.stopwatch import Job, best
from reaedp import Budget, Category, Contract, Laplace, Marginal, Number, Plan, PlannedRelease, Unit, publish
from reaedp.audits.request_audit import audit_request
from reaedp.mechanisms.acceptance import optimal
from reaedp.plan.request import Request
from reaedp.privacy.accounting import epsilon, simple_epsilon
from reaedp.privacy.loss import GaussianDP, Loss, PureDP
from reaedp.statistics.entropy.consistency import consistent

LOSSES: dict[Loss, int] = {PureDP(0.001 * size): 10_000 for size in range(1, 6)} | {
    GaussianDP(0.001 * size): 10_000 for size in range(1, 6)
}


def contract(folder: Path) -> Contract:
    names = [f"column {place}" for place in range(50)]
    columns = [Category(name=name, levels=("a", "b", "c"), provenance="public") for name in names]
    number = Number(name="x", lower=0, upper=1, bins=100, provenance="public")
    return Contract(
        dataset="waiting",
        unit=Unit("add-remove", at_least=1_000),
        budget=Budget(60.0, 1e-5),
        ledger=ledger_in(folder),
        columns=(*columns, number),
    )


def page(folder: Path) -> Path:
    """Forty releases, one of them a map of fifty columns."""
    terms = contract(folder)
    names = tuple(column.name for column in terms.columns[:50])
    cells = np.random.default_rng(3).choice(list("abc"), (1_200, 50))
    (folder / "data.csv").write_text("\n".join(map(",".join, [names, *cells.tolist()])) + "\n", encoding="utf-8")
    histograms = (
        PlannedRelease(name=f"h{place}", kind="histogram", columns=(name,), mechanism="laplace", epsilon=1.0)
        for place, name in enumerate(names[:39])
    )
    shared = PlannedRelease(
        name="map", kind="entropy-map", columns=names, mechanism="gaussian", epsilon=1.0, delta=1e-6
    )
    publish(Plan(terms, (*histograms, shared)), str(folder / "data.csv"), folder / "out", audited=False)
    return folder / "out" / "report.html"


def jobs(terms: Contract) -> dict[str, tuple[Job, float]]:
    rng = np.random.default_rng(3)
    limits = np.log2(rng.integers(2, 50, 50).astype(float))
    noise = np.triu(rng.normal(0, 1.0, (50, 50)))
    noisy = limits[:, None] + limits + noise + np.triu(noise, 1).T
    request = Request("r", Marginal("x"), Laplace(1.0))
    return {
        "full audit of a histogram": (lambda: audit_request(request, terms, rng=rng, runs=100_000), 2.0),
        "privacy test of 100,000 counts": (lambda: optimal(2e-4, Fraction(1, 10**12), 2.0, 1_000), 3.0),
        "map of fifty columns made consistent": (lambda: consistent(noisy, limits, 1e-3), 10.0),
        "simple bound of ten losses": (lambda: simple_epsilon(LOSSES, 1e-6), 1e-3),
        "ten losses in 100,000 copies": (lambda: epsilon(LOSSES, 1e-6), 1.0),
    }


def shown(path: Path, rounds: int) -> float | None:
    """Until the last chart answers to the pointer; nothing without a browser."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        return None
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--disable-gpu", "--no-sandbox"])

        def visit() -> None:
            view = browser.new_page()
            view.goto(path.as_uri())
            view.locator("#release-map figure").scroll_into_view_if_needed()
            view.locator("#release-map figure[data-ready]").wait_for()
            view.close()

        found = best({"page": visit}, rounds)["page"]
        browser.close()
        return found


def rows(options: argparse.Namespace) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for what, (job, longest) in jobs(contract(folder)).items():
            yield _row(what, best({what: job}, options.rounds)[what], longest)
        yield _row("page of forty releases in a browser", shown(page(folder), options.rounds), 2.0)


def _row(what: str, ours: float | None, longest: float) -> Row:
    note = "" if ours is not None else "no Chromium here"
    return Row(
        section="Waiting",
        what=what,
        against=f"{longest:g} s",
        ours=ours,
        theirs=longest,
        goal=1.0,
        limit=True,
        note=note,
    )


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--rounds", type=int, default=3)
    present(options.parse_args(), rows)


if __name__ == "__main__":
    main()
