"""A calibrated mechanism between the exact answers of two neighbours: run many times at once, with what is known of it.

Only the numbers in which the two answers differ are told apart by; a few of the others go along.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from reaedp.audits.loss_law import TradeOff
from reaedp.audits.pair import Outputs, Score
from reaedp.mechanisms.mechanism import Calibrated
from reaedp.mechanisms.noise import Noise

Answer = TypeVar("Answer")

#: Numbers drawn for one audit: what fits into memory and two seconds.
MOST_NUMBERS = 2_000_000
#: Stands for a key that is not shown, or for the route that was not taken.
ABSENT = -(2**62)


class Knowledge(Protocol):
    """What is known of the outputs of two neighbours."""

    @property
    def gaussian(self) -> bool:
        """Whether the likelihood ratio has the shape of a normal law's."""

    @property
    def answers(self) -> tuple[Any, Any]:
        """The exact answers of both neighbours."""

    def evidence(self) -> Score | None:
        """The logarithm of the likelihood ratio of an output, if it is known."""

    def laws(self) -> tuple[TradeOff, TradeOff] | None:
        """The law of the loss of the second answer against the first, and the other way round, if known."""


@dataclass(frozen=True, slots=True, eq=False)
class Between(Generic[Answer]):
    """A calibrated mechanism, the source of its noise, and the exact answers of both neighbours."""

    noise: Calibrated
    source: Noise
    first: Answer
    second: Answer

    #: Runs that take a few seconds.
    most_runs: ClassVar[int] = 2**62

    @property
    def answers(self) -> tuple[Answer, Answer]:
        """The exact answers of both neighbours, as far as they are looked at."""
        return self.first, self.second


class Channel(Knowledge, Protocol):
    """What lies between two exact answers and their outputs."""

    @property
    def most_runs(self) -> int:
        """Runs that take a few seconds."""

    def run(self, answer: Any, runs: int) -> Outputs:
        """The mechanism on one of them, this many times."""
