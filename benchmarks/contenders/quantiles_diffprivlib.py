"""diffprivlib's quantiles: the exponential mechanism for each rank, all together for ε."""

import json
import sys

import diffprivlib
import numpy as np
from diffprivlib.tools import quantile

file, ranks, repetitions, upper, _, epsilon = sys.argv[1:]
values, at = np.load(file), json.loads(ranks)
found = [
    np.atleast_1d(quantile(values, at, epsilon=float(epsilon), bounds=(0.0, float(upper)))).tolist()
    for _ in range(int(repetitions))
]
print(json.dumps({"values": found, "versions": f"diffprivlib {diffprivlib.__version__}"}))
