"""The bytes of a file, whether it is compressed or not, and copies of texts in UTF-8, which the engine reads."""

import codecs
import gzip
import io
import re
import stat
import tempfile
import weakref
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from reaedp.disk.claimed_folder import ClaimedFolder
from reaedp.engines.canonical import STRANGE
from reaedp.errors import DeclarationError, ReaedpError

#: Suffixes of files that are compressed.
COMPRESSED = (".gz", ".zst")
#: What to do with data that flows by.
READ_AGAIN = "Data is read several times, so write it to a file, such as data.csv, and give that name."
#: Bytes of a file that are looked at together.
CHUNK = 2**20
#: Bytes of files that are read once more before they are counted: the system's memory still has them then.
MOST_BYTES_TWICE = 2**32
#: What a byte of code page 1252 is; the five that it leaves out are themselves, as in Latin-1.
_CP1252 = "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(256))


@contextmanager
def importing(library: str, kind: str) -> Iterator[None]:
    """Advice to install a library that reads some kind of file, if it cannot be imported in this block."""
    try:
        yield
    except ImportError:
        raise DeclarationError(
            f'{kind} are read with {library}, which is not installed: pip install "reaedp[files]".'
        ) from None


def _arrow() -> Any:
    with importing("pyarrow", ".zst files"):
        import pyarrow
    return pyarrow


def suffixes(path: str) -> tuple[str, str]:
    """The suffix that says what a file is, and the one that says how it is compressed, both in small letters."""
    found = [suffix.lower() for suffix in Path(path).suffixes]
    packed = found.pop() if len(found) > 1 and found[-1] in COMPRESSED else ""
    return (found[-1] if found else ""), packed


def most_lines(paths: list[str]) -> int:
    """A number of lines that these files have at most, by their sizes."""
    return sum(2**62 if suffixes(path)[1] else Path(path).stat().st_size for path in paths)


class PlainTexts:
    """Whether files are UTF-8 throughout and hold no quotation mark, which is found out again when one has changed.

    They are `bare` if, besides, no line but the header has one of the signs that numbers must not have, and `in_lines`
    if, besides, all lines end in one way and are shorter than two blocks, so that no reader sees others.

    That is read off the bytes, which takes a fraction of the time in which an engine looks at cells. It is not told of
    compressed and of large files: these would be unpacked, or fetched from a disk, twice.
    """

    def __init__(self, paths: list[str], quote: str) -> None:
        self._paths, self._quote = paths, quote.encode()
        self._states: list[tuple[int, ...]] = []
        self._plain, self._bare, self._in_lines = False, False, False

    def bare(self) -> bool:
        """Look at the files, unless they are as they were."""
        return self() and self._bare

    def in_lines(self) -> bool:
        """Look at the files, unless they are as they were: whether every reader sees these lines."""
        return self.bare() and self._in_lines

    def __call__(self) -> bool:
        """Look at the files, unless they are as they were."""
        try:
            states = [_state(path) for path in self._paths]
            if states != self._states:
                self._bare, self._in_lines = True, True
                self._plain = most_lines(self._paths) <= MOST_BYTES_TWICE and all(map(self._is_plain, self._paths))
                self._states = states
        except OSError:  # the engine will say so
            return False
        return self._plain

    def _is_plain(self, path: str) -> bool:
        decoder = codecs.getincrementaldecoder("utf-8")()
        block = bytearray(CHUNK)
        rows = None  # where they begin in the block
        with Path(path).open("rb", buffering=0) as file:
            try:
                while size := file.readinto(block):
                    if self._quote and block.find(self._quote, 0, size) >= 0:
                        return False
                    rows = _header_end(block, size) if rows is None else 0
                    self._bare = self._bare and all(block.find(sign, rows, size) < 0 for sign in _STRANGE)
                    ends = block.rfind(b"\n", 0, size) >= 0 or size < CHUNK  # so that no line has two blocks
                    self._in_lines = self._in_lines and ends and block.find(b"\r", 0, size) < 0
                    begun, _ = decoder.getstate()  # a character that the block before left open
                    if begun or not block.isascii():
                        decoder.decode(block[:size])
                decoder.decode(b"", final=True)
            except UnicodeDecodeError:
                return False
        return True


_STRANGE = tuple(sign.encode() for sign in STRANGE)
_LINE_END = re.compile(rb"[\r\n]")


