"""What audits cost and show: our mechanisms at quick and full run counts, and the doubles of other libraries.

    python benchmarks/audit.py [--runs 100000] [--seed 1] [--peer-runs 10000] [--without-peers]

diffprivlib runs in the same environment of its own as for the histograms.
"""

import argparse
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from harness.peer import python_of
from harness.stopwatch import repeated
from harness.table import show
from reaedp import (
    Budget,
    Category,
    ConditionalEntropy,
    Contract,
    Entropy,
    EntropyMap,
    Gaussian,
    Integer,
    KeyedMarginal,
    Laplace,
    Marginal,
    MutualInformation,
    Number,
    RoutedEntropy,
    Threshold,
    TwoStage,
    Unit,
)
from reaedp.audits.audit import QUICK, audit
from reaedp.audits.broken import low_order_bits
from reaedp.audits.finding import Finding
from reaedp.audits.pair import Outputs, Pair, one_at_a_time
from reaedp.audits.pre_release import pre_release_audit
from reaedp.audits.replay import replay
from reaedp.audits.request_audit import audit_request
from reaedp.audits.self_check import self_test
from reaedp.contract import Curve, Picture
from reaedp.curves.mean_curve import MeanCurve
from reaedp.plan.request import Request
from reaedp.privacy.loss import PureDP
from reaedp.statistics.images.pixels import Pixels
from reaedp.synthesis.amortised import Amortised
from reaedp.synthesis.deniability import Deniable
from reaedp.synthesis.marginal_model import MarginalModel
from reaedp.synthesis.synthetic import Synthetic

PEER_CODE = """
import sys, numpy
from diffprivlib.mechanisms import Laplace
noise = Laplace(epsilon=1.0, sensitivity=1.0)
runs = int(sys.argv[2])
numpy.save(sys.argv[1], [[noise.randomise(float(answer)) for _ in range(runs)] for answer in (0, 1)])
"""


def contract() -> Contract:
    columns = (
        Number(name="x", lower=0, upper=100, bins=27, provenance="public"),
        Category(name="y", levels=("a", "b", "c"), provenance="public"),
        Integer(name="z", lower=0, upper=9, provenance="public"),
    )
    unit = Unit("replace", at_least=1_000)
    return Contract(dataset="made up", unit=unit, budget=Budget(2.0, 1e-5), ledger="none.sqlite", columns=columns)


def requests(terms: Contract) -> list[Request]:
    counts, entropy = Marginal("x"), Entropy(("x",))
    return [
        Request("counts", counts, Laplace(1.0)),
        Request("counts", counts, Gaussian.within(1.0, 1e-5, counts.sensitivity(terms))),
        Request("keys", KeyedMarginal("x", "y"), Threshold(1.0, 1e-5)),
        Request("entropy", entropy, Laplace(1.0)),
        Request("entropy", entropy, Gaussian.within(1.0, 1e-5, entropy.sensitivity(terms))),
        Request("conditional", ConditionalEntropy(("x",), ("y",)), Laplace(1.0)),
        Request("information", MutualInformation(("x",), ("z",)), Laplace(1.0)),
        Request("map", EntropyMap("x", "y", "z"), Laplace(1.0)),
        Request("routed", RoutedEntropy(("x",)), TwoStage(1.0, 0.1, 500)),
    ]


def other_kinds() -> list[tuple[Request, Contract]]:
    """Mean curves, pictures and synthetic records."""
    curve = Curve(
        name="c", form="wide", points=tuple("abcdefghi"), at=tuple(np.linspace(0.0, 1.0, 9).tolist()), clip=1.0,
        interval=(0.0, 1.0), basis="wiener", rank=6, rho=0.01, provenance="public",
    )  # fmt: skip
    terms, mean, pixels = replace(contract(), curves=(curve,)), MeanCurve("c", "C"), Pixels()
    picture = Picture(width=512, height=512, channels=3, lower=0, upper=255, provenance="public")
    pictured = replace(contract(), unit=Unit("replace"), columns=(), picture=picture)
    rows = Synthetic(("x", "y", "z"), 1_000)
    return [
        (Request("mean", mean, Gaussian.within(1.0, 1e-5, mean.sensitivity(terms))), terms),
        (Request("picture", pixels, Gaussian.within(1.0, 1e-5, pixels.sensitivity(pictured))), pictured),
        (Request("network", rows, MarginalModel.within(1.0, 1e-5, terms, rows.columns)), terms),
        (Request("amortised", rows, Amortised.within(1.0, 1e-5, terms, rows.columns)), terms),
        (Request("deniable", replace(rows, rows=10), Deniable.within(2.0, 1e-5, terms, rows.columns, 10)), terms),
    ]


