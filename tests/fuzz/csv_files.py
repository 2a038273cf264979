"""Files of CSV and TSV as bytes: what hands, editors, programs and disks make of them."""

import gzip
import random
from pathlib import Path

from fuzz.arrow_tables import LONG, SHORT, damaged_bytes
from fuzz.case import Case, Rows
from fuzz.declared import PERSON, declared

#: Files that are released together, as one is soon read and a query takes long.
TOGETHER = 24
BYTES = (
    b"", b"\0", b'"', b'""', b"'", b"\r", b"\n", b"\r\n", b"\n\r", b"\t", b",", b";", b"\xff", b"\xfe\xff", b"\xc3",
    b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\\", b"#", b"\x1a", b"\x7f", b" ", b"\x85", b"\xe2\x80\xa8", b'"a"b"', b'""""',
)  # fmt: skip
HEADERS = (
    b"", b"\n", b"c0", b"c0,c1,c2", b"c0,c0,c2,who", b"\xff,c1,c2,who", b"1,2,3,4", b"C0,C1,C2,WHO", b",,,",
    b'"c0', b"c2,who,c1,c0",
    b'"c0","c1","c2","who"', b"\xef\xbb\xbfc0,c1,c2,who", b"c0,c1,c2,who,more", b"c0;c1;c2;who", b"c0\tc1\tc2\twho",
    b"c0,c1,c2,who,",
    b'c0,c1,"c2\n",who', b"c0,c1,c2,who\0", b" c0, c1, c2, who", b"c0,c1,c2,who\r", b"#c0,c1,c2,who",
    b"c0,c1,c2,who,c3,c4,c5,\xc3\xa9",
)  # fmt: skip


def csv_case(chance: random.Random, label: str) -> Case:
    """Files of one header and any lines, in two sets and in both together; or one header that is none."""
    packed = chance.random() < 0.2
    separator = b"\t" if chance.random() < 0.25 else b","
    suffix = {b"\t": ".tsv", b",": ".csv"}[separator] + (".gz" if packed else "")
    columns = tuple(declared(f"c{place}", chance) for place in range(3))
    damaged = packed and chance.random() < 0.3
    if damaged or chance.random() < 0.15:
        header = chance.choice(HEADERS) if not damaged else b"c0,c1,c2,who"
        sets = [[(header, body(separator, chance))] for _ in range(3)]
        adds = False
    else:
        header = separator.join((b"c0", b"c1", b"c2", PERSON.encode()))
        header = chance.choice((b"", b"", b"\xef\xbb\xbf")) + header
        first, second = ([(header, body(separator, chance)) for _ in range(TOGETHER // 2)] for _ in range(2))
        sets, adds = [first, second, [*first, *second]], True
    end = chance.choice((b"\n", b"\n", b"\r\n", b"\r"))
    seed = chance.randrange(2**32) if damaged else None
    rows = [Rows(lambda folder, some=some: _written(some, end, folder, suffix, seed), None, len(some)) for some in sets]
    return Case(
        f"{label} {header!r} {suffix}", columns, rows, person=chance.random() < 0.2, sound=not damaged, adds=adds
    )


def body(separator: bytes, chance: random.Random) -> bytes:
    """Lines, most of them whole; the last quote is closed, as a file without that is not what its format says."""
    ends = chance.choice(((b"\n",), (b"\r\n",), (b"\r",), (b"\n", b"\r\n"), (b"\n", b"\r\n", b"\r", b"\n\n")))
    lines = [_line(separator, chance) + chance.choice(ends) for _ in range(chance.choice((0, 1, 2, 5, 9)))]
    if chance.random() < 0.002:
        lines.append(chance.choice((b"x" * 9_000_000 + b"\n", (b"1" + separator) * 100_000 + b"\n")))
    content = b"".join(lines)
    if chance.random() < 0.3:
        for _ in range(chance.randint(1, 3)):
            place = chance.randrange(len(content) + 1)
            content = content[:place] + chance.choice((*BYTES, chance.randbytes(2))) + content[place:]
    if chance.random() < 0.2:
        content = content[: chance.randrange(len(content) + 1)]
    return content


def _line(separator: bytes, chance: random.Random) -> bytes:
    number = chance.choice((4, 4, 4, 4, 4, 4, 0, 1, 3, 5, 40))
    return separator.join(_cell(separator, chance) for _ in range(number))


def _cell(separator: bytes, chance: random.Random) -> bytes:
    text = chance.choice(LONG if chance.random() < 0.0005 else SHORT).encode()
    if separator == b"\t" or chance.random() < 0.1:
        return text
    whole = any(sign in text for sign in (b",", b'"', b"\n", b"\r"))
    return b'"' + text.replace(b'"', b'""') + b'"' if whole or chance.random() < 0.2 else text


def _written(contents: list[tuple[bytes, bytes]], end: bytes, folder: Path, suffix: str, damage: int | None) -> str:
    for place, (header, lines) in enumerate(contents):
        content = header + end + lines if header or lines else b""
        if suffix.endswith(".gz"):
            content = gzip.compress(content, mtime=0)
        if damage is not None:
            content = damaged_bytes(content, random.Random(damage))
        (folder / f"part-{place:02}{suffix}").write_bytes(content)
    return str(folder / f"part-*{suffix}")
