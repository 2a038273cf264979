"""Train on synthetic rows, test on real ones: what a model loses by not having seen the truth.

Ranges speak of more test rows like these, for the two models as they are. That of an accuracy is exact (Clopper and
Pearson 1934). That of an area under the ROC curve is the one of DeLong, DeLong and Clarke-Pearson (1988), and that of a
difference compares both models row by row: valid for many test rows, and widened where the rows show no spread.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reaedp.attacks.attack import CustodianOnly
from reaedp.errors import DeclarationError, sentence
from reaedp.rate import Rate, at_most, mean, share

Codes = NDArray[np.integer]
Floats = NDArray[np.float64]

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class PredictionUtility(CustodianOnly):
    """Accuracy and area under the ROC curve (mean over classes, each against the rest) on real test rows.

    `constant_accuracy` is that of always guessing the commonest class of the real table.
    """

    constant_accuracy: Rate
    real_accuracy: Rate
    synthetic_accuracy: Rate
    lost_accuracy: Rate
    real_auc: Rate
    synthetic_auc: Rate
    lost_auc: Rate

    @property
    def rates(self) -> dict[str, Rate]:
        """Every figure by its name."""
        return {
            "accuracy of a constant guess": self.constant_accuracy,
            "accuracy, trained on real rows": self.real_accuracy,
            "accuracy, trained on synthetic rows": self.synthetic_accuracy,
            "accuracy lost": self.lost_accuracy,
            "AUC, trained on real rows": self.real_auc,
            "AUC, trained on synthetic rows": self.synthetic_auc,
            "AUC lost": self.lost_auc,
        }


def prediction_utility(real: Codes, synthetic: Codes, test: Codes, label: int) -> PredictionUtility:
    """Predict the column at position `label` from all others; no test row may have been seen by either model."""
    columns = real.shape[1]
    if not 0 <= label < columns or test.shape[1:] != (columns,) or len(test) < 2:
        rule = f"The label must be the position of one of {columns} columns, and there must be two or more test rows"
        raise DeclarationError(sentence(rule, given=label))
    classes = np.unique(np.concatenate([table[:, label] for table in (real, synthetic, test)]))
    truth = np.searchsorted(classes, test[:, label])
    commonest = _commonest(np.searchsorted(classes, real[:, label]), len(classes))
    scores = [_scores(table, test, label, classes) for table in (real, synthetic)]
    right = [guess.argmax(axis=1) == truth for guess in scores]
    parts = [auc_parts(truth, guess) for guess in scores]
    return PredictionUtility(
        constant_accuracy=_accuracy(truth == commonest),
        real_accuracy=_accuracy(right[0]),
        synthetic_accuracy=_accuracy(right[1]),
        lost_accuracy=_averaged(right[0].astype(np.float64) - right[1], (-1, 1), _unseen(len(truth), 2)),
        real_auc=auc(truth, scores[0]),
        synthetic_auc=auc(truth, scores[1]),
        lost_auc=_averaged(parts[0] - parts[1], (-1, 1), _unseen_in_pairs(truth)),
    )


def auc(truth: Codes, scores: Floats) -> Rate:
    """The area under the ROC curve, mean over the classes in `truth`; `scores` has a column for each class.

    It is the chance that a row of the class has a higher score than one of another class, a tie counting half.
    """
    return _averaged(auc_parts(truth, scores), (0, 1), _unseen_in_pairs(truth))


def auc_parts(truth: Codes, scores: Floats) -> Floats:
    """What each row says about the area: their mean is the area, their spread is DeLong's.

    A single class has no area; one half is then as good as any number.
    """
    present = np.unique(truth)
    if len(present) < 2:
        return np.full(len(truth), 0.5)
    parts: Floats = np.mean([_class_parts(truth == one, scores[:, one]) for one in present], axis=0)
    return parts


def _class_parts(positive: NDArray[np.bool_], scores: Floats) -> Floats:
    """A row's wins against the other side, blown up by the share of its own side."""
    wins = np.empty(len(scores))
    wins[positive] = _share_below(scores[positive], scores[~positive])
    wins[~positive] = 1 - _share_below(scores[~positive], scores[positive])
    area = wins[positive].mean()
    own_side = np.where(positive, positive.mean(), 1 - positive.mean())
    parts: Floats = area + (wins - area) / own_side
    return parts


def _share_below(scores: Floats, others: Floats) -> Floats:
    """The share of `others` below each score, ties counting half."""
    ordered = np.sort(others)
    below, not_above = (np.searchsorted(ordered, scores, side) for side in ("left", "right"))
    return (below + not_above) / (2 * len(others))


def _scores(train: Codes, test: Codes, label: int, classes: Codes) -> Floats:
    """How likely each class is for each test row; a constant guess if there is nothing to learn."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    known, labels = (np.delete(train, label, axis=1), np.searchsorted(classes, train[:, label]))
    scores = np.zeros((len(test), len(classes)))
    if known.shape[1] == 0 or len(np.unique(labels)) < 2:
        scores[:, _commonest(labels, len(classes))] = 1
        return scores
    model = HistGradientBoostingClassifier(max_iter=100, early_stopping=False, random_state=0).fit(known, labels)
    scores[:, model.classes_] = model.predict_proba(np.delete(test, label, axis=1))
    return scores


def _commonest(labels: Codes, classes: int) -> int:
    return int(np.bincount(labels, minlength=classes).argmax())


def _accuracy(right: NDArray[np.bool_]) -> Rate:
    return share(int(right.sum()), len(right), CONFIDENCE)


def _averaged(parts: Floats, possible: tuple[float, float], unseen: float) -> Rate:
    """Student's range of the mean; if all rows say the same, as far as what no row has shown can reach."""
    rate = mean(parts.tolist(), CONFIDENCE)
    reach = unseen if np.ptp(parts) == 0 else 0.0
    # The truth is possible, so that a cut loses no coverage; the estimate may be off by its last digit.
    value = float(np.clip(rate.value, *possible))
    low, high = (float(np.clip(end, *possible)) for end in (rate.low - reach, rate.high + reach))
    return Rate(value, low, high, CONFIDENCE)


def _unseen(trials: int, ways: int) -> float:
    """The largest chance of something that was never seen in this many trials, for each of this many ways at once."""
    return at_most(0, trials, 1 - (1 - CONFIDENCE) / ways) if trials else 1.0


def _unseen_in_pairs(truth: Codes) -> float:
    """The largest chance of a pair of rows of two classes that was never seen, by the size of the smallest side."""
    sizes = np.unique_counts(truth).counts
    return _unseen(int(np.minimum(sizes, len(truth) - sizes).min()), 2 * len(sizes))
