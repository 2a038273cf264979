"""The mean with which a released mean curve is to be compared: what its bands are about."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reaedp.curves.space import CurveSpace
from reaedp.evaluation.finished import Finished


def true_mean(release: Finished) -> NDArray[np.float64] | None:
    """The exact mean at the times of the file.

    Bands that cover the truth are about the mean of the curves as they are; others about that of curves which were
    clipped and described by the declared basis. Nothing where the curves as they are cannot be read, on a cluster.
    """
    statistic: Any = release.statistic
    times = np.asarray(release.released()["time"], dtype=np.float64)
    if statistic.bands == "truth":
        space = CurveSpace(release.contract.curve(statistic.curve))
        whole = release.truth.mean_of_whole_curves(statistic.curve)
        return None if whole is None else np.interp(space.unit_times(times), space.grid, whole)
    exact = statistic.value(release.contract, statistic.answer(release.truth))
    found: NDArray[np.float64] = exact.on(times, release.noise)
    return found
