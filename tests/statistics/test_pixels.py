import sys
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reaedp import Budget, Contract, Curator, Gaussian, Laplace, Unit
from reaedp.contract.picture import Picture
from reaedp.curator.records import Records
from reaedp.errors import DeclarationError
from reaedp.mechanisms.mechanism import Calibrated, Mechanism
from reaedp.mechanisms.noise import SeededNoise
from reaedp.privacy.accounting import epsilon, tally
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.images.pixels import NoisyPicture, Pixels, png
from tests_support import ledger_in

Image = pytest.importorskip("PIL.Image", reason="needs the extra images")


def picture(width: int = 2, height: int = 2, channels: int = 1, lower: int = 0, upper: int = 255) -> Picture:
    return Picture(width=width, height=height, channels=channels, lower=lower, upper=upper, provenance="public")


def contract(declared: Picture | None, ledger: Path = Path("unused")) -> Contract:
    return Contract(
        dataset="d", unit=Unit("replace"), budget=Budget(100, 1e-6), ledger=str(ledger), columns=(), picture=declared
    )


def answer(declared: Picture, values: np.ndarray) -> np.ndarray:
    return Pixels().answer(Records(contract(declared), values))


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize(("lower", "upper"), [(0, 1), (1, 3), (0, 255)])
@pytest.mark.parametrize("place", [0, 3])
def test_the_sensitivity_is_attained_and_never_exceeded_by_any_change_of_any_pixel(
    channels: int, lower: int, upper: int, place: int
) -> None:
    """Every value of one pixel, also outside the range, beside three others."""
    declared = picture(channels=channels, lower=lower, upper=upper)
    levels = sorted({-1000, -1, 0, lower, lower + 1, upper, upper + 1, 10**9})
    answers = []
    for pixel in product(levels, repeat=channels):
        values = np.full((4, channels), 7, dtype=np.int64)
        values[place] = pixel
        answers.append(answer(declared, values.reshape(declared.shape)))
    distinct = np.unique(answers, axis=0)
    moves = np.abs(distinct[:, None] - distinct[None])
    expected = Sensitivity(moves.sum(axis=2).max(), (moves**2).sum(axis=2).max(), moves.max())
    assert expected == Pixels().sensitivity(contract(declared))


def test_values_are_in_reading_order_with_the_channels_of_a_pixel_together() -> None:
    declared = picture(width=2, height=2, channels=3)
    values = np.arange(12).reshape(2, 2, 3)
    assert list(range(12)) == answer(declared, values).tolist()
    assert 12 == Pixels().cells(contract(declared))


def test_the_frame_puts_every_value_at_its_place() -> None:
    declared = picture(width=3, height=2, channels=3)
    values = np.random.default_rng(0).integers(-500, 500, (2, 3, 3))
    frame = Pixels().frame(NoisyPicture(declared, values.ravel()), Calibrated(Laplace(1.0), Sensitivity(1, 1, 1)))
    assert ["x", "y", "channel", "value"] == list(frame)
    assert np.array_equal(values[frame["y"], frame["x"], frame["channel"]], frame["value"])
    assert 18 == len({tuple(place) for place in zip(frame["x"], frame["y"], frame["channel"], strict=True)})


shapes = st.tuples(st.integers(1, 6), st.integers(1, 6), st.sampled_from([1, 3]))


@given(st.data(), shapes)
def test_cutting_to_the_range_never_moves_away_from_a_picture_in_it(data: st.DataObject, size: Any) -> None:
    width, height, channels = size
    largest = 255 if channels == 3 else 65_535
    lower = data.draw(st.integers(0, largest - 1))
    declared = picture(width, height, channels, lower, data.draw(st.integers(lower + 1, largest)))
    true = data.draw(arrays(np.int64, declared.shape, elements=st.integers(declared.lower, declared.upper)))
    noisy = data.draw(arrays(np.int64, declared.shape, elements=st.integers(-(2**63), 2**63 - 1)))
    clipped = NoisyPicture(declared, noisy.ravel()).clipped
    assert clipped.dtype == (np.uint8 if declared.upper <= 255 else np.uint16)
    assert declared.lower <= clipped.min() <= clipped.max() <= declared.upper
    exactly = true.astype(object)  # differences of 64-bit numbers can need more bits
    assert np.all(np.abs(clipped.astype(object) - exactly) <= np.abs(noisy.astype(object) - exactly))


