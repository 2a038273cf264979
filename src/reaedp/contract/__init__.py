"""The contract: the public facts about a data set, declared by its custodian."""

from reaedp.contract.category import Boolean, Category
from reaedp.contract.column import Column
from reaedp.contract.contract import Contract
from reaedp.contract.curve import Curve
from reaedp.contract.day import Date
from reaedp.contract.number import Integer, Number
from reaedp.contract.picture import Picture

__all__ = ["Boolean", "Category", "Column", "Contract", "Curve", "Date", "Integer", "Number", "Picture"]
