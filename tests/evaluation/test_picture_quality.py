import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reaedp import Gaussian, Laplace
from reaedp.contract.picture import Picture
from reaedp.curator.picture import read_picture
from reaedp.errors import DeclarationError
from reaedp.evaluation.picture_quality import PictureQuality, picture_quality
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import SeededNoise
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.images.pixels import NoisyPicture, expected_quality

skimage = pytest.importorskip("skimage", reason="needs the extra images")

SHIPPED = Path(skimage.__file__).parent / "data"


def picture(width: int, height: int, channels: int = 1, upper: int = 255) -> Picture:
    return Picture(width=width, height=height, channels=channels, lower=0, upper=upper, provenance="public")


def calibrated(mechanism: Any, declared: Picture) -> Calibrated:
    channels, reach = declared.channels, declared.reach
    return Calibrated(mechanism, Sensitivity(channels * reach, channels * reach**2, reach))


@pytest.mark.parametrize("shape", [(3, 3), (20, 9), (8, 5, 3)])
def test_equal_pictures_are_equal_by_every_measure(shape: tuple[int, ...]) -> None:
    values = np.random.default_rng(0).integers(0, 256, shape).astype(np.uint8)
    found = picture_quality(values, values.copy(), 255)
    assert (math.inf, 0.0) == (found.psnr, found.mae)
    assert 1.0 == pytest.approx(found.ssim)
    assert not PictureQuality.disclosable


@pytest.mark.parametrize("shape", [(1, 1), (2, 50), (50, 2, 3)])
def test_a_side_under_three_pixels_has_no_structure(shape: tuple[int, ...]) -> None:
    found = picture_quality(np.zeros(shape, dtype=np.uint8), np.full(shape, 51, dtype=np.uint8), 255)
    assert (51.0, None) == (found.mae, found.ssim)
    assert 20 * math.log10(5) == pytest.approx(found.psnr)


pairs = st.tuples(st.integers(3, 8), st.integers(3, 8)).flatmap(
    lambda shape: st.tuples(arrays(np.uint8, shape), arrays(np.uint8, shape))
)


@settings(deadline=None)
@given(pairs)
def test_the_measures_are_those_of_their_definitions(both: tuple[np.ndarray, np.ndarray]) -> None:
    """Differences of unsigned numbers must not wrap around; similarity is that of one window if only one fits."""
    true, noisy = (values.astype(float) for values in both)
    found = picture_quality(*both, 255)
    squared = float(((true - noisy) ** 2).mean())
    expected = 10 * math.log10(255**2 / squared) if squared else math.inf
    assert expected == pytest.approx(found.psnr)
    assert float(np.abs(true - noisy).mean()) == pytest.approx(found.mae)
    assert found.ssim is not None
    assert -1.0 <= found.ssim <= 1.0 + 1e-12
    if true.shape in ((3, 3), (5, 5), (7, 7)):
        assert _one_window(true, noisy) == pytest.approx(found.ssim, abs=1e-9)


def _one_window(true: np.ndarray, noisy: np.ndarray) -> float:
    """Wang et al. 2004, equation 13, with sample variances."""
    first, second = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    (variance, together), (_, other) = np.cov(true.ravel(), noisy.ravel())
    means = true.mean(), noisy.mean()
    light = (2 * means[0] * means[1] + first) / (means[0] ** 2 + means[1] ** 2 + first)
    return float(light * (2 * together + second) / (variance + other + second))


@pytest.mark.parametrize("scale", [0.3, 1.0, 2.0, 7.5, 100.0])
def test_the_expected_errors_are_those_of_the_exact_law(scale: float) -> None:
    declared = picture(1, 1, upper=65_535)
    for make in (lambda: Laplace(65_535 / scale), lambda: Gaussian(65_535**2 / (2 * scale**2))):
        noise = calibrated(make(), declared)
        k = np.arange(-math.ceil(60 * scale) - 60, math.ceil(60 * scale) + 61)
        laplace = isinstance(noise.mechanism, Laplace)
        law = np.exp(-np.abs(k) / noise.scale) if laplace else np.exp(-(k**2) / (2 * noise.scale**2))
        law /= law.sum()
        found = expected_quality(noise, declared)
        exact = 10 * math.log10(65_535**2 / float(law @ k**2))
        assert float(law @ np.abs(k)) == pytest.approx(found.mae, rel=1e-9)
        if laplace or scale >= 2:
            assert exact == pytest.approx(found.psnr, rel=1e-9)
        else:
            assert exact >= found.psnr


@pytest.mark.parametrize(
    ("file", "channels", "name"),
    [("camera.png", 1, "laplace"), ("camera.png", 1, "gaussian"), ("chelsea.png", 3, "gaussian")],
)
def test_quality_grows_with_epsilon_and_is_what_was_expected(file: str, channels: int, name: str) -> None:
    """Of n values, relative deviations: squared error √(5/n), absolute error 1/√n (Laplace; less for Gaussian noise).

    n is over 260,000, so that six deviations are 2.7 % and 1.2 %, the first of which is 0.12 dB.
    """
    width, height = {"camera.png": (512, 512), "chelsea.png": (451, 300)}[file]
    declared = picture(width, height, channels)
    true = read_picture(declared, SHIPPED / file)
    rng = np.random.default_rng(7)
    found = []
    for epsilon in (0.5, 4.0, 32.0):
        sensitivity = calibrated(None, declared).sensitivity
        mechanism = Laplace(epsilon) if name == "laplace" else Gaussian.within(epsilon, 1e-6, sensitivity)
        noise = Calibrated(mechanism, sensitivity)
        released = NoisyPicture(declared, noise.apply(true.ravel(), SeededNoise(rng)))
        raw, expected = picture_quality(true, released.values, 255), expected_quality(noise, declared)
        assert expected.psnr == pytest.approx(raw.psnr, abs=0.12)
        assert expected.mae == pytest.approx(raw.mae, rel=0.012)
        found.append(picture_quality(true, released.clipped, 255))
        assert found[-1].psnr >= raw.psnr
        assert found[-1].mae <= raw.mae
    for measure in ("psnr", "ssim"):
        values = [getattr(quality, measure) for quality in found]
        assert sorted(values) == values
    assert sorted((quality.mae for quality in found), reverse=True) == [quality.mae for quality in found]


@pytest.mark.parametrize(("first", "second"), [((3, 4), (4, 3)), ((5,), (5,)), ((0, 3), (0, 3))])
def test_pictures_of_other_shapes_are_refused(first: tuple[int, ...], second: tuple[int, ...]) -> None:
    with pytest.raises(DeclarationError, match="the same shape"):
        picture_quality(np.zeros(first), np.zeros(second), 255)


def test_without_scikit_image_the_way_to_get_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "skimage.metrics", None)
    with pytest.raises(DeclarationError, match=r"Pictures need skimage.*pip install 'reaedp\[images\]'"):
        picture_quality(np.zeros((3, 3)), np.zeros((3, 3)), 255)
