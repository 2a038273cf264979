"""The one declared form of `release.json`; what every key means is in docs/formats.md."""

from reaedp.contract.contract import KINDS
from reaedp.contract.plugins import known
from reaedp.contract.wording import LONGEST
from reaedp.ledger.canonical_json import LONGEST_PRICE, LOSSES
from reaedp.plan.kind_tables import MECHANISMS, STATISTICS
from reaedp.release.pattern import (
    Keys,
    ListOf,
    MapOf,
    Maybe,
    Named,
    Object,
    OneOf,
    PairOf,
    Pattern,
    Real,
    Text,
    Truth,
    Whole,
)

#: Names of releases and of files are plain: no separator, no dot at the start, nothing that leads elsewhere.
NAME = Text("1 to 100 letters, digits, - or _", r"[A-Za-z0-9_-]{1,100}")
FILE = Text("a plain file name", r"[A-Za-z0-9_-]{1,100}\.(csv|parquet|svg|png|txt|html|model\.json)")
DIGEST = Text("a SHA-256, 64 lower-case hexadecimal digits", r"[0-9a-f]{64}")
MOMENT = Text(
    "a time such as 2030-01-31T12:00:00+00:00",
    r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\+00:00",
)
#: The libraries whose version can matter to someone who checks a release.
LIBRARIES = ("reaedp", "opendp", "duckdb", "narwhals", "numpy")
#: Those that may not be installed, which is then said.
OPTIONAL_LIBRARIES = ("dp-accounting",)
_VERSION = Text("a version", r"[0-9][0-9A-Za-z.+!_-]{0,60}")
_POSITIVE, _NOT_NEGATIVE, _SHARE = Real(5e-324, 1e300), Real(0, 1e300), Real(0, 1)
_STEPS = Whole(1, 10**49)

_RELEASE: dict[str, Pattern] = {
    "name": NAME,
    "title": Text(),
    "statistic": Named("name", STATISTICS, known),
    "mechanism": Named("name", MECHANISMS, known),
    "sensitivity": Keys({"l1": _STEPS, "l2_squared": _STEPS, "linf": _STEPS}),
    "scale": _NOT_NEGATIVE,
    "price": ListOf(PairOf(Named("loss", LOSSES), Whole(1, LONGEST_PRICE)), fewest=1),
    "epsilon": _NOT_NEGATIVE,
    "step": _POSITIVE,
    "mean_error": _NOT_NEGATIVE,
    "entry": Whole(1),
    "seeded": Truth(),
    "details": Object(),
    "files": ListOf(FILE, fewest=1),
}
_RATE = Keys({"value": _SHARE, "low": _SHARE, "high": _SHARE, "confidence": _SHARE})
_FINDING = Keys(
    {
        "verdict": OneOf(("CONSISTENT", "CONSISTENT, WEAK TEST", "NOT COVERED")),
        "subject": Text(),
        "pair": Text(),
        "method": Text(),
        "witness": OneOf(("",)),
        "claimed": Maybe(_NOT_NEGATIVE),
        "claimed_delta": Maybe(_SHARE),
        "shown": Maybe(_NOT_NEGATIVE),
        "runs": Maybe(Whole(1)),
        "accuracy": Maybe(_RATE),
        "attainable": Maybe(_NOT_NEGATIVE),
        "allowed_accuracy": Maybe(_SHARE),
    }
)
#: What the ledger said when the release was made; who it is came later than the rest.
_LEDGER = Keys(
    {"spent": _NOT_NEGATIVE, "remaining": _NOT_NEGATIVE}, {"name": Text(longest=1_000), "identity": Text(longest=200)}
)
_BUDGET = Keys({"epsilon": _POSITIVE, "delta": Real(5e-324, 1)})
_UNIT = Keys(
    {
        "change": OneOf(("add-remove", "replace")),
        "person": Maybe(Text()),
        "max_rows": Maybe(Whole(1)),
        "at_least": Maybe(Whole(1)),
    }
)

#: What people are told of releases, by their names.
_WORDING = MapOf(NAME, Keys({}, {key: Text(longest=longest) for key, longest in LONGEST.items()}))
_RULE = Keys(
    {"act": OneOf(("set", "never", "always")), "expression": Text(), "provenance": Text()},
    {"column": Text(), "description": Text(longest=1_000)},
)
_COLUMNS = ListOf(Named("kind", KINDS, known))
_COMMON: dict[str, Pattern] = {
    "dataset": Text(longest=200),
    "contract": DIGEST,
    "created": MOMENT,
    "unit": _UNIT,
    "budget": _BUDGET,
    "private": Truth(),
    "software": Keys(
        dict.fromkeys(("python", *LIBRARIES), _VERSION) | dict.fromkeys(OPTIONAL_LIBRARIES, Maybe(_VERSION))
    ),
    "files": MapOf(FILE, DIGEST),
}

#: By the number of the format. The first had the columns of each release beside it, and left out what was not there.
MANIFESTS = {
    2: Keys(
        _COMMON
        | {
            "format": Whole(2, 2),
            "columns": _COLUMNS,
            "curves": ListOf(Object()),
            "picture": Maybe(Object()),
            "releases": ListOf(Keys(_RELEASE), fewest=1),
            "audit": Maybe(ListOf(_FINDING)),
            "ledger": Maybe(_LEDGER),
        },
        {"reading": Object(), "rules": ListOf(_RULE, fewest=1), "wording": _WORDING},
    ),
    1: Keys(
        _COMMON | {"format": Whole(1, 1), "releases": ListOf(Keys(_RELEASE | {"columns": _COLUMNS}), fewest=1)},
        {"curves": ListOf(Object()), "picture": Object(), "audit": ListOf(_FINDING), "ledger": _LEDGER},
    ),
}
