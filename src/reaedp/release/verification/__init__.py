"""Checking a finished release folder: files, arithmetic, numbers, ledger, signature."""

from reaedp.release.verification.check import verify
from reaedp.release.verification.reading import read

__all__ = ["read", "verify"]
