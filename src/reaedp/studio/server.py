"""The studio as a server of this machine alone, unless told otherwise; it logs nothing, which might name people."""

import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn

from reaedp.errors import DeclarationError
from reaedp.studio.app import Defect, application
from reaedp.studio.gate import USUAL_PORTS, AccessKeys
from reaedp.studio.workspace import Workspace

LOOPBACK = "127.0.0.1"
#: A shorter password could be guessed.
SHORTEST = 12


@dataclass(frozen=True, slots=True)
class Beyond:
    """What it takes to be seen from other machines: an address, TLS, and a password; all of it, or nothing."""

    host: str
    certificate: Path
    key: Path
    password: str

    @classmethod
    def asked(cls, host: str, certificate: Path | None, key: Path | None, password: Path | None) -> "Beyond | None":
        """None for this machine alone; refuses an address of others without TLS and a password."""
        if host in (LOOPBACK, "localhost"):
            return None
        if certificate is None or key is None or password is None:
            raise DeclarationError(
                f"The studio serves other machines only with TLS and a password; given the address {host!r} without."
                " Add --certificate, --key and --password-file, or leave --host out."
            )
        try:
            secret = password.read_text(encoding="utf-8").strip()
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
        except (OSError, ValueError) as error:  # an error of TLS is one of the system
            raise DeclarationError(f"Certificate, key or password cannot be read: {type(error).__name__}.") from None
        if len(secret) < SHORTEST:
            raise DeclarationError(f"The password must have at least {SHORTEST} characters; it has fewer.")
        return cls(host, certificate, key, secret)

    @property
    def settings(self) -> dict[str, Any]:
        """The same for the server."""
        return {"ssl_certfile": str(self.certificate), "ssl_keyfile": str(self.key)}


def hosts_of(scheme: str, host: str, port: int) -> frozenset[str]:
    """What browsers call this server: without the port where it is the usual one, and localhost where it is that."""
    names = (host, "localhost") if host == LOOPBACK else (host,)
    usual = USUAL_PORTS[scheme] == port
    return frozenset({*(f"{name}:{port}" for name in names), *(names if usual else ())})


@dataclass(frozen=True, slots=True)
class Server:
    """A socket on loopback that is open from the start, and the application behind it."""

    listening: socket.socket
    address: str
    keys: AccessKeys
    running: uvicorn.Server

    @classmethod
    def over(
        cls,
        folder: Path,
        port: int,
        defect: Defect,
        announce: Callable[[str], None],
        beyond: Beyond | None = None,
    ) -> "Server":
        """The studio over a folder; port 0 is any that is free. `announce` is told each address that lets one in."""
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        host = LOOPBACK if beyond is None else beyond.host
        try:
            listening.bind((host, port))
        except OSError as error:
            listening.close()
            raise DeclarationError(f"{host}:{port} cannot be used: {error.strerror}. Choose another --port.") from None
        port = listening.getsockname()[1]
        scheme = "http" if beyond is None else "https"
        address = f"{scheme}://{host}:{port}"
        password = "" if beyond is None else beyond.password
        keys = AccessKeys(lambda token: announce(f"{address}/start?token={token}"), password)
        app = application(Workspace(folder), keys, hosts_of(scheme, host, port), defect)
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            lifespan="off",
            ws="none",
            server_header=False,
            proxy_headers=False,
            **({} if beyond is None else beyond.settings),
        )
        return cls(listening, address, keys, uvicorn.Server(config))

    @property
    def entrance(self) -> str:
        """The address that lets the next browser in."""
        return f"{self.address}/start?token={self.keys.token}"

    def run(self) -> None:
        """Serve until somebody stops it."""
        self.running.run(sockets=[self.listening])
