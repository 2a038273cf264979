"""PNG files of grey pictures of 8 or 16 bits and of red, green and blue of 8 bits, written without another library."""

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

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
