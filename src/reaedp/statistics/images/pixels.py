"""A whole picture with noise on every pixel."""

import math
import struct
import zlib
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from reaedp.answer import Integers, Shape
from reaedp.contract import Contract, Picture
from reaedp.errors import DeclarationError
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.privacy.unit import Sensitivity
from reaedp.statistics.noise_variance import noise_variance
from reaedp.statistics.statistic import Pixelled


def image_library(name: str) -> Any:
    """A module of Pillow or scikit-image, which only those install who work with pictures."""
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise DeclarationError(
            f"Pictures need {name.partition('.')[0]}, which is not installed: pip install 'reaedp[images]'."
        ) from None


@dataclass(frozen=True, slots=True, eq=False)
class NoisyPicture:
    """Pixel values as released: unbiased integers, many of them outside the picture's range."""

    picture: Picture
    values: Integers

    def __post_init__(self) -> None:
        values = self.values.reshape(self.picture.shape).copy()
        values.setflags(write=False)
        object.__setattr__(self, "values", values)

    @property
    def clipped(self) -> NDArray[np.uint8 | np.uint16]:
        """The nearest picture with values in the range, which is never farther from the true one."""
        kind = np.uint8 if self.picture.upper <= 255 else np.uint16
        return self.values.clip(self.picture.lower, self.picture.upper).astype(kind)

    @property
    def attachments(self) -> dict[str, bytes]:
        """The picture as a file."""
        return {".png": self.png()}

    def png(self) -> bytes:
        """The clipped picture as a PNG file of 8 or, beyond 255, of 16 bits."""
        return png(self.clipped)


@dataclass(frozen=True, slots=True)
class Pixels:
    """All values of the declared picture, row by row from the top left, with the channels of a pixel side by side.

    The privacy unit is one pixel, not a person: see `PIXELS_ONLY`.

    >>> Pixels().answers, Pixels().columns
    ('vector', ())
    """

    answers: ClassVar[Shape] = "vector"
    columns: ClassVar[tuple[str, ...]] = ()
    title: ClassVar[str] = "picture (protects single pixels, not the people or things that they show)"

    def check(self, contract: Contract) -> None:
        """Refuse a contract without a picture."""
        _declared(contract)

    def cells(self, contract: Contract) -> int:
        """The number of values: pixels times channels."""
        return _declared(contract).values

    def step(self, contract: Contract) -> float:  # noqa: ARG002
        """One unit of brightness."""
        return 1.0

    def sensitivity(self, contract: Contract) -> Sensitivity:
        """A pixel that goes from one end of the range to the other in every channel."""
        picture = _declared(contract)
        channels, reach = picture.channels, picture.reach
        return Sensitivity(l1=channels * reach, l2_squared=channels * reach**2, linf=reach)

    def answer(self, records: Pixelled) -> Integers:
        """The exact values of all pixels; private."""
        return records.pixels()

    def value(self, contract: Contract, noisy: Integers) -> NoisyPicture:
        """The noisy values in the shape of the picture."""
        return NoisyPicture(_declared(contract), noisy)

    def frame(self, value: NoisyPicture, noise: Calibrated) -> dict[str, NDArray[Any]]:  # noqa: ARG002
        """A row for each value as released; x goes right, y down, channels are 0, or red 0, green 1, blue 2."""
        picture = value.picture
        y, x, channel = np.indices((picture.height, picture.width, picture.channels), dtype=np.int32)
        return {"x": x.ravel(), "y": y.ravel(), "channel": channel.ravel(), "value": value.values.ravel()}


def _declared(contract: Contract) -> Picture:
    if contract.picture is None:
        raise DeclarationError("The contract declares no picture; write [picture] with its size and range.")
    return contract.picture


# PNG files of grey pictures of 8 or 16 bits and of red, green and blue of 8 bits, written without another library.

#: Colour types of the format, by the number of an array's dimensions.
_GREY, _COLOURS = 0, 2


def png(values: NDArray[np.uint8 | np.uint16]) -> bytes:
    """The array (rows, columns) or (rows, columns, 3) as a file; every row is stored as it is (filter 0)."""
    height, width = values.shape[:2]
    bits, colour = 8 * values.itemsize, _GREY if values.ndim == 2 else _COLOURS
    rows = values.astype(values.dtype.newbyteorder(">"), copy=False).reshape(height, -1)
    lines = np.zeros((height, 1 + rows.nbytes // height), dtype=np.uint8)
    lines[:, 1:] = np.frombuffer(rows.tobytes(), dtype=np.uint8).reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, 0)
    parts = (b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes(), 6)), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, content) for kind, content in parts)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


@dataclass(frozen=True, slots=True)
class ExpectedQuality:
    """What noise alone lets expect, before any pixel is seen; a picture cut to its range is at least as good."""

    psnr: float
    mae: float


def expected_quality(noise: Calibrated, picture: Picture) -> ExpectedQuality:
    """From public facts alone: the mean absolute error, and the ratio that belongs to the mean squared error.

    The ratio is convex in the squared error, so its own mean is not lower; over many pixels they agree.
    """
    return ExpectedQuality(psnr=10 * math.log10(picture.reach**2 / noise_variance(noise)), mae=noise.mean_error)
