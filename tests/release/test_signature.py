"""A stranger with the keeper's public key can tell whose release it is."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from reaedp import Plan, publish, verify
from reaedp.errors import DeclarationError, ReaedpError
from reaedp.signature import check_signature, create_keys, sign

pytest.importorskip("cryptography", reason="needs the extra sign")
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def released(clinic: Path) -> Path:
    publish(Plan.load(clinic / "plan.toml"), str(clinic / "data.csv"), clinic / "out", audited=False, page=False)
    return clinic


def test_a_signed_release_is_checked_by_the_public_key_alone(released: Path, reaedp: Run) -> None:
    made = reaedp("keys", "create", "keeper.key")
    assert 0 == made.returncode, made.stderr
    assert 0o600 == (released / "keeper.key").stat().st_mode & 0o777
    done = reaedp("sign", "out", "--key", "keeper.key")
    assert 0 == done.returncode, done.stderr
    (released / "keeper.key").unlink()
    checked = reaedp("verify", "out", "--public-key", "keeper.pub", "--ledger", "budget.sqlite")
    assert 0 == checked.returncode, checked.stderr
    assert "signed with the key of keeper.pub" in checked.stdout
    assert "give the keeper's public key" in reaedp("verify", "out").stdout


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


def test_a_folder_that_does_not_verify_is_not_signed(released: Path, reaedp: Run) -> None:
    create_keys(released / "keeper.key")
    (released / "out" / "ages.csv").write_text("mine")
    done = reaedp("sign", "out", "--key", "keeper.key")
    assert (1, False) == (done.returncode, (released / "out" / "release.json.sig").exists())


def test_a_passphrase_hides_the_private_key(released: Path) -> None:
    public = create_keys(released / "keeper.key", b"open sesame")
    for wrong in (None, b"open"):
        with pytest.raises(DeclarationError, match="passphrase"):
            sign(released / "out", released / "keeper.key", wrong)
    sign(released / "out", released / "keeper.key", b"open sesame")
    assert check_signature(released / "out", (released / "out" / "release.json").read_bytes(), public)


def test_keys_are_never_written_over_and_must_be_keys(tmp_path: Path) -> None:
    create_keys(tmp_path / "keeper.key")
    with pytest.raises(DeclarationError, match="exists already"):
        create_keys(tmp_path / "keeper.key")
    with pytest.raises(DeclarationError, match=r"must not end in \.pub"):
        create_keys(tmp_path / "other.pub")
    (tmp_path / "text").write_text("no key")
    for key in ("text", "nothing", "keeper.pub"):
        with pytest.raises(DeclarationError):
            sign(tmp_path, tmp_path / key) if (tmp_path / "release.json").write_text("{}") else None
    for key in ("text", "nothing", "keeper.key"):
        with pytest.raises(DeclarationError):
            check_signature(tmp_path, b"{}", tmp_path / key)
