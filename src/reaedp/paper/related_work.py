"""The table of related work: what the paper says of others and of itself, and what stands behind our own marks."""

import math
from collections.abc import Mapping

from reaedp.paper.item import Experiment, Item, Result, Specification
from reaedp.statistics.entropy.published import published_shannon_bound
from reaedp.statistics.entropy.sensitivities import mutual_information_sensitivity, shannon_sensitivity

ROWS = 1000
_CHECKED, _OURS, _TESTS = "the paper, checked", "this project", "our tests"
#: By work, and in the order of the rows: data, formal guarantee, synthetic data, calibration to entropy, attacks.
CLAIMED: Mapping[str, tuple[str, ...]] = {
    "Dwork and others (2006, 2014)": (
        "queries and statistics",
        "yes: ε or (ε, δ)",
        "no: or a matter of its own",
        "no",
        "no",
    ),
    "noisy gradient descent": (
        "gradients",
        "yes: (ε, δ) by composition",
        "no",
        "no",
        "partly",
    ),
    "noisy histograms": (
        "counts",
        "yes: ε",
        "no",
        "no: sensitivity of counts only",
        "no",
    ),
    "private kernel means": (
        "functions",
        "partly: some (ε, δ)",
        "partly: varies",
        "no",
        "partly: rarely",
    ),
    "the paper": (
        "histograms, tables, functions",
        "yes: (ε, δ) by its theorems on entropy and on mechanism F",
        "yes: mechanism F",
        "yes: Shannon and Rényi",
        "yes: membership inference",
    ),
}
PROPERTIES = ("data", "formal guarantee", "synthetic data", "calibration to entropy", "evaluation by attacks")
#: The paper's own column as it turns out.
CHECKED = (
    "histograms, tables, functions",
    "no: mechanism F repeats until a record passes, which no (ε, δ) of its theorem covers",
    "partly: compared with resampled histograms only; where F comes from (Bindschaedler and others, 2017) is left out",
    "no: PrivBayes (2014) has this sensitivity exactly; here no noise is calibrated to it; the Rényi bound is false",
    "partly: the histogram only, neither F nor the kernel mean",
)
#: Each yes with the tests that fail if it is not so.
OURS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "yes: tables, databases, curves, pictures",
        (
            "tests/curator/test_records.py",
            "tests/engines/test_database.py",
            "tests/curves/test_mean_curve.py",
            "tests/statistics/test_pixels.py",
        ),
    ),
    (
        "yes: one ledger over all releases; sensitivities, noise and composition proved beside the code",
        (
            "tests/laws/test_mechanisms.py",
            "tests/laws/test_losses.py",
            "tests/mechanisms/test_stopping.py",
            "tests/test_architecture.py",
        ),
    ),
    (
        "yes: a model, mechanism F with a stopping rule, and curves",
        (
            "tests/synthesis/test_synthetic_release.py",
            "tests/synthesis/test_deniable.py",
            "tests/curves/test_synthetic_curves.py",
        ),
    ),
    (
        "yes: exact sensitivities of every order, and noise on the entropy itself",
        (
            "tests/statistics/test_sensitivities.py",
            "tests/statistics/test_entropy_statistics.py",
            "tests/test_calibration.py",
        ),
    ),
    (
        "yes: membership, linkage, attributes and singling out, with what ε permits beside them; and audits",
        (
            "tests/attacks/test_membership.py",
            "tests/attacks/test_linkage.py",
            "tests/attacks/test_synthetic_attacks.py",
            "tests/privacy/test_permitted.py",
            "tests/audits/test_self_check.py",
        ),
    ),
)


def run(experiment: Experiment) -> Result:  # noqa: ARG001
    """The table, and the one claim of novelty that is a number."""
    table = {
        "property": PROPERTIES,
        **CLAIMED,
        _CHECKED: CHECKED,
        _OURS: [mark for mark, _ in OURS],
        _TESTS: [" ".join(tests) for _, tests in OURS],
    }
    return Result(table, _CHART, "does not hold", _because())


def privbayes_sensitivity(n: int) -> float:
    """The sensitivity of mutual information where one variable has two values, as printed there in 2014."""
    return math.log2(n) / n + (n - 1) / n * math.log2(n / (n - 1))


def _because() -> str:
    ours, known = shannon_sensitivity(ROWS, change="replace"), privbayes_sensitivity(ROWS)
    both = mutual_information_sensitivity(ROWS, 2, 2, change="replace")
    return (
        f"Entropy sensitivity was known: the formula of PrivBayes (2014) gives {known:.6f} bits for {ROWS} records, the"
        f" exact number for entropy ({ours:.6f}) and for mutual information ({both:.6f}), where the paper's bound is"
        f" {published_shannon_bound(ROWS):.6f}. Of the paper's four marks for itself two fail: the guarantee of F is"
        " false, and so is the Rényi bound, while no noise is calibrated to the other. Two hold in part: F is"
        " compared with resampled histograms only, and only the histogram is attacked."
    )


_WORKS = [*CLAIMED, _CHECKED, _OURS]
_CHART: Specification = {
    "width": 660,
    "height": 220,
    "transform": [
        {"filter": "datum.property !== 'data'"},
        {"fold": _WORKS, "as": ["work", "text"]},
        {"calculate": "split(datum.text, ':')[0]", "as": "mark"},
    ],
    "encoding": {
        "x": {"field": "work", "type": "nominal", "title": None, "sort": _WORKS, "axis": {"labelAngle": -20}},
        "y": {"field": "property", "type": "nominal", "title": None, "sort": list(PROPERTIES)},
    },
    "layer": [
        {
            "mark": {"type": "rect", "stroke": "white"},
            "encoding": {
                "color": {
                    "field": "mark",
                    "type": "nominal",
                    "title": None,
                    "scale": {"domain": ["yes", "partly", "no"], "range": ["#9ecae1", "#deebf7", "#eeeeee"]},
                }
            },
        },
        {"mark": "text", "encoding": {"text": {"field": "mark"}}},
    ],
}

ITEM = Item.declared("related-work", run)
