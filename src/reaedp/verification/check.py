"""The whole check of a release folder, cheapest parts first; see PROOFS.md for what it proves."""

from pathlib import Path

from reaedp.errors import DeclarationError, ReaedpError
from reaedp.manifest import FORMAT, SIGNATURE_FILE, parse_manifest, read_contract
from reaedp.place import MANIFEST_FILE, read_plain
from reaedp.privacy.ledger import Ledger
from reaedp.signature import check_signature
from reaedp.verification.audit import check_audit
from reaedp.verification.contents import check_contents
from reaedp.verification.derived import check_derived, check_totals
from reaedp.verification.details import check_details
from reaedp.verification.files import check_files
from reaedp.verification.payment import check_payments


def verify(folder: str | Path, ledger: str | Path | None = None, public_key: str | Path | None = None) -> list[str]:
    """What was checked and holds, in words; raises at the first thing that does not.

    With `ledger`, the file or address of the budget ledger, the entries that paid are compared too, and what the ledger
    remembers of the manifest. With `public_key`, the keeper's key, so is the signature.
    """
    folder = Path(folder)
    content = read_plain(folder / MANIFEST_FILE)
    record = parse_manifest(content, folder)
    checked = [check_files(folder, record)]
    contract = read_contract(record)
    if record["format"] == FORMAT and contract.fingerprint != record["contract"]:
        raise ReaedpError("The contract's facts in release.json do not have the fingerprint that is stated for them.")
    if record["format"] != FORMAT:
        checked.append("release.json is of an earlier version: its contract was not computed again")
    releases = [check_derived(release, contract) for release in record["releases"]]
    for release in releases:
        check_details(release)
    checked += [release.words for release in releases]
    checked += check_totals(record, contract, folder)
    checked += check_audit(record, releases)
    checked += [check_contents(folder, release) for release in releases]
    if ledger is not None:
        if "://" not in str(ledger) and not Path(ledger).exists():
            raise DeclarationError(f"There is no ledger at {ledger}.")  # looking must not make one
        with Ledger.open(ledger) as book:
            checked += check_payments(record, content, releases, book)
    if public_key is not None:
        checked.append(check_signature(folder, content, Path(public_key)))
    elif (folder / SIGNATURE_FILE).exists():
        checked.append(f"{SIGNATURE_FILE} is there; give the keeper's public key to check it")
    return checked
