"""A stranger with the keeper's public key can tell whose release it is."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from reaedp import verify
from reaedp.cli.app import app
from reaedp.errors import DeclarationError, ReaedpError
from reaedp.release.signature import check_signature, create_keys, sign

pytest.importorskip("cryptography", reason="needs the extra sign")


@pytest.fixture
def released(made: Path, tmp_path: Path) -> Path:
    """A release with its ledger, to be signed."""
    shutil.copytree(made, tmp_path / "copy")
    return tmp_path / "copy"


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, arguments)


def test_a_signed_release_is_checked_by_the_public_key_alone(released: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(released)
    assert 0 == run("keys", "create", "keeper.key").exit_code
    assert 0o600 == (released / "keeper.key").stat().st_mode & 0o777
    assert 0 == run("sign", "out", "--key", "keeper.key").exit_code
    (released / "keeper.key").unlink()
    checked = run("verify", "out", "--public-key", "keeper.pub", "--ledger", "budget.sqlite")
    assert 0 == checked.exit_code, checked.exception
    assert "signed with the key of keeper.pub" in checked.stdout
    assert "release.json.sig was not checked; add --public-key" in run("verify", "out").stdout


def test_openssl_checks_the_same_signature(released: Path) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl")
    create_keys(released / "keeper.key")
    sign(released / "out", released / "keeper.key")
    command = "openssl pkeyutl -verify -pubin -inkey ../keeper.pub -rawin -in release.json -sigfile release.json.sig"
    done = subprocess.run(command.split(), cwd=released / "out", capture_output=True, text=True, check=False)
    assert (0, "Signature Verified Successfully") == (done.returncode, done.stdout.strip())


def test_another_key_an_edit_or_no_signature_is_said(released: Path) -> None:
    keeper, other = (create_keys(released / f"{name}.key") for name in ("keeper", "other"))
    with pytest.raises(ReaedpError, match="is not signed"):
        verify(released / "out", public_key=keeper)
    sign(released / "out", released / "keeper.key")
    assert "signed" in verify(released / "out", public_key=keeper)[-1]
    with pytest.raises(ReaedpError, match=r"is not a signature of this release\.json by the key"):
        verify(released / "out", public_key=other)
    signature = released / "out" / "release.json.sig"
    for content in (b"", b"short", signature.read_bytes() + b"x", bytes(64), signature.read_bytes()[::-1]):
        signature.write_bytes(content)
        with pytest.raises(ReaedpError, match="is not a signature"):
            verify(released / "out", public_key=keeper)
    sign(released / "out", released / "keeper.key")
    text = (released / "out" / "release.json").read_text()
    (released / "out" / "release.json").write_text(text.replace('"created": "20', '"created": "21'))
    assert verify(released / "out")
    with pytest.raises(ReaedpError, match="changed after it was signed"):
        verify(released / "out", public_key=keeper)


def test_a_folder_that_does_not_verify_is_not_signed(released: Path) -> None:
    create_keys(released / "keeper.key")
    (released / "out" / "ages.csv").write_text("mine")
    done = run("sign", str(released / "out"), "--key", str(released / "keeper.key"))
    assert isinstance(done.exception, ReaedpError)
    assert "ages.csv was changed" in str(done.exception)
    assert not (released / "out" / "release.json.sig").exists()


def test_a_passphrase_hides_the_private_key(released: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    public = create_keys(released / "keeper.key", b"open sesame")
    for wrong in (None, b"open"):
        with pytest.raises(DeclarationError, match="passphrase"):
            sign(released / "out", released / "keeper.key", wrong)
    sign(released / "out", released / "keeper.key", b"open sesame")
    assert check_signature(released / "out", (released / "out" / "release.json").read_bytes(), public)
    monkeypatch.setenv("REAEDP_PASSPHRASE", "open sesame")
    assert 0 == run("sign", str(released / "out"), "--key", str(released / "keeper.key")).exit_code
    monkeypatch.delenv("REAEDP_PASSPHRASE")
    asked = CliRunner().invoke(app, ["keys", "create", str(released / "new.key"), "--passphrase"], input="a b\na b\n")
    assert 0 == asked.exit_code
    assert b"ENCRYPTED" in (released / "new.key").read_bytes()


def test_keys_are_never_written_over_and_must_be_keys(tmp_path: Path) -> None:
    create_keys(tmp_path / "keeper.key")
    with pytest.raises(DeclarationError, match="exists already"):
        create_keys(tmp_path / "keeper.key")
    with pytest.raises(DeclarationError, match=r"must not end in \.pub"):
        create_keys(tmp_path / "other.pub")
    (tmp_path / "text").write_text("no key")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "release.json").write_text("{}")
    for key in ("text", "nothing", "keeper.pub"):
        with pytest.raises(DeclarationError):
            sign(folder, tmp_path / key)
    for key in ("text", "nothing", "keeper.key"):
        with pytest.raises(DeclarationError):
            check_signature(tmp_path, b"{}", tmp_path / key)
