"""What is taken for data and for an engine is what the types of public functions say."""

import inspect
import typing
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import reaedp
from reaedp.engines.data import ArrowStream, Data, Engine, Frame, Session
from reaedp.engines.source import open_source

COLUMNS = {"x": [1, 2], "y": ["a", "b"]}
FRAMES = {
    "pandas": pd.DataFrame(COLUMNS),
    "polars": pl.DataFrame(COLUMNS),
    "polars, lazy": pl.LazyFrame(COLUMNS),
    "arrow": pa.table(COLUMNS),
    "arrow reader": pa.table(COLUMNS).to_reader(),
    "duckdb": duckdb.from_arrow(pa.table(COLUMNS)),
}


def has_members_of(protocol: type, kind: type) -> bool:
    """Looks at the class alone: columns of a lazy frame must be computed."""
    wanted = [name for name in ("columns", "__arrow_c_stream__", "sql") if name in vars(protocol)]
    return bool(wanted) and all(hasattr(kind, name) for name in wanted)


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_every_frame_that_is_read_is_data(frame: Any) -> None:
    assert has_members_of(Frame, type(frame)) or has_members_of(ArrowStream, type(frame))
    assert ["x", "y"] == list(open_source(frame).types)


def test_a_spark_frame_and_session_have_what_data_and_engines_have() -> None:
    pyspark = pytest.importorskip("pyspark.sql")
    assert has_members_of(Frame, pyspark.DataFrame)
    assert has_members_of(Session, pyspark.SparkSession)


def test_a_connection_is_an_engine_and_numbers_are_neither() -> None:
    assert has_members_of(Session, duckdb.DuckDBPyConnection)
    assert not any(has_members_of(protocol, int) for protocol in (Session, Frame, ArrowStream))
    assert {str, Path, Frame, ArrowStream} < set(typing.get_args(Data))
    assert (str, Session) == typing.get_args(Engine)
    assert np.ndarray in {typing.get_origin(kind) for kind in typing.get_args(Data)}


def test_no_public_function_takes_anything_for_data_or_engine() -> None:
    named = {"data": Data, "engine": Engine | None, "others": Data | None}
    found = 0
    for name in reaedp.__all__:
        thing = getattr(reaedp, name)
        if not inspect.isfunction(thing) and thing is not reaedp.Curator:
            continue
        for parameter in inspect.signature(thing).parameters.values():
            if parameter.name in named:
                found += 1
                assert named[parameter.name] == parameter.annotation, f"{name}({parameter.name})"
    assert found >= 12
