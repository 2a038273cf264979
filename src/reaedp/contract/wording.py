"""Words for people about what is declared under a short name; no number depends on them."""

from dataclasses import asdict, dataclass, fields
from typing import Any

from reaedp.errors import Mistakes

#: How long a name may be, and each of the other keys.
LONGEST_NAME = 10_000
LONGEST = {"label": 100, "description": 1_000, "unit_of_measure": 40}


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """What has a name for programs, and may have a `label`, a `description` and a `unit_of_measure` for people.

    A release's unit of measure is what its counts count, where that is not rows.
    """

    name: str
    label: str | None = None
    description: str | None = None
    unit_of_measure: str | None = None

    @property
    def called(self) -> str:
        """The label, or the name where there is none."""
        return self.label or self.name

    @property
    def measured(self) -> str:
        """The label with the unit of measure, as on an axis."""
        return f"{self.called} ({self.unit_of_measure})" if self.unit_of_measure else self.called

    @property
    def wording(self) -> dict[str, str]:
        """The words that were given, by their keys."""
        return {key: getattr(self, key) for key in LONGEST if getattr(self, key) is not None}

    def note_name(self, mistakes: Mistakes, what: str) -> None:
        """Note a name that is no text, or too long; `what` has it."""
        good = isinstance(self.name, str) and 0 < len(self.name) <= LONGEST_NAME
        mistakes.unless(good, f"{what}'s name must be a text of 1 to {LONGEST_NAME:,} characters", given=self.name)

    def note_wording(self, mistakes: Mistakes, prefix: str = "") -> None:
        """Note words that are no words, or too many; `prefix` leads to the keys."""
        for key, longest in LONGEST.items():
            given = getattr(self, key)
            mistakes.unless(
                given is None or (isinstance(given, str) and 0 < len(given) <= longest and given.isprintable()),
                f"{prefix}{key} must be 1 to {longest:,} printable characters",
                given=given,
            )


def declared_facts(described: Described) -> dict[str, Any]:
    """All fields, without words and later fields that were not given: older contracts keep their fingerprint."""
    facts = asdict(described)
    later = {field.name for field in fields(described) if "since" in field.metadata}
    return {key: value for key, value in facts.items() if key not in {*LONGEST, *later} or value is not None}
