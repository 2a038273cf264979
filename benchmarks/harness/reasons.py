"""Why we are behind where we are: what measuring cannot say about itself."""

from harness.row import Row

_TEXT = (
    "each cell is read as text and converted by rules that cannot fail and that all engines share, as types guessed "
    "from rows would be facts about rows"
)
_FIXED = (
    "fixed cost, about 0.05 s whatever the data: an engine is started, the charge and the folder are forced to disk; "
    "diffprivlib computes the bins in memory and keeps no budget between runs"
)
#: Section, or the part of it that counts, and peer → reason.
REASONS = {
    ("parquet", "diffprivlib"): _FIXED,
    ("csv", "DuckDB by hand"): f"{_TEXT}; by hand DuckDB guesses them",
    (
        "csv",
        "diffprivlib",
    ): f"{_TEXT}; Arrow's reader guesses them, and is faster than DuckDB's. With few rows: {_FIXED}",
    ("memory", "diffprivlib"): _FIXED,
}


def reason(row: Row) -> str:
    """The reason for a row that is behind a peer; empty if none is known."""
    found = (why for (part, peer), why in REASONS.items() if row.section.endswith(part) and row.against == peer)
    return next(found, "")
