"""Commands that spend can be stopped, and say then whether anything was charged."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from reaedp.errors import Stopped


@contextmanager
def stoppable() -> Iterator[None]:
    """A request to terminate stops a command as a person at the keyboard does: it leaves nothing half-made behind."""
    asked: list[int] = []

    def terminate(number: int, _: FrameType | None) -> None:
        asked.append(number)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    except KeyboardInterrupt:
        raise _stopped("Stopped; nothing was charged.", asked) from None
    except Stopped as stopped:
        raise _stopped(str(stopped), asked) from None
    finally:
        signal.signal(signal.SIGTERM, before)


def _stopped(words: str, asked: list[int]) -> Stopped:
    stopped = Stopped(words)
    stopped.exit_code = 128 + (asked[0] if asked else signal.SIGINT)
    return stopped
