"""diffprivlib's linear regression of the same rows, many times: intercept and coefficients of each."""

import json
import sys

import numpy as np
from diffprivlib.models import LinearRegression

path, epsilon, repetitions = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
given = np.load(path)
found = []
for _ in range(repetitions):
    model = LinearRegression(
        epsilon=epsilon,
        bounds_X=(given["lower"], given["upper"]),
        bounds_y=tuple(given["target_bounds"].tolist()),
    ).fit(given["predictors"], given["target"])
    found.append([float(model.intercept_), *map(float, model.coef_)])
print(json.dumps({"coefficients": found}))
