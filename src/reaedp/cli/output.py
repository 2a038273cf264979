"""Files that commands write: a place that cannot be written to is said in a sentence."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reaedp.errors import DeclarationError


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn what the system says about a place into one of our errors."""
    try:
        yield
    except OSError as error:
        raise DeclarationError(f"{path} cannot be written: {error.strerror}.") from None
