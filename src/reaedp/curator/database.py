"""Tables of SQL databases, counted where they lie; ibis writes the SQL of each kind of database.

SQL has no conversion that cannot fail, so that every one stands in a CASE behind a test that it will succeed.
"""

import math
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from reaedp.contract import Boolean, Category, Column, Date, Integer, Number
from reaedp.curator.canonical import NO, REAL, TEXT, TIMES, WHOLE, YES
from reaedp.errors import DeclarationError, ReaedpError, unknown

#: An ibis expression; ibis is an optional dependency without complete types.
Cell = Any

FORM = "postgresql://user:password@host:port/database?table=schema.table"
#: Types by the names of the embedded engine, so that a first contract can be drafted from them.
TYPES = {
    "Int8": "TINYINT",
    "Int16": "SMALLINT",
    "Int32": "INTEGER",
    "Int64": "BIGINT",
    "UInt8": "UTINYINT",
    "UInt16": "USMALLINT",
    "UInt32": "UINTEGER",
    "UInt64": "UBIGINT",
    "Float32": "FLOAT",
    "Float64": "DOUBLE",
    "String": "VARCHAR",
}
