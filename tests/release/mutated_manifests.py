"""Release folders that were spoilt on purpose, in hundreds of ways, and what `reaedp verify` says of each.

`python tests/release/mutated_manifests.py` makes real folders, spoils their manifests and files one way at a time, and
prints how many of each family were refused: by the folder alone, and with the ledger at hand.
"""

import copy
import hashlib
import json
import math
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reaedp import Plan, publish, verify
from reaedp.contract import Contract
from reaedp.curator.curator import Curator
from reaedp.curator.learning import learn_levels
from reaedp.errors import ReaedpError
from reaedp.ledger.ledger import Ledger
from reaedp.ledger.state_folder import state_in
from reaedp.mechanisms.noise import SeededNoise
from reaedp.release.manifest import read_contract

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests_support import planned, releases

HEAD = """
[dataset]
name = "{name}"
[unit]
change = "{change}"
at_least = 1000
[budget]
epsilon = 4
delta = 1e-5
ledger = "ledger.sqlite"
"""
COLUMNS = """
[columns.age]
kind = "integer"
lower = 0
upper = 7
provenance = "public"
[columns.visits]
kind = "integer"
lower = 0
upper = 7
provenance = "public"
[columns.sex]
kind = "category"
levels = ["f", "m"]
provenance = "public"
"""
CURVES = """
[curves.height]
form = "wide"
points = ["a", "b", "c"]
at = [1.0, 5.0, 18.0]
interval = [1.0, 18.0]
basis = "wiener"
rank = 3
clip = 2.0
provenance = "public"
"""
COUNTS = releases(
    planned("ages", "histogram", columns=["age"], mechanism="laplace", epsilon=0.5),
    planned("visits", "histogram", columns=["visits"], mechanism="laplace", epsilon=0.5),
    planned("frequent", "histogram", columns=["age", "sex"], mechanism="threshold", epsilon=0.5, delta=1e-07),
    planned("bits", "entropy", columns=["age"], mechanism="laplace", epsilon=0.5),
)
RANKS = releases(
    planned("ranks", "quantiles", of="age", at="quartiles", by=["sex"], mechanism="laplace", epsilon=0.5),
    planned("rising", "quantiles", of="visits", at="cdf", mechanism="gaussian", epsilon=0.5, delta=1e-07),
    planned("middle", "quantiles", of="age", at=[0.25, 0.5], mechanism="exponential", epsilon=0.5),
)
MEANS = releases(
    planned("means", "summary", of=["age", "visits"], by=["sex"], mechanism="laplace", epsilon=0.5),
    planned("found", "summary", of=["visits"], by=["sex"], mechanism="threshold", epsilon=0.5, delta=1e-07),
    planned("older", "rate", of="age", at_least=5, by=["sex"], mechanism="laplace", epsilon=0.5),
    planned("older_found", "rate", of="age", at_least=5, by=["sex"], mechanism="threshold", epsilon=0.5, delta=1e-07),
)
RECORDS = releases(
    planned("rows", "synthetic", columns=["age", "sex"], rows=50, method="network", epsilon=1, delta=1e-06),
)
MEAN = releases(
    planned("height", "mean-curve", curve="height", epsilon=1, delta=1e-06),
)
PICTURE = """
[picture]
width = 12
height = 9
channels = 1
lower = 0
upper = 255
provenance = "public"
"""
IMAGE = releases(
    planned("portrait", "image", mechanism="laplace", epsilon=4),
)
BITS = releases(
    planned("given", "conditional-entropy", columns=["age"], given=["sex"], mechanism="laplace", epsilon=0.5),
    planned(
        "mutual",
        "mutual-information",
        columns=["age"],
        given=["visits"],
        mechanism="gaussian",
        epsilon=0.5,
        delta=1e-07,
    ),
    planned("map", "entropy-map", columns=["age", "visits", "sex"], mechanism="gaussian", epsilon=0.5, delta=1e-07),
    planned(
        "counted", "entropy", columns=["visits"], route="histogram", mechanism="gaussian", epsilon=0.5, delta=1e-07
    ),
    planned("either", "entropy", columns=["age"], route="best", mechanism="laplace", epsilon=0.5),
    planned("orders", "entropy", columns=["sex"], orders=[0.5, 2.0, math.inf], mechanism="laplace", epsilon=0.3),
)
MOMENTS = releases(
    planned("pairs", "correlation", of=["age", "visits"], epsilon=0.5, delta=1e-07),
    planned("slopes", "regression", of="visits", on=["age", "sex"], epsilon=0.5, delta=1e-07),
)
OTHER_RECORDS = releases(
    planned(
        "kept", "synthetic", columns=["age", "sex"], rows=40, method="amortised", keep=["sex"], epsilon=1, delta=1e-06
    ),
    planned(
        "passed", "synthetic", columns=["age", "sex"], rows=5, method="deniable", keep=["sex"], epsilon=2, delta=2e-06
    ),
)
#: Levels that were bought; the entry is that of the purchase, the second after the data set was registered.
LEARNED = """
[columns.sex]
kind = "category"
levels = ["f", "m"]
provenance = "dp"
entry = 2
"""
OF_LEARNED = releases(
    planned("sexes", "histogram", columns=["sex"], mechanism="gaussian", epsilon=0.5, delta=1e-07),
)
DRAWN_CURVES = releases(
    planned("drawn", "synthetic-curves", curve="height", curves=30, kept=1, spread=0.2, epsilon=2, delta=1e-06),
)


