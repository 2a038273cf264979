"""TOML files that know on which line each key stands, so that mistakes can be found."""

import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from reaedp.errors import DeclarationError, Mistakes, repeated, unknown

T = TypeVar("T")
KeyPath = tuple[str | int, ...]
#: What a draft writes where only the custodian knows the answer.
FILL_IN = "FILL IN"
#: A million levels take about 20 MB.
MOST_BYTES = 2**25


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed TOML file and the line of each of its keys."""

    path: Path
    data: dict[str, Any]
    lines: Mapping[KeyPath, int]

    @classmethod
    def read(cls, path: str | Path) -> "Document":
        """Parse a file, or say why it cannot be; its size and depth are bounded before."""
        path = Path(path)
        text = _text(path)
        check_depth(text, path)
        try:
            data = tomllib.loads(text)
            _check_numbers(data)
            return cls(path, data, _lines(text))
        except tomllib.TOMLDecodeError as error:
            raise DeclarationError(f"{path} is not valid TOML: {error}.") from None
        except ValueError:  # by Python itself, of numbers with thousands of digits and of impossible times
            raise DeclarationError(f"{path} is not valid TOML: a number or a time in it is out of range.") from None

    def at(self, mistake: str, *keys: str | int) -> str:
        """The mistake with the file and line of the key that it speaks of, or of the table around it."""
        around = ".".join(map(str, keys)) + "."
        subject = mistake.removeprefix(around).split(" ", 1)[0].rsplit(".", 1)[-1]
        line = self.lines.get((*keys, subject)) or next(
            (self.lines[keys[:depth]] for depth in range(len(keys), 0, -1) if keys[:depth] in self.lines), None
        )
        return f"{self.path.name}:{line}: {mistake}" if line else f"{self.path.name}: {mistake}"

    def table(self, *keys: str | int) -> dict[str, Any]:
        """The table under these keys; empty if there is none."""
        found: Any = self.data
        for key in keys:
            found = found.get(key, {}) if isinstance(found, dict) else {}
        return found if isinstance(found, dict) else {}


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise DeclarationError(f"{path} must be at most {MOST_BYTES:,} bytes long; it is longer.")
        return content.decode("utf-8").replace("\r\n", "\n")
    except OSError as error:
        raise DeclarationError(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise DeclarationError(f"{path} is not UTF-8 text.") from None
    except ValueError:  # a path with a NUL in it
        raise DeclarationError(f"{str(path)!r} is not the name of a file.") from None


def _check_numbers(value: Any) -> None:
    """Refuse whole numbers that no double reaches: written in sixteens they may have any length."""
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            _check_numbers(part)
    elif isinstance(value, int) and value.bit_length() > 1024:
        raise ValueError


def declare(make: Callable[..., T], table: Mapping[str, Any], where: str, mistakes: Mistakes, **given: Any) -> T | None:
    """Build a dataclass from a table, noting unknown, missing, unfilled and wrong keys; None if it cannot be built."""
    known = {field.name: field for field in fields(make) if field.name not in given}  # type: ignore[arg-type]
    extra = [key for key in table if key not in known]
    blank = unfilled(table, where)
    missing = [
        name
        for name, field in known.items()
        if name not in table and field.default is MISSING and field.default_factory is MISSING
    ]
    nested = [key for key, value in table.items() if key in known and not _flat(value)]
    mistakes.extend(f"{where}.{_short(key)} is not a key here. {unknown('key', key, known)}" for key in extra)
    mistakes.extend(blank)
    mistakes.extend(f"{where}.{key} is missing." for key in missing)
    mistakes.extend(
        f"{where}.{key} must be a value or a list of values; given {repeated(table[key])}." for key in nested
    )
    if blank or nested or set(missing) - {"provenance"}:
        return None
    # A forgotten provenance or a stray key must not hide mistakes in the rest.
    values = {key: _frozen(value) for key, value in table.items() if key in known}
    with mistakes.gathered():
        made = make(**dict.fromkeys(missing, "public"), **values, **given)
        return None if extra or missing else made
    return None


def unfilled(table: Mapping[str, Any], where: str) -> list[str]:
    """The questions of a draft that are still open."""
    return [f"{where}.{key} is not filled in yet." for key, value in table.items() if value == FILL_IN]


def _flat(value: Any) -> bool:
    """Whether it is a value, or a list of them: no key has tables or lists within lists."""
    return not isinstance(value, dict) and not (
        isinstance(value, list) and any(isinstance(part, list | dict) for part in value)
    )


def _short(key: str) -> str:
    return key if len(key) <= 100 else f"{key[:100]}…"


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


_HEADER = re.compile(r"^\s*(\[\[?)(.+?)\]\]?\s*(#.*)?$")
_KEY = re.compile(r"""^\s*("(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+)\s*=""")


