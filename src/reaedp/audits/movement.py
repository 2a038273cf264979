"""How far one unit moved what noise was given, request by request, against what is declared."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from reaedp.answer import GroupedParts, Integers, Keyed, Routed, Shape
from reaedp.audits.constant_noise import Drawn, Kind
from reaedp.audits.grouped_channel import aligned_parts
from reaedp.audits.keyed_channel import aligned
from reaedp.audits.rehearsal import Outcome
from reaedp.privacy.unit import Sensitivity


def too_far(shape: Shape, place: int, declared: Sensitivity, first: Outcome, second: Outcome) -> Iterator[str]:
    """In words, whatever moved farther than is declared between two outcomes of the request at this place."""
    if shape == "records":
        yield from _draws_too_far(first.drawn[place], second.drawn[place], declared)
        return
    move = _MOVEMENTS[shape](first.answers[place], second.answers[place])
    if not _within(move, declared):
        yield f"the answer moves by {int(np.abs(move).sum()):,} in L1"


def not_hidden(shape: Shape, place: int, outcome: Outcome) -> Iterator[str]:
    """In words, whatever did not go into noise as it is, and as integers."""
    drawn = outcome.drawn[place]
    if not all(np.issubdtype(one.exact.dtype, np.integer) for one in drawn):
        yield "noise was given numbers that are no integers"
    if shape != "records":
        part = _PARTS[shape](outcome.answers[place])
        if not any(np.array_equal(one.exact, part) for one in drawn):
            yield "noise was not given the exact answer"


def moves_between(first: Drawn, second: Drawn) -> Integers:
    """Number by number; counts of keys, which may be more for one of the two, by their size.

    No other way to pair up counts makes them move less, so that keys are never said to move farther than they do.
    """
    if first.kind != "laplace":
        return second.exact - first.exact
    longer = max(len(first.exact), len(second.exact))
    sizes = [np.sort(np.pad(one.exact, (0, longer - len(one.exact)))) for one in (first, second)]
    return sizes[1] - sizes[0]


def _draws_too_far(first: tuple[Drawn, ...], second: tuple[Drawn, ...], declared: Sensitivity) -> Iterator[str]:
    """Whatever was asked must be the same for both; only the numbers may differ, and not by much."""
    if [_asked(one) for one in first] != [_asked(one) for one in second]:
        yield "what is asked of the records is not the same for both"
        return
    for number, (one, other) in enumerate(zip(first, second, strict=True)):
        move = moves_between(one, other)
        if not _LIMITS[one.kind](move, declared):
            yield f"the numbers of draw {number} ({one.kind}) move by {int(np.abs(move).sum()):,} in L1"


def _asked(drawn: Drawn) -> tuple[Any, ...]:
    """How many keys there are is hidden by a threshold."""
    return drawn.kind, drawn.scale, drawn.grain, None if drawn.kind == "laplace" else drawn.exact.shape


def _within(move: Integers, declared: Sensitivity) -> bool:
    sizes = np.abs(move)
    farthest = int(sizes.max(initial=0))
    return (
        int(sizes.sum()) <= declared.l1 and int((sizes**2).sum()) <= declared.l2_squared and farthest <= declared.linf
    )


def _scores_within(move: Integers, declared: Sensitivity) -> bool:
    """Scores of one choice may all move; those of several choices made together share what a unit moves."""
    return int(np.abs(np.atleast_2d(move)).max(axis=1, initial=0).sum()) <= declared.l1


_LIMITS: dict[Kind, Callable[[Integers, Sensitivity], bool]] = {
    "laplace": _within,
    "gaussian": _within,
    "choice": _scores_within,
}


def _routed(first: Routed, second: Routed) -> Integers:
    parts: list[tuple[Any, Any]] = list(zip(first, second, strict=True))
    return np.concatenate([after - before for before, after in parts])


def _keyed(first: Keyed, second: Keyed) -> Integers:
    before, after = aligned(first, second)
    return after - before


def _grouped(first: GroupedParts, second: GroupedParts) -> Integers:
    before, after = aligned_parts(first, second)
    return (after - before).ravel()


#: How far apart two answers of the same shape are, number by number.
_MOVEMENTS: dict[Shape, Callable[[Any, Any], Integers]] = {
    "vector": lambda first, second: second - first,
    "keyed": _keyed,
    "grouped": _grouped,
    "routed": _routed,
    "ordered": lambda first, second: (second.counts - first.counts).ravel(),
}
#: What of an answer always goes into noise.
_PARTS: dict[Shape, Callable[[Any], Integers]] = {
    "vector": lambda answer: answer,
    "keyed": lambda answer: answer.counts,
    "grouped": lambda answer: answer.parts,
    "routed": lambda answer: answer.look,
    "ordered": lambda answer: answer.counts.sum(axis=1),
}