@dataclass(frozen=True)
class Place:
    """A release folder, its ledger, and a copy of its ledger from before the release was finished."""

    kind: str
    folder: Path
    ledger: Path
    unfinished: Path


def people(rows: int = 2_000) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    ages, visits, women = rng.integers(0, 8, rows), rng.integers(0, 8, rows), rng.random(rows) < 0.5
    return pd.DataFrame({"age": ages, "visits": visits, "sex": np.where(women, "f", "m")})


def curves(rows: int = 2_000) -> pd.DataFrame:
    return pd.DataFrame(np.random.default_rng(3).normal(1.0, 0.2, (rows, 3)), columns=list("abc"))


def picture() -> NDArray[np.uint8]:
    return np.random.default_rng(5).integers(0, 256, (9, 12), dtype=np.uint8)


def saved(home: Path, data: pd.DataFrame | NDArray[np.uint8]) -> str:
    """Where the data lies: a table, or a picture."""
    if isinstance(data, pd.DataFrame):
        data.to_csv(home / "data.csv", index=False)
        return str(home / "data.csv")
    (home / "data.png").write_bytes(as_png(data))
    return str(home / "data.png")


def as_png(pixels: NDArray[Any]) -> bytes:
    from PIL import Image

    file = BytesIO()
    Image.fromarray(pixels).save(file, format="PNG")
    return file.getvalue()


def _learn(contract: Contract, source: str) -> None:
    """Buy the levels that a contract says were bought."""
    for column in contract.columns:
        if column.provenance == "dp":
            found, release = learn_levels(contract, source, column.name, 0.5, 1e-7)
            assert (column.cells[: len(found)], column.entry) == (found, release.entry)


ONE_ROW, REPLACED = (HEAD.format(name="people", change=change) for change in ("add-remove", "replace"))
#: Contract, plan and data of each family of kinds: every statistic and every mechanism is in one of them.
FAMILIES: dict[str, tuple[str, str, Callable[[], Any]]] = {
    "counts": (ONE_ROW + COLUMNS, COUNTS, people),
    "records": (ONE_ROW + COLUMNS, RECORDS, people),
    "curve": (REPLACED + CURVES, MEAN, curves),
    "image": (REPLACED + PICTURE, IMAGE, picture),
    "bits": (ONE_ROW + COLUMNS, BITS, people),
    "moments": (ONE_ROW + COLUMNS, MOMENTS, people),
    "ranks": (ONE_ROW + COLUMNS, RANKS, people),
    "means": (ONE_ROW + COLUMNS, MEANS, people),
    "other records": (ONE_ROW + COLUMNS, OTHER_RECORDS, people),
    "drawn curves": (REPLACED + CURVES, DRAWN_CURVES, curves),
    "learned": (ONE_ROW + LEARNED, OF_LEARNED, people),
}


def written(home: Path, kind: str) -> Plan:
    """The plan of a family beside its contract."""
    contract, plan, _ = FAMILIES[kind]
    (home / "contract.toml").write_text(contract)
    (home / "plan.toml").write_text(f'contract = "contract.toml"\n{plan}')
    return Plan.load(home / "plan.toml")


