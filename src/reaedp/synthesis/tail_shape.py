"""Tail shapes: the generalised Pareto law that fits the noisy counts of a column's outer cells best.

Far from the middle most cells hold fewer rows than their noise, so that no cell tells anything by itself; together they
tell how fast rows become rarer. The family has bounded, exponential and heavy tails (Pickands 1975). Everything here is
computed from a noisy table of the column alone.
"""

import numpy as np

from reaedp.synthesis.merging import Floats
from reaedp.synthesis.tails import occupied

#: A tail begins where the rows beyond stand out from their noise by so many deviations: the more the better, as long as
#: a law fits them. It has so many cells at least.
_TOLD, _LEAST_CELLS = (32.0, 16.0, 8.0), 6
#: A law is refused if cells are so many times farther from it than any of them is by chance.
_FAR = 1.25
#: Shapes that are tried, from bounded to heavy, none of them zero, and how far from exponential they usually are.
_SHAPES, _USUAL = np.linspace(-0.45, 0.95, 15), 0.3
#: Widths that are tried, and cells among which the fit is made.
_WIDTHS, _CELLS = 24, 100
#: What is tried around the best.
_NEAR_SHAPES, _NEAR_WIDTHS = np.linspace(-0.1, 0.1, 14), np.geomspace(0.75, 4 / 3, 13)


def shaped_end(noisy: Floats, scale: float) -> Floats | None:
    """Rows of the last cells by the law that fits them best; nothing if there is no tail or no law fits.

    Given are cells that have fewer rows by chance, as samples differ, than by noise. The very last cell may hold values
    from beyond the bounds; it is left out of the fit and of what is given.
    """
    inner = noisy[:-1]
    deviations = np.cumsum(inner[::-1]) / (scale * np.sqrt(np.arange(1.0, len(noisy))))
    for told in _TOLD:
        cells = int(np.argmax(deviations >= told)) + 1
        if deviations[cells - 1] >= told and _LEAST_CELLS <= cells < len(inner):
            fitted = _fitted(inner[-cells:], scale)
            if _fits(inner[-cells:], fitted, scale):
                return fitted[fitted < scale**2]
    return None


def _fits(outer: Floats, fitted: Floats, scale: float) -> bool:
    """Whether no run of cells is farther from the law than noise and chance take it."""
    left = (outer - fitted) / np.sqrt(scale**2 + fitted)
    return not occupied(left, _FAR).any() and not occupied(-left, _FAR).any()


def _fitted(outer: Floats, scale: float) -> Floats:
    """The least squares among all laws, each with its best number of rows; again with what chance adds to the noise."""
    run = -(-len(outer) // _CELLS)
    starts = np.arange(0, len(outer), run)
    counts, members = np.add.reduceat(outer, starts), np.diff(starts, append=len(outer))
    ends = np.append(starts, len(outer)).astype(np.float64)
    shapes, widths = _crossed(_SHAPES, np.geomspace(0.5, 2.0 * len(outer), _WIDTHS))
    best, rows, expected = 0, 0.0, np.zeros(len(counts))
    for again in (False, True):
        if again:
            shapes, widths = _crossed(shapes[best] + _NEAR_SHAPES, widths[best] * _NEAR_WIDTHS)
        laws = _laws(ends, shapes, widths)
        noise = np.sqrt(members * scale**2 + expected)
        seen, each = counts / noise, laws / noise
        most = np.maximum(each @ seen, 0.0) / np.maximum((each**2).sum(axis=1), np.finfo(np.float64).tiny)
        misfit = ((seen - most[:, None] * each) ** 2).sum(axis=1) + (shapes / _USUAL) ** 2
        best = int(np.argmin(misfit))
        rows, expected = float(most[best]), most[best] * laws[best]
    found: Floats = rows * _laws(np.arange(len(outer) + 1.0), shapes[[best]], widths[[best]])[0]
    return found


def _crossed(shapes: Floats, widths: Floats) -> tuple[Floats, Floats]:
    """Every shape with every width."""
    return np.repeat(shapes, len(widths)), np.tile(widths, len(shapes))


def _laws(ends: Floats, shapes: Floats, widths: Floats) -> Floats:
    """The chance of each cell under generalised Pareto laws that begin at the first of the ends, one in each row."""
    steps = ends / widths[:, None]
    bent = np.maximum(1 + shapes[:, None] * steps, 0.0) ** (-1 / shapes[:, None])
    laws: Floats = -np.diff(bent, axis=1)
    return laws
