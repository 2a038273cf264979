"""Checking a finished release folder: files, arithmetic, numbers, ledger, signature."""

from reaedp.verification.check import verify

__all__ = ["verify"]