def place(home: Path, kind: str) -> Place:
    """Publish a plan; an unfinished copy of the ledger is taken as a crash after the folder would leave it."""
    home.mkdir()
    wanted, source = written(home, kind), saved(home, FAMILIES[kind][2]())
    noise = SeededNoise(np.random.default_rng(7)) if kind in ("records", "other records") else None
    unfinished = home / "unfinished"
    unfinished.mkdir()
    Ledger.create(home / "ledger.sqlite").close()
    shutil.copy(home / "ledger.sqlite", unfinished)  # of the same identity
    _learn(wanted.contract, source)
    publish(wanted, source, home / "out", audited=kind == "counts", page=False, noise=noise)
    again = written(unfinished, kind)
    with state_in(unfinished):
        _learn(again.contract, source)
        Curator(again.contract, source).release_all(again.requests())
    return Place(kind, home / "out", home / "ledger.sqlite", unfinished / "ledger.sqlite")


#: Folders that say in the same places the same as others, but for what their releases are.
SPECIAL = ("image", "bits", "moments", "ranks", "means", "other records", "drawn curves", "learned")


@dataclass(frozen=True)
class Mutation:
    """One way to spoil a folder: files to be replaced, or removed where there is no content.

    `silent` ones cannot be told from the truth without the ledger or a signature, or say the same as before.
    """

    family: str
    name: str
    files: dict[str, bytes | None]
    silent: bool = False


@dataclass
class Draft:
    """A manifest in the making, with the files that change beside it."""

    record: dict[str, Any]
    folder: Path
    files: dict[str, bytes | None] = field(default_factory=dict)

    def put(self, name: str, content: bytes) -> None:
        """Replace a file and do its hash again."""
        self.files[name] = content
        self.record["files"][name] = hashlib.sha256(content).hexdigest()

    def read(self, name: str) -> bytes:
        return self.files.get(name) or (self.folder / name).read_bytes()

    def reworded(self, old: str, new: str) -> None:
        """Change README.txt with it."""
        words = self.read("README.txt").decode()
        assert old in words, old
        self.put("README.txt", words.replace(old, new).encode())

    def fingerprinted(self) -> None:
        """Do the contract's fingerprint again."""
        self.record["contract"] = read_contract(self.record).fingerprint

    def done(self) -> dict[str, bytes | None]:
        return self.files | {"release.json": json.dumps(self.record, indent=1, ensure_ascii=False).encode()}


def mutations(at: Place) -> Iterator[Mutation]:
    """All ways for one folder, in a fixed order."""
    whole: dict[str, Any] = json.loads((at.folder / "release.json").read_text(encoding="utf-8"))
    yield from _by_place(at, whole)
    if at.kind == "counts":
        yield from _as_text(at, whole)
        yield from _coherent(at, whole)
        yield from _files(at, whole)
    yield from _numbers(at, whole)


#: Facts that nothing else in a folder tells: only the ledger, or who signed, can say that they were changed a little.
_SILENT = (
    *("created", "audit", "audit.0.subject", "audit.0.pair", "audit.0.method", "ledger.spent", "ledger.remaining"),
    "releases.0.details.account",
    # Which columns were kept does not show in a price; which noise no seed has, nowhere.
    *("releases.0.mechanism.keep", "releases.0.mechanism.rest"),
)


def _paths(value: Any, path: tuple[str | int, ...] = (), *, every: bool = False) -> Iterator[tuple[str | int, ...]]:
    """Every place in a manifest; of long lists the first only, as the others are like it, but for `every` release."""
    if path:
        yield path
    if isinstance(value, dict):
        for key in value:
            yield from _paths(value[key], (*path, key), every=every)
    elif isinstance(value, list):
        for number in range(len(value) if path == ("releases",) and every else min(1, len(value))):
            yield from _paths(value[number], (*path, number), every=every)


