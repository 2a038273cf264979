"""OpenDP's quantiles: the exponential mechanism for one rank after the other, each for an equal part of ε."""

import json
import sys

import numpy as np
import opendp.prelude as dp

dp.enable_features("contrib")
file, ranks, repetitions, upper, cells, epsilon = sys.argv[1:]
values, at = np.load(file), json.loads(ranks)
candidates = (np.arange(1, int(cells)) * (float(upper) / int(cells))).tolist()
space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()


def chosen(rank: float):
    """A measurement of one quantile."""
    scored = space >> dp.t.then_quantile_score_candidates(candidates, rank)
    return dp.binary_search_chain(
        lambda scale: scored >> dp.m.then_noisy_max(dp.max_divergence(), scale=scale, negate=True),
        d_in=1,
        d_out=float(epsilon) / len(at),
    )


measurements = [chosen(rank) for rank in at]
listed = values.tolist()
found = [[candidates[measure(listed)] for measure in measurements] for _ in range(int(repetitions))]
print(
    json.dumps({"values": found, "versions": f"opendp {dp.__version__ if hasattr(dp, '__version__') else ''}".strip()})
)
