"""The studio for other machines: real TLS with a certificate, a password, and nothing without either."""

import datetime
import ipaddress
import socket
import ssl
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from reaedp.cli.app import app
from reaedp.errors import DeclarationError
from reaedp.studio.server import Beyond, Server
from served import serving

#: An address of this machine that is not the one which needs no TLS.
HOST = "127.0.0.2"
PASSWORD = "correct horse battery"
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs a second address of this machine")


def certify(folder: Path, host: str = HOST) -> tuple[Path, Path]:
    """A certificate that signs itself, and its key, as files."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(host))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate, secret = folder / "server.pem", folder / "server.key"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    form = serialization.PrivateFormat.PKCS8
    secret.write_bytes(key.private_bytes(serialization.Encoding.PEM, form, plain))
    return certificate, secret


@pytest.fixture
def secured(tmp_path: Path) -> Iterator[tuple[Server, ssl.SSLContext]]:
    """A studio at another address, and a client's trust in its certificate."""
    certificate, key = certify(tmp_path)
    (tmp_path / "password").write_text(PASSWORD)
    beyond = Beyond.asked(HOST, certificate, key, tmp_path / "password")
    assert beyond is not None
    (tmp_path / "projects").mkdir()
    with serving(tmp_path / "projects", beyond) as server:
        yield server, ssl.create_default_context(cafile=str(certificate))


def test_a_browser_comes_in_over_tls_with_address_and_password(secured: tuple[Server, ssl.SSLContext]) -> None:
    server, trust = secured
    assert server.address.startswith(f"https://{HOST}:")
    with httpx.Client(base_url=server.address, verify=trust) as client:
        assert 403 == client.get("/").status_code
        assert "Password" in client.get(server.entrance).text
        first = server.keys.token
        assert 403 == client.post("/start", data={"token": first, "password": "wrong horse battery"}).status_code
        assert first != server.keys.token  # each address is tried once
        own = {"origin": server.address}
        right = {"token": server.keys.token, "password": PASSWORD}
        entered = client.post("/start", data=right, headers=own)
        assert 303 == entered.status_code
        flags = {part.strip().lower() for part in entered.headers["set-cookie"].split(";")[1:]}
        assert {"secure", "httponly", "samesite=strict", "path=/"} <= flags
        assert 200 == client.get("/").status_code
        assert 421 == client.get("/", headers={"host": "evil.example"}).status_code
    with httpx.Client(base_url=server.address, verify=trust) as other:
        assert 403 == other.get("/").status_code


def test_who_does_not_trust_the_certificate_or_speaks_no_tls_gets_nothing(
    secured: tuple[Server, ssl.SSLContext],
) -> None:
    server, trust = secured
    with httpx.Client(base_url=server.address) as client, pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY"):
        client.get("/")
    plain = server.address.replace("https", "http")
    with pytest.raises(httpx.TransportError):
        httpx.get(plain)
    host, port = server.listening.getsockname()
    with closing(socket.create_connection((host, port))) as line, trust.wrap_socket(line, server_hostname=host) as tls:
        assert tls.version() in ("TLSv1.2", "TLSv1.3")
    with closing(socket.socket()) as line:
        assert 0 != line.connect_ex(("127.0.0.1", port))  # it listens where it was told to, and nowhere else


def test_without_tls_or_a_password_another_address_is_not_served(tmp_path: Path) -> None:
    certificate, key = certify(tmp_path)
    (tmp_path / "password").write_text(PASSWORD)
    (tmp_path / "short").write_text("short")
    given = {"--certificate": certificate, "--key": key, "--password-file": tmp_path / "password"}
    for left_out in given:
        options = [str(part) for option, path in given.items() if option != left_out for part in (option, path)]
        done = CliRunner().invoke(app, ["studio", str(tmp_path / "x"), "--no-browser", "--host", HOST, *options])
        assert isinstance(done.exception, DeclarationError)
        assert "only with TLS and a password" in str(done.exception)
        assert not (tmp_path / "x").exists()
    for wrong in ((certificate, certificate, "password"), (certificate, key, "nowhere"), (certificate, key, "short")):
        with pytest.raises(DeclarationError, match=r"cannot be read|at least 12 characters"):
            Beyond.asked(HOST, *wrong[:2], tmp_path / wrong[2])
