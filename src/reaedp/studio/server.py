"""The studio as a server of this machine alone; it logs nothing, since what it is asked for may name people."""

import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from reaedp.errors import DeclarationError
from reaedp.studio.app import Defect, application
from reaedp.studio.gate import Keys
from reaedp.studio.workspace import Workspace

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Server:
    """A socket on loopback that is open from the start, and the application behind it."""

    listening: socket.socket
    address: str
    keys: Keys
    running: uvicorn.Server

    @classmethod
    def over(cls, folder: Path, port: int, defect: Defect, announce: Callable[[str], None]) -> "Server":
        """The studio over a folder; port 0 is any that is free. `announce` is told each address that lets one in."""
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            listening.bind((LOOPBACK, port))
        except OSError as error:
            listening.close()
            raise DeclarationError(f"Port {port} cannot be used: {error.strerror}. Choose another --port.") from None
        port = listening.getsockname()[1]
        address = f"http://{LOOPBACK}:{port}"
        keys = Keys(lambda token: announce(f"{address}/start?token={token}"))
        hosts = frozenset({f"{LOOPBACK}:{port}", f"localhost:{port}"})
        app = application(Workspace(folder), keys, hosts, defect)
        config = uvicorn.Config(
            app, log_config=None, access_log=False, lifespan="off", ws="none", server_header=False, proxy_headers=False
        )
        return cls(listening, address, keys, uvicorn.Server(config))

    @property
    def entrance(self) -> str:
        """The address that lets the next browser in."""
        return f"{self.address}/start?token={self.keys.token}"

    def run(self) -> None:
        """Serve until somebody stops it."""
        self.running.run(sockets=[self.listening])
