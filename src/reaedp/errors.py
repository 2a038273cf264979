"""Every error, drawn as a tree, and the one voice in which they speak.

ReaedpError                 exit code 1
├── DeclarationError        2  a contract, plan, argument or file that cannot be what was meant
│   └── LedgerMissing          there is no ledger at the place that was named; nothing but `ledger create` makes one
├── BudgetRefused           3  the ledger has too little left; nothing was spent
├── LedgerError             4
│   ├── LedgerDamaged          the ledger fails its own checks; nothing more can be charged to it
│   └── LedgerBusy             another process holds the ledger, or it cannot be reached
├── NotDisclosable          5  a number computed from private truth was about to be published
├── Defect                 70  something that nobody foresaw: a fault of this program, to be reported
└── Stopped               130  somebody stopped the command (143 for a request to terminate)

A message says the rule, what was given, and a way out. It contains public facts only: names, bounds and
prices from the contract and the plan, never a value or a number computed from rows.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches


class ReaedpError(Exception):
    """The base class of all errors that this package raises on purpose.

    >>> try:
    ...     Contract.load("nowhere.toml")
    ... except ReaedpError as error:
    ...     print(type(error).__name__, error.exit_code)
    DeclarationError 2
    """

    exit_code = 1


class DeclarationError(ReaedpError):
    """A declaration is wrong; `mistakes` lists everything that was found.

    >>> Budget(epsilon=-1.0, delta=1e-6)
    Traceback (most recent call last):
    reaedp.errors.DeclarationError: ...
    """

    exit_code = 2

    def __init__(self, *mistakes: str) -> None:
        self.mistakes = mistakes
        super().__init__("\n".join(mistakes))


class LedgerMissing(DeclarationError):
    """There is no ledger where one was looked for.

    >>> Ledger.open("nowhere.sqlite")
    Traceback (most recent call last):
    reaedp.errors.LedgerMissing: There is no ledger at ...
    """


class BudgetRefused(ReaedpError):
    """The charge does not fit into what is left of the budget; nothing was spent.

    >>> curator.release(Marginal("age"), Laplace(1000.0))
    Traceback (most recent call last):
    reaedp.errors.BudgetRefused: ...
    """

    exit_code = 3


class LedgerError(ReaedpError):
    """The ledger cannot take charges.

    >>> issubclass(LedgerBusy, LedgerError), issubclass(LedgerDamaged, LedgerError)
    (True, True)
    """

    exit_code = 4


class LedgerDamaged(LedgerError):
    """The ledger fails its own checks: edited, truncated, of a newer version, or not a ledger.

    >>> with open("notes.sqlite", "w") as file:
    ...     _ = file.write("This is not a ledger, whatever its name says. " * 100)
    >>> Ledger.open("notes.sqlite")
    Traceback (most recent call last):
    reaedp.errors.LedgerDamaged: ...
    """


class LedgerBusy(LedgerError):
    """The ledger is locked, read-only, full, or cannot be reached; no noise was drawn.

    >>> ledger = Ledger.open("budget.sqlite")
    >>> ledger.close()
    >>> ledger.spent("clinic")
    Traceback (most recent call last):
    reaedp.errors.LedgerBusy: ...
    """


class LedgerWarning(UserWarning):
    """Something that protects a ledger is missing; charges go on."""


class NotDisclosable(ReaedpError):
    """A figure measured against private data was about to enter something public.

    >>> from reaedp.report.panel import Panel
    >>> public_report("published", [Panel(anchor="truth", title="Truth", disclosable=False)])
    Traceback (most recent call last):
    reaedp.errors.NotDisclosable: ...
    """

    exit_code = 5


class Stopped(ReaedpError):
    """The user or the system stopped the command; the message says whether anything was charged."""

    exit_code = 130


class Defect(ReaedpError):
    """Something that nobody foresaw; only the command line makes it, of any other exception."""

    exit_code = 70


#: Characters of what was given that a message repeats, and of names for which a similar one is looked for.
MOST_REPEATED, MOST_COMPARED = 500, 200


def repeated(given: object) -> str:
    """What was given as a message repeats it: whole if it is short, else its beginning and its end."""
    try:
        text = repr(given)
    except (ValueError, RecursionError):  # a number of thousands of digits, lists within lists within lists
        return f"a value that is too long to be repeated ({type(given).__name__})"
    half = MOST_REPEATED // 2
    return text if len(text) <= MOST_REPEATED else f"{text[:half]} … {text[-half:]}"


def mistakes_of(error: Exception) -> tuple[str, ...]:
    """All that an error says, a line each."""
    return tuple(str(error).splitlines())


def sentence(rule: str, *, given: object, remedy: str = "") -> str:
    """One mistake in the project's voice: the rule, what was given, the way out."""
    return f"{rule}; given {repeated(given)}." + (f" {remedy}" if remedy else "")


def whole_number(name: str, value: object, least: int = 1, most: int | None = None) -> int:
    """Accept a whole number within these limits, or say what must hold."""
    if type(value) is not int or value < least or (most is not None and value > most):
        limits = f"of at least {least:,}" if most is None else f"from {least:,} to {most:,}"
        raise DeclarationError(sentence(f"{name} must be a whole number {limits}", given=value))
    return value


def unknown(kind: str, name: str, known: Iterable[str]) -> str:
    """Name something that does not exist, the nearest thing that does, and everything there is."""
    names = list(known)
    near = get_close_matches(name, names, n=1) if len(name) <= MOST_COMPARED else []
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"Unknown {kind} {repeated(name)}.{hint} Known: {', '.join(names) or 'none'}."


class Mistakes(list[str]):
    """Collects every mistake before speaking, so that a user mends a file once and not ten times."""

    def unless(self, holds: bool, rule: str, *, given: object, remedy: str = "") -> None:
        """Note the rule as broken unless it holds."""
        if not holds:
            self.append(sentence(rule, given=given, remedy=remedy))

    @contextmanager
    def gathered(self) -> Iterator[None]:
        """Take over the mistakes of a declaration that fails inside the block."""
        try:
            yield
        except DeclarationError as error:
            self.extend(error.mistakes)

    def report(self) -> None:
        """Raise all that was noted, if anything was."""
        if self:
            raise DeclarationError(*self)
