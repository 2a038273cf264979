"""Codebooks in DDI (Data Documentation Initiative, version 2: Codebook), as archives and survey programs write them."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from reaedp.drafting.variable import Variable
from reaedp.errors import DeclarationError


def read_ddi(text: str, path: Path) -> tuple[list[Variable], dict[str, Any]]:
    """The variables of a codebook: their ranges and categories, not the statistics, which were counted from rows."""
    if re.search(r"<!(DOCTYPE|ENTITY)", text):
        raise DeclarationError(f"{path} declares its own entities, which are not read. Save it without a DOCTYPE.")
    try:
        root = ElementTree.fromstring(re.sub(r"^\s*<\?xml[^>]*\?>", "", text))
    except (ElementTree.ParseError, ValueError):
        raise DeclarationError(f"{path} is not valid XML.") from None
    found = [_variable(element) for element in root.iter() if _is(element, "var") and element.get("name")]
    if not found:
        raise DeclarationError(f"{path} is not a DDI codebook: it has no variables with names.")
    return found, {}


def _variable(element: ElementTree.Element) -> Variable:
    ranges = [one for valid in _inside(element, "valrng") for one in _inside(valid, "range")]
    ends = ranges[0].attrib if len(ranges) == 1 else {}
    invalid = [one for no in _inside(element, "invalrng") for one in _inside(no, "item")]
    categories = list(_inside(element, "catgry"))
    missing = [_value(one) for one in categories if one.get("missing") == "Y"]
    levels = [(_value(one), _label(one)) for one in categories if one.get("missing") != "Y" and _value(one)]
    measured = element.get("intrvl") == "contin"
    return Variable(
        name=str(element.get("name")),
        kind=_kind(element, ends),
        lower=ends.get("min", ""),
        upper=ends.get("max", ""),
        levels=() if measured else tuple(levels),
        label=_label(element),
        missing=tuple(word for word in [*missing, *(one.get("VALUE", "") for one in invalid)] if word),
    )


def _kind(element: ElementTree.Element, ends: dict[str, str]) -> str:
    form = next(_inside(element, "varFormat"), None)
    if form is not None and form.get("category") in ("date", "time"):
        return "date"
    if form is not None and form.get("type") == "character":
        return ""
    whole = ends.get("UNITS") == "INT" or element.get("dcml") == "0"
    numeric = form is not None or element.get("intrvl") is not None
    return "integer" if whole else "number" if numeric else ""


def _value(category: ElementTree.Element) -> str:
    return next((("".join(one.itertext())).strip() for one in _inside(category, "catValu")), "")


def _label(element: ElementTree.Element) -> str:
    return next((" ".join("".join(one.itertext()).split()) for one in _inside(element, "labl")), "")


def _inside(element: ElementTree.Element, name: str) -> Iterator[ElementTree.Element]:
    return (one for one in element if _is(one, name))


def _is(element: ElementTree.Element, name: str) -> bool:
    """Versions of DDI have different namespaces and the same names."""
    return isinstance(element.tag, str) and element.tag.rpartition("}")[2] == name