HEADS = ("subject", "verdict", "ε shown", "of the pair", "claimed", "seconds", "of the processor")


def timed(work: Callable[[], Any]) -> tuple[Any, str, str]:
    """A result, and seconds by the clock and of the processor."""
    found: list[Any] = []
    clock, processor = repeated(lambda: found.append(work()), 1)
    return found[0], f"{clock:.2f}", f"{processor:.2f}"


def line(finding: Finding, *seconds: str) -> list[str]:
    assert finding.measured is not None
    assert finding.ceilings is not None
    assert finding.claim is not None
    own = finding.ceilings.attainable
    figures = (finding.measured.epsilon, own, finding.claim.epsilon)
    return [finding.subject, str(finding.verdict), *("?" if f is None else f"{f:.3f}" for f in figures), *seconds]


def our_mechanisms(runs: int, rng: np.random.Generator) -> None:
    terms = contract()
    for count in (QUICK, runs):
        lines = []
        for request in requests(terms):
            found, *seconds = timed(partial(audit_request, request, terms, rng=rng, runs=count))
            lines += [line(finding, *seconds) for finding in found]
        show(f"{count:,} runs", HEADS, lines)
    lines = []
    for request, under in [*((request, terms) for request in requests(terms)[:5]), *other_kinds()]:
        _, *quickly = timed(partial(pre_release_audit, under, [request], rng=rng))
        _, *whole = timed(partial(replay, under, [request], rng))
        lines.append([f"{request.statistic.title}, {request.mechanism.name}", *quickly, *whole])
    heads = ("seconds by the clock and of the processor", "pre-release audit", "", "replay of all pairs", "")
    show("The pre-release audit, and the replay of all pairs", heads, lines)
    panel, clock, processor = timed(lambda: self_test(rng))
    print(f"\nSelf-test in {clock} s, {processor} s of the processor\n{panel}")


def other_libraries(runs: int, peer: Path | None, rng: np.random.Generator) -> None:
    """ε = 1 for a count of 0 and a count of 1, told apart by low-order bits alone."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    doubles = dp.m.make_laplace(dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float), scale=1.0)
    integers = dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=1.0)
    releases = {
        "numpy, doubles": lambda answer, count: answer + rng.laplace(0.0, 1.0, count),
        "OpenDP, doubles": one_at_a_time(lambda answer: doubles(float(answer))),
        "OpenDP, integers": one_at_a_time(integers),
    }
    if peer is not None:
        releases["diffprivlib, doubles"] = from_peer(peer, runs)
    pair, common = Pair(0, 1, "a count of 0 and a count of 1"), {"runs": runs, "rng": rng, "statistic": low_order_bits}
    lines = [
        line(audit(release, pair, claim=PureDP(1.0), subject=name, **common)) for name, release in releases.items()
    ]
    show(f"Noise of other libraries, {runs:,} runs, by low-order bits", HEADS[:5], lines)


def from_peer(peer: Path, runs: int) -> Callable[[int, int], Outputs]:
    """Outputs that another interpreter drew beforehand, each handed out once."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "outputs.npy"
        subprocess.run([peer, "-W", "ignore", "-c", PEER_CODE, file, str(runs)], check=True)
        left = dict(enumerate(np.load(file)))

    def release(answer: int, count: int) -> Outputs:
        drawn, left[answer] = left[answer][:count], left[answer][count:]
        return drawn

    return release


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--peer-runs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--without-peers", action="store_true")
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    our_mechanisms(arguments.runs, rng)
    other_libraries(arguments.peer_runs, None if arguments.without_peers else python_of("diffprivlib"), rng)


if __name__ == "__main__":
    main()
