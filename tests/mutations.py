"""Contracts and plans spoilt in every way that a hand or a disk can spoil them; the same ones in every run."""

import random
import re
from collections.abc import Iterator

CONTRACT = """\
[dataset]
name = "clinic"

[unit]
change = "add-remove"
person = "who"
max_rows = 2
at_least = 100

[budget]
epsilon = 4.0
delta = 1e-5
ledger = "budget.sqlite"

[columns.age]
kind = "number"
lower = 0
upper = 100
bins = 10
provenance = "public"
outside = "cell"

[columns.weight]
kind = "number"
edges = [0, 2.5, 10, 1e3]
null = "cell"
provenance = "public"

[columns.visits]
kind = "integer"
lower = 0
upper = 20
width = 3
provenance = "dp"
entry = 7

[columns.sex]
kind = "category"
levels = ["f", "m", 3]
provenance = "public"

[columns.smokes]
kind = "boolean"
provenance = "public"

[columns.seen]
kind = "date"
lower = 2019-01-01
upper = 2020-12-31
every = "month"
provenance = "public"

[curves.pulse]
form = "wide"
points = ["p0", "p1", "p2", "p3"]
at = [0.0, 0.3, 0.6, 1.0]
interval = [0.0, 1.0]
basis = "wiener"
rank = 3
clip = 1.0
rho = 0.01
provenance = "public"

[curves.sugar]
form = "long"
id = "who"
time = "when"
value = "level"
interval = [0, 24]
basis = "bspline"
rank = 5
clip = 2
offset = 1.5
missing = "drop"
provenance = "public"
"""

PICTURE = """\
[dataset]
name = "scan"

[unit]
change = "replace"

[budget]
epsilon = 100
delta = 1e-6
ledger = "budget.sqlite"

[picture]
width = 4
height = 3
channels = 3
lower = 0
upper = 255
provenance = "public"
"""

PLAN = """\
contract = "contract.toml"

[[release]]
name = "ages"
kind = "histogram"
columns = ["age", "sex"]
mechanism = "laplace"
share = 0.05

[[release]]
name = "fine"
kind = "histogram"
columns = ["weight"]
mechanism = "gaussian"
epsilon = 0.2
delta = 1e-7
error_bits = 3.0

[[release]]
name = "keys"
kind = "histogram"
columns = ["visits", "smokes"]
mechanism = "threshold"
epsilon = 0.2
delta = 1e-7

[[release]]
name = "bits"
kind = "entropy"
columns = ["sex"]
orders = [1, 2.0, 0.5, inf]
mechanism = "laplace"
epsilon = 0.1

[[release]]
name = "best"
kind = "entropy"
columns = ["age"]
route = "best"
mechanism = "laplace"
epsilon = 0.1

[[release]]
name = "given"
kind = "conditional-entropy"
columns = ["age"]
given = ["sex"]
mechanism = "laplace"
epsilon = 0.1

[[release]]
name = "shared"
kind = "mutual-information"
columns = ["age"]
given = ["smokes"]
mechanism = "laplace"
epsilon = 0.1

[[release]]
name = "map"
kind = "entropy-map"
columns = ["age", "sex", "smokes"]
mechanism = "gaussian"
epsilon = 0.1
delta = 1e-7

[[release]]
name = "rows"
kind = "synthetic"
columns = ["sex", "smokes", "seen"]
rows = 50
method = "amortised"
keep = ["sex"]
epsilon = 0.5
delta = 1e-6

[[release]]
name = "net"
kind = "synthetic"
columns = ["sex", "smokes"]
rows = 50
method = "network"
epsilon = 0.5
delta = 1e-6

[[release]]
name = "mean"
kind = "mean-curve"
curve = "pulse"
covariance = "A2"
rho = 0.02
epsilon = 0.2
delta = 1e-7
"""

PICTURE_PLAN = """\
contract = "picture.toml"

[[release]]
name = "scan"
kind = "image"
mechanism = "gaussian"
epsilon = 2
delta = 1e-7
"""

FILES = {"contract.toml": CONTRACT, "picture.toml": PICTURE, "plan.toml": PLAN, "picture-plan.toml": PICTURE_PLAN}

