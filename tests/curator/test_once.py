"""What follows from a contract is computed once a release."""

from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from reaedp import Budget, Contract, Curator, Entropy, Integer, Laplace, Unit
from reaedp.mechanisms.noise import SeededNoise
from tests_support import ledger_in


def test_sensitivity_price_and_fingerprint_are_computed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: Counter[str] = Counter()
    for owner, name in ((Entropy, "sensitivity"), (Laplace, "price")):
        original = getattr(owner, name)

        def counted(*arguments: object, original: object = original, name: str = name) -> object:
            calls[name] += 1
            return original(*arguments)  # type: ignore[operator]

        monkeypatch.setattr(owner, name, counted)
    contract = Contract(
        dataset="d",
        unit=Unit("add-remove", at_least=4),
        budget=Budget(1, 1e-6),
        ledger=str(ledger_in(tmp_path)),
        columns=(Integer(name="x", lower=0, upper=3, provenance="public"),),
    )
    data = {"x": np.array([0, 1, 2, 3, 3])}

    curator = Curator(contract, pd.DataFrame(data), noise=SeededNoise(np.random.default_rng(1)))
    curator.release(Entropy(("x",)), Laplace(0.5))
    assert {"sensitivity": 1, "price": 1} == dict(calls)
    assert "fingerprint" in vars(contract)
