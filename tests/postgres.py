"""A real PostgreSQL server on loopback, found or installed, with as many fresh databases as are wanted."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

NUMBERS = count()


@dataclass(frozen=True)
class Server:
    binaries: Path
    folder: Path
    port: int
    user: str | None

    def run(self, program: str, *arguments: str) -> None:
        command = [str(self.binaries / program), *arguments]
        log = self.folder / "commands.log"
        with log.open("ab") as output:
            subprocess.run(command, check=True, user=self.user, cwd=self.folder, stdout=output, stderr=output)

    def start(self) -> None:
        options = f"-h 127.0.0.1 -p {self.port} -k {self.folder} -c max_connections=100"
        self.run(
            "pg_ctl", "-D", str(self.folder / "data"), "-l", str(self.folder / "log"), "-o", options, "-w", "start"
        )

    def stop(self, mode: str = "fast") -> None:
        self.run("pg_ctl", "-D", str(self.folder / "data"), "-m", mode, "-w", "stop")

    def address(self, database: str) -> str:
        return f"postgresql://keeper@127.0.0.1:{self.port}/{database}"

    def execute(self, statement: str) -> None:
        import psycopg

        with psycopg.connect(self.address("postgres"), autocommit=True) as connection:
            connection.execute(statement)

    def new_database(self) -> str:
        name = f"ledger{next(NUMBERS)}"
        self.execute(f"CREATE DATABASE {name}")
        return self.address(name)

    def new_schema(self) -> str:
        """A place for one ledger in a database with several; made much faster than a database."""
        name = f"ledger{next(NUMBERS)}"
        self.execute(f"CREATE SCHEMA {name}")
        return self.address(f"postgres?options=-csearch_path%3D{name}")


def find_binaries() -> Path | None:
    on_path = shutil.which("initdb")
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    found = [Path(on_path).resolve()] if on_path else installed
    return found[-1].parent if found else None


def install() -> Path | None:
    if os.getuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "update", "-q"], check=False, capture_output=True, timeout=300)
        subprocess.run(["apt-get", "install", "-yq", "postgresql"], check=False, capture_output=True, timeout=600)
    return find_binaries()


def unprivileged_user() -> str | None:
    """PostgreSQL refuses to run as root."""
    if os.getuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in ("postgres", "nobody") if name in names)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def running_server() -> Iterator[Server | None]:
    """Run a server until the block ends; None where there is none and none can be installed."""
    binaries = find_binaries() or install()
    if binaries is None:
        yield None
        return
    server = Server(binaries, Path(tempfile.mkdtemp(prefix="reaedp-postgres-")), free_port(), unprivileged_user())
    try:
        if server.user:
            shutil.chown(server.folder, server.user)
        server.run("initdb", "-D", str(server.folder / "data"), "-A", "trust", "-U", "keeper", "--no-sync")
        server.start()
        try:
            yield server
        finally:
            server.stop("immediate")
    finally:
        shutil.rmtree(server.folder)
