"""The whole check of a release folder, cheapest parts first; see PROOFS.md for what it proves."""

from pathlib import Path
from typing import Any, NamedTuple

from reaedp.errors import DeclarationError, ReaedpError
from reaedp.ledger.ledger import Ledger
from reaedp.release.manifest import FORMAT, SIGNATURE_FILE, parse_manifest, read_contract
from reaedp.release.place import MANIFEST_FILE, read_plain
from reaedp.release.signature import check_signature
from reaedp.release.verification.audit import check_audit
from reaedp.release.verification.contents import check_contents
from reaedp.release.verification.derived import Rebuilt, check_derived, check_totals
from reaedp.release.verification.details import check_details
from reaedp.release.verification.files import check_files
from reaedp.release.verification.payment import check_payments


def verify(folder: str | Path, ledger: str | Path | None = None, public_key: str | Path | None = None) -> list[str]:
    """Check a release folder and return what holds, in words; raises an error at the first thing that does not.

    With `ledger`, the file or address of the budget ledger, the folder is also compared with the entries that paid and
    with the manifest recorded there. With `public_key`, the custodian's key, the signature is checked too.

    >>> verify("published", ledger="budget.sqlite")[-1]
    'ages: paid for by ledger entry 2, which confirms this folder'
    """
    folder = Path(folder)
    content, record, releases, checked = opened(folder)
    checked += [check_contents(folder, release).words for release in releases]
    if ledger is not None:
        if "://" not in str(ledger) and not Path(ledger).exists():
            raise DeclarationError(
                f"There is no ledger at {Path(ledger).absolute()}. Check the path."
            )  # looking must not make one
        with Ledger.open(ledger) as book:
            checked += check_payments(record, content, releases, book)
    if public_key is not None:
        checked.append(check_signature(folder, content, Path(public_key)))
    elif (folder / SIGNATURE_FILE).exists():
        checked.append(f"{SIGNATURE_FILE} was not checked; add --public-key with the custodian's public key")
    return checked


class Opened(NamedTuple):
    """A folder whose files are as listed and whose manifest holds what follows from itself; numbers are yet unread."""

    content: bytes
    record: dict[str, Any]
    releases: list[Rebuilt]
    #: What was checked and holds.
    words: list[str]


def opened(folder: Path) -> Opened:
    """Check all of a folder but the numbers in it; raises at the first thing that does not hold."""
    content = read_plain(folder / MANIFEST_FILE)
    record = parse_manifest(content, folder)
    checked = [check_files(folder, record)]
    contract = read_contract(record)
    if record["format"] == FORMAT and contract.fingerprint != record["contract"]:
        raise ReaedpError("The contract in release.json does not match its stated fingerprint.")
    if record["format"] != FORMAT:
        checked.append("release.json was written by an earlier version: its contract's fingerprint was not checked")
    releases = [check_derived(release, contract) for release in record["releases"]]
    for release in releases:
        check_details(release)
    checked += [release.words for release in releases]
    checked += check_totals(record, contract, folder)
    checked += check_audit(record, releases)
    return Opened(content, record, releases, checked)
