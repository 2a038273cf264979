"""The contract: the public facts about a data set, declared by its custodian."""

from reaedp.contract.category import Boolean, Category
from reaedp.contract.column import Column
from reaedp.contract.contract import Contract
from reaedp.contract.curve import Curve
from reaedp.contract.day import Date
from reaedp.contract.files import Files
from reaedp.contract.notation import ColumnNotation
from reaedp.contract.number import Integer, Number
from reaedp.contract.picture import Picture
from reaedp.contract.row_rule import RowRule

__all__ = [
    "Boolean",
    "Category",
    "Column",
    "ColumnNotation",
    "Contract",
    "Curve",
    "Date",
    "Files",
    "Integer",
    "Number",
    "Picture",
    "RowRule",
]
