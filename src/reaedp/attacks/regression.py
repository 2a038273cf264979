"""A linear rule, learned from rounds whose coin is known, that scores other rounds."""

from dataclasses import dataclass
from typing import Any

from reaedp.attacks.trials import Flags, Floats


@dataclass(frozen=True, slots=True)
class Separator:
    """Logistic regression on standardised features, with a penalty because shadow runs are dear and hence few."""

    fitted: Any

    @classmethod
    def trained(cls, features: Floats, member: Flags, *, strength: float = 0.01) -> "Separator":
        """Learn; `strength` is the inverse of the penalty."""
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        model = make_pipeline(StandardScaler(), LogisticRegression(C=strength, max_iter=1_000))
        return cls(model.fit(features, member))

    def score(self, features: Floats) -> Floats:
        """The log-odds that the target is in."""
        odds: Floats = self.fitted.decision_function(features)
        return odds
