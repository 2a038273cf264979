"""How to cite a release and how to check it."""

from reaedp.folder import REPORT
from reaedp.label import shown
from reaedp.report.panel import Grid, Panel
from reaedp.report.published import PublishedFolder


def evidence(folder: PublishedFolder) -> Panel:
    """Citation, hashes, software."""
    record = folder.record
    name, day = shown(record["dataset"], 200), record["created"][:10]
    rows = tuple((file, digest) for file, digest in record["files"].items() if file != REPORT)
    software = ", ".join(f"{library} {version}" for library, version in record["software"].items())
    return Panel(
        anchor="verify",
        title="How to cite and to check it",
        words=(
            (
                f"Cite as: {name}. Differentially private release of {day}, ε = {record['budget']['epsilon']:g} in all,"
                f" contract {record['contract'][:16]}."
            ),
            (
                "`reaedp verify FOLDER` compares every file with its hash in release.json and computes the price anew"
                " from noise and unit; with `--ledger` it also looks up the entries that paid for it, and with"
                " `--public-key` it checks the keeper's signature."
            ),
        ),
        facts=(("Made", record["created"]), ("Contract", record["contract"]), ("Software", software)),
        grids=(Grid("Files and their SHA-256", ("file", "SHA-256"), rows, folded=True),),
    )