def _by_place(at: Place, whole: dict[str, Any]) -> Iterator[Mutation]:
    """At every place: the key gone, another name, another kind of value, another value of the same kind."""
    special = at.kind in SPECIAL
    for path in _paths(whole, every=special):
        where = ".".join(map(str, path))
        if special and path[0] not in ("releases", "picture", "columns"):
            continue
        if path[0] == "files" and len(path) > 1 and path[1] != "README.txt":
            continue
        for family, change in (("deleted", _delete), ("renamed", _rename), ("retyped", _retype), ("changed", _change)):
            draft = copy.deepcopy(whole)
            inner = _inside(draft, path[:-1])
            if isinstance(inner, list) and family in ("deleted", "renamed"):
                continue
            change(inner, path[-1])
            if draft != whole:
                told_alone = where.replace(str(path[1]), "0", 1) if path[0] == "releases" and len(path) > 1 else where
                untold = told_alone in _SILENT or where.startswith("software.")
                # A null becomes a number, which is no audit.
                silent = family == "changed" and untold and _inside(whole, path) is not None
                silent = silent or (family == "changed" and _same_route(at, whole, draft, path))
                yield Mutation(family, f"{at.kind}: {where}", Draft(draft, at.folder).done(), silent=silent)


def _same_route(at: Place, whole: dict[str, Any], draft: dict[str, Any], path: tuple[str | int, ...]) -> bool:
    """Whether the noisy look of a release lies on the same side of another threshold, and so chose the same route."""
    if path[0] != "releases" or path[2:] != ("mechanism", "threshold"):
        return False
    table = pd.read_parquet(at.folder / f"{whole['releases'][path[1]]['name']}.parquet")
    if "look" not in table:
        return False
    look = int(table["look"].iloc[0])
    return (look < _inside(whole, path)) == (look < _inside(draft, path))


def _inside(value: Any, path: tuple[str | int, ...]) -> Any:
    for part in path:
        value = value[part]
    return value


def _delete(inner: Any, key: Any) -> None:
    del inner[key]


def _rename(inner: Any, key: Any) -> None:
    inner[f"{key}_"] = inner.pop(key)


def _retype(inner: Any, key: Any) -> None:
    """Something of a kind that no key has."""
    inner[key] = [inner[key]] if isinstance(inner[key], dict) else {"value": inner[key]}


def _change(inner: Any, key: Any) -> None:
    """The nearest other value that somebody might like better; of objects their inside is changed elsewhere."""
    value = inner[key]
    if isinstance(value, bool):
        inner[key] = not value
    elif isinstance(value, int | float):
        inner[key] = value * 2 + 1 if isinstance(value, int) else value * (1 + 1e-4) + 1e-12
    elif isinstance(value, str):
        inner[key] = _other_text(key, value)
    elif isinstance(value, list):
        inner[key] = value[:-1]
    elif value is None:
        inner[key] = 1


def _other_text(key: Any, value: str) -> str:
    if key == "created":
        return "2031" + value[4:]
    if len(value) == 64 and value.isalnum():
        return value[:-1] + ("0" if value[-1] != "0" else "1")
    return value + "x"


