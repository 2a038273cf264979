"""Where ledgers are made in tests: a file, and a real PostgreSQL server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from postgres import Server, running_server


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    with running_server() as server:
        if server is None:
            pytest.skip("no PostgreSQL server was found, and none could be installed")
        yield server


@pytest.fixture(params=["SQLite", pytest.param("PostgreSQL", marks=pytest.mark.slow)])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str | Path:
    """Where a new ledger may be made, on each kind of storage in turn."""
    if request.param == "SQLite":
        return tmp_path / "ledger.db"
    server: Server = request.getfixturevalue("postgres")
    return server.new_schema()
