"""What Spark says about failures is not repeated, and what others ask of it is left alone."""

import threading

import pytest

from reaedp import Number
from reaedp.curator.spark_collect import collected
from reaedp.curator.spark_session import session_of
from reaedp.errors import ReaedpError
from spark_cluster import Cluster
from troubles import counted

pytestmark = pytest.mark.xdist_group("spark")


@pytest.mark.parametrize(
    "cell", ["CAST(raise_error('SECRET row') AS DOUBLE)", "CAST(concat('SECRET', rand()) AS DOUBLE)"]
)
def test_a_failure_on_the_workers_quotes_no_row(
    cell: str, cluster: Cluster, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    frame = session_of(cluster.master).range(1).selectExpr(f"{cell} AS x")
    with pytest.raises(ReaedpError, match=r"Spark could not count \(\w+\)") as caught:
        counted(frame, Number(name="x", lower=0, upper=1, bins=2, provenance="public"))
    assert "SECRET" not in str(caught.value) + "".join(capfd.readouterr()) + caplog.text
    assert caught.value.__context__ is None


def test_what_spark_writes_about_other_queries_is_left_alone(
    cluster: Cluster, caplog: pytest.LogCaptureFixture
) -> None:
    """Also in another thread that asks while we count, and by loggers of PySpark's own kind."""
    failing = session_of(cluster.master).range(1).selectExpr("CAST(concat('OWN', id) AS DOUBLE) AS x")

    class Query:
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

    with pytest.raises(ReaedpError, match="NumberFormatException"):
        collected(Query())
    assert 1 == len(caplog.records)
    ask()
    assert ["NumberFormatException"] * 2 == errors
    assert 2 == len(caplog.records)
