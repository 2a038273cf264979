"""A picture: its size and its range, public before any pixel is seen."""

from dataclasses import dataclass
from typing import Literal

from reaedp.contract.column import whole
from reaedp.errors import Mistakes
from reaedp.privacy.unit import Unit

#: As many as a dense table has cells at most; noise on so many numbers takes gigabytes of memory.
MOST_VALUES = 50_000_000
#: The largest value that PNG files hold in pictures with one channel and, as they can be read and written, with three.
LARGEST_VALUE = {1: 65_535, 3: 255}
#: What a picture's release does and does not protect, for everyone who reads about it.
PIXELS_ONLY = (
    "This protects the value of any one pixel. It does not protect a person in the picture, nor anything else that"
    " covers many pixels: the promise weakens in proportion to their number."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """An image, grey or RGB; pixel values outside `lower` to `upper` are clipped to this range.

    The privacy unit is one pixel with all its channels. The image is `width` pixels wide and `height` pixels high, with
    one or three `channels`.

    >>> Picture(width=4, height=3, channels=1, lower=0, upper=255, provenance="public").shape
    (3, 4)
    """

    width: int
    height: int
    channels: int
    lower: int
    upper: int
    provenance: Literal["public"]

    def __post_init__(self) -> None:
        mistakes = Mistakes()
        self._check_size(mistakes)
        self._check_range(mistakes)
        mistakes.unless(
            self.provenance == "public",
            "picture.provenance must be 'public': size and range must be known without looking at the pixels",
            given=self.provenance,
        )
        mistakes.report()

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of an array of the values: rows, columns and, if there are three, channels."""
        return (self.height, self.width) if self.channels == 1 else (self.height, self.width, self.channels)

    @property
    def values(self) -> int:
        """The number of values: pixels times channels."""
        return self.width * self.height * self.channels

    @property
    def reach(self) -> int:
        """The largest difference between two values."""
        return self.upper - self.lower

    def check_unit(self, unit: Unit, mistakes: Mistakes) -> None:
        """Note a privacy unit that is not a pixel."""
        mistakes.unless(
            unit.change == "replace" and unit.person is None,
            "For a picture, unit must be change = 'replace' without person, as pixels change but do not come or go",
            given={"change": unit.change, "person": unit.person},
            remedy=PIXELS_ONLY,
        )

    def _check_size(self, mistakes: Mistakes) -> None:
        for key in ("width", "height"):
            mistakes.unless(
                whole(getattr(self, key), 1, MOST_VALUES),
                f"picture.{key} must be a whole number from 1 to {MOST_VALUES:,}",
                given=getattr(self, key),
            )
        mistakes.unless(
            whole(self.channels, 1, 3) and self.channels in LARGEST_VALUE,
            "picture.channels must be 1 (grey) or 3 (red, green, blue)",
            given=self.channels,
        )
        if not mistakes:
            mistakes.unless(
                self.values <= MOST_VALUES,
                f"picture.width × height × channels must be at most {MOST_VALUES:,}",
                given=self.values,
                remedy="Make the picture smaller.",
            )

    def _check_range(self, mistakes: Mistakes) -> None:
        largest = LARGEST_VALUE[3 if self.channels == 3 else 1]
        ends = all(whole(end, 0, largest) for end in (self.lower, self.upper))
        mistakes.unless(
            ends and self.lower < self.upper,
            f"picture.lower and upper must be whole numbers from 0 to {largest:,}, lower below upper",
            given=(self.lower, self.upper),
        )
