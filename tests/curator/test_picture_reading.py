import re
import struct
import sys
import zlib
from functools import cache
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reaedp import Budget, Contract, Number, Unit
from reaedp.contract.picture import Picture
from reaedp.curator.picture import FORMATS, read_picture
from reaedp.curator.records import Records
from reaedp.errors import DeclarationError
from reaedp.statistics.images.pixels import NoisyPicture

Image = pytest.importorskip("PIL.Image", reason="needs the extra images")

DECODED = r"cannot be decoded: the file is cut short or damaged\.$"
OPENED = r"cannot be opened as a picture\. Known: PNG, BMP, JPEG\.$"


def picture(shape: tuple[int, ...] = (5, 4), lower: int = 0, upper: int = 255) -> Picture:
    channels = 3 if len(shape) == 3 else 1
    return Picture(width=shape[1], height=shape[0], channels=channels, lower=lower, upper=upper, provenance="public")


@cache
def png(seed: int, shape: tuple[int, ...] = (5, 4)) -> bytes:
    file = BytesIO()
    values = np.random.default_rng(seed).integers(0, 256, shape).astype(np.uint8)
    Image.fromarray(values).save(file, "PNG")
    return file.getvalue()


def message(path: Path, content: bytes, declared: Picture | None = None) -> str:
    path.write_bytes(content)
    with pytest.raises(DeclarationError) as caught:
        read_picture(declared or picture(), path)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return str(caught.value)


in_a_folder = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@in_a_folder
@given(st.data(), st.integers(1, 9), st.integers(1, 9), st.sampled_from([(1, 255), (1, 65_535), (3, 255)]))
def test_what_was_written_as_png_is_read_again(
    tmp_path: Path, data: st.DataObject, height: int, width: int, depth: tuple[int, int]
) -> None:
    channels, upper = depth
    declared = picture((height, width) if channels == 1 else (height, width, 3), upper=upper)
    values = data.draw(arrays(np.int64, declared.shape, elements=st.integers(0, upper)))
    path = tmp_path / "a.png"
    path.write_bytes(NoisyPicture(declared, values).png())
    found = read_picture(declared, path)
    assert np.int64 == found.dtype
    assert np.array_equal(values, found)


@pytest.mark.parametrize("kind", [kind for kind in FORMATS if kind != "JPEG"])
@pytest.mark.parametrize("shape", [(5, 4), (5, 4, 3)])
def test_every_lossless_format_gives_the_same_values(tmp_path: Path, kind: str, shape: tuple[int, ...]) -> None:
    values = np.random.default_rng(1).integers(0, 256, shape).astype(np.uint8)
    path = tmp_path / f"a.{kind.lower()}"
    Image.fromarray(values).save(path, kind)
    assert np.array_equal(values, read_picture(picture(shape), str(path)))


def test_a_jpeg_gives_what_its_decoder_makes_of_it(tmp_path: Path) -> None:
    path = tmp_path / "a.jpg"
    Image.new("RGB", (4, 5), (200, 100, 50)).save(path, "JPEG")
    # JPEG keeps an even colour up to its rounding to whole brightness and colour differences.
    assert np.abs(read_picture(picture((5, 4, 3)), path) - [200, 100, 50]).max() <= 3


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.uint16, np.int64, np.uint32, bool])
def test_values_outside_the_range_are_cut_and_never_an_error(kind: type[np.generic]) -> None:
    values = np.array([[0, 1, 99, 100]]).astype(kind)
    found = read_picture(picture((1, 4), lower=10, upper=90), values)
    assert np.clip(values.astype(int), 10, 90).tolist() == found.tolist()


def test_the_ends_of_the_largest_type_are_cut_too() -> None:
    values = np.array([[-(2**63), 2**63 - 1]], dtype=np.int64)
    assert [[10, 90]] == read_picture(picture((1, 2), lower=10, upper=90), values).tolist()


@pytest.mark.parametrize("shape", [(4, 5), (5, 5), (5, 4, 3), (1, 1)])
def test_another_size_or_number_of_channels_is_refused_by_the_header(tmp_path: Path, shape: tuple[int, ...]) -> None:
    """The message is the same for different pixels, and for a file that ends after its header."""
    messages = {message(tmp_path / "a.png", png(seed, shape)) for seed in (1, 2)}
    messages.add(message(tmp_path / "a.png", png(1, shape)[:60]))
    (text,) = messages
    assert "as declared" in text
    with pytest.raises(DeclarationError, match=r"its declared shape \(5, 4\)"):
        read_picture(picture(), np.zeros(shape, dtype=np.uint8))


