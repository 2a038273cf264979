"""Seconds of the processor that a process and everything that it started have taken; Linux tells them in /proc.

Spark's Java program and its Python workers live on between two measurements, so that no call of Python counts them.
"""

import os
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def family_seconds() -> float:
    """Of this process, of all that descend from it and live, and of those that have ended and were waited for."""
    return sum(_ticks(number) for number in _family(os.getpid())) / TICKS


def _fields(number: int) -> list[str]:
    """What follows a program's name, which may hold spaces; nothing if the process has ended meanwhile."""
    try:
        words = Path(f"/proc/{number}/stat").read_text(encoding="utf-8")
    except OSError:
        return []
    return words.rpartition(")")[2].split()


def _ticks(number: int) -> int:
    """In user and system mode, its own and of the children that it has waited for: fields 14 to 17."""
    return sum(map(int, _fields(number)[11:15]))


def _family(root: int) -> set[int]:
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (fields := _fields(int(entry.name))):
            parents[int(entry.name)] = int(fields[1])
    family, before = {root}, 0
    while len(family) > before:
        before = len(family)
        family |= {number for number, parent in parents.items() if parent in family}
    return family
