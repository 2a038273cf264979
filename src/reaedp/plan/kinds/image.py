"""A planned release of one picture."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from reaedp.contract import Contract
from reaedp.errors import Mistakes
from reaedp.plan.kinds.kind import PlannedNoise
from reaedp.plan.kinds.vector import check_noise, hidden
from reaedp.plan.request import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedImage(PlannedNoise):
    """The picture that the contract declares, each of its pixels with noise.

    >>> PlannedImage(name="scan", kind="image", mechanism="laplace", epsilon=1.0).noise
    'laplace'
    """

    kinds: ClassVar[tuple[str, ...]] = ("image",)

    mechanism: Literal["laplace", "gaussian"]

    def note_mistakes(self, mistakes: Mistakes) -> None:
        """Note an unknown mechanism."""
        check_noise(self, mistakes)

    def request(self, contract: Contract) -> Request:
        """All pixels, hidden by the least noise within the price."""
        from reaedp.statistics.images.pixels import Pixels

        return hidden(self, Pixels(), contract)
