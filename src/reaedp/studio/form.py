"""What a form sent: texts by name, some of them numbers; an empty field is an open question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from reaedp.drafting.words import plain_number
from reaedp.errors import DeclarationError, sentence

#: A contract of 200 columns has some 3,000 fields; a list of a million levels takes 20 MB.
MOST_FIELDS, MOST_BYTES = 50_000, 2**25


@dataclass(frozen=True, slots=True)
class Form:
    """The fields of a form or of an address, each with all its values."""

    fields: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def read(cls, body: bytes) -> "Form":
        """The fields of a body as browsers send them, or refuse it."""
        if len(body) > MOST_BYTES:
            raise DeclarationError(f"A form must have at most {MOST_BYTES:,} bytes; this one has more.")
        try:
            text = body.decode("ascii")
            return cls(parse_qs(text, keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict"))
        except ValueError:  # too many fields, or no UTF-8
            raise DeclarationError("The form could not be read. Load the page again.") from None

    def text(self, name: str) -> str:
        """The text of a field without blanks around it; "" if there is none."""
        return self.raw(name).strip()

    def raw(self, name: str) -> str:
        """The same with its blanks: names of columns may have some."""
        return next(iter(self.fields.get(name, ())), "")

    def texts(self, name: str) -> list[str]:
        """All values of a field that can have several."""
        return [text for text in self.fields.get(name, ()) if text]

    def lines(self, name: str) -> list[str]:
        """The lines of a large field that are not empty."""
        return [line.strip() for line in self.text(name).splitlines() if line.strip()]

    def number(self, name: str, what: str) -> float | int | None:
        """A number; None where the field is empty. `what` must be one, says the error."""
        text = self.text(name)
        value = plain_number(text.replace("\u2212", "-")) if text else None
        if text and (value is None or _beyond(value)):
            point = ", with a point as in 0.5" if "," in text else ""
            raise DeclarationError(sentence(f"{what} must be a number{point}", given=text))
        return value

    def whole(self, name: str, what: str) -> int | None:
        """A whole number; None where the field is empty."""
        value = self.number(name, what)
        if value is not None and not isinstance(value, int):
            raise DeclarationError(sentence(f"{what} must be a whole number", given=self.text(name)))
        return value


def _beyond(value: float | int) -> bool:
    """Whether a whole number is larger than any that can be computed with."""
    try:
        float(value)
    except OverflowError:
        return True
    return False
