"""What models learn from synthetic rows: to predict in real rows, and to tell both kinds apart."""

from typing import Any

import numpy as np
from sklearn import ensemble
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

from compared.axis import Codes, Floats
from compared.tables import Compared

#: Models are trained and tested on so many rows at most, the same for everybody; more would change little but the time.
MOST_ROWS = 20_000
MODELS = ("boosting", "forest")
#: Threads that wait for each other on a busy machine take many times as long. Only libraries loaded by now are limited.
one_thread = threadpool_limits.wrap(limits=1)


@one_thread
def downstream(table: Compared, made: Codes) -> dict[str, float]:
    """Quality on held-out real rows of models trained on `made`: AUC and accuracy of a category, R² of a number.

    With more than two classes the AUC is the mean over classes, each against the rest, of those that the test has.
    """
    axis = table.axes[table.label]
    found: dict[str, float] = {}
    for name in MODELS:
        rows, test = first_rows(made, 1), first_rows(table.test, 2)
        if axis.ordered:
            rows, test = (
                part[~np.isnan(axis.middles[_clipped(part, axis.size, table.label)])] for part in (rows, test)
            )
            found[f"r2_{name}"] = _explained(rows, test, table, name)
        else:
            found |= {f"{what}_{name}": figure for what, figure in _classified(rows, test, table, name).items()}
    return found


def _clipped(rows: Codes, size: int, column: int) -> Codes:
    return np.clip(rows[:, column], 0, size - 1)


def first_rows(rows: Codes, seed: int) -> Codes:
    """At most MOST_ROWS, drawn without replacement."""
    return rows[np.random.default_rng(seed).permutation(len(rows))[:MOST_ROWS]]


def _explained(rows: Codes, test: Codes, table: Compared, name: str) -> float:
    """R², at least -1: a model can be arbitrarily wrong."""
    middles = table.axes[table.label].middles
    size = table.axes[table.label].size
    truth = middles[_clipped(test, size, table.label)]
    if not len(rows):
        return -1.0
    model = _model(name, regression=True)
    model.fit(np.delete(rows, table.label, 1), middles[_clipped(rows, size, table.label)])
    wrong = truth - model.predict(np.delete(test, table.label, 1))
    return max(-1.0, 1 - float((wrong**2).sum() / ((truth - truth.mean()) ** 2).sum()))


def _classified(rows: Codes, test: Codes, table: Compared, name: str) -> dict[str, float]:
    known, truth = rows[:, table.label], test[:, table.label]
    if len(np.unique(known)) < 2:
        return {"auc": 0.5, "accuracy": float((truth == known[0]).mean())}
    model = _model(name, regression=False)
    model.fit(np.delete(rows, table.label, 1), known)
    chances: Floats = np.zeros((len(test), table.sizes[table.label] + 2))
    chances[:, model.classes_] = model.predict_proba(np.delete(test, table.label, 1))
    classes = [one for one in np.unique(truth) if 0 < (truth == one).sum() < len(truth)]
    auc = [roc_auc_score(truth == one, chances[:, one]) for one in classes]
    return {"auc": float(np.mean(auc)), "accuracy": float((chances.argmax(axis=1) == truth).mean())}


def _model(name: str, *, regression: bool) -> Any:
    kind = "Regressor" if regression else "Classifier"
    if name == "boosting":
        return getattr(ensemble, f"HistGradientBoosting{kind}")(max_iter=100, early_stopping=False, random_state=0)
    return getattr(ensemble, f"RandomForest{kind}")(n_estimators=100, min_samples_leaf=2, random_state=0, n_jobs=1)


@one_thread
def discriminator(real: Codes, made: Codes) -> float:
    """AUC of boosting that tells synthetic from real rows: trained on one half of both, tested on the other.

    0.5 is what it reaches where it sees no difference. As many rows of each kind.
    """
    many = min(MOST_ROWS, len(real), len(made)) // 2
    both = [first_rows(rows, seed)[: 2 * many] for seed, rows in enumerate((real, made), 1)]
    learned, tested = (np.concatenate([rows[part] for rows in both]) for part in (slice(many), slice(many, None)))
    kinds = np.repeat([0, 1], many)
    model = _model("boosting", regression=False).fit(learned, kinds)
    return float(roc_auc_score(kinds, model.predict_proba(tested)[:, 1]))