def _as_text(at: Place, whole: dict[str, Any]) -> Iterator[Mutation]:
    """Texts that programs read differently, or not at all."""
    text = json.dumps(whole, indent=1, ensure_ascii=False)
    texts = {
        "a repeated key": text.replace('"format": 2,', '"format": 2, "private": false, "format": 2,', 1),
        "a repeated release key": text.replace('"seeded": false,', '"seeded": true, "seeded": false,', 1),
        "NaN": text.replace('"mean_error": ', '"mean_error": NaN, "was": ', 1),
        "infinity": text.replace('"spent": ', '"spent": Infinity, "was": ', 1),
        "a huge number": text.replace('"spent": ', '"spent": 1e999, "was": ', 1),
        "a number of many digits": text.replace('"entry": ', '"entry": ' + "9" * 5_000 + ', "was": ', 1),
        "deep nesting": text.replace('"details": {}', '"details": ' + "[" * 100_000 + "]" * 100_000, 1),
        "nesting in objects": text.replace('"details": {}', '"details": ' + '{"a":' * 40 + "1" + "}" * 40, 1),
        "half a character": text.replace('"people"', '"people\\ud800"', 1),
        "cut off": text[: len(text) // 2],
        "empty": "",
        "a list": f"[{text}]",
        "a number": "2",
        "null": "null",
        "something behind it": text + "{}",
        "a comment": "// as released\n" + text,
    }
    for name, content in texts.items():
        yield Mutation("as text", name, {"release.json": content.encode("utf-8", "surrogatepass")})
    yield Mutation("as text", "UTF-16", {"release.json": text.encode("utf-16")})
    yield Mutation("as text", "not UTF-8", {"release.json": text.encode() + b"\xff"})
    yield Mutation("as text", "a byte order mark", {"release.json": b"\xef\xbb\xbf" + text.encode()})
    flipped = dict(reversed(whole.items()))
    for name, value in (("other order of keys", flipped), ("other spaces", whole)):
        content = {"release.json": json.dumps(value).encode()}
        yield Mutation("as text", name, content, silent=True)


def _coherent(at: Place, whole: dict[str, Any]) -> Iterator[Mutation]:
    """Lies that were carried through, as far as their teller could."""
    for name, spoil, silent in _LIES:
        draft = Draft(copy.deepcopy(whole), at.folder)
        spoil(draft)
        yield Mutation("carried through", name, draft.done(), silent=silent)
    first, second = whole["releases"][:2]
    for key in first:
        if first[key] != second[key]:
            draft = Draft(copy.deepcopy(whole), at.folder)
            one, other = draft.record["releases"][:2]
            one[key], other[key] = other[key], one[key]
            yield Mutation("swapped", f"{key} of two releases", draft.done())


def _two_on_one_entry(draft: Draft) -> None:
    first, second = (release["entry"] for release in draft.record["releases"][:2])
    draft.record["releases"][1]["entry"] = first
    draft.reworded(f"ledger entry {second}", f"ledger entry {first}")


def _no_releases(draft: Draft) -> None:
    draft.record["releases"] = []


def _one_less(draft: Draft) -> None:
    """A release taken out of the manifest, with its files."""
    gone = draft.record["releases"].pop()
    for name in gone["files"]:
        del draft.record["files"][name]
        draft.files[name] = None


def _moved(draft: Draft) -> None:
    """The counts of ages told as those of visits, in every place; both have the same cells."""
    record = draft.record
    one, other = record["releases"][:2]
    for key in ("title", "statistic"):
        one[key], other[key] = other[key], one[key]
    for name in ("ages", "visits"):
        there = {"ages": "visits", "visits": "ages"}[name]
        for suffix in (".csv", ".parquet"):
            draft.files[f"{name}{suffix}"] = (draft.folder / f"{there}{suffix}").read_bytes()
    for name in ("ages", "visits"):
        for suffix in (".csv", ".parquet"):
            content = draft.files[f"{name}{suffix}"]
            assert content is not None
            draft.put(f"{name}{suffix}", content)
    words = draft.read("README.txt").decode()
    words = words.replace("histogram of age\n", "histogram of ?\n").replace(
        "histogram of visits\n", "histogram of age\n"
    )
    draft.put("README.txt", words.replace("histogram of ?\n", "histogram of visits\n").encode())


def _other_bounds(draft: Draft) -> None:
    """Ages told as ten years each: bounds and cells changed in all places."""
    for column in draft.record["columns"]:
        if column["name"] == "age":
            column["lower"], column["upper"] = 10, 17
    draft.fingerprinted()
    for name in ("ages", "frequent"):
        table = pd.read_parquet(BytesIO(draft.read(f"{name}.parquet")))
        table["age"] = [str(int(text) + 10) if text.isdigit() else text for text in table["age"]]
        _put_table(draft, name, table)


def _other_budget(draft: Draft) -> None:
    draft.record["budget"]["epsilon"] = 3.0
    draft.fingerprinted()


def _private_word(draft: Draft) -> None:
    draft.record["private"] = False


def _seeded_word(draft: Draft) -> None:
    for release in draft.record["releases"]:
        release["seeded"] = True


def _both_words(draft: Draft) -> None:
    _private_word(draft)
    _seeded_word(draft)


def _seeded_throughout(draft: Draft) -> None:
    _both_words(draft)
    warning = "NOT PRIVATE: the noise was seeded. For experiments on public data only."
    draft.reworded("What is here", f"{warning}\n\nWhat is here")


def _spent(factor: float) -> Callable[[Draft], None]:
    def change(draft: Draft) -> None:
        draft.record["ledger"]["spent"] *= factor

    return change


def _remaining(draft: Draft) -> None:
    draft.record["ledger"]["remaining"] *= 0.9


def _more_remaining(draft: Draft) -> None:
    draft.record["ledger"]["remaining"] = 5.0


def _no_audit(draft: Draft) -> None:
    draft.record["audit"] = None


def _verdict(draft: Draft) -> None:
    finding = next(one for one in draft.record["audit"] if one["shown"] is not None)
    finding["verdict"] = "CONSISTENT, WEAK TEST" if finding["verdict"] == "CONSISTENT" else "CONSISTENT"


def _forgotten(draft: Draft) -> None:
    draft.record["audit"] = [one for one in draft.record["audit"] if "visits" not in one["subject"]]


def _in_finding(key: str, factor: float) -> Callable[[Draft], None]:
    def change(draft: Draft) -> None:
        finding = next(one for one in draft.record["audit"] if one["shown"] is not None)
        if key == "accuracy":
            finding["accuracy"]["value"] = min(1.0, finding["accuracy"]["value"] * factor)
        else:
            finding[key] = type(finding[key])(finding[key] * factor)

    return change


def _cheaper(draft: Draft) -> None:
    """Half the price, with everything that follows from it, but for the numbers."""
    from reaedp import Laplace
    from reaedp.ledger.canonical_json import price_record
    from reaedp.mechanisms.mechanism import Calibrated
    from reaedp.plan.description import mechanism_record, read_statistic
    from reaedp.privacy.accounting import epsilon, tally

    contract = read_contract(draft.record)
    release = draft.record["releases"][0]
    noise = Calibrated(Laplace(0.25), read_statistic(release["statistic"]).sensitivity(contract))
    release |= {
        "mechanism": mechanism_record(noise.mechanism),
        "scale": noise.scale,
        "price": price_record(noise.price),
        "epsilon": epsilon(tally([noise.price]), contract.budget.delta),
        "mean_error": noise.mean_error * release["step"],
    }


def _more_exact(draft: Draft) -> None:
    draft.record["releases"][0]["mean_error"] /= 2


def _absolute(draft: Draft) -> None:
    _named(draft, "/etc/hostname")


def _upwards(draft: Draft) -> None:
    _named(draft, "../counts/out/ages")


def _named(draft: Draft, name: str) -> None:
    release = draft.record["releases"][0]
    release["files"] = [f"{name}.csv", f"{name}.parquet"]
    for suffix in (".csv", ".parquet"):
        draft.record["files"][f"{name}{suffix}"] = draft.record["files"].pop(f"ages{suffix}")
    release["name"] = name


def _renamed(draft: Draft) -> None:
    """A release under another name, with its files and in README.txt."""
    for suffix in (".csv", ".parquet"):
        draft.put(f"years{suffix}", (draft.folder / f"ages{suffix}").read_bytes())
        draft.files[f"ages{suffix}"] = None
        del draft.record["files"][f"ages{suffix}"]
    draft.record["releases"][0] |= {"name": "years", "files": ["years.csv", "years.parquet"]}
    draft.reworded("ages.csv, ages.parquet", "years.csv, years.parquet")


def _twice(draft: Draft) -> None:
    draft.record["releases"].append(copy.deepcopy(draft.record["releases"][0]))


def _first_format(draft: Draft) -> None:
    """Told as a folder of the first version, which knew less."""
    record = draft.record
    columns = {column["name"]: column for column in record["columns"]}
    for release in record["releases"]:
        release["columns"] = [columns[name] for name in release["statistic"]["columns"]]
    for key in ("columns", "curves", "picture"):
        del record[key]
    record["format"] = 1


_LIES: tuple[tuple[str, Callable[[Draft], None], bool], ...] = (
    ("two releases on one ledger entry", _two_on_one_entry, False),
    ("no releases", _no_releases, False),
    ("a release taken out", _one_less, False),
    ("a release twice", _twice, False),
    ("a release renamed everywhere", _renamed, True),
    ("a statistic moved to another column", _moved, True),
    ("other bounds", _other_bounds, True),
    ("another budget", _other_budget, True),
    ("private", _private_word, False),
    ("seeded", _seeded_word, False),
    ("private and seeded", _both_words, False),
    ("private and seeded, and README.txt", _seeded_throughout, True),
    ("less spent than the releases cost", _spent(0.5), False),
    ("more spent", _spent(1.1), True),
    ("more spent than the budget", _spent(10.0), False),
    ("less remaining", _remaining, True),
    ("more remaining than the budget", _more_remaining, False),
    ("no audit", _no_audit, True),
    ("another verdict", _verdict, False),
    ("a release that the audit forgets", _forgotten, False),
    ("more runs", _in_finding("runs", 2), False),
    ("a better accuracy", _in_finding("accuracy", 0.9), False),
    ("another claim", _in_finding("claimed", 1.5), False),
    ("less shown", _in_finding("shown", 0.1), False),
    ("a smaller price", _cheaper, False),
    ("a smaller error", _more_exact, False),
    ("an absolute path as a name", _absolute, False),
    ("a path upwards as a name", _upwards, False),
    ("the first format", _first_format, True),
)


def _put_table(draft: Draft, name: str, table: pd.DataFrame) -> None:
    """Both files of a release, with their hashes."""
    file = BytesIO()
    table.to_parquet(file, index=False)
    draft.put(f"{name}.parquet", file.getvalue())
    draft.put(f"{name}.csv", table.to_csv(index=False).encode())


def _numbers(at: Place, whole: dict[str, Any]) -> Iterator[Mutation]:
    """Released numbers edited, with the hashes done again: in one file, in both, and with all that follows."""
    for release in whole["releases"]:
        name = release["name"]
        table = pd.read_parquet(at.folder / f"{name}.parquet")
        for column in table.columns:
            draft = Draft(copy.deepcopy(whole), at.folder)
            changed = _edited(table, column)
            draft.put(f"{name}.csv", changed.to_csv(index=False).encode())
            yield Mutation("numbers in one file", f"{name}.csv: {column}", draft.done())
            draft = Draft(copy.deepcopy(whole), at.folder)
            _put_table(draft, name, changed)
            # Synthetic values have nothing beside them from which they would follow.
            alone = at.kind in ("records", "other records") or (name, column) in _FREE
            yield Mutation("numbers in both files", f"{name}: {column}", draft.done(), silent=alone)
        for what, other in (("a row less", table.iloc[:-1]), ("a row twice", pd.concat([table, table.iloc[-1:]]))):
            draft = Draft(copy.deepcopy(whole), at.folder)
            _put_table(draft, name, other)
            yield Mutation("rows", f"{name}: {what}", draft.done(), silent=name == "frequent" and what == "a row less")
    if at.kind == "counts":
        yield _recounted(at, whole)
    if at.kind == "image":
        yield from _repainted(at, whole)


#: Released numbers beside which nothing lies that they would have to agree with.
_FREE = (("frequent", "count"), ("drawn", "value"), ("either", "look"))


def _repainted(at: Place, whole: dict[str, Any]) -> Iterator[Mutation]:
    """Other pictures in the place of the one that shows the numbers; with other numbers too, it is a perfect lie."""
    from PIL import Image

    with Image.open(at.folder / "portrait.png") as shown:
        pixels = np.asarray(shown).copy()
    other = pixels.copy()
    other[0, 0] = 255 - other[0, 0]
    pictures = {
        "one pixel": as_png(other),
        "another size": as_png(pixels[:, :-1]),
        "in colour": as_png(np.stack([pixels] * 3, axis=-1)),
        "sixteen bits": as_png(pixels.astype(np.uint16) * 257),
        "not a picture": b"GIF89a nothing",
        "cut off": (at.folder / "portrait.png").read_bytes()[:60],
        "empty": b"",
    }
    for what, content in pictures.items():
        draft = Draft(copy.deepcopy(whole), at.folder)
        draft.put("portrait.png", content)
        yield Mutation("pictures", what, draft.done())
    draft = Draft(copy.deepcopy(whole), at.folder)
    table = pd.read_parquet(at.folder / "portrait.parquet")
    place = int(np.flatnonzero(table["value"].between(10, 200))[0])
    table.loc[place, "value"] += 20
    painted = pixels.copy()
    painted[int(table.loc[place, "y"]), int(table.loc[place, "x"])] += 20
    _put_table(draft, "portrait", table)
    draft.put("portrait.png", as_png(painted))
    yield Mutation("pictures", "a pixel and its number", draft.done(), silent=True)


def _edited(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """The first value of a column, a little larger, or that of another cell."""
    changed = table.copy()
    kind = table[column].dtype.kind
    # A pixel that noise put outside the range of its picture would look the same there.
    row = int(np.flatnonzero(table[column].between(0, 254))[0]) if "x" in table and column == "value" else 0
    first = table[column].iloc[row]
    changed[column] = changed[column].astype(object)
    changed.loc[row, column] = (
        _beside(column, first) if kind in "if" else next(v for v in ["m", "f", "3", "x"] if v != first)
    )
    return changed.astype({column: table[column].dtype})


def _beside(column: str, number: Any) -> Any:
    """One more; an age stays one of those that were declared."""
    return number - 1 if column == "age" and number > 0 else number + 1


def _recounted(at: Place, whole: dict[str, Any]) -> Mutation:
    """One count larger, with estimates and ranges computed from it: a perfect lie, to which only the ledger objects."""
    from reaedp.plan.description import read_statistic
    from reaedp.release.manifest import read_noise

    release = whole["releases"][0]
    statistic, contract = read_statistic(release["statistic"]), read_contract(whole)
    counts = pd.read_parquet(at.folder / "ages.parquet")["count"].to_numpy().copy()
    counts[0] += 100
    draft = Draft(copy.deepcopy(whole), at.folder)
    _put_table(draft, "ages", pd.DataFrame(statistic.frame(statistic.value(contract, counts), read_noise(release))))
    return Mutation("numbers in both files", "ages: a count and all that follows", draft.done(), silent=True)


def _files(at: Place, whole: dict[str, Any]) -> Iterator[Mutation]:
    """Files added, taken away and changed, without the manifest."""
    for name in whole["files"]:
        yield Mutation("files", f"{name} is gone", {name: None})
        yield Mutation("files", f"{name} is longer", {name: (at.folder / name).read_bytes() + b"\n"})
    yield Mutation("files", "one more", {"more.csv": b"a\n1\n"})
    draft = Draft(copy.deepcopy(whole), at.folder)
    draft.put("more.csv", b"a\n1\n")
    yield Mutation("files", "one more, listed", draft.done())


@dataclass(frozen=True)
class Outcome:
    """What was said of a spoilt folder: by itself, with a ledger that was not told of its end, with the ledger."""

    mutation: Mutation
    alone: str | None
    unfinished: str | None
    ledger: str | None


def outcome(at: Place, mutation: Mutation) -> Outcome:
    """Spoil the folder, ask, and make it whole again; anything but a `ReaedpError` is let through as a failure."""
    before = {name: _content(at.folder / name) for name in mutation.files}
    try:
        for name, content in mutation.files.items():
            _restore(at.folder / name, content)
        alone = _said(at.folder, None)
        unfinished = alone or _said(at.folder, at.unfinished)
        return Outcome(mutation, alone, unfinished, unfinished or _said(at.folder, at.ledger))
    finally:
        for name, content in before.items():
            _restore(at.folder / name, content)


def _said(folder: Path, ledger: Path | None) -> str | None:
    try:
        with nullcontext() if ledger is None else state_in(ledger.parent):
            verify(folder, None if ledger is None else str(ledger))
    except ReaedpError as error:
        return str(error)
    return None


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def _restore(path: Path, content: bytes | None) -> None:
    if content is None:
        path.unlink(missing_ok=True)
    else:
        path.write_bytes(content)


def outcomes(home: Path, kinds: Iterable[str] = tuple(FAMILIES)) -> Iterator[Outcome]:
    home.mkdir(exist_ok=True)
    for at in (place(home / kind, kind) for kind in kinds):
        with Ledger.open(at.ledger) as book:
            assert book.verify()
        assert verify(at.folder, str(at.ledger))
        for mutation in mutations(at):
            yield outcome(at, mutation)


def main() -> None:
    """Print the table."""
    import tempfile

    with tempfile.TemporaryDirectory() as home:
        found = list(outcomes(Path(home)))
    families = dict.fromkeys(one.mutation.family for one in found)
    print(f"{'family':24}{'mutations':>10}{'alone':>8}{'unfinished':>12}{'ledger':>8}")
    for family in (*families, "all"):
        own = [one for one in found if family in ("all", one.mutation.family)]
        counts = Counter(
            {key: sum(getattr(one, key) is not None for one in own) for key in ("alone", "unfinished", "ledger")}
        )
        print(f"{family:24}{len(own):10}{counts['alone']:8}{counts['unfinished']:12}{counts['ledger']:8}")
    print("\nRefused only with the ledger (or a signature) at hand:")
    for one in found:
        if one.alone is None:
            by = "nobody" if one.ledger is None else "the entry" if one.unfinished else "the finished entry"
            print(f"  {one.mutation.family}, {one.mutation.name}: {by}")


if __name__ == "__main__":
    main()
