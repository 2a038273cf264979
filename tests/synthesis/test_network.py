import math
from itertools import combinations

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm

from cell_rows import UNITS, Asked, Recorded, Rows, units
from reaedp import Boolean, Budget, Category, Contract, Integer, Unit
from reaedp.errors import DeclarationError
from reaedp.mechanisms.noise import SeededNoise
from reaedp.privacy.accounting import epsilon, tally
from reaedp.privacy.loss import GaussianDP
from reaedp.statistics.marginal import counting_sensitivity
from reaedp.synthesis.learned import LearnedModel
from reaedp.synthesis.marginal_model import MarginalModel
from reaedp.synthesis.synthetic import RecordsToAsk

COLUMNS = (
    Integer(name="age", lower=0, upper=39, provenance="public"),
    Category(name="job", levels=("a", "b", "c", "d"), provenance="public"),
    Boolean(name="member", provenance="public"),
    Category(name="only", levels=("x",), provenance="public", null="drop", unseen="drop"),
    Category(name="town", levels=tuple("abcdefghijkl"), provenance="public"),
)
NAMES = tuple(column.name for column in COLUMNS)


def contract(unit: Unit = UNITS["add-remove"]) -> Contract:
    return Contract(dataset="d", unit=unit, budget=Budget(9, 1e-6), ledger="unused", columns=COLUMNS)