def _lines(text: str) -> dict[KeyPath, int]:
    """Find the line of every table and key that stands at the start of a line."""
    found: dict[KeyPath, int] = {}
    table: KeyPath = ()
    arrays: dict[KeyPath, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            try:
                table = _path(f"[{header[2]}]")
            except tomllib.TOMLDecodeError:
                continue  # the inside of a list that is spread over lines
            if header[1] == "[[":
                arrays[table] = arrays.get(table, -1) + 1
                table = (*table, arrays[table])
            found.setdefault(table, number)
        elif key := _KEY.match(line):
            found.setdefault((*table, *_path(f"{key[1]} = 0")), number)
    return found


def _path(toml: str) -> KeyPath:
    nested: Any = tomllib.loads(toml)
    path = []
    while isinstance(nested, dict) and nested:
        key, nested = next(iter(nested.items()))
        path.append(key)
    return tuple(path)


def write_column(path: Path, column: str, facts: dict[str, Any]) -> None:
    """Set these keys of a column in a contract file, keeping everything else in it, comments included.

    A key that is None is taken out.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(path.read_text(encoding="utf-8"))
        columns: Any = document.setdefault("columns", tomlkit.table(is_super_table=True))
        table: Any = columns.setdefault(column, tomlkit.table())
        for key, value in facts.items():
            if value is None:
                table.pop(key, None)
            else:
                table[key] = value
        _replace(path, tomlkit.dumps(document))
    except (OSError, TOMLKitError) as error:
        raise DeclarationError(
            f"{path} could not be updated ({error}). Add these lines yourself; they are paid for: {facts}."
        ) from None


def _replace(path: Path, text: str) -> None:
    from reaedp.disk.claimed_folder import claimed

    with claimed(path.parent, "contract") as hidden:
        with (hidden / path.name).open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        (hidden / path.name).chmod(path.stat().st_mode & 0o777)
        (hidden / path.name).replace(path)


# How deep a TOML file goes, found in one pass before it is parsed.
#
# Parsers take time and memory that grow with the square of the depth of a key, and stacks for lists within lists.

#: Parts of a dotted key, and brackets within brackets. Contracts and plans need three.
MOST_PARTS, MOST_NESTED = 16, 16

#: Texts and comments, whose inside does not count; parts of keys with the dots between them; brackets.
_TOKEN = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|' + r"'''.*?'''|" + r"#[^\n]*|"
    r"(?P<key>(?:\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|[A-Za-z0-9_+-]+)"
    r"(?P<more>(?:[ \t]*\.[ \t]*(?:\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|[A-Za-z0-9_+-]+))*))|"
    r"(?P<open>[\[{])|(?P<close>[\]}])",
    re.DOTALL,
)
_PART = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|[A-Za-z0-9_+-]+")


def check_depth(text: str, path: Path) -> None:
    """Refuse keys of too many parts and brackets within too many others."""
    depth = 0
    for token in _TOKEN.finditer(text):
        if token["more"] and "." in token["more"] and len(_PART.findall(token["key"])) > MOST_PARTS:
            raise DeclarationError(f"{path}: a key must have at most {MOST_PARTS} parts separated by dots.")
        if token["open"]:
            depth += 1
        elif token["close"]:
            depth = max(0, depth - 1)
        if depth > MOST_NESTED:
            raise DeclarationError(f"{path}: lists and tables must be nested at most {MOST_NESTED} levels deep.")
