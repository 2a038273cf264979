"""How much of a limit of memory is left to the embedded engine."""

import os
import re
from pathlib import Path

from reaedp.errors import DeclarationError, sentence

SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?([KMGT])(i?)B", re.IGNORECASE)
#: The engine does not count everything that it holds: buffers of files and of results, and what it has given back to
#: the allocator but the allocator not yet to the system.
COUNTED = 0.9
#: What the program holds may be anything in a session of Python; the engine has at least this part of the limit.
LEAST = 0.75
#: What Python and the libraries take, where the system does not say it.
USUAL = 100 * 2**20


def size_in_bytes(limit: str) -> int:
    """The bytes of a size such as `1GB`, `800MB` or `1.5 GiB`."""
    found = SIZE.fullmatch(limit.strip())
    if found is None:
        raise DeclarationError(sentence("memory must be a size such as 1GB or 800MB", given=limit))
    number, prefix, binary = found.groups()
    return int(float(number) * (1024 if binary else 1000) ** ("KMGT".index(prefix.upper()) + 1))


def engines_share(limit: int, resident: int) -> int:
    """The limit of an engine in a process that holds so many bytes already and may hold `limit` of them."""
    return int(max(COUNTED * (limit - resident), LEAST * limit))


def resident_bytes() -> int:
    """The memory that this process takes at the moment."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    except OSError:
        return USUAL
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
