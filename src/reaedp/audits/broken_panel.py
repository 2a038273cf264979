"""The panel of broken mechanisms, by what is wrong with each."""

from collections.abc import Callable

from reaedp.audits import broken, broken_curves
from reaedp.audits.broken import Suspect
from reaedp.mechanisms.noise import SeededNoise

#: Every broken mechanism by what is wrong with it.
BROKEN: dict[str, Callable[[SeededNoise], Suspect]] = {
    "noise for one cell under replacement": broken.one_step_under_replacement,
    "bin edges from the data": broken.edges_from_data,
    "noise added as doubles": broken.float_noise,
    "one noise for two releases": broken.reused_noise,
    "privacy test without noise": broken.privacy_test_without_noise,
    "tries that are not accounted for": broken.tries_not_accounted,
    "ε spent twice": broken.spent_twice,
    "NaN through a clip": broken.nan_through_a_clip,
    "Rényi entropy with the published sensitivity": broken.published_renyi_calibration,
    "clip at a quantile of the data": broken.clip_from_data,
    "number of rows without noise": broken.total_without_noise,
    "curves cut after the noise": broken_curves.clipped_after_the_noise,
    "curves cut at the median of their lengths": broken_curves.clip_from_lengths,
    "number of curves without noise": broken_curves.number_of_curves,
}
