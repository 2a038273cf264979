"""Whatever is written in a contract or a plan, it is read or refused with a sentence."""

from pathlib import Path

import pytest

from mutations import FILES, VALUES, mutants
from reaedp import Contract, Plan
from reaedp.contract import document
from reaedp.contract import document as depth
from reaedp.contract.document import Document
from reaedp.errors import DeclarationError

NUMBER, PARTS = 2_400, 4


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def load(path: Path) -> None:
    if path.name.endswith("plan.toml"):
        assert Plan.load(path).requests()
    else:
        assert Contract.load(path).fingerprint


@pytest.mark.parametrize("name", FILES)
def test_what_is_spoilt_was_sound_before(folder: Path, name: str) -> None:
    load(folder / name)


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, PARTS))])
def test_every_spoilt_contract_or_plan_is_read_or_refused_in_words(folder: Path, part: int) -> None:
    refusals = []
    for name, content in mutants(seed=part, number=NUMBER // PARTS):
        (folder / name).write_bytes(content)
        try:
            load(folder / name)
        except DeclarationError as error:
            refusals.append(str(error).strip())
        (folder / name).write_text(FILES[name], encoding="utf-8")
    assert all(refusals)
    assert len(refusals) > NUMBER // PARTS / 2


@pytest.mark.quick_every(5)
@pytest.mark.parametrize("value", [value for value in VALUES if value != '"histogram"'])
def test_a_kind_that_is_no_kind_is_refused(folder: Path, value: str) -> None:
    for name, old in (("contract.toml", 'kind = "boolean"'), ("plan.toml", 'kind = "entropy-map"')):
        (folder / name).write_text(FILES[name].replace(old, f"kind = {value}"), encoding="utf-8")
        with pytest.raises(DeclarationError):
            load(folder / name)
        (folder / name).write_text(FILES[name], encoding="utf-8")


def test_a_key_of_twenty_thousand_parts_is_refused_before_it_is_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document.tomllib, "loads", lambda _: pytest.fail("it was parsed"))
    path = tmp_path / "contract.toml"
    for text in ("a" + ".a" * 20_000 + " = 1", '[ "a b" . ' + " . ".join(["'x.y'"] * 50) + " ]"):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(DeclarationError, match=f"at most {depth.MOST_PARTS} parts"):
            Document.read(path)


@pytest.mark.parametrize(
    "text", ["a = " + "[" * 5_000, "a = " + "{b = " * 5_000, "[" * 5_000], ids=["lists", "tables", "headers"]
)
def test_lists_within_lists_are_refused_before_they_are_parsed(
    tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document.tomllib, "loads", lambda _: pytest.fail("it was parsed"))
    (tmp_path / "contract.toml").write_text(text, encoding="utf-8")
    with pytest.raises(DeclarationError, match=f"at most {depth.MOST_NESTED} levels deep"):
        Document.read(tmp_path / "contract.toml")


@pytest.mark.parametrize(
    "text",
    [
        "a = '" + "[" * 99 + "'  # " + "[" * 99,
        'a = """' + "[\n." * 99 + '"""',
        "a = '''\n" + "{" * 99 + "'''",
        'a = "\\"' + "[" * 99 + '"',
        "a = [" + "1.5, 2.25, [0.5]," * 99 + "]",
        "a = [\n" + '"x.y.z",\n' * 99 + "]",
        '"' + ".".join("x" * 99) + '" = 1',
    ],
)
def test_what_stands_in_texts_and_comments_is_not_depth(tmp_path: Path, text: str) -> None:
    (tmp_path / "contract.toml").write_text(text, encoding="utf-8")
    assert 1 == len(Document.read(tmp_path / "contract.toml").data)


def test_a_file_beyond_the_limit_is_refused_with_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "MOST_BYTES", 1_000)
    path = tmp_path / "contract.toml"
    path.write_text("#" * 1_000, encoding="utf-8")
    assert {} == Document.read(path).data
    path.write_text("#" * 1_001, encoding="utf-8")
    with pytest.raises(DeclarationError, match="at most 1,000 bytes"):
        Document.read(path)


@pytest.mark.parametrize("value", ["1" * 10_000, "-" + "1" * 10_000, "0x" + "f" * 6_000, "[0b1" + "0" * 1_024 + "]"])
def test_a_number_of_ten_thousand_digits_is_out_of_range(tmp_path: Path, value: str) -> None:
    (tmp_path / "contract.toml").write_text(f"a = {value}", encoding="utf-8")
    with pytest.raises(DeclarationError, match="out of range"):
        Document.read(tmp_path / "contract.toml")


@pytest.mark.parametrize("path", ["a\0b.toml", "x" * 300, "/dev/null/contract.toml", "."])
def test_a_name_that_is_no_file_is_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(DeclarationError):
        Document.read(tmp_path / path)
    with pytest.raises(DeclarationError):
        Plan.load(path)


def test_a_level_or_column_that_is_repeated_among_many_is_named() -> None:
    from reaedp import Category

    levels = tuple(f"level {number}" for number in range(200_000))
    with pytest.raises(DeclarationError, match=r"must not repeat a level.*given \['level 7', 'level 7'\]"):
        Category(name="x", levels=(*levels, "level 7"), provenance="public")
