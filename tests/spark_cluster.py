"""A real Spark cluster on loopback: a standalone master and workers, each a process of its own."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from postgres import free_port

WORKERS = 2
#: What a custodian would write into spark-defaults.conf for so small a cluster, and quick detection of lost workers.
SETTINGS = """
spark.driver.memory 1g
spark.executor.memory 600m
spark.cores.max 2
spark.sql.shuffle.partitions 4
spark.default.parallelism 4
spark.network.timeout 120s
spark.network.timeoutInterval 5s
spark.executor.heartbeatInterval 2s
spark.rpc.numRetries 1
spark.shuffle.io.maxRetries 1
spark.shuffle.io.retryWait 1s
spark.sql.warehouse.dir {folder}/warehouse
"""


@dataclass
class Cluster:
    folder: Path
    port: int = field(default_factory=free_port)
    processes: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)
    #: Workers that were ever started.
    started: int = 0

    @property
    def master(self) -> str:
        return f"spark://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        """What a driver needs to know."""
        return {"SPARK_CONF_DIR": str(self.folder / "conf"), "PYSPARK_PYTHON": sys.executable}

    def start_process(self, name: str, *arguments: str) -> None:
        import pyspark

        home = Path(pyspark.__file__).parent
        own = {
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_LOCAL_DIRS": str(self.folder / "local"),
            "SPARK_NO_DAEMONIZE": "1",
        }
        with (self.folder / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                [str(home / "bin" / "spark-class"), *arguments],
                env=os.environ | self.environment | own,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                start_new_session=True,  # so that a worker can be killed together with what it started
            )

    def start_worker(self, name: str) -> None:
        self.started += 1
        options = ["--host", "127.0.0.1", "--cores", "2", "--memory", "1300m", "--webui-port", str(free_port())]
        work = ["--work-dir", str(self.folder / name)]
        self.start_process(name, "org.apache.spark.deploy.worker.Worker", *options, *work, self.master)

    def kill(self, name: str) -> None:
        """End a process and all that it started, as a power cut would."""
        process = self.processes.pop(name)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def wait(self, text: str, times: int, seconds: float = 600) -> None:
        """Until the master's log says something so many times."""
        end = time.monotonic() + seconds
        while (self.folder / "master.log").read_text(errors="replace").count(text) < times:
            if time.monotonic() > end:
                raise TimeoutError(f"{text!r} not seen in time; see {self.folder}")
            time.sleep(0.1)


def java_found() -> bool:
    if shutil.which("java") is None and os.getuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "update", "-q"], check=False, capture_output=True, timeout=300)
        command = ["apt-get", "install", "-yq", "openjdk-17-jre-headless"]
        subprocess.run(command, check=False, capture_output=True, timeout=600)
    return shutil.which("java") is not None


@contextmanager
def running_cluster() -> Iterator[Cluster | None]:
    """Run a cluster until the block ends; None where there is no Java and none can be installed."""
    if not java_found():
        yield None
        return
    cluster = Cluster(Path(tempfile.mkdtemp(prefix="reaedp-spark-")))
    (cluster.folder / "conf").mkdir()
    settings = SETTINGS.format(folder=cluster.folder)
    (cluster.folder / "conf" / "spark-defaults.conf").write_text(settings, encoding="utf-8")
    try:
        place = ["--host", "127.0.0.1", "--port", str(cluster.port), "--webui-port", str(free_port())]
        cluster.start_process("master", "org.apache.spark.deploy.master.Master", *place)
        _wait_for_port(cluster)
        for number in range(WORKERS):
            cluster.start_worker(f"worker{number}")
        cluster.wait("Registering worker", WORKERS)
        yield cluster
    finally:
        for name in list(cluster.processes):
            cluster.kill(name)
        shutil.rmtree(cluster.folder, ignore_errors=True)


def _wait_for_port(cluster: Cluster) -> None:
    end = time.monotonic() + 600
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", cluster.port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError(f"no master came up; see {cluster.folder}")


def parquet_of(relation: Any, path: Path) -> str:
    """Rows of the embedded engine as a file that other engines read; identifiers of 128 bits as texts."""
    names = ", ".join(
        f'CAST("{n}" AS VARCHAR) AS "{n}"' if str(t) == "UUID" else f'"{n}"'
        for n, t in zip(relation.columns, relation.types, strict=True)
    )
    relation.project(names).write_parquet(str(path))
    return str(path)
