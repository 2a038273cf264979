"""The model beside synthetic rows: whether it belongs to its release, and the release with it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from reaedp.errors import ReaedpError
from reaedp.release.place import read_plain
from reaedp.release.verification.derived import CLOSE, Rebuilt
from reaedp.synthesis.learned import WITHIN, LearnedModel
from reaedp.synthesis.marginal_model import MarginalModel
from reaedp.synthesis.model_file import read_model
from reaedp.synthesis.published_model import MODEL_SUFFIX, PublishedModel
from reaedp.synthesis.synthetic import Synthetic

#: What rounding changes in sums of squares.
_SLACK = 1e-6
#: What a file raises that holds no model.
_NONE = (ValueError, LookupError, TypeError, OverflowError, RecursionError)


def check_model(folder: Path, release: Rebuilt) -> None:
    """Compare a model's noise, tables and number of rows with what its mechanism and its details say."""
    found = _model(folder, release)
    if found is None:
        return
    learned, network, details = found.learned, _network(release), release.record["details"]
    chosen, own = learned.tables, learned.evidence.tables[: len(learned.axes)]
    same = (
        _told(learned, release, network)
        and np.isclose(learned.column_scale, details["noise_of_columns"], rtol=CLOSE)
        and learned.finest == network.finest
        and np.isclose(learned.table_scale, details["noise_of_tables"], rtol=CLOSE)
        and all(table.group == (place,) for place, table in enumerate(own))
        and len(chosen) == len(details["tables"]) <= network.tables
        and round(learned.total) == details["rows_found"]
        and (found.keys is None) == ("keys" not in details)
        and ((learned.regions is None and not learned.inner) or network is release.noise.mechanism)
        and len(learned.inner) == len(details.get(WITHIN, ()))
        and (found.keys is None or len(found.keys.counts) == details["keys"])
    )
    if not same:
        raise ReaedpError(
            f"{release.name}{MODEL_SUFFIX} does not follow from the mechanism and details of its release."
        )


def _told(learned: LearnedModel, release: Rebuilt, network: MarginalModel) -> bool:
    """Whether noise is no less than the price buys: squares of l2/σ of all tables are at most μ² together."""
    squared = release.noise.sensitivity.l2_squared
    scales = [*learned.evidence.column_scales, *(float(table.scales.min()) for table in learned.tables)]
    scales += [] if learned.regions is None else [learned.regions.scale]
    scales += [each.scale for each in learned.inner]
    return sum(squared / scale**2 for scale in scales) <= network.mu**2 * (1 + _SLACK)


def with_model(folder: Path, release: Rebuilt, value: Any) -> Any:
    """What was released, with the model that lies beside it."""
    found = _model(folder, release)
    return value if found is None else replace(value, model=found)


def _model(folder: Path, release: Rebuilt) -> PublishedModel | None:
    name = f"{release.name}{MODEL_SUFFIX}"
    if name not in release.record["files"]:
        return None
    if not isinstance(release.statistic, Synthetic):
        raise ReaedpError(f"{name} lies beside a release that has no model.")
    axes = release.contract.select(release.statistic.columns)
    try:
        return read_model(read_plain(folder / name), axes, release.contract.rules)
    except _NONE:
        raise ReaedpError(f"{name} is damaged: it holds no model of the columns of its release.") from None


def _network(release: Rebuilt) -> MarginalModel:
    mechanism: Any = release.noise.mechanism
    found: MarginalModel = getattr(mechanism, "network", mechanism)
    return found