@pytest.mark.parametrize(
    ("channels", "upper", "mode"), [(1, 255, "L"), (1, 200, "L"), (1, 65_535, "I;16"), (3, 255, "RGB")]
)
def test_the_png_holds_the_clipped_values(channels: int, upper: int, mode: str) -> None:
    declared = picture(5, 4, channels, 0, upper)
    values = np.random.default_rng(1).integers(-upper, 2 * upper, declared.values)
    released = NoisyPicture(declared, values)
    image = Image.open(BytesIO(released.png()))
    assert ("PNG", (5, 4), mode) == (image.format, image.size, image.mode)
    assert np.array_equal(np.clip(values, 0, upper).reshape(declared.shape), np.asarray(image))
    assert "IDAT" == released.png()[12 + 13 + 8 + 4 :][:4].decode(), "no chunk but header and pixels"


def test_a_released_picture_cannot_be_changed() -> None:
    values = np.zeros(4, dtype=np.int64)
    released = NoisyPicture(picture(), values)
    values[0] = 1
    assert 0 == released.values[0, 0]
    with pytest.raises(ValueError, match="read-only"):
        released.values[0, 0] = 1


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("name", ["laplace", "gaussian"])
def test_a_picture_goes_through_the_curator_at_the_price_asked_for(tmp_path: Path, channels: int, name: str) -> None:
    declared = picture(6, 5, channels)
    terms = contract(declared, Path(ledger_in(tmp_path)))
    sensitivity = Pixels().sensitivity(terms)
    mechanism: Mechanism = Laplace(2.0) if name == "laplace" else Gaussian.within(2.0, 1e-6, sensitivity)
    file = tmp_path / "true.png"
    true = np.random.default_rng(2).integers(0, 256, declared.shape).astype(np.uint8)
    Image.fromarray(true).save(file)
    curator = Curator(terms, file)
    release = curator.release(Pixels(), mechanism, name="scan")
    assert epsilon(tally([release.price]), 1e-6) <= 2.0
    assert true.shape == release.value.clipped.shape
    # 30 or 90 values, each unmoved with probability below 0.01: all of them with probability below 1e-60.
    assert not np.array_equal(true, release.value.values)
    assert "not the people" in release.statistic.title
    assert release.statistic.title in repr(release)


def test_only_noise_separates_the_releases_of_neighbours(tmp_path: Path) -> None:
    """With the noise frozen, releases differ in the changed pixel and in nothing else, however extreme it is."""
    declared = picture(4, 4, 3)
    true = np.random.default_rng(3).integers(0, 256, declared.shape)

    def run(folder: str, values: np.ndarray) -> Any:
        terms = contract(declared, Path(ledger_in(tmp_path, f"{folder}.sqlite")))
        curator = Curator(terms, values, noise=SeededNoise(np.random.default_rng(4)))
        return curator.release(Pixels(), Laplace(1.0))

    base = run("base", true)
    for number, extreme in enumerate((0, 255, -(2**63), 2**63 - 1)):
        changed = true.copy()
        changed[1, 2] = extreme
        other = run(str(number), changed)
        difference = np.abs(other.value.values - base.value.values)
        assert difference[1, 2].sum() == difference.sum() <= base.noise.sensitivity.l1
        for field in ("name", "dataset", "statistic", "noise", "unit", "step", "contract", "seeded"):
            assert getattr(base, field) == getattr(other, field)


def test_a_contract_without_a_picture_is_refused_before_anything_else() -> None:
    for ask in (Pixels().check, Pixels().cells, Pixels().sensitivity):
        with pytest.raises(DeclarationError, match=r"\[picture\]"):
            ask(contract(None))


def test_a_picture_is_priced_and_written_without_any_library_for_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    Pixels().check(contract(picture()))
    assert NoisyPicture(picture(), np.zeros(4, dtype=np.int64)).png().startswith(b"\x89PNG")


@pytest.mark.parametrize(("shape", "kind"), [((5, 4), np.uint8), ((5, 4), np.uint16), ((1, 7, 3), np.uint8)])
def test_a_written_picture_is_read_by_another_library_as_it_was(shape: tuple[int, ...], kind: type[Any]) -> None:
    values = np.random.default_rng(5).integers(0, np.iinfo(kind).max, shape, endpoint=True, dtype=kind)
    with Image.open(BytesIO(png(values))) as image:
        image.verify()
    assert np.array_equal(values, np.asarray(Image.open(BytesIO(png(values)))))
