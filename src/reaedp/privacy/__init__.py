"""The mathematics of privacy loss, and the ledger that enforces it: no records, no randomness."""