@pytest.mark.parametrize("mode", ["1", "P", "LA", "RGBA", "RGB"])
def test_palettes_transparency_and_other_modes_are_refused_by_the_header(tmp_path: Path, mode: str) -> None:
    file = BytesIO()
    Image.new(mode, (4, 5)).save(file, "PNG")
    text = message(tmp_path / "a.png", file.getvalue())
    assert f"given {mode!r}. Convert it to 8- or 16-bit grey." in text


def test_colours_of_sixteen_bits_are_refused_rather_than_halved(tmp_path: Path) -> None:
    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 5, 16, 2, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress((b"\0" + bytes(4 * 6)) * 5))
    content = b"\x89PNG\r\n\x1a\n" + header + pixels + chunk(b"IEND", b"")
    assert "given 'RGB of 16 bits'. Convert it to 8-bit RGB." in message(
        tmp_path / "a.png", content, picture((5, 4, 3))
    )


def test_a_film_is_no_picture(tmp_path: Path) -> None:
    file = BytesIO()
    frames = [Image.new("L", (4, 5), shade) for shade in (0, 255)]
    frames[0].save(file, "PNG", save_all=True, append_images=frames[1:])
    assert "must hold a single picture" in message(tmp_path / "a.png", file.getvalue())


@pytest.mark.parametrize("content", [b"", b"x", b"%!PS-Adobe-3.0 EPSF-3.0\n", b"GIF89a" + bytes(50), bytes(1000)])
def test_what_is_no_picture_of_a_known_format_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.png"
    assert f"{path} cannot be opened as a picture. Known: PNG, BMP, JPEG." == message(path, content)


def test_a_file_cut_short_says_only_that_it_cannot_be_decoded(tmp_path: Path) -> None:
    """Wherever it is cut among the pixels, and whatever they are."""
    start = png(1).index(b"IDAT") + 4
    path = tmp_path / "a.png"
    messages = {message(path, png(seed)[:end]) for seed in (1, 2, 3) for end in range(start, start + 20)}
    assert {f"{path} cannot be decoded: the file is cut short or damaged."} == messages


@in_a_folder
@given(st.integers(0, 3), st.integers(0, 120), st.integers(1, 255), st.booleans())
def test_a_damaged_file_is_read_or_refused_in_the_same_few_words(
    tmp_path: Path, seed: int, place: int, change: int, colour: bool
) -> None:
    declared = picture((5, 4, 3) if colour else (5, 4))
    content = bytearray(png(seed, declared.shape))
    content[place % len(content)] ^= change
    path = tmp_path / "a.png"
    path.write_bytes(bytes(content))
    among_pixels = 41 <= place % len(content) < len(content) - 12
    known = ("read", DECODED) if among_pixels else ("read", DECODED, OPENED, "as declared")
    assert any(re.search(pattern, _outcome(declared, path)) for pattern in known)


def _outcome(declared: Picture, path: Path) -> str:
    try:
        return "read" if declared.shape == read_picture(declared, path).shape else "another shape"
    except DeclarationError as error:
        return str(error)


def test_a_missing_file_is_refused_in_the_words_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(DeclarationError, match=r"cannot be read: No such file or directory\."):
        read_picture(picture(), tmp_path / "none.png")


@pytest.mark.parametrize("data", [None, 5, [[1]], np.zeros((5, 4)), np.zeros((5, 4), dtype=np.uint64), {"a": 1}])
def test_other_things_than_files_and_whole_numbers_are_refused(data: object) -> None:
    with pytest.raises(DeclarationError, match="name of a file or an array of whole numbers"):
        read_picture(picture(), data)


def test_without_pillow_the_way_to_get_it_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(DeclarationError, match=r"Pictures need PIL.*pip install 'reaedp\[images\]'"):
        read_picture(picture(), tmp_path / "a.png")
    assert (5, 4) == read_picture(picture(), np.zeros((5, 4), dtype=np.uint8)).shape


def test_records_of_a_table_have_no_pixels() -> None:
    column = Number(name="x", lower=0, upper=1, bins=1, provenance="public")
    terms = Contract(dataset="d", unit=Unit("replace"), budget=Budget(1, 1e-6), ledger="l", columns=(column,))
    import pandas as pd

    with pytest.raises(DeclarationError, match="declares no picture"):
        Records(terms, pd.DataFrame({"x": [0.5]})).pixels()
