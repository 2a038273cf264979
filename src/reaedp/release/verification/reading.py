"""Releases back from their folder, as they were handed out."""

from collections.abc import Callable
from pathlib import Path

from reaedp.inference.answer import Answer
from reaedp.inference.ask import ask
from reaedp.release.manifest import understood
from reaedp.release.release import Release
from reaedp.release.verification.asked import sources_of
from reaedp.release.verification.check import opened
from reaedp.release.verification.contents import check_contents
from reaedp.release.verification.derived import Rebuilt
from reaedp.release.verification.model import with_model
from reaedp.release.verification.values import Frame, value


class Folder(dict[str, Release]):
    """The releases of a folder by their names, which can be asked together."""

    def ask(
        self,
        question: str,
        *,
        confidence: float = 0.95,
        replays: int | None = None,
        progress: Callable[[str], None] = lambda _: None,
    ) -> Answer:
        """The answer to a question such as "mean age by sex", with intervals, from what is released alone.

        `replays` is how often the noise of a model is replayed for narrower intervals; 0 for an answer at once.
        """
        return ask(sources_of(self), question, confidence=confidence, replays=replays, progress=progress)


def read(folder: str | Path) -> Folder:
    """Read the releases of a folder, by name; each equals the one that was written.

    A folder that was damaged or edited is refused in the same words as by `verify` without a ledger. Only `verify` can
    say whether the ledger knows the folder.

    >>> release = read("published")["ages"]
    >>> release.entry, release.counts.names
    (2, ('age',))
    """
    folder = Path(folder)
    found = Folder()
    contents = opened(folder)
    for release in contents.releases:
        frame = check_contents(folder, release).frame
        found[release.name] = _release(folder, release, frame, contents.record["contract"])
    return found


def _release(folder: Path, release: Rebuilt, frame: Frame, fingerprint: str) -> Release:
    record, contract = release.record, release.contract
    with understood(f"what the files of {release.name!r} hold"):
        return Release(
            name=release.name,
            dataset=contract.dataset,
            statistic=release.statistic,
            noise=release.noise,
            unit=contract.unit,
            step=record["step"],
            value=with_model(folder, release, value(release, frame)),
            entry=record["entry"],
            contract=fingerprint,
            seeded=record["seeded"],
            delta=contract.budget.delta,
        )
