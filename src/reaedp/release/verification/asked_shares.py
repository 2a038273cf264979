"""Shares that a released rate answers: of rows that meet its condition, and of those that miss it."""

from collections.abc import Callable
from typing import Any

import numpy as np

from reaedp.contract.expression import Node
from reaedp.inference.answer import Answer, Group, groups_of, labels_of
from reaedp.inference.question import Question
from reaedp.release.release import Release
from reaedp.statistics.rates.flag import Flag
from reaedp.statistics.summary.figures import TOO_FEW
from reaedp.synthesis.conditions import met, read_condition


def shares(release: Release) -> Callable[[Question, float], Answer | None]:
    """What a rate answers: the share of all rows of each of its groups, by its own noisy numbers."""

    def answer(question: Question, confidence: float) -> Answer | None:
        flag, by = release.value.parts, tuple(axis.name for axis in release.value.axes)
        plain = question.figure == "share" and not (question.where or question.comparison)
        if not plain or not isinstance(flag, Flag) or question.by != by:
            return None
        axes = {axis.name: axis for axis in (*release.value.axes, flag.column)}
        if not set(question.columns) <= set(axes):
            return None
        groups = groups_of(question, axes)
        parts = [_part(flag, question, group) for group in groups]
        if None in parts:
            return None
        figures = release.value.whole(release.noise, confidence)
        sizes = [axis.size for axis in release.value.axes]
        rows = [_row(figures.share("share", (str(part),)), group, question.by, sizes)
                for part, group in zip(parts, groups, strict=True)]  # fmt: skip
        value, low, high, note = zip(*rows, strict=True)
        ends = (np.array(value), np.array(low), np.array(high))
        return Answer(question.text, confidence, labels_of(groups, axes), *ends, note, f"the release {release.name}")

    return answer


def _row(figure: Any, group: Group, by: tuple[str, ...], sizes: list[int]) -> tuple[float, float, float, str]:
    """One row of the answer."""
    place = int(np.ravel_multi_index([group.cells[name] for name in by], sizes)) if sizes else 0
    if not figure.known[place]:
        return float(figure.values[place]), np.nan, np.nan, TOO_FEW
    return float(figure.values[place]), float(figure.low[place]), float(figure.high[place]), ""


def _part(flag: Flag, question: Question, group: Group) -> str | None:
    """The part of a row that is asked for, if it is one of the two that were released."""
    name = flag.column.name
    if flag.cells is None:
        return "yes" if question.part == _limits(flag) else None
    yes = np.isin(np.arange(flag.column.regular), flag.cells)
    if question.of == name:
        asked = np.arange(flag.column.regular) == group.part[name]
    elif set(question.part) == {name}:
        asked = met(flag.column, question.part[name]).some[: flag.column.regular]
    else:
        return None
    return "yes" if np.array_equal(asked, yes) else "no" if np.array_equal(asked, ~yes) else None


def _limits(flag: Flag) -> dict[str, Node]:
    """The condition of a rate of numbers or dates, as a question has it."""
    name = f"`{flag.column.name}`"
    ends = ((">=", flag.at_least), ("<", flag.below))
    return read_condition(" and ".join(f"{name} {sign} {end}" for sign, end in ends if end is not None), [flag.column])
