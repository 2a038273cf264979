"""What thousands of whole releases show of everything that a plan can ask for, and would have missed.

    python benchmarks/whole_releases.py [--only NAME ...] [--units NAME ...] [--runs N] [--write]

Made-up files go through the real curator with secret noise and a real ledger in memory. A row of the table is one
release of a plan, one unit and one change: the charge; what the releases show of it, with confidence 0.95; how often
guesses were right and may be; and the largest ε that might have been missed, anything above being convicted with
probability 0.95. Everything takes about half an hour of one core; each row can be run alone. `--write` puts the rows
that were run into docs/auditing.md.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from reaedp import Budget, Category, Contract, Integer, Laplace, Marginal, Number, Unit
from reaedp.audits.finding import Finding
from reaedp.audits.made_up_sums import made_up_curve
from reaedp.audits.whole_release import TABLES, audit_release
from reaedp.contract import Picture
from reaedp.contract.category import Undeclared
from reaedp.curator.learning import LADDER
from reaedp.mechanisms.threshold import Threshold
from reaedp.plan.plan import KINDS
from reaedp.plan.request import Request
from reaedp.privacy.conversion import gaussian_mu
from reaedp.statistics.levels import Levels
from reaedp.statistics.names import column_names

DELTA = 1e-6
#: The ε at which fewest runs show most: of Laplace noise, and of Gaussian noise, whose loss is rarely its worst.
EPSILON, GAUSSIAN = 2.0, 8.0
#: Runs that show nine tenths of μ with confidence.
LONG = 6_000
PURE, APPROXIMATE, NORMAL = (
    {"epsilon": EPSILON},
    {"epsilon": EPSILON, "delta": DELTA},
    {"epsilon": GAUSSIAN, "delta": DELTA},
)
COLUMNS = tuple(Category(name=name, levels=("yes", "no"), provenance="public") for name in ("a", "b"))
#: So many levels that everyone else has one alone: nobody but the canary's clones passes a privacy test.
WIDE = Category(name="w", levels=tuple(f"w{number}" for number in range(120)), provenance="public")
#: So many that the best way to an entropy is to look first.
MIDDLE = Category(name="m", levels=tuple(f"m{number}" for number in range(20)), provenance="public")
#: Numbers on a fine lattice, whole numbers, and levels without an order.
VALUES = (
    Number(name="x", lower=0, upper=10, bins=5, provenance="public"),
    Integer(name="y", lower=-2, upper=2, provenance="public"),
    Category(name="z", levels=("one", "two", "three"), provenance="public"),
)
#: Numbers to add up: one that is rounded to the lattice, and one that is not.
SUMMED = (
    Number(name="u", lower=-1.0, upper=1000.0, bins=3, provenance="public"),
    Integer(name="v", lower=0, upper=30, provenance="public"),
)
#: Numbers, of which there are ranks.
NUMBERS = Integer(name="n", lower=0, upper=3, provenance="public")
RANKED = NUMBERS.name
#: So many cells that nearly all places lie between the rows of others.
FINE = Integer(name="r", lower=0, upper=99, provenance="public")
CURVE = made_up_curve(points=5, rank=3)
#: The same with bounds, from which bands that cover the truth follow; many of them are clipped.
BOUNDED = replace(CURVE, name="bounded", rho=None, smoothness=4.0, lower=-3.0, upper=3.0)
PICTURE = Picture(width=2, height=2, channels=1, lower=0, upper=255, provenance="public")
UNITS = {
    "row, add-remove": Unit("add-remove", at_least=100),
    "row, replace": Unit("replace", at_least=100),
    "person, add-remove": Unit("add-remove", person="person", max_rows=2, at_least=100),
    "person, replace": Unit("replace", person="person", max_rows=2, at_least=100),
}
#: A record that is given up late is seen more often.
PATIENT = 2.0**-6
#: Both changes and both units in two rows.
BOTH = ("row, add-remove", "person, replace")
ONE_RECORD = "One record of F says little of its charge; `reaedp audit` computes its privacy test's ε by formula."
MIXED = (
    "Half of its candidates are drawn from the model alone; all rows are plausible seeds of these, and they pass. So"
    " right guesses are 0.533 at best and ε = 0.79 is all that any number of runs could show (`mixed_at_best`);"
    " `reaedp audit` computes its privacy test's ε by formula."
)
HALF = "The model's half of the charge hardly shows in these rows; the rows of the marginal model stand for it."
OTHER_HALF = "Keys are of half of the people; the rows of the marginal model stand for the other half."
RARE = "Wrong guesses are rare at ε = 4: few runs convict nothing; `reaedp audit` has the ε of this pair by formula."
CHOSEN = "Which keys are shown costs δ alone, which runs cannot show; `reaedp audit` computes it by formula."
ENUMERATED = (
    "What is spent on which groups appear does not show in runs; that law is enumerated in"
    " tests/mechanisms/test_group_threshold.py."
)
PLACED = (
    "A twentieth of ε is spent on the number of rows, and the rest shows in how often the rarer side is chosen; the law"
    " of the choice is enumerated in tests/mechanisms/test_exponential.py."
)
SQUARED = "Under replacement the proved sensitivity is up to 1.15 times what any pair of rows attains."
ALMOST = "Choices of tables, 0.07 of μ², are not looked at; `reaedp audit` examines them step by step."


def contract(unit: Unit, *columns: Any, picture: Picture | None = None) -> Contract:
    """Made-up data of so many columns."""
    return Contract(
        dataset="made up",
        unit=Unit(unit.change) if picture else unit,
        budget=Budget(10.0, DELTA),
        ledger="none.sqlite",
        columns=columns or (() if picture else (*COLUMNS, NUMBERS)),
        curves=() if picture else (CURVE, BOUNDED),
        picture=picture,
    )


@dataclass(frozen=True, slots=True)
class Case:
    """One release of a plan by its keys, the units under which it is run, how often, and what to say beside it."""

    kind: str
    keys: dict[str, Any]
    units: tuple[str, ...] = BOTH
    runs: int = 1_000
    note: str = ""
    #: The unit that is run `LONG` times.
    long: str = ""
    #: The chance to stop, where another than the plan's shows more.
    tau: float | None = None
    #: Of what runs no plan: the request that a command makes.
    made: Callable[[Contract], tuple[Request, Contract]] | None = field(default=None)

    def number(self, unit: str) -> int:
        """How many runs judge."""
        return LONG if unit == self.long else self.runs

    def request(self, unit: str) -> tuple[Request, Contract]:
        """As a plan would make it."""
        named = (self.keys.get(key, ()) for key in ("columns", "given", "of", "on", "by", "per", "standard"))
        names = {name for found in named for name in column_names(found)}
        columns = [
            column for column in (*COLUMNS, *SUMMED, MIDDLE, NUMBERS, FINE, WIDE, *VALUES) if column.name in names
        ]
        terms = contract(UNITS[unit], *columns, picture=PICTURE if self.kind == "image" else None)
        if self.made is not None:
            return self.made(terms)
        request = KINDS[self.kind](name="audited", kind=self.kind, **self.keys).request(terms)
        if self.tau is not None:
            request = replace(request, mechanism=replace(request.mechanism, tau=self.tau))  # type: ignore[type-var]
        return request, terms


def _bounds(terms: Contract) -> tuple[Request, Contract]:
    ladder = Number(name="x", edges=LADDER, provenance="public")
    return Request("audited", Marginal("x"), Laplace(EPSILON)), contract(terms.unit, ladder)


def _levels(terms: Contract) -> tuple[Request, Contract]:
    texts = Undeclared(name="x", provenance="public")
    return Request("audited", Levels("x"), Threshold(EPSILON, DELTA)), contract(terms.unit, texts)


def _counted(kind: str, mechanism: str = "laplace", **keys: Any) -> dict[str, Any]:
    price = {"laplace": PURE, "gaussian": NORMAL, "threshold": APPROXIMATE}[mechanism]
    return {"kind": kind, "keys": {"columns": ("a",), "mechanism": mechanism, **price, **keys}}


def _rows(method: str, *columns: str, **keys: Any) -> dict[str, Any]:
    price = NORMAL if method == "network" else APPROXIMATE
    return {"kind": "synthetic", "keys": {"method": method, "columns": columns, "rows": 1, **price, **keys}}


def _curves(law: str) -> dict[str, Any]:
    keys = {"curve": "curve", "curves": 1, "kept": 1, "spread": 0.005, "law": law, **APPROXIMATE}
    return {"kind": "synthetic-curves", "keys": keys}


PAIR = ("a", "b")
PAPER: dict[str, Any] = {"k": 20, "t": 2, "epsilon0": 1.0, "attempts": 64, "test": "optimal"}
SPREAD: dict[str, Any] = {"of": ("u",), "by": ("a",), "statistics": ("mean", "sd"), "clipped": True}
CASES: dict[str, Case] = {
    "histogram, Laplace": Case(**_counted("histogram", columns=PAIR), units=tuple(UNITS), runs=2_000),
    "histogram, Gaussian": Case(**_counted("histogram", "gaussian", columns=PAIR), units=tuple(UNITS)),
    "histogram, error_bits": Case(**_counted("histogram", error_bits=0.5), units=("row, add-remove",)),
    "partition selection": Case(**_counted("histogram", "threshold", columns=PAIR), note=CHOSEN),
    "entropy, Laplace": Case(**_counted("entropy", columns=PAIR)),
    "entropy, Gaussian": Case(**_counted("entropy", "gaussian", columns=PAIR)),
    "entropy, order 2": Case(**_counted("entropy", orders=(2.0,))),
    "entropy, order ∞": Case(**_counted("entropy", orders=(float("inf"),))),
    "entropy, orders 1 and 2": Case(**_counted("entropy", orders=(1.0, 2.0))),
    "entropy by histogram, Laplace": Case(**_counted("entropy", route="histogram")),
    "entropy by histogram, Gaussian": Case(**_counted("entropy", "gaussian", route="histogram")),
    "entropy, best route": Case(**_counted("entropy", route="best")),
    "entropy, best route in two stages": Case(
        **_counted("entropy", columns=("m",), route="best", epsilon=4.0), note=RARE
    ),
    "conditional entropy, Laplace": Case(**_counted("conditional-entropy", given=("b",))),
    "conditional entropy, Gaussian": Case(**_counted("conditional-entropy", "gaussian", given=("b",))),
    "mutual information, Laplace": Case(**_counted("mutual-information", given=("b",))),
    "mutual information, Gaussian": Case(**_counted("mutual-information", "gaussian", given=("b",))),
    "entropy map, Laplace": Case(**_counted("entropy-map", columns=PAIR)),
    "entropy map, Gaussian": Case(**_counted("entropy-map", "gaussian", columns=PAIR)),
    "correlation": Case("correlation", {"of": ("x", "y"), **NORMAL}, ("row, add-remove",)),
    "regression": Case(
        "regression", {"of": "x", "on": ("y", "z"), **NORMAL}, ("person, replace",), runs=200, note=SQUARED
    ),
    "summary, Laplace": Case("summary", {"of": ("u", "v"), "by": ("a",), "mechanism": "laplace", **PURE}),
    "summary, Gaussian": Case("summary", {**SPREAD, "mechanism": "gaussian", **NORMAL}),
    "summary, all rows": Case("summary", {"of": ("u",), "mechanism": "laplace", **PURE}, ("row, replace",), runs=2_000),
    "summary, selected groups": Case(
        "summary", {"of": ("v",), "by": ("a",), "mechanism": "threshold", **APPROXIMATE}, runs=2_000, note=ENUMERATED
    ),
    "rate": Case("rate", {"of": "a", "levels": ("yes",), "by": ("b",), "mechanism": "laplace", **PURE}, runs=2_000),
    "rate of two columns": Case("rate", {"of": "v", "per": "n", "mechanism": "gaussian", **NORMAL}, runs=2_000),
    "rate, standardised": Case(
        "rate",
        {"of": "a", "levels": ("yes",), "standard": "b", "weights": (0.5, 0.5), "mechanism": "laplace", **PURE},
        runs=2_000,
    ),
    "rate, selected groups": Case(
        "rate",
        {"of": "a", "levels": ("yes",), "by": ("b",), "mechanism": "threshold", **APPROXIMATE},
        runs=2_000,
        note=ENUMERATED,
    ),
    "quantiles, best way": Case("quantiles", {"of": RANKED, "at": "deciles", **PURE}),
    "quantiles, exponential": Case(
        "quantiles", {"of": FINE.name, "at": "median", "mechanism": "exponential", **PURE}, runs=4_000, note=PLACED
    ),
    "quantiles, Laplace": Case("quantiles", {"of": RANKED, "at": "median", "mechanism": "laplace", **PURE}),
    "quantiles, Gaussian": Case("quantiles", {"of": RANKED, "at": "cdf", "mechanism": "gaussian", **NORMAL}),
    "quantiles, a median a person": Case(
        "quantiles",
        {"of": FINE.name, "at": "median", "per_person": True, **PURE},
        ("person, replace",),
        runs=4_000,
        note=PLACED,
    ),
    "mean curve, A2": Case("mean-curve", {"curve": "curve", **NORMAL}),
    "mean curve, C": Case("mean-curve", {"curve": "curve", "covariance": "C", **NORMAL}),
    "mean curve, bands of the truth": Case("mean-curve", {"curve": "bounded", "bands": "truth", **NORMAL}),
    "image, Laplace": Case("image", {"mechanism": "laplace", **PURE}, ("row, replace",)),
    "image, Gaussian": Case("image", {"mechanism": "gaussian", **NORMAL}, ("row, replace",)),
    "learn bounds": Case("learn", {}, made=_bounds),
    "learn levels": Case("learn", {}, made=_levels),
    "marginal model, one column": Case(**_rows("network", "a"), runs=4_000),
    "marginal model, two columns": Case(
        **_rows("network", "a", "b"), units=("row, replace", *BOTH), runs=2_000, long="row, replace", note=ALMOST
    ),
    "amortised": Case(**_rows("amortised", "a", "b", keep=PAIR), runs=2_000, note=HALF),
    "amortised, halves of people": Case(
        **_rows("amortised", "a", "b", keep=PAIR, split_people=True),
        units=("person, add-remove",),
        runs=2_000,
        note=OTHER_HALF,
    ),
    "deniable": Case(**_rows("deniable", "w", keep=("w",)), runs=4_000, note=ONE_RECORD, tau=PATIENT),
    "deniable, mixed": Case(
        **_rows("deniable", "w", keep=("w",), proposal="mixed"),
        units=("row, add-remove",),
        runs=4_000,
        note=MIXED,
        tau=PATIENT,
    ),
    "deniable, the paper's names": Case(
        **_rows("deniable", "w", keep=("w",), **PAPER, **NORMAL),
        units=("row, add-remove",),
        runs=4_000,
        note=ONE_RECORD,
    ),
    "synthetic curves, even": Case(**_curves("even"), runs=4_000, note=ONE_RECORD),
    "synthetic curves, Gaussian": Case(**_curves("gaussian"), units=("row, add-remove",), runs=4_000, note=ONE_RECORD),
}


def mixed_at_best() -> tuple[float, float]:
    """The share of right guesses and the ε that one record of "deniable, mixed" allows, for the best number of clones.

    Of 100 rows k are clones, the others have a record each; a model without preference draws all records alike. A
    clone's record is made by a clone, which has k plausible seeds, or drawn from another row, which has all others.
    """
    request, terms = CASES["deniable, mixed"].request("row, add-remove")
    plan = request.mechanism.plan(request.statistic.sensitivity(terms))  # type: ignore[union-attr]
    rate = plan.test.rate(np.arange(102))
    drawn = 1 / WIDE.size

    def law(clones: int, rows: int) -> Any:
        kept, others = (1 + drawn) / 2, (rows - clones) / rows
        clone = clones / rows * kept * rate[clones] + others * drawn / 2 * rate[rows - clones]
        other = others * kept * rate[1] + (1 - drawn) / 2 * rate[rows - 1]
        nothing = plan.stopping.nothing(float(clone + other))
        answered = np.array([clone, other]) * (1 - plan.stopping.tau) / plan.stopping.tau * nothing
        return np.append(answered, nothing)

    pairs = [(law(clones, 100), law(clones + 1, 101)) for clones in range(1, 100)]
    guesses = max(0.5 + np.abs(one - other).sum() / 4 for one, other in pairs)
    return float(guesses), float(max(np.abs(np.log(one / other)).max() for one, other in pairs))


PAGE = Path(__file__).parent.parent / "docs" / "auditing.md"
HEADINGS = ("what", "unit, change", "charged", "shown", "right guesses (permitted)", "largest ε missed", "runs", "note")

TOP = f"| {' | '.join(HEADINGS)} |"


def main() -> None:
    """Print a row as soon as it is known."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, help="releases that judge, in place of each row's own number")
    parser.add_argument("--only", nargs="*", default=list(CASES), choices=list(CASES))
    parser.add_argument("--units", nargs="*", default=list(UNITS), choices=list(UNITS))
    parser.add_argument("--write", action="store_true", help="put the rows into docs/auditing.md")
    options = parser.parse_args()
    found: dict[tuple[str, str], list[str]] = {}
    print(TOP)
    print("|---" * len(HEADINGS) + "|")
    for name in options.only:
        for unit in CASES[name].units:
            if unit in options.units:
                for line in lines(name, unit, options.runs):
                    print(line, flush=True)
                    found.setdefault((name, unit), []).append(line)
    if options.write:
        PAGE.write_text(rewritten(PAGE.read_text(encoding="utf-8"), found), encoding="utf-8")


