"""Work that takes longer than an answer: it runs in a thread of its own, and pages look at how far it is.

What is lost when the server dies is only the looking: what was done stands in the ledger and in folders.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reaedp.errors import ReaedpError, Stopped, mistakes_of

#: A work's place: the folder of its project, and what kind of work it is.
Place = tuple[Path, str]


class Work:
    """One thing being done; `stage` is told to people, and never says anything of rows."""

    def __init__(self, about: str, stopped: str = "Stopped.") -> None:
        #: What the work is about, such as the name of a folder, and what is said when it was stopped.
        self.about, self.stopped = about, stopped
        self.stage = ""
        self.answer: Any = None
        self.error: Exception | None = None
        self.ended = threading.Event()
        self._lock = threading.Lock()
        self._asked_to_stop = self._beyond_recall = False

    def say(self, stage: str, *, last_moment: bool = False) -> None:
        """Note what is done now. Whoever asked to stop is obeyed here, up to the last moment and not after it."""
        with self._lock:
            if self._asked_to_stop and not self._beyond_recall:
                raise Stopped(self.stopped)
            self._beyond_recall = self._beyond_recall or last_moment
            self.stage = stage

    def stop(self) -> bool:
        """Ask the work to stop; whether it still can."""
        with self._lock:
            self._asked_to_stop = not self._beyond_recall and not self.ended.is_set()
            return self._asked_to_stop

    @property
    def stopping(self) -> bool:
        """Whether it was asked to stop, and will."""
        return self._asked_to_stop and not self.ended.is_set()

    @property
    def stoppable(self) -> bool:
        """Whether it can still be stopped for nothing."""
        return not self._beyond_recall and not self.ended.is_set()

    @property
    def mistakes(self) -> tuple[str, ...]:
        """Why it failed, in the project's words; nothing if it did not."""
        return () if self.error is None else mistakes_of(self.error)

    def run(self, doing: Callable[["Work"], Any]) -> None:
        """Do it, and keep what came of it."""
        try:
            self.answer = doing(self)
        except Exception as error:
            self.error = error
        finally:
            self.ended.set()


@dataclass(frozen=True, slots=True)
class Works:
    """The works of this server, at most one at each place; the last one is remembered until another begins."""

    _running: dict[Place, Work] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def at(self, place: Place) -> Work | None:
        """The work at a place; what nobody foresaw is raised once, to whoever looks first."""
        with self._lock:
            work = self._running.get(place)
            if work is None or work.error is None or isinstance(work.error, ReaedpError):
                return work
            del self._running[place]
        raise work.error

    def all(self) -> list[Work]:
        """Every work that is remembered."""
        with self._lock:
            return list(self._running.values())

    def begin(self, place: Place, work: Work, doing: Callable[[Work], Any], *, finish: bool = False) -> None:
        """Begin a work, unless one runs there; one that must `finish` is waited for when the server is stopped."""
        with self._lock:
            known = self._running.get(place)
            if known is not None and not known.ended.is_set():
                return
            self._running[place] = work
            threading.Thread(target=work.run, args=(doing,), daemon=not finish, name="reaedp-work").start()

    def forget(self, place: Place) -> None:
        """Let go of what a work that ended has answered."""
        with self._lock:
            known = self._running.get(place)
            if known is not None and known.ended.is_set():
                del self._running[place]
