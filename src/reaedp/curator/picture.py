"""Reading a picture: refused by facts of its header, or turned into values that lie in the declared range."""

from pathlib import Path
from typing import Any

import numpy as np

from reaedp.answer import Integers
from reaedp.contract import Picture
from reaedp.engines.data import Data
from reaedp.errors import DeclarationError, sentence
from reaedp.statistics.images.pixels import image_library

#: Kinds of file that state size and mode at their beginning, and whose decoders neither print nor start programs.
FORMATS = ("PNG", "BMP", "JPEG")
#: Modes, as Pillow names them, whose values are brightnesses as they stand: no palette, transparency or other colours.
MODES = {1: ("L", "I;16"), 3: ("RGB",)}


def read_picture(picture: Picture, data: Data) -> Integers:
    """The values of a file or an array of whole numbers in the shape of the picture, cut to its range.

    A file that contains no picture of the declared size and mode, or none at all, is refused. That looks at the header,
    and at whether the rest can be decoded; no message says more.
    """
    read = _read_file(picture, data) if isinstance(data, str | Path) else _read_array(picture, data)
    values: Integers = np.clip(read.astype(np.int64), picture.lower, picture.upper)
    return values


def _read_array(picture: Picture, data: Any) -> Any:
    if not isinstance(data, np.ndarray) or not np.can_cast(data.dtype, np.int64):
        raise DeclarationError(
            f"A picture must be the name of a file or an array of whole numbers; given a {_described(data)}."
        )
    if data.shape != picture.shape:
        raise DeclarationError(sentence(f"The picture must have its declared shape {picture.shape}", given=data.shape))
    return data


def _described(data: Any) -> str:
    return f"{type(data).__name__} of {data.dtype}" if isinstance(data, np.ndarray) else type(data).__name__


def _read_file(picture: Picture, path: str | Path) -> Any:
    library = image_library("PIL.Image")
    try:
        with Path(path).open("rb") as file:
            image = _opened(library, file)
            if image is None:
                raise DeclarationError(f"{path} cannot be opened as a picture. Known: {', '.join(FORMATS)}.")
            _check_header(picture, image, path)
            values = _decoded(image)
    except OSError as error:
        raise DeclarationError(f"{path} cannot be read: {error.strerror}.") from None
    if values is None or values.shape != picture.shape:
        raise DeclarationError(f"{path} cannot be decoded: the file is cut short or damaged.")
    return values


def _opened(library: Any, file: Any) -> Any:
    """The header as Pillow understands it; what a damaged one makes Pillow say is not repeated."""
    try:
        return library.open(file, formats=FORMATS)
    except Exception:
        return None


def _check_header(picture: Picture, image: Any, path: str | Path) -> None:
    size, modes = (picture.width, picture.height), MODES[picture.channels]
    if image.size != size:
        raise DeclarationError(sentence(f"{path} must be as wide and high as declared, {size}", given=image.size))
    # Pillow would silently halve the bits of the colours of a 16-bit file.
    reduced = image.mode == "RGB" and any(";16" in str(tile) for tile in image.tile)
    if image.mode not in modes or reduced:
        raise DeclarationError(
            sentence(
                f"{path} must have {picture.channels} channel(s), as declared, without palette or transparency",
                given="RGB of 16 bits" if reduced else image.mode,
                remedy=f"Convert it to {'8-bit RGB' if picture.channels == 3 else '8- or 16-bit grey'}.",
            )
        )
    if getattr(image, "n_frames", 1) != 1:
        raise DeclarationError(sentence(f"{path} must hold a single picture", given=image.n_frames))


def _decoded(image: Any) -> Any:
    """All values, or nothing where any are missing: a decoder's own words could tell where it stopped."""
    try:
        return np.asarray(image)
    except Exception:
        return None
