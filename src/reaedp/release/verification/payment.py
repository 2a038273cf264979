"""The ledger's side: which entry paid for what, and what it remembers of the folder."""

import hashlib
from typing import Any

from reaedp.errors import ReaedpError
from reaedp.ledger.canonical_json import price_record
from reaedp.ledger.entry import Charge, Finish
from reaedp.ledger.ledger import Ledger
from reaedp.plan.description import request_digest
from reaedp.plan.request import visible
from reaedp.release.manifest import FORMAT
from reaedp.release.verification.derived import Rebuilt


def check_payments(record: dict[str, Any], manifest: bytes, releases: list[Rebuilt], book: Ledger) -> list[str]:
    """One entry for each release, for this very request under this very contract, finished with this very manifest."""
    stated = (record["ledger"] or {}).get("identity")
    if stated is not None and stated != book.checkpoint()["ledger"]:
        raise ReaedpError("This release was charged to a different ledger. Give that one to --ledger.")
    return [_check_payment(release, record, manifest, book) for release in releases]


def _check_payment(release: Rebuilt, record: dict[str, Any], manifest: bytes, book: Ledger) -> str:
    number = release.record["entry"]
    found = book.payment(number)
    if found is None or not _pays(found[0], release, record):
        raise ReaedpError(f"Ledger entry {number} does not pay for {release.name!r}.")
    charge, finish = found
    said = [f"{release.name}: paid for by ledger entry {number}", *_request(charge, release, record)]
    return ", ".join([*said, _finish(finish, number, manifest)])


def _pays(charge: Charge, release: Rebuilt, record: dict[str, Any]) -> bool:
    return (
        charge.dataset == record["dataset"]
        and charge.contract == record["contract"]
        and charge.unit == release.contract.unit
        and charge.part is None
        and charge.statistic == visible(release.statistic.title)
        and charge.mechanism == release.noise.title
        and price_record(charge.price) == price_record(release.noise.price)
    )


def _request(charge: Charge, release: Rebuilt, record: dict[str, Any]) -> list[str]:
    """Whether statistic, mechanism and name are those that were charged for, with all parameters."""
    if charge.request is None:
        return ["which does not say what for (it was written by an earlier version)"]
    asked = request_digest(release.name, release.statistic, release.noise.mechanism, record["contract"])
    if record["format"] != FORMAT or asked != charge.request:
        raise ReaedpError(f"Ledger entry {release.record['entry']} paid for something other than {release.name!r}.")
    return []


def _finish(finish: Finish | None, number: int, manifest: bytes) -> str:
    if finish is None:
        return "which was never marked as finished: the ledger cannot confirm these numbers"
    if finish.manifest is None:
        return "which cannot confirm these numbers (finished without a folder, or by an earlier version)"
    if finish.manifest != hashlib.sha256(manifest).hexdigest():
        raise ReaedpError(
            f"Ledger entry {number} belongs to a different release.json. This one, or a file that it lists, was changed"
            " after the release, or two releases share one entry."
        )
    return "which confirms this folder"
