"""Why we are behind where we are: what measuring cannot say about itself."""

from harness.row import Row

_TEXT = (
    "each cell is read as text and converted by rules that cannot fail and that all engines share, as types guessed "
    "from rows would be facts about rows"
)
_FIXED_COST = (
    "fixed cost, about 0.05 s whatever the data: an engine is started, the charge and the folder are forced to disk"
)
_FIXED = f"{_FIXED_COST}; diffprivlib computes the bins in memory and keeps no budget between runs"
_IMPORTS = "most of it goes to importing Python's and our own modules and NumPy, before anything is computed"
#: Section, or the part of it that counts, and peer → reason.
REASONS = {
    ("parquet", "diffprivlib"): _FIXED,
    (
        "csv",
        "DuckDB by hand",
    ): (
        f"{_FIXED_COST}. Of files under 64 MB {_TEXT}; by hand DuckDB guesses them. All bytes are looked at "
        "beforehand, by one core, which takes about a twentieth of the time"
    ),
    (
        "csv",
        "diffprivlib",
    ): (
        "both read with Arrow's library, ours block by block; all bytes are looked at beforehand, and DuckDB counts. "
        f"With few rows: {_FIXED}"
    ),
    ("memory", "diffprivlib"): _FIXED,
    ("Spark", "the embedded engine"): (
        "Spark reads row by row, hands rows to Python over a socket and plans every query anew: to read 12 columns of "
        "10^6 rows alone takes as long as the embedded engine takes for all of it"
    ),
    ("running process", "diffprivlib"): (
        "every release is charged in a ledger, forced to disk, and its noise is drawn from the system's randomness; "
        "diffprivlib adds to an array in memory and keeps nothing"
    ),
    ("Commands", "0.3 s"): _IMPORTS,
    ("Commands", "0.6 s"): (
        f"{_IMPORTS}; for a plan, what each release will be worth is computed anew; a release starts DuckDB "
        "and is audited on made-up data before the charge"
    ),
    ("Commands", "1.2 s"): "forecasts and the page are computed anew each time, which takes longer than the imports",
    ("Commands", "0.8 s"): f"{_IMPORTS}; DuckDB is started to read the released numbers",
    ("Commands", "4.0 s"): (
        "some twenty made-up data sets are released one by one by the real curator, each with a ledger and a folder, "
        "which takes about a sixth of a second each; fewer would show less"
    ),
    ("Commands", "2.5 s"): (
        "the first release of a plan is audited before the charge, on made-up data; the audit is kept, so that the "
        "same plan is released again without it"
    ),
}


def reason(row: Row) -> str:
    """The reason for a row that is behind a peer; empty if none is known."""
    found = (why for (part, peer), why in REASONS.items() if row.section.endswith(part) and row.against == peer)
    return next(found, "")
