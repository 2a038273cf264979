"""What Spark says about failures is not repeated, and what others ask of it is left alone."""

import logging
import threading
from collections.abc import Iterator

import pytest
from pyspark.logger import PySparkLogger

from reaedp import Number
from reaedp.engines.source import Unreadable
from reaedp.engines.spark.collect import LOGGERS, collected
from reaedp.engines.spark.session import session_of
from spark_cluster import Cluster
from troubles import counted

pytestmark = pytest.mark.xdist_group("spark")


@pytest.fixture
def said() -> Iterator[list[str]]:
    """What PySpark's loggers let through."""
    messages: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: messages.append(record.getMessage())  # type: ignore[method-assign]
    loggers = [PySparkLogger.getLogger(name) for name in LOGGERS]
    for logger in loggers:
        logger.addHandler(handler)
    yield messages
    for logger in loggers:
        logger.removeHandler(handler)


@pytest.mark.parametrize(
    "cell", ["CAST(raise_error('SECRET row') AS DOUBLE)", "CAST(concat('SECRET', rand()) AS DOUBLE)"]
)
def test_a_failure_on_the_workers_quotes_no_row(
    cell: str, cluster: Cluster, capfd: pytest.CaptureFixture[str], said: list[str]
) -> None:
    frame = session_of(cluster.master).range(1).selectExpr(f"{cell} AS x")
    assert {} == counted(frame, Number(name="x", lower=0, upper=1, bins=2, provenance="public"))
    assert "SECRET" not in "".join(capfd.readouterr()) + "".join(said)


def test_what_spark_writes_about_other_queries_is_left_alone(cluster: Cluster, said: list[str]) -> None:
    """Also in another thread that asks while we count, and by loggers of PySpark's own kind."""
    failing = session_of(cluster.master).range(1).selectExpr("CAST(concat('OWN', id) AS DOUBLE) AS x")

    class Query:
        sparkSession = failing.sparkSession  # noqa: N815 - as Spark calls it

        def toArrow(self) -> None:  # noqa: N802 - as Spark calls it
            own = threading.Thread(target=ask)
            own.start()
            own.join()
            failing.toArrow()

    errors: list[str] = []

    def ask() -> None:
        try:
            failing.collect()
        except Exception as error:
            errors.append(type(error).__name__)

    with pytest.raises(Unreadable):
        collected(Query())
    assert 1 == len(said)
    ask()
    assert ["NumberFormatException"] * 2 == errors
    assert 2 == len(said)