#: Values in which no key is right, or in which one key is right that another must not be.
VALUES = (
    "[]", "[[]]", "[[[1]]]", "{}", "{a = 1}", "[{a = 1}]", '""', '"\\u0000"', '"a\\u0000b"', '["\\u0000"]', '"\\n"',
    '"FILL IN"', '["FILL IN"]', "nan", "inf", "-inf", "1e400", "-1e308", "5e-324", "1e-310", "0", "-0.0", "-1", "1",
    "0.5", "7", "1000", "999999999", "9223372036854775808", "-170141183460469231731687303715884105728", "true", "false",
    "2020-01-01", "2020-01-01T00:00:00Z", "2020-01-01T00:00:00", "07:32:00", "0001-01-01", "9999-12-31", "[nan]",
    "[inf, 1]", "[1, 2]", "[2, 1]", '["a", "a"]', '[1, "a"]', '["age", "age"]', '["age"]', '"age"', '["age", "sex"]',
    '["pulse"]', '"pulse"', '"sugar"', '["no such"]', '"laplace"', '"histogram"', '"network"', '"deniable"',
    '"threshold"', '"replace"', '"../../x"', '"/dev/null"', '"."', '"postgresql://nobody@nowhere:1/x"', "[true]",
    '"' + "x" * 20_000 + '"', "1" * 5_000, "0x" + "f" * 6_000, "[" * 40 + "]" * 40, "[" * 12 + "]" * 12,
    "[" + "0," * 3_000 + "]", '"\U0001f642"', '"\\u202e"', "1979-05-27T07:32:00+23:59", "2020-02-30", "[2020-01-01]",
)  # fmt: skip
#: What a slip of the hand adds.
FRAGMENTS = (
    "[", "]", "[[", "]]", "{", "}", "=", ".", ",", '"', "'", '"""', "'''", "#", "\n", "\r", "\t", "\\", "\x00", "\x7f",
    "\ufeff", "a.b.c = 1\n", "[a.b]\n", "[[release]]\n", "[columns]\n", "[unit]\n", "columns = 1\n", "\U0001f642",
    "a" + ".a" * 5_000 + " = 1\n", "[" + ".".join("b" * 400) + "]\n", "é = 1\n", "1e", "0x", "-",
)  # fmt: skip
_ASSIGNMENT = re.compile(r"^(\w+) = (.*)$", re.MULTILINE)


def mutants(seed: int, number: int) -> Iterator[tuple[str, bytes]]:
    """So many files, each by its name and content; half have one wrong value, the others a wrong letter or line."""
    chance = random.Random(seed)
    names = sorted(FILES)
    for count in range(number):
        name = names[count % len(names)]
        text = FILES[name]
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            text = chance.choice(_WAYS)(text, chance)
        content = text.encode("utf-8", "surrogatepass")
        yield name, _bytes(content, chance) if chance.random() < 0.05 else content


def _other_value(text: str, chance: random.Random) -> str:
    found = list(_ASSIGNMENT.finditer(text))
    if not found:
        return text
    place = chance.choice(found)
    return text[: place.start(2)] + chance.choice(VALUES) + text[place.end(2) :]


def _swapped_values(text: str, chance: random.Random) -> str:
    found = list(_ASSIGNMENT.finditer(text))
    if not found:
        return text
    place, other = chance.choice(found), chance.choice(found)
    return text[: place.start(2)] + other[2] + text[place.end(2) :]


def _other_key(text: str, chance: random.Random) -> str:
    found = list(_ASSIGNMENT.finditer(text))
    if not found:
        return text
    place, other = chance.choice(found), chance.choice(found)
    return (
        text[: place.start(1)] + chance.choice((other[1], '""', "a.b", '"\\u0000"', "x" * 500)) + text[place.end(1) :]
    )


def _fewer_lines(text: str, chance: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    place = chance.randrange(len(lines) + 1)
    return "".join(lines[:place] + lines[place + chance.randint(1, 4) :])


def _line_again(text: str, chance: random.Random) -> str:
    lines = text.splitlines(keepends=True) or [""]
    return "".join([*lines[: (place := chance.randrange(len(lines) + 1))], chance.choice(lines), *lines[place:]])


def _fragment(text: str, chance: random.Random) -> str:
    place = chance.randrange(len(text) + 1)
    return text[:place] + chance.choice(FRAGMENTS) + text[place:]


def _fewer_letters(text: str, chance: random.Random) -> str:
    place = chance.randrange(len(text) + 1)
    return text[:place] + text[place + chance.randint(1, 8) :]


def _bytes(content: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(content) + 1)
    return content[:place] + bytes([chance.randrange(256)]) + content[place + 1 :]


_WAYS = (
    _other_value, _other_value, _other_value, _swapped_values, _other_key, _fewer_lines, _line_again, _fragment,
    _fewer_letters,
)  # fmt: skip
