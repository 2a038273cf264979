"""Audits of mean curves, pictures and synthetic records with their own parameters."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtri

from reaedp import Budget, Category, Contract, Gaussian, Laplace, Number, Unit
from reaedp.audits import request_audit, step_audit
from reaedp.audits.clones import audit_clones, audit_plan
from reaedp.audits.constant_noise import ConstantNoise, Drawn
from reaedp.audits.finding import Verdict
from reaedp.audits.pre_release import pre_release_audit
from reaedp.audits.request_audit import audit_request
from reaedp.audits.step_audit import audit_network, loss
from reaedp.audits.worst_case import worst_cases
from reaedp.contract import Curve, Picture
from reaedp.curves.deniable_curves import DeniableCurves
from reaedp.curves.mean_curve import MeanCurve
from reaedp.curves.synthetic_curves import SyntheticCurves
from reaedp.errors import DeclarationError
from reaedp.mechanisms.fine_gaussian import FineGaussian
from reaedp.mechanisms.record_plan import plan_records
from reaedp.mechanisms.stopping import Stopping
from reaedp.plan.request import Request
from reaedp.privacy.conversion import gaussian_mu
from reaedp.privacy.loss import ApproxDP
from reaedp.privacy.unit import Sensitivity
from reaedp.rate import share
from reaedp.statistics.images.pixels import Pixels
from reaedp.statistics.marginal import Marginal
from reaedp.synthesis import search
from reaedp.synthesis.amortised import Amortised
from reaedp.synthesis.deniability import Deniable
from reaedp.synthesis.known_fits import fits_kept
from reaedp.synthesis.marginal_model import MarginalModel
from reaedp.synthesis.purse import choice_scale, table_scale
from reaedp.synthesis.synthetic import Synthetic

COLUMNS = (
    Number(name="x", lower=0, upper=10, bins=6, provenance="public"),
    Category(name="y", levels=("a", "b", "c"), provenance="public"),
)
FACTS: dict[str, Any] = {"interval": (0.0, 1.0), "basis": "wiener", "rank": 5, "clip": 2.0, "rho": 0.01}
AT = tuple(np.linspace(0.0, 1.0, 9).tolist())
WIDE = Curve(name="w", form="wide", points=tuple("abcdefghi"), at=AT, provenance="public", **FACTS)
LONG = Curve(name="l", form="long", id="p", time="t", value="v", missing="drop", provenance="public", **FACTS)
UNITS = [
    Unit("add-remove", at_least=500),
    Unit("replace", at_least=500),
    Unit("add-remove", person="p", max_rows=3, at_least=500),
    Unit("replace", person="p", max_rows=3, at_least=500),
]
PICTURE = Picture(width=3, height=2, channels=3, lower=0, upper=255, provenance="public")
PIXEL = Contract(
    dataset="d", unit=Unit("replace"), budget=Budget(9.0, 1e-6), ledger="none.sqlite", columns=(), picture=PICTURE
)
everywhere = pytest.mark.parametrize("unit", UNITS, ids=lambda u: f"{u.change}-{u.rows}")
ROWS = Synthetic(("x", "y"), 100)


def contract(unit: Unit) -> Contract:
    budget = Budget(9.0, 1e-6)
    return Contract(dataset="d", unit=unit, budget=budget, ledger="none.sqlite", columns=COLUMNS, curves=(WIDE, LONG))


def curves(unit: Unit) -> list[MeanCurve]:
    names = ["w"] if unit.person is None else ["w", "l"]
    return [MeanCurve(name, covariance) for name in names for covariance in ("A2", "C")]  # type: ignore[arg-type]


@everywhere
def test_made_up_curves_attain_the_declared_sensitivity_and_never_exceed_it(unit: Unit) -> None:
    terms = contract(unit)
    for statistic in curves(unit):
        (case,) = worst_cases(statistic, terms)
        move = np.abs(case.second.answer(statistic) - case.first.answer(statistic)).astype(object)
        declared = statistic.sensitivity(terms)
        assert int(move.sum()) <= declared.l1
        assert move.max() <= declared.linf
        # Covariance C allows for rounding by √rank points of a million.
        assert (1 - 1e-5) * declared.l2_squared <= int((move**2).sum()) <= declared.l2_squared


def test_a_curve_along_one_function_reaches_the_lattice_point_that_the_worst_case_uses() -> None:
    from reaedp.curves.lattice import RADIUS, CurveLattice
    from reaedp.curves.space import CurveSpace

    values = 8 * WIDE.clip * CurveSpace(WIDE).basis(np.array(AT))[:, :1]
    point = CurveLattice.of(WIDE).wide(values.copy())[:, 0]
    assert RADIUS * (1 - 1e-5) <= np.linalg.norm(point) <= RADIUS


@everywhere
def test_the_measured_mu_of_mean_curves_is_the_claimed_one_within_its_interval(unit: Unit) -> None:
    rng, terms, mu = np.random.default_rng(1), contract(unit), gaussian_mu(1.0, 1e-6)
    for statistic in curves(unit):
        request = Request("c", statistic, Gaussian.within(1.0, 1e-6, statistic.sensitivity(terms)))
        (finding,) = audit_request(request, terms, rng=rng, runs=20_000)
        assert finding.measured is not None
        assert finding.ceilings is not None
        assert finding.claim is not None
        assert (1 - 1e-4) * finding.claim.epsilon < finding.ceilings.attainable <= finding.claim.epsilon * (1 + 1e-9)  # type: ignore[operator]
        # A range of the accuracy that fails once in a million times.
        right = round(finding.measured.accuracy.value * finding.measured.runs)
        accuracy = share(right, finding.measured.runs, 1 - 1e-7)
        assert 2 * ndtri(accuracy.low) <= mu <= 2 * ndtri(accuracy.high)


class Shorter(MeanCurve):
    """Declares half of how far curves reach."""

    __slots__ = ()

    def sensitivity(self, contract: Contract) -> Sensitivity:
        whole = super().sensitivity(contract)
        return Sensitivity(l1=whole.l1 // 2, l2_squared=whole.l2_squared // 4, linf=whole.linf // 2)


class Dimmer(Pixels):
    """Forgets that a pixel has three channels."""

    __slots__ = ()

    def sensitivity(self, contract: Contract) -> Sensitivity:
        reach = contract.picture.reach  # type: ignore[union-attr]
        return Sensitivity(l1=reach, l2_squared=reach**2, linf=reach)


def test_curves_and_pictures_that_declare_too_little_are_convicted(monkeypatch: pytest.MonkeyPatch) -> None:
    from reaedp.audits import worst_case

    monkeypatch.setitem(worst_case._CASES.ways, Shorter, worst_case._CASES.named["MeanCurve"])
    monkeypatch.setitem(worst_case._CASES.ways, Dimmer, worst_case._CASES.named["Pixels"])
    rng, terms = np.random.default_rng(2), contract(UNITS[1])
    for statistic, under in ((Shorter("w", "C"), terms), (Dimmer(), PIXEL)):
        request = Request("b", statistic, Gaussian.within(1.0, 1e-6, statistic.sensitivity(under)))
        (finding,) = audit_request(request, under, rng=rng, runs=20_000)
        assert Verdict.VIOLATED == finding.verdict


def test_pictures_are_audited_from_end_to_end() -> None:
    statistic, rng = Pixels(), np.random.default_rng(3)
    (case,) = worst_cases(statistic, PIXEL)
    move = np.abs(case.second.answer(statistic) - case.first.answer(statistic))
    declared = statistic.sensitivity(PIXEL)
    assert (declared.l1, declared.l2_squared, declared.linf) == (move.sum(), (move**2).sum(), move.max())
    for mechanism in (Laplace(1.0), Gaussian.within(1.0, 1e-6, declared)):
        (finding,) = audit_request(Request("p", statistic, mechanism), PIXEL, rng=rng, runs=60_000)
        assert Verdict.CONSISTENT == finding.verdict, str(finding)
        assert finding.claim is not None
        assert finding.ceilings is not None
        assert finding.claim.epsilon == pytest.approx(finding.ceilings.attainable, rel=1e-4)


def synthetic(terms: Contract) -> list[Any]:
    found = [
        MarginalModel.within(1.0, 1e-6, terms, ROWS.columns),
        Amortised.within(1.0, 1e-6, terms, ROWS.columns, ("y",)),
        Deniable.within(4.0, 1e-6, terms, ROWS.columns, 5),
    ]
    if terms.unit.person is not None and terms.unit.change == "add-remove":
        found.append(Amortised.within(1.0, 1e-6, terms, ROWS.columns, halves=True))
        found.append(Deniable.within(4.0, 1e-6, terms, ROWS.columns, 5, halves=True))
    return found


@pytest.mark.slow
@everywhere
def test_synthetic_records_are_audited_part_by_part(unit: Unit) -> None:
    terms, rng = contract(unit), np.random.default_rng(4)
    for mechanism in synthetic(terms):
        findings = audit_request(Request("s", ROWS, mechanism), terms, rng=rng, runs=5_000)
        assert not {Verdict.VIOLATED, Verdict.NOT_COVERED} & {f.verdict for f in findings}, [*map(str, findings)]
        named = " ".join(finding.subject for finding in findings)
        assert all(part in named for part in ("noisy table", "choice", "questions", "parts"))
        assert ("privacy test" in named) == isinstance(mechanism, Deniable)
        assert ("frequent cells" in named) == isinstance(mechanism, Amortised)
        tables = [finding for finding in findings if "table" in finding.subject and "choice" not in finding.subject]
        assert {Verdict.CONSISTENT} == {finding.verdict for finding in tables}


def test_wide_models_are_audited_in_tables_of_some_columns_at_their_own_price(monkeypatch: pytest.MonkeyPatch) -> None:
    levels = {f"c{place}": tuple("abcdefg"[: 2 + place % 3]) for place in range(8)}
    numbers = Number(name="c8", lower=0, upper=10, bins=4, provenance="public")
    words = (Category(name=name, levels=each, provenance="public") for name, each in levels.items())
    terms = replace(contract(UNITS[0]), columns=(*words, numbers))
    names = tuple(column.name for column in terms.columns)
    network, rng = MarginalModel.within(1.0, 1e-6, terms, names), np.random.default_rng(4)
    (case,) = worst_cases(Marginal(*names), terms)

    def asked() -> tuple[list[Drawn], set[Any]]:
        with fits_kept():
            noise = ConstantNoise(0, rng)
            learned = network.learn(case.first, names, Sensitivity(1, 1, 1), noise, lambda _: None)  # type: ignore[arg-type]
        return noise.drawn, {dependence.columns for dependence in learned.dependences}

    whole, pairs = asked()
    monkeypatch.setattr(search, "FEW_COLUMNS", 2)
    monkeypatch.setattr(step_audit, "FEW_COLUMNS", 2)
    few, pair = asked()
    # Every column twice, then a choice, at the price that each has; the tables are those of the first column of each
    # kind, and what they leave is spent on all columns.
    first = 2 * len(names) + 1
    assert [(one.kind, one.scale) for one in whole[:first]] == [(one.kind, one.scale) for one in few[:first]]
    assert {("c0", "c8")} == pair
    assert len(pairs) > 1
    assert network.mu**2 == pytest.approx(sum(loss(one, Sensitivity(1, 1, 1)) ** 2 for one in few), rel=1e-6)
    *_, together = audit_network(network, names, terms, rng, refine=True)
    assert (Verdict.CONSISTENT, True) == (together.verdict, "tables of 2 of its columns" in together.method)


def test_synthetic_curves_are_audited_by_their_privacy_test() -> None:
    terms = contract(UNITS[0])
    mechanism = DeniableCurves.within(4.0, 1e-6, terms, "w", 3, kept=1, spread=0.5)
    request = Request("s", SyntheticCurves("w", 3), mechanism)
    test, parts = audit_request(request, terms, rng=np.random.default_rng(5), runs=1_000)
    assert (Verdict.CONSISTENT, Verdict.CONSISTENT) == (test.verdict, parts.verdict)
    assert test.ceilings is not None
    assert test.claim is not None
    assert 0.5 * test.claim.epsilon < test.ceilings.attainable <= test.claim.epsilon * (1 + 1e-9)  # type: ignore[operator]


def network(terms: Contract) -> MarginalModel:
    return MarginalModel.within(1.0, 1e-6, terms, ROWS.columns)


def test_a_model_that_counts_a_row_twice_is_convicted_by_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    terms = contract(UNITS[0])
    once = search.merged
    monkeypatch.setattr(search, "merged", lambda table, mergings: 2 * once(table, mergings))
    findings = audit_network(network(terms), ROWS.columns, terms, np.random.default_rng(6), refine=True)
    violated = [finding for finding in findings if finding.verdict is Verdict.VIOLATED]
    assert ["noisy table"] == [finding.subject.split(",")[0] for finding in violated]
    assert "by formula" in violated[0].witness


def test_a_model_that_asks_for_more_than_it_paid_for_is_convicted(monkeypatch: pytest.MonkeyPatch) -> None:
    terms = contract(UNITS[0])
    paid = network(terms)
    real = MarginalModel.learn

    def learn_twice(self: Any, *given: Any, **named: Any) -> Any:
        real(self, *given, **named)
        return real(self, *given, **named)

    def learn_louder(self: Any, *given: Any, **named: Any) -> Any:
        return real(replace(self, mu=2 * self.mu), *given, **named)

    for broken, witness in ((learn_twice, "more is asked than"), (learn_louder, "more is asked than")):
        monkeypatch.setattr(MarginalModel, "learn", broken)
        together = audit_network(paid, ROWS.columns, terms, np.random.default_rng(7), refine=True)[-1]
        assert Verdict.VIOLATED == together.verdict
        assert witness in together.witness


def test_a_charge_below_the_sum_of_the_parts_is_convicted(monkeypatch: pytest.MonkeyPatch) -> None:
    terms = contract(UNITS[0])
    mechanism = Amortised.within(1.0, 1e-6, terms, ROWS.columns, ("y",))
    monkeypatch.setattr(Amortised, "price", lambda self, sensitivity: self.network.price(sensitivity))
    findings = audit_request(Request("s", ROWS, mechanism), terms, rng=np.random.default_rng(8), runs=1_000)
    assert any("does not cover the parts" in finding.witness for finding in findings)
    halves = replace(mechanism, together=(0.01, 1e-6))
    monkeypatch.setattr(Amortised, "price", lambda _self, _sensitivity: (ApproxDP(0.01, 1e-6),))
    findings = audit_request(Request("s", ROWS, halves), terms, rng=np.random.default_rng(8), runs=1_000)
    assert any("does not cover the parts" in finding.witness for finding in findings)


@pytest.mark.parametrize("mu", [0.01, 0.3, 2.0])
def test_the_loss_of_a_step_follows_from_its_noise(mu: float) -> None:
    sensitivity = ROWS.sensitivity(contract(UNITS[3]))
    cells = np.zeros(1, dtype=np.int64)
    grain = FineGaussian(mu).grain(sensitivity)
    assert grain > 1 or mu < 0.1
    table = Drawn("gaussian", cells, grain * table_scale(mu**2, sensitivity), grain)
    choice = Drawn("choice", cells, choice_scale(mu**2, sensitivity))
    assert [mu, mu] == pytest.approx([loss(table, sensitivity), loss(choice, sensitivity)], rel=1e-8)


@everywhere
def test_planned_records_keep_their_claim_on_clones_under_every_unit(unit: Unit) -> None:
    for known in (unit.at_least, None):
        plan = plan_records(2.0, 1e-6, 1, unit=replace(unit, at_least=known), gamma=1.0, plausible=np.array([200]))
        finding = audit_plan(plan, unit, known)
        assert Verdict.CONSISTENT == finding.verdict, str(finding)
        assert finding.ceilings is not None
        # Rows that are replaced are priced as removed and added, which these clones are not.
        least = 0.4 if unit.change == "replace" else 0.8
        assert least * plan.each.epsilon < finding.ceilings.attainable <= plan.each.epsilon * (1 + 1e-9)  # type: ignore[operator]
        assert finding.ceilings.attainable_delta <= plan.each.delta * (1 + 1e-9)  # type: ignore[operator]


@everywhere
def test_the_law_of_clones_is_that_of_all_rounds(unit: Unit) -> None:
    """Rounds are written out until hardly anything is left, for every seed of a small data set."""
    from reaedp.audits.clones import Crowds, seen

    plan = plan_records(2.0, 0.05, 1, unit=replace(unit, at_least=12), gamma=1.0, plausible=np.array([6]))
    stopping = Stopping(0.2)
    for crowd in Crowds.of(4, 12, unit):
        records = ["clone"] * crowd.clones + ["other"] * crowd.others + ["replaced"] * crowd.replaced
        chances = dict.fromkeys(("clone", "other", "replaced", "nothing"), 0.0)
        left = 1.0
        for _ in range(400):
            chances["nothing"] += left * 0.2
            passing = 0.0
            for record in records:
                alike = crowd.clones if record == "clone" else 1
                passed = float(plan.test.rate(np.array([alike]))[0]) / len(records)
                chances[record] += left * 0.8 * passed
                passing += passed
            left *= 0.8 * (1 - passing)
        assert list(chances.values()) == pytest.approx(seen(plan.test, stopping, crowd).tolist(), abs=1e-12)


def test_a_privacy_test_that_is_priced_for_one_row_is_convicted_for_people() -> None:
    plan = plan_records(1.0, 1e-6, 1, unit=UNITS[0], gamma=1.0, plausible=np.array([200]))
    finding = audit_clones(plan.test, plan.stopping, claim=plan.each, rows=500, unit=UNITS[2])
    assert Verdict.VIOLATED == finding.verdict


@pytest.mark.slow
def test_the_gate_covers_curves_pictures_and_synthetic_records() -> None:
    terms, rng = contract(UNITS[2]), np.random.default_rng(9)
    mean = MeanCurve("l")
    requests = [
        Request("c", mean, Gaussian.within(1.0, 1e-7, mean.sensitivity(terms))),
        Request("n", ROWS, MarginalModel.within(1.0, 1e-7, terms, ROWS.columns)),
    ]
    findings = pre_release_audit(terms, requests, rng=rng, runs=2_000)
    skipped = [finding for finding in findings if finding.verdict is Verdict.NOT_COVERED]
    assert [ROWS.title] == [finding.subject for finding in skipped]
    assert "before a release" in skipped[0].method
    assert 2 == sum("table" in finding.subject for finding in findings)
    large = replace(PIXEL, picture=replace(PICTURE, width=2_000, height=1_000))
    pictured = pre_release_audit(large, [Request("p", Pixels(), Laplace(1.0))], rng=rng, runs=2_000)
    assert Verdict.NOT_COVERED not in {finding.verdict for finding in pictured}
    with pytest.raises(DeclarationError, match="nothing was charged"):
        pre_release_audit(PIXEL, [Request("p", Dimmer(), Laplace(1.0))], rng=rng, runs=2_000)


def test_the_gate_makes_up_no_very_wide_tables() -> None:
    points = tuple(f"p{number}" for number in range(2_000))
    wide = replace(WIDE, points=points, at=tuple(np.linspace(0.0, 1.0, 2_000).tolist()))
    terms = Contract(
        dataset="d", unit=UNITS[0], budget=Budget(1, 1e-6), ledger="none.sqlite", columns=(), curves=(wide,)
    )
    mean = MeanCurve("w")
    request = Request("c", mean, Gaussian.within(1.0, 1e-7, mean.sensitivity(terms)))
    findings = pre_release_audit(terms, [request], rng=np.random.default_rng(10), runs=2_000)
    assert "1,000 columns" in findings[0].method
    assert 2 == len(findings)


def test_requests_that_are_audited_together_share_the_error_probability(monkeypatch: pytest.MonkeyPatch) -> None:
    """An audit that took 0.001 for each of many requests would stop sound plans too often."""
    seen: list[int] = []
    shared = request_audit.ErrorLevels.of

    def noted(confidence: float, pairs: int) -> Any:
        seen.append(pairs)
        return shared(confidence, pairs)

    monkeypatch.setattr(request_audit.ErrorLevels, "of", noted)
    pre_release_audit(
        PIXEL, [Request(name, Pixels(), Laplace(1.0)) for name in "ab"], rng=np.random.default_rng(11), runs=500
    )
    assert [2, 2] == seen
