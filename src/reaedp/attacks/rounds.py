"""Rounds of a game, in one process or several; each has a stream of its own, so that sharing them changes nothing."""

import gc
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import numpy as np

from reaedp.attacks.trials import Flags, Floats

#: One round: whether the target is in, and a stream; what the attacker sees of it.
Play = Callable[[bool, np.random.Generator], Floats]
#: Told after each round how many are done, of how many.
Progress = Callable[[int, int], None]

#: What a process has been sent to play.
_sent: list[Play] = []


def cores() -> int:
    """Processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def played(play: Play, member: Flags, rng: np.random.Generator, *, workers: int, progress: Progress) -> Floats:
    """What the attacker sees in each round, one row below another; with several workers `play` must be picklable."""
    streams = rng.spawn(len(member))
    with _players(play, workers) as play_all:
        seen = []
        for features in play_all(member.tolist(), streams):
            seen.append(features)
            progress(len(seen), len(member))
    return np.array(seen)


@contextmanager
def _players(play: Play, workers: int) -> Iterator[Callable[..., Iterable[Floats]]]:
    """Something like `map`. New processes start from nothing: forks would copy the locks of threads that they lack."""
    if workers == 1:
        yield lambda *rounds: map(play, *rounds)
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(workers, get_context("spawn"), initializer=_send, initargs=(play,))
    try:
        yield lambda *rounds: pool.map(_play, *rounds)
    finally:
        pool.shutdown(cancel_futures=True)


def _send(play: Play) -> None:
    _sent.append(play)
    gc.freeze()  # what is there now stays, so that looking through it for garbage again and again is in vain


def _play(present: bool, rng: np.random.Generator) -> Floats:
    return _sent[-1](present, rng)
