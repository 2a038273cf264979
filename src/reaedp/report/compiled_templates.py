"""Templates of pages, which escape what they show; compiled ones, kept where Python keeps the modules it compiles.

To compile those of a report takes longer than to fill them in. Beside the code is kept what it was compiled from and
by which version of Jinja; if that changed, it is compiled again.
"""

import os
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from jinja2.bccache import Bucket, BytecodeCache


def environment_of(package: str, **more: Any) -> Environment:
    """Templates of a package: texts are escaped, and what is missing is an error."""
    return Environment(
        loader=PackageLoader(package), autoescape=True, undefined=StrictUndefined, trim_blocks=True, **more
    )


class CompiledTemplates(BytecodeCache):
    """Files in the folder of compiled modules; where none can be written, nothing is kept.

    `settings` are those of the environment, which decide what a template becomes.
    """

    def __init__(self, settings: str) -> None:
        self._settings = settings

    def load_bytecode(self, bucket: Bucket) -> None:
        """Read what was kept of a template, if anything was."""
        with suppress(OSError), _place(bucket.key).open("rb") as file:
            bucket.load_bytecode(file)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a template, whole or not at all, unless Python was told to write no compiled code."""
        if sys.dont_write_bytecode:
            return
        place = _place(bucket.key)
        hidden = place.with_name(f".{place.name}-{os.getpid()}-{threading.get_ident()}")
        with suppress(OSError):
            place.parent.mkdir(parents=True, exist_ok=True)
            hidden.write_bytes(bucket.bytecode_to_string())
            hidden.replace(place)

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        """The name of the file of a template, by which it is known here."""
        return Path(filename or name).name

    def get_source_checksum(self, source: str) -> str:
        """A hash of all that the compiled code depends on."""
        return super().get_source_checksum(f"{self._settings}\n{source}")


def _place(template: str) -> Path:
    """Beside what Python keeps of this module."""
    here = Path(__file__).resolve().parent
    prefix = sys.pycache_prefix
    folder = here / "__pycache__" if prefix is None else Path(prefix, *here.parts[1:])
    return folder / f"{template}.{sys.implementation.cache_tag}.jinja"
