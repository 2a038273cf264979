"""Mean curves that are wrong on purpose; an audit must convict them. A curve is its coefficients here."""

import numpy as np

from reaedp.audits.broken import Numbers, Suspect
from reaedp.audits.pair import Outputs, Pair
from reaedp.mechanisms.noise import SeededNoise
from reaedp.privacy.conversion import gaussian_mu

CLAIM = (1.0, 1e-6)
#: Lattice points of the length at which curves are cut.
CLIP = 1_000
SCALE = CLIP / gaussian_mu(*CLAIM)


def _shortened(curves: Numbers, clip: float) -> Numbers:
    lengths = np.linalg.norm(curves, axis=1, keepdims=True)
    cut: Numbers = curves * np.minimum(1.0, clip / np.maximum(lengths, 1e-300))
    return cut


def _noisy(sums: Numbers, runs: int, scale: float, noise: SeededNoise) -> Outputs:
    return noise.gaussian(np.tile(np.rint(sums).astype(np.int64), (runs, 1)), scale)


def _crowd(first: int, second: int) -> Numbers:
    """Long curves and short ones, of three coefficients each."""
    return np.vstack([np.full((first, 3), CLIP), np.full((second, 3), CLIP / 100)])


def clipped_after_the_noise(noise: SeededNoise) -> Suspect:
    """Curves are added up as they are; only the noisy sum is cut, to what so many curves can reach."""

    def release(curves: Numbers, runs: int) -> Outputs:
        noisy = _noisy(curves.sum(axis=0), runs, SCALE, noise)
        most = 200 * CLIP
        return np.clip(noisy, -most, most)

    crowd = _crowd(0, 100)
    joined = np.vstack([crowd, np.full((1, 3), 1e6)])
    return Suspect(release, Pair(crowd, joined, "one curve joins, far longer than the clip"), claim=CLAIM)


def clip_from_lengths(noise: SeededNoise) -> Suspect:
    """Curves are cut at the median of their lengths, and the noise is for that."""

    def release(curves: Numbers, runs: int) -> Outputs:
        lengths = np.sort(np.linalg.norm(curves, axis=1))
        clip = float(lengths[len(lengths) // 2])
        return _noisy(_shortened(curves, clip).sum(axis=0), runs, clip / CLIP * SCALE, noise)

    crowd = _crowd(50, 50)
    return Suspect(release, Pair(crowd, np.vstack([crowd, crowd[-1:]]), "one short curve joins"), claim=CLAIM)


def number_of_curves(noise: SeededNoise) -> Suspect:
    """Noisy sums, and beside them how many curves there are."""

    def release(curves: Numbers, runs: int) -> Outputs:
        noisy = _noisy(_shortened(curves, CLIP).sum(axis=0), runs, SCALE, noise)
        return np.column_stack([noisy, np.full(runs, len(curves))])

    crowd = _crowd(0, 100)
    return Suspect(release, Pair(crowd, np.vstack([crowd, crowd[-1:]]), "one curve joins"), claim=CLAIM)
