"""One text for one value: JSON with sorted keys, no spaces, ASCII only, doubles by their shortest exact decimal.

Equal values have equal texts, so a hash of a text is a hash of the value on every machine.
"""

import hashlib
import json
from fractions import Fraction
from itertools import groupby
from typing import Any

from reaedp.privacy.loss import ZCDP, ApproxDP, GaussianDP, Loss, Price, PureDP, UnitGaussian

#: The kinds of loss by the name under which they are written, which outlives what their classes are called.
LOSSES: dict[str, type[Any]] = {
    "Pure": PureDP,
    "Approximate": ApproxDP,
    "Concentrated": ZCDP,
    "Gaussian": GaussianDP,
    "UnitGaussian": UnitGaussian,
}
_NAMES = {kind: name for name, kind in LOSSES.items()}

#: A written price may repeat a loss; above this many a text is an attack on memory, not a price.
LONGEST_PRICE = 10_000_000


_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)


def write(value: object) -> str:
    """Give the only text of a value made of dictionaries, lists, strings, finite numbers, booleans and None."""
    return _ENCODER.encode(value)


def fields_of(record: Any) -> dict[str, Any]:
    """Give the fields of a frozen record by name, without the deep copy that `asdict` makes."""
    return {name: getattr(record, name) for name in record.__dataclass_fields__}


def digest(text: str) -> str:
    """The SHA-256 of a text, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def loss_record(loss: Loss) -> dict[str, object]:
    """Give a loss as a dictionary; whole numbers become doubles, so that 1 and 1.0 have one text."""
    return {"loss": _NAMES[type(loss)]} | {name: float(value) for name, value in fields_of(loss).items()}


def read_loss(record: dict[str, Any]) -> Loss:
    """Build a loss again; its constructor refuses what no loss can be."""
    arguments = dict(record)
    loss: Loss = LOSSES[arguments.pop("loss")](**arguments)
    return loss


def loss_text(loss: Loss) -> str:
    """Give the name of a loss in the table of tallies."""
    return write(loss_record(loss))


def price_record(price: Price) -> list[list[object]]:
    """Give a price in its order, with repetitions counted."""
    return [[loss_record(loss), len(list(run))] for loss, run in groupby(price)]


def read_price(record: list[list[Any]]) -> Price:
    """Build a price again from its runs."""
    if not all(type(count) is int and count > 0 for _, count in record):
        raise ValueError("a loss must be repeated a whole number of times")
    if sum(count for _, count in record) > LONGEST_PRICE:
        raise ValueError("a price has too many losses")
    return tuple(loss for run, count in record for loss in (read_loss(run),) * count)


def read_fraction(text: str) -> Fraction:
    """Build a fraction again from its only text, the one that `str` gives."""
    number = Fraction(text)
    if str(number) != text:
        raise ValueError("a fraction must be written in lowest terms")
    return number
