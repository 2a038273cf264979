"""What a data set may spend in all its releases together."""

from dataclasses import dataclass

from reaedp.privacy.loss import positive


@dataclass(frozen=True, slots=True)
class Budget:
    """All releases of one data set together are (ε, δ)-differentially private.

    >>> Budget(epsilon=1.0, delta=1e-6).epsilon
    1.0
    """

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        positive("budget.epsilon", self.epsilon)
        positive("budget.delta", self.delta, below=1)
