"""Panels become one HTML file that opens from disk: styles, scripts and charts are inside, nothing is fetched.

Each chart stands on the page as a picture first, for print and for readers without scripts. Vega, which is inlined
once, makes it answer to the pointer when it comes into view.
"""

import base64
import gzip
import hashlib
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

from jinja2 import Environment, PackageLoader
from markupsafe import Markup, escape

from reaedp.errors import DeclarationError
from reaedp.frames.number import about, written
from reaedp.report.charts.picture import pictures
from reaedp.report.compiled_templates import CompiledTemplates, environment_of
from reaedp.report.panel import Card, Figure, ImageFile, Panel, Score

_CODE = re.compile(r"`([^`]+)`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Everything a report says."""

    title: str
    lead: str
    panels: tuple[Panel, ...]
    #: Shown large, on every printed page.
    warning: str = ""
    #: What matters most, before all else.
    cards: tuple[Card, ...] = ()
    #: Parts of the budget: name, share, words.
    bar: tuple[tuple[str, float, str], ...] = ()
    #: Whether private and original numbers can be switched.
    switch: bool = False


def render(page: Page) -> str:
    """The page as HTML."""
    return written_page("report.html", "report.js", {"title": page.title, "page": page})


def written_page(template: str, script: str, names: dict[str, Any]) -> str:
    """A template with its style and its script, which is the only one that a browser will run."""
    environment = _environment()
    code = f"(function(){{{bundle()}\n{_source('chart.js')}{_source(script)}}})();"
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    parts = {"style": Markup(_source("report.css")), "script": Markup(code), "digest": digest}
    return environment.get_template(template).render(**parts, **names)


@cache
def bundle() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script, as `packaging/vega.py` made it."""
    return gzip.decompress(Path(__file__).with_name("vega.js.gz").read_bytes()).decode()


def _environment() -> Environment:
    environment = environment_of("reaedp.report", bytecode_cache=CompiledTemplates("autoescape, trim_blocks"))
    counted = iter(range(1_000_000))
    environment.filters |= {
        "picture": lambda figure: _picture(figure, next(counted)),
        "data": _data,
        "said": _said,
        "about": about,
        "written": written,
    }
    environment.tests["score"] = lambda cell: isinstance(cell, Score)
    return environment


def _source(name: str) -> str:
    loader = PackageLoader("reaedp.report")
    return loader.get_source(Environment(autoescape=True), name)[0]


def _picture(figure: Figure, number: int) -> Markup:
    """The chart drawn for a desk and for a phone, with texts escaped; ids count on from chart to chart."""
    named = f'role="img" aria-label="{escape(figure.words)}"'
    return Markup(
        "".join(
            drawn.replace('class="marks"', f'class="marks {place}" {named}', 1)
            for place, drawn in zip(("wide", "narrow"), pictures(figure.chart, number, small=figure.small), strict=True)
        )
    )


def _data(picture: ImageFile) -> str:
    return f"data:image/png;base64,{base64.b64encode(picture.content).decode()}"


def _said(text: str) -> Markup:
    """Words with what is typed between backticks set apart."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))


def save(path: Path, text: str, *, secret: bool = False) -> None:
    """Write under a hidden name first, so that a page is whole or not there; a secret one is for its owner alone."""
    hidden = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700 if secret else 0o777)
        hidden.touch(mode=0o600 if secret else 0o666)
        hidden.write_text(text, encoding="utf-8", newline="\n")
        hidden.replace(path)
    except OSError as error:
        raise DeclarationError(f"{path} cannot be written: {error.strerror}.") from None
    finally:
        with suppress(OSError):
            hidden.unlink(missing_ok=True)