def sample(count: int, seed: int) -> np.ndarray:
    """Job follows age, membership follows job, town stands apart."""
    rng = np.random.default_rng(seed)
    age = rng.binomial(39, 0.4, count)
    job = np.where(rng.random(count) < 0.9, age // 10, rng.integers(0, 4, count))
    member = (rng.random(count) < np.array([0.1, 0.9, 0.2, 0.7])[job]).astype(int)
    return np.column_stack([age, job, member, np.zeros(count, int), rng.integers(0, 12, count)])


def learned(network: MarginalModel, rows: np.ndarray, noise: object, columns: tuple[str, ...] = NAMES) -> LearnedModel:
    terms = contract()
    sensitivity = counting_sensitivity(terms.unit)
    return network.learn(Rows(terms, rows), columns, sensitivity, noise, lambda _: None)  # type: ignore[arg-type]


def seeded(seed: int) -> SeededNoise:
    return SeededNoise(np.random.default_rng(seed))


@units
@pytest.mark.parametrize("wanted", [0.1, 1.0, 8.0])
@pytest.mark.parametrize("width", [1, 2, 5])
def test_the_price_fits_the_budget_it_was_made_for(unit: Unit, wanted: float, width: int) -> None:
    terms = contract(unit)
    network = MarginalModel.within(wanted, 1e-6, terms, NAMES[:width])
    spent = epsilon(tally([network.price(counting_sensitivity(unit))]), 1e-6)
    assert spent <= wanted
    assert spent > 0.98 * wanted


def loss_of(asked: Asked, unit: Unit) -> float:
    """The μ of a question by its noise, from the formulas in PROOFS.md."""
    sensitivity = counting_sensitivity(unit)
    if asked.kind == "gaussian":
        return asked.grain * math.sqrt(sensitivity.l2_squared / (asked.scale**2 - 4)) * (1 + 2.0**-40)
    return 2 * float(norm.ppf(expit(sensitivity.l1 / asked.scale)))


@pytest.mark.quick_every(3)
@units
@pytest.mark.parametrize("count", [30, 3000])
@pytest.mark.parametrize("mu", [0.2, 3.0])
def test_learning_asks_for_what_it_paid_for_and_no_more(unit: Unit, count: int, mu: float) -> None:
    """Nothing is left over, whether tables are worth their price or columns take all."""
    noise = Recorded(seeded(1))
    network = MarginalModel(len(NAMES), mu=mu)
    rows = Rows(contract(unit), sample(count, 1))
    network.learn(rows, NAMES, counting_sensitivity(unit), noise, lambda _: None)  # type: ignore[arg-type]
    spent = math.fsum(loss_of(one, unit) ** 2 for one in noise.asked)
    assert (GaussianDP(mu),) == network.price(counting_sensitivity(unit))
    assert 0.999 * mu**2 < spent <= mu**2


@units
def test_of_few_rows_all_is_spent_on_the_columns(unit: Unit) -> None:
    """At μ = 0.2 a cell of five columns has noise of some eleven rows or more, and there are thirty in all."""
    sensitivity = counting_sensitivity(unit)
    rows = Rows(contract(unit), sample(30, 31))
    found = MarginalModel(len(NAMES), mu=0.2).learn(rows, NAMES, sensitivity, seeded(32), lambda _: None)  # type: ignore[arg-type]
    assert () == found.tables
    # All that is spent, on all columns together.
    spent = sum(scale**-2 for scale in found.evidence.column_scales) * sensitivity.l2_squared
    assert 0.2**2 / 1.04 < spent < 0.2**2
    # A fourth of the cells, twice the square of the noise.
    sizes = [single.values.size for single in found.singles]
    expected = [size**-0.25 for size in sizes]
    ratio = np.array(found.evidence.column_scales) / expected
    assert ratio.max() / ratio.min() == pytest.approx(1, abs=0.02)


def neighbours(unit: Unit) -> tuple[np.ndarray, np.ndarray]:
    rows = sample(4000, 2)
    if unit.change == "add-remove":
        return rows, rows[unit.rows :]
    other = rows.copy()
    other[: unit.rows] = sample(unit.rows, 3)
    return rows, other


@pytest.mark.quick_every(2)
@units
def test_whatever_is_asked_moves_by_no_more_than_its_sensitivity(unit: Unit) -> None:
    """The neighbour is answered as the first was, so that both are asked the same."""
    network, sensitivity = MarginalModel(len(NAMES), mu=1.0), counting_sensitivity(unit)
    first, second = neighbours(unit)
    here = Recorded(seeded(4))
    network.learn(Rows(contract(unit), first), NAMES, sensitivity, here, lambda _: None)  # type: ignore[arg-type]
    there = Recorded(seeded(5), here.answers)
    network.learn(Rows(contract(unit), second), NAMES, sensitivity, there, lambda _: None)  # type: ignore[arg-type]
    questions = [[one._replace(exact=one.exact.shape) for one in noise.asked] for noise in (here, there)]
    assert questions[0] == questions[1]
    moves = [(one.kind, one.exact - other.exact) for one, other in zip(here.asked, there.asked, strict=True)]
    assert all(np.abs(move).max() <= sensitivity.l1 for kind, move in moves if kind == "choose")
    tables = [move for kind, move in moves if kind == "gaussian"]
    assert max(int(np.abs(move).sum()) for move in tables) <= sensitivity.l1
    assert max(int((move**2).sum()) for move in tables) <= sensitivity.l2_squared
    assert max(int(np.abs(move).max()) for move in tables) <= sensitivity.linf
    assert any(np.any(move) for move in tables)


def test_equal_answers_give_equal_models_whatever_the_rows() -> None:
    network = MarginalModel(len(NAMES), mu=2.0)
    noise = Recorded(seeded(6))
    one = learned(network, sample(3000, 6), noise)
    other = learned(network, sample(10, 7), Recorded(seeded(8), noise.answers))
    assert one.account == other.account
    for expected, actual in zip(one.beliefs.cliques, other.beliefs.cliques, strict=True):
        assert np.array_equal(expected, actual)


def test_the_same_seed_gives_the_same_model() -> None:
    one, other = (learned(MarginalModel(len(NAMES), mu=1.0), sample(2000, 9), seeded(10)) for _ in range(2))
    drawn = [each.rows(500, np.random.default_rng(11)) for each in (one, other)]
    assert np.array_equal(*drawn)
    assert one.account == other.account


@pytest.mark.parametrize("count", [0, 1, 20])
@pytest.mark.parametrize("mu", [0.1, 3.0])
def test_tables_without_rows_or_with_one_row_can_be_learned(count: int, mu: float) -> None:
    found = learned(MarginalModel(len(NAMES), mu=mu), sample(count, 12), seeded(13))
    drawn = found.rows(1000, np.random.default_rng(14))
    assert np.all((drawn >= 0) & (drawn < [column.size for column in COLUMNS]))
    assert NAMES == tuple(sorted(found.model(("town",)).names, key=NAMES.index))


@pytest.mark.parametrize("columns", [("age",), ("only",), ("only", "member"), ("age", "job")], ids=str)
def test_one_or_two_columns_can_be_learned(columns: tuple[str, ...]) -> None:
    found = learned(MarginalModel(len(columns), mu=1.0), sample(2000, 15), seeded(16), columns)
    assert (700, len(columns)) == found.rows(700, np.random.default_rng(17)).shape
    assert columns == found.model(columns).names


def test_a_network_for_other_columns_is_refused() -> None:
    with pytest.raises(DeclarationError, match="computed for 3 columns"):
        learned(MarginalModel(3, mu=1.0), sample(5, 18), seeded(19))


@pytest.mark.parametrize(
    "change", [{"columns": 0}, {"columns": 2.0}, {"mu": 0.0}, {"mu": math.nan}, {"mu": -1.0}, {"mu": 1e-13}]
)
def test_what_cannot_be_a_network_is_refused(change: dict[str, float]) -> None:
    good = {"columns": 2, "mu": 0.1}
    with pytest.raises(DeclarationError):
        MarginalModel(**(good | change))  # type: ignore[arg-type]


def test_strong_dependences_are_found_first_and_kept() -> None:
    """At μ = 1 a cell of a chosen table has noise of about 5 of 5,000 rows; job and age share 1.3 bits."""
    rows = sample(5000, 20)
    found = learned(MarginalModel(len(NAMES), mu=1.0), rows, seeded(21))
    first = [set(dependence.columns) for dependence in found.dependences[:2]]
    assert all(any(pair <= columns for columns in first) for pair in ({"age", "job"}, {"job", "member"}))
    drawn = found.rows(5000, np.random.default_rng(22))
    decades = [np.bincount(x[:, 0] // 10 * 6 + x[:, 1], minlength=36) for x in (rows, drawn)]
    members = [np.bincount(x[:, 1] * 4 + x[:, 2], minlength=24) for x in (rows, drawn)]
    for real, synthetic in (decades, members):
        # 5 rows of noise in each of at most 24 cells that matter: 24 · 0.8 · 5 / 2 / 5,000 = 0.01 of all rows.
        assert 0.04 > np.abs(real - synthetic).sum() / 2 / 5000


def test_model_and_rows_agree_where_no_table_is_too_large() -> None:
    """The Bayesian network's own pairs, by summing out its joint law, against those of the beliefs."""
    columns = ("job", "member", "town")
    found = learned(MarginalModel(3, mu=2.0), sample(6000, 23), seeded(24), columns)
    for first in ((), ("town",), ("member", "job")):
        model = found.model(first)
        assert first == model.names[: len(first)]
        joint = np.ones(())
        for place, (parents, table) in enumerate(zip(model.parents, model.tables, strict=True)):
            assert np.all(table > 0)
            np.testing.assert_allclose(1.0, table.sum(axis=-1), atol=1e-12)
            spread = [slice(None) if axis in (*parents, place) else None for axis in range(place + 1)]
            order = np.argsort(np.argsort((*parents, place)))
            joint = joint[..., None] * table.transpose(np.argsort(order))[tuple(spread)]
        order = [model.names.index(name) for name in columns]
        law = joint.transpose(order)
        fine = found.rows(200_000, np.random.default_rng(25))
        seen = np.zeros(law.shape)
        np.add.at(seen, tuple(fine.T), 1 / 200_000)
        for pair in combinations(range(3), 2):
            other = ({0, 1, 2} - set(pair)).pop()
            # Parents that would tell less than 0.0001 bits are left out; Pinsker: below 0.006 of all rows each.
            assert 0.02 > np.abs(law.sum(axis=other) - seen.sum(axis=other)).sum() / 2


def test_a_first_column_that_does_not_exist_is_refused() -> None:
    found = learned(MarginalModel(len(NAMES), mu=1.0), sample(100, 26), seeded(27))
    for first in (("nobody",), ("age", "age")):
        with pytest.raises(DeclarationError):
            found.model(first)


def test_rows_are_released_in_the_order_asked_for_with_an_account() -> None:
    terms = contract()
    question = RecordsToAsk(Rows(terms, sample(1000, 28)), NAMES, 321)  # type: ignore[arg-type]
    network = MarginalModel(len(NAMES), mu=1.0)
    released = network.apply(question, counting_sensitivity(terms.unit), seeded(29))
    assert (321, len(NAMES)) == released.codes.shape
    assert list(NAMES) == list(released.values)
    assert "entropy map" in released.details["account"]


def test_choices_by_rows_are_surer_than_an_entropy_map_for_the_same_price() -> None:
    found = learned(MarginalModel.within(1.0, 1e-6, contract(), NAMES), sample(20_000, 30), seeded(31))
    assert found.choice_noise < found.map_noise


def test_noise_is_described_as_that_of_a_chosen_table() -> None:
    network, sensitivity = MarginalModel(5, mu=1.0), counting_sensitivity(UNITS["add-remove"])
    table = network.table_noise(sensitivity)
    said = (network.scale(sensitivity), network.mean_error(sensitivity), network.error_quantile(sensitivity, 0.95, 3))
    assert (table.scale, table.mean_error, table.error_quantile(0.95, 3)) == said
    equal = network.column_noise(sensitivity).scale
    assert network.column_noise(sensitivity, share=0.5).scale < equal < table.scale
    assert equal == network.column_noise(sensitivity, share=1 / network.columns).scale
    assert ("network", "records") == (MarginalModel.name, MarginalModel.hides)
