"""A detached signature of a release's manifest: ed25519, in files that other tools read too.

The private key is PKCS #8 and the public one SubjectPublicKeyInfo, both as PEM; the signature is the 64 bytes
themselves. `openssl pkeyutl -verify -pubin -inkey key.pub -rawin -in release.json -sigfile release.json.sig` checks
it without this program.
"""

import os
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import uuid4

from reaedp.disk.system import PLAIN
from reaedp.errors import DeclarationError, ReaedpError
from reaedp.release.manifest import SIGNATURE_FILE
from reaedp.release.place import MANIFEST_FILE, outside_releases, read_plain

#: Keys are small files.
_MOST_BYTES = 10_000
_SIGNATURE_BYTES = 64


def create_keys(path: Path, passphrase: bytes | None = None) -> Path:
    """Make a private key, readable by its owner only, and the public one beside it; where that is."""
    public = path.with_suffix(".pub")
    if path.suffix == ".pub":
        raise DeclarationError(
            f"The private key's name must not end in .pub, which is for the public key; given {path}."
        )
    for each in (path, public):
        outside_releases(each)
        if os.path.lexists(each):
            raise DeclarationError(
                f"{each} exists already, and a key that was used must not be overwritten. Choose another name."
            )
    forms = _library("serialization")
    hidden = forms.BestAvailableEncryption(passphrase) if passphrase else forms.NoEncryption()
    key = _library("asymmetric.ed25519").Ed25519PrivateKey.generate()
    secret = key.private_bytes(forms.Encoding.PEM, forms.PrivateFormat.PKCS8, hidden)
    known = key.public_key().public_bytes(forms.Encoding.PEM, forms.PublicFormat.SubjectPublicKeyInfo)
    _write(path, secret, 0o600)
    _write(public, known, 0o644)
    return public


def is_encrypted(key: Path) -> bool:
    """Whether a passphrase is needed to use a private key."""
    return b"ENCRYPTED" in _read_key(key)


def sign(folder: Path, key: Path, passphrase: bytes | None = None) -> Path:
    """Sign the manifest of a release folder; the signature lies beside it."""
    content = read_plain(folder / MANIFEST_FILE)
    signature = _private(key, passphrase).sign(content)
    target = folder / SIGNATURE_FILE
    hidden = folder.parent / f".{SIGNATURE_FILE}.{uuid4().hex}"
    try:
        _write(hidden, signature, 0o644)
        hidden.replace(target)
    except OSError as error:
        raise DeclarationError(f"{target} cannot be written: {error.strerror}.") from None
    finally:
        hidden.unlink(missing_ok=True)
    return target


def check_signature(folder: Path, manifest: bytes, public_key: Path) -> str:
    """Check that the manifest was signed with the private key of this public one."""
    key = _public(public_key)
    if not os.path.lexists(folder / SIGNATURE_FILE):
        raise ReaedpError(f"{folder} is not signed: it has no {SIGNATURE_FILE}.")
    signature = read_plain(folder / SIGNATURE_FILE, _MOST_BYTES)
    try:
        if len(signature) != _SIGNATURE_BYTES:
            raise ValueError
        key.verify(signature, manifest)
    except (ValueError, import_module("cryptography.exceptions").InvalidSignature):
        raise ReaedpError(
            f"{SIGNATURE_FILE} is not a signature of this release.json by the key {public_key}: the manifest was"
            " changed after it was signed, or somebody else signed it."
        ) from None
    return f"release.json was signed with the key of {public_key}"


def _private(path: Path, passphrase: bytes | None) -> Any:
    try:
        key = _library("serialization").load_pem_private_key(_read_key(path), passphrase)
    except TypeError:
        wanted = "needs a passphrase" if passphrase is None else "has no passphrase"
        raise DeclarationError(f"The key {path} {wanted}.") from None
    except ValueError:
        wrong = " with this passphrase" if passphrase else ""
        raise DeclarationError(f"{path} cannot be read as a private key{wrong}.") from None
    return _of_ours(key, "Ed25519PrivateKey", path)


def _public(path: Path) -> Any:
    try:
        key = _library("serialization").load_pem_public_key(_read_key(path))
    except ValueError:
        raise DeclarationError(f"{path} is not a public key in PEM form.") from None
    return _of_ours(key, "Ed25519PublicKey", path)


def _of_ours(key: Any, kind: str, path: Path) -> Any:
    if not isinstance(key, getattr(_library("asymmetric.ed25519"), kind)):
        raise DeclarationError(f"{path} must be an ed25519 key, such as `reaedp keys create` makes.")
    return key


def _read_key(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_MOST_BYTES)
    except OSError as error:
        raise DeclarationError(f"The key {path} cannot be read: {error.strerror}.") from None


def _write(path: Path, content: bytes, mode: int) -> None:
    """A new file with these rights from its first moment."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | PLAIN, mode)
    except OSError as error:
        raise DeclarationError(f"{path} cannot be written: {error.strerror}.") from None
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(descriptor)


def _library(part: str) -> Any:
    """A module of the cryptography library, which only those install who sign or check signatures."""
    try:
        return import_module(f"cryptography.hazmat.primitives.{part}")
    except ModuleNotFoundError:
        raise DeclarationError(
            "Signatures need cryptography, which is not installed: pip install 'reaedp[sign]'."
        ) from None