def rewritten(page: str, found: dict[tuple[str, str], list[str]]) -> str:
    """The page with these rows in its table, in the order of the cases; rows that were not run stay."""
    before, _, rest = page.partition(TOP + "\n")
    table, _, after = rest.partition("\n\n")
    rule, *old = table.splitlines()
    known: dict[tuple[str, str], list[str]] = {}
    for line in old:
        name, unit = (cell.strip() for cell in line.split("|")[1:3])
        known.setdefault((name, unit), []).append(line)
    known |= found
    rows = [line for name, case in CASES.items() for unit in case.units for line in known.get((name, unit), ())]
    return before + "\n".join([TOP, rule, *rows]) + "\n\n" + after


def lines(name: str, unit: str, runs: int | None = None) -> Iterator[str]:
    """Lines of the table: one for each pair of files, and none for folders that agree."""
    case = CASES[name]
    request, terms = case.request(unit)
    for finding in audit_release(request, terms, rng=np.random.default_rng(), runs=runs or case.number(unit)):
        if finding.measured is not None:
            yield line(name, unit, finding, case.note)
        elif finding.witness or finding.verdict == "NOT COVERED":
            yield f"| {name} | {unit} | {finding.verdict}: {finding.witness or finding.method} | | | | | |"


def line(name: str, unit: str, finding: Finding, note: str) -> str:
    """One row of the table."""
    measured, power, ceilings, claim = finding.measured, finding.power, finding.ceilings, finding.claim
    assert measured is not None and power is not None and ceilings is not None and claim is not None  # noqa: PT018
    charged, shown, share = str(claim), f"ε ≥ {measured.epsilon:.3g}", measured.epsilon / claim.epsilon
    if "midpoint" in finding.method:
        mu, least = (gaussian_mu(epsilon, claim.delta) for epsilon in (claim.epsilon, max(measured.epsilon, 1e-9)))
        charged, shown, share = f"{charged} (μ = {mu:.3f})", f"{shown}, μ ≥ {least:.3f}", least / mu
    shown = f"{shown}: {share:.2f}" if measured.epsilon else "nothing"
    flag = "" if finding.verdict != "VIOLATED" else " **VIOLATED**"
    guesses = f"{measured.accuracy.value:.3f} ({ceilings.accuracy:.3f})"
    own = f"{finding.pair.rpartition(': ')[2]}. " if name == "partition selection" else ""
    if finding.subject.endswith(TABLES):
        own = "Read off the tables in the published model. "
    cells = (name, unit, charged, shown + flag, guesses, power.missed, f"{measured.runs:,}", (own + note).strip())
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
