"""Declarations of curves and the ways from them to an answer, for tests."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from reaedp import Budget, Contract, Unit
from reaedp.contract import Curve
from reaedp.curves.lattice import CurveLattice
from reaedp.curves.mean_curve import MeanCurve
from reaedp.mechanisms.gaussian import Gaussian
from reaedp.mechanisms.mechanism import Calibrated


def wide(size: int, **changes: Any) -> Curve:
    facts: dict[str, Any] = {
        "name": "x",
        "form": "wide",
        "points": tuple(f"p{place}" for place in range(size)),
        "at": tuple(np.linspace(0.0, 1.0, size).tolist()),
        "interval": (0.0, 1.0),
        "basis": "wiener",
        "rank": 6,
        "clip": 1.0,
        "provenance": "public",
    }
    return Curve(**(facts | changes))


def long(**changes: Any) -> Curve:
    facts = {"form": "long", "points": (), "at": (), "id": "who", "time": "t", "value": "v"}
    return wide(2, **(facts | changes))


def under(curve: Curve, unit: Unit) -> Contract:
    return Contract(dataset="d", unit=unit, budget=Budget(1, 1e-5), ledger="none", columns=(), curves=(curve,))


def frame(curve: Curve, values: Any, **others: Any) -> pd.DataFrame:
    matrix = np.asarray(values, dtype=np.float64).reshape(-1, len(curve.points))
    return pd.DataFrame(matrix, columns=list(curve.points)).assign(**others)


@dataclass(frozen=True)
class Known:
    """Curves that are known to be those that count, in place of records."""

    contract: Contract
    values: np.ndarray

    def curve_sums(self, name: str) -> tuple[np.ndarray, int]:
        points = CurveLattice.of(self.contract.curve(name)).wide(self.values.T.copy())
        return points.sum(axis=1), points.shape[1]


def answered(statistic: MeanCurve, contract: Contract, values: np.ndarray) -> np.ndarray:
    return statistic.answer(Known(contract, np.asarray(values, dtype=np.float64)))  # type: ignore[arg-type]


def calibrated(statistic: MeanCurve, contract: Contract, epsilon: float = 1.0) -> Calibrated:
    sensitivity = statistic.sensitivity(contract)
    return Calibrated(Gaussian.within(epsilon, 1e-5, sensitivity), sensitivity)
