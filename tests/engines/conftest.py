"""The same troublesome rows in every engine."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from postgres import running_server
from spark_cluster import Cluster, parquet_of, running_cluster
from troubles import TYPED, loaded

HOSTILE = ("DateStyle = 'SQL, DMY'", "TimeZone = 'Asia/Tokyo'", "extra_float_digits = -5", "search_path = data")


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a database whose own settings print dates, times and numbers in other ways."""
    psycopg = pytest.importorskip("psycopg", reason='psycopg is not installed: pip install "reaedp[database]"')
    with running_server() as running:
        if running is None:
            pytest.skip("no PostgreSQL server was found, and none could be installed")
        with psycopg.connect(running.address("postgres"), autocommit=True) as connection:
            connection.execute("CREATE DATABASE source TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'")
        with psycopg.connect(running.address("source"), autocommit=True) as connection:
            connection.execute("CREATE TYPE mood AS ENUM ('a', 'b', '7', 'yes')")
            loaded(connection, {name: kind for name, (kind, _, _) in TYPED.items()} | {"special": "numeric"}, "%s")
            for setting in HOSTILE:
                connection.execute(f"ALTER DATABASE source SET {setting}")
        yield running.address("source")


@pytest.fixture(scope="session")
def embedded() -> Iterator[Any]:
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    loaded(connection, {name: kind for name, (_, kind, _) in TYPED.items()}, "?")
    yield connection.table("data.troubles")
    connection.close()


@pytest.fixture(scope="session")
def parquet(embedded: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    return parquet_of(embedded, Path(tmp_path_factory.mktemp("troubles")) / "troubles.parquet")


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A master with two workers; this process is the driver, whose settings are those of the cluster."""
    pytest.importorskip("pyspark", reason='pyspark is not installed: pip install "reaedp[spark]"')
    with running_cluster() as running:
        if running is None:
            pytest.skip("no Java was found, and none could be installed")
        with pytest.MonkeyPatch.context() as patch:
            for name, value in running.environment.items():
                patch.setenv(name, value)
            yield running
            _stop_session()


@pytest.fixture(scope="session")
def spark_frame(parquet: str, cluster: Cluster) -> Any:
    """The rows as a data frame on the cluster, in a session whose settings are as unlike ours as they can be."""
    from reaedp.engines.spark.session import session_of

    session = session_of(cluster.master).newSession()
    for name, value in {
        "spark.sql.ansi.enabled": "true",
        "spark.sql.session.timeZone": "Asia/Tokyo",
        "spark.sql.caseSensitive": "false",
        "spark.sql.parquet.inferTimestampNTZ.enabled": "true",
    }.items():
        session.conf.set(name, value)
    return session.read.parquet(parquet)


def _stop_session() -> None:
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    if session is not None:
        session.stop()