def _header_end(block: bytearray, size: int) -> int:
    """Where the first line of a file ends in its first block; 0 if it does not."""
    found = _LINE_END.search(block, 0, size)
    return found.end() if found else 0


def _state(path: str) -> tuple[int, ...]:
    """What changes when a file does."""
    found = Path(path).stat()
    return found.st_ino, found.st_size, found.st_mtime_ns


@contextmanager
def opened(path: str) -> Iterator[IO[bytes]]:
    """The bytes of a file as they were before it was compressed."""
    if path.lower().endswith(".gz"):
        with gzip.open(path, "rb") as file:
            yield file  # type: ignore[misc]
    elif path.lower().endswith(".zst"):
        arrow = _arrow()
        with arrow.OSFile(path) as packed, arrow.CompressedInputStream(packed, "zstd") as stream:
            yield io.BufferedReader(stream)
    else:
        with Path(path).open("rb") as plain:
            yield plain


def _flows(path: Path) -> bool:
    mode = path.stat().st_mode
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def check_readable(path: str) -> None:
    """Refuse what is no file or cannot be opened, and a compressed file that is damaged, which only its end tells."""
    packed = suffixes(path)[1]
    if packed == ".zst":
        _arrow()
    try:
        if _flows(Path(path)):  # opening a pipe waits for whoever writes, and a device may never end
            raise DeclarationError(f"{path} is a pipe or a device. {READ_AGAIN}")
        with Path(path).open("rb"):
            pass
    except (OSError, ValueError) as error:
        raise DeclarationError(
            f"{path} cannot be read: {getattr(error, 'strerror', None) or 'no such file'}."
        ) from None
    if not packed:
        return
    try:
        with opened(path) as file:
            while file.read(CHUNK):
                pass
    except (EOFError, zlib.error, OSError):
        raise DeclarationError(
            f"{path} is damaged or was cut short: it cannot be decompressed. Copy it again."
        ) from None


def first_line(path: str, encoding: str) -> str:
    """The first line of a text and no other; bytes that are not in this encoding are marked, and fail nothing here.

    More than a line is decoded: what is wrong in a row must not be a mistake of the header.
    """
    errors = "surrogateescape" if encoding == "utf-8" else "replace"
    name = {"utf-8": "utf-8-sig", "cp1252": "latin-1", "utf-16": _utf_16(path) if encoding == "utf-16" else ""}
    with opened(path) as file:
        text = io.TextIOWrapper(file, name.get(encoding, encoding), errors, newline="")
        try:
            line = text.readline().removeprefix("\ufeff")
        finally:
            text.detach()
    return line.translate(_TABLE) if encoding == "cp1252" else line


_TABLE = dict(enumerate(_CP1252))


class Copies:
    """Copies of texts in UTF-8, in a folder that is removed with this object, or by the next process."""

    def __init__(self, paths: list[str], encoding: str) -> None:
        place = Path(tempfile.gettempdir())
        try:
            folder = ClaimedFolder.make(place, "copies")
            weakref.finalize(self, folder.remove)
            self.paths = [str(folder.path / f"{number}.csv") for number in range(len(paths))]
            for path, copy in zip(paths, self.paths, strict=True):
                with Path(copy).open("wb") as target:
                    target.writelines(text.encode() for text in _decoded(path, encoding))
        except OSError as error:
            raise ReaedpError(
                f"A UTF-8 copy of the data could not be written to {place}: {error.strerror}. Free some space there, or"
                " set TMPDIR to another folder."
            ) from None


def _decoded(path: str, encoding: str) -> Iterator[str]:
    """The text of a file in parts; what is none in its encoding is replaced, and moves nothing beside it."""
    decoder = codecs.getincrementaldecoder(_utf_16(path))("replace") if encoding == "utf-16" else None
    with opened(path) as file:
        while block := file.read(CHUNK):
            if decoder is not None:
                yield decoder.decode(block)
            elif encoding == "cp1252":
                yield codecs.charmap_decode(block, "strict", _CP1252)[0]
            else:
                yield block.decode("latin-1")
    if decoder is not None:
        yield decoder.decode(b"", final=True)


def _utf_16(path: str) -> str:
    """Which of both orders of bytes: that of the mark at the beginning, or the usual one."""
    with opened(path) as file:
        return "utf-16-be" if file.read(2) == codecs.BOM_UTF16_BE else "utf-16-le"
