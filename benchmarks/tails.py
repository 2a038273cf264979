"""How far quantiles in the tails of a noisy column are off, for laws with light and heavy tails.

    python benchmarks/tails.py [--runs 8] [--noise 5 15 60]

40,000 made-up rows in 400 equal cells, each counted with Gaussian noise of so many rows. Errors are root mean squares
over the runs, in standard deviations of the law; TV is the mean total variation between the estimated shares and the
rows. These laws were looked at when the method was made.
"""

import argparse
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from harness.table import show
from reaedp.synthesis.coarsening import estimated_shares

Floats = NDArray[np.float64]
ROWS, CELLS = 40_000, 400
SHARES = (0.99, 0.999, 0.9999)
#: Draws, the declared bounds, and the standard deviation.
LAWS: dict[str, tuple[Callable[[np.random.Generator], Floats], float, float, float]] = {
    "normal": (lambda rng: rng.normal(size=ROWS), -10, 10, 1.0),
    "Laplace": (lambda rng: rng.laplace(size=ROWS), -20, 20, 2**0.5),
    "exponential": (lambda rng: rng.exponential(size=ROWS), 0, 25, 1.0),
    "gamma 2": (lambda rng: rng.gamma(2, size=ROWS), 0, 30, 2**0.5),
    "lognormal": (lambda rng: rng.lognormal(size=ROWS), 0, 60, 2.16),
    "Student 3": (lambda rng: rng.standard_t(3, size=ROWS), -40, 40, 3**0.5),
    "Pareto 2.5": (lambda rng: rng.pareto(2.5, size=ROWS), 0, 60, 1.49),
    "uniform": (lambda rng: rng.random(ROWS), -2, 3, 12**-0.5),
}


def errors(name: str, noise: float, rng: np.random.Generator) -> Floats:
    """Of each quantile, in deviations, and the total variation; of one draw."""
    draw, low, high, deviation = LAWS[name]
    edges = np.linspace(low, high, CELLS + 1)
    counts = np.histogram(np.clip(draw(rng), low, high), edges)[0].astype(np.float64)
    noisy = counts + np.rint(rng.normal(0, noise, CELLS))
    found = estimated_shares(noisy, noise, smooth=CELLS, regular=CELLS, along=CELLS)
    true = counts / ROWS
    places = [np.searchsorted(np.cumsum(law), SHARES).clip(0, CELLS - 1) for law in (found, true)]
    off = (edges[1:][places[0]] - edges[1:][places[1]]) / deviation
    return np.append(off, np.abs(found - true).sum() / 2)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--runs", type=int, default=8)
    options.add_argument("--noise", type=float, nargs="+", default=[5.0, 15.0, 60.0])
    chosen = options.parse_args()
    for noise in chosen.noise:
        rng = np.random.default_rng(0)
        lines: list[list[object]] = []
        for name in LAWS:
            found = np.array([errors(name, noise, rng) for _ in range(chosen.runs)])
            off = np.sqrt((found[:, :-1] ** 2).mean(axis=0))
            lines.append([name, *(f"{value:.2f}" for value in off), f"{found[:, -1].mean():.4f}"])
        show(f"noise of {noise:g} rows a cell, {chosen.runs} runs", ["law", *map(str, SHARES), "TV"], lines)


if __name__ == "__main__":
    main()
