"""Fits that are kept for a while: audits have the same noisy tables for many made-up data sets."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # most audits fit nothing
    from reaedp.synthesis.fitting import Fitted

_KNOWN: ContextVar["dict[tuple[Any, ...], Fitted] | None"] = ContextVar("known fits", default=None)


@contextmanager
def fits_kept() -> Iterator[None]:
    """Meanwhile the same numbers are fitted once, in few steps."""
    token = _KNOWN.set({})
    try:
        yield
    finally:
        _KNOWN.reset(token)


def known_fits() -> "dict[tuple[Any, ...], Fitted] | None":
    """Those of now, if fits are kept."""
    return _KNOWN.get()


def rough() -> bool:
    """Whether fits are kept at the moment, so that a rougher model will do as well."""
    return _KNOWN.get() is not None
