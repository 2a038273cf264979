import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reaedp import Integer
from reaedp.errors import DeclarationError
from reaedp.synthesis.choices import Choices
from reaedp.synthesis.model import Model


def axis(name: str, size: int) -> Integer:
    return Integer(name=name, lower=0, upper=size - 1, provenance="public", null="drop", nan="drop", unparsable="drop")


def random_model(rng: np.random.Generator, sizes: tuple[int, ...], parents: tuple[tuple[int, ...], ...]) -> Model:
    axes = tuple(axis(f"c{place}", size) for place, size in enumerate(sizes))
    shapes = [tuple(sizes[parent] for parent in among) for among in parents]
    tables = [rng.dirichlet(np.ones(size), shape) for shape, size in zip(shapes, sizes, strict=True)]
    return Model(axes, parents, tuple(np.maximum(table, 1e-12) for table in tables))


def everything(sizes: tuple[int, ...]) -> np.ndarray:
    return np.indices(sizes).reshape(len(sizes), -1).T.astype(np.int32)


MODEL = random_model(np.random.default_rng(0), (3, 2, 4, 3), ((), (0,), (), (2, 0)))

rows_of_weights = st.tuples(st.integers(1, 5), st.integers(1, 7)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.floats(1e-30, 1.0))
)


@settings(deadline=None)
@given(rows_of_weights)
def test_every_cell_gets_exactly_its_share_of_all_words(weights: np.ndarray) -> None:
    """The first and the last word of a cell's stretch draw it, and stretches of one situation fill all words."""
    choices = Choices(weights / weights.sum(axis=1, keepdims=True))
    shares = np.ldexp(choices.probabilities, choices.bits)
    assert np.all(shares == np.floor(shares))
    assert np.all(shares >= 1)
    assert np.all(shares.sum(axis=1) == 2.0**choices.bits)
    situations, cells = (part.ravel() for part in np.indices(shares.shape))
    ends = np.cumsum(shares.astype(np.int64), axis=1).ravel()
    unused = np.uint64(64 - choices.bits)
    first = (ends - shares.astype(np.int64).ravel()).astype(np.uint64) << unused
    last = ((ends - 1).astype(np.uint64) << unused) | np.uint64((1 << (64 - choices.bits)) - 1)
    assert cells.tolist() == choices.draw(first, situations).tolist()
    assert cells.tolist() == choices.draw(last, situations).tolist()


@settings(deadline=None)
@given(rows_of_weights)
def test_rounding_to_the_lattice_moves_probabilities_by_less_than_a_billionth(weights: np.ndarray) -> None:
    law = weights / weights.sum(axis=1, keepdims=True)
    assert np.abs(Choices(law).probabilities - law).max() < 1e-9


def test_probabilities_of_all_records_add_up_to_one() -> None:
    records = everything((3, 2, 4, 3))
    assert 1.0 == pytest.approx(np.exp(MODEL.log_probability(records, 0)).sum(), abs=1e-12)
    for start in range(5):
        after = np.exp(MODEL.log_probability(records, start)).reshape(int(np.prod((3, 2, 4, 3)[:start])), -1)
        assert np.allclose(after.sum(axis=1), 1, atol=1e-12)


def test_log_probability_is_the_product_of_the_tables() -> None:
    records = everything((3, 2, 4, 3))
    a, b, c, d = records.T
    first, second, third, fourth = MODEL.tables
    expected = third[c] * fourth[c, a, d]
    assert np.allclose(np.exp(MODEL.log_probability(records, 2)), expected, rtol=1e-12)
    assert np.allclose(np.exp(MODEL.log_probability(records, 0)), expected * first[a] * second[a, b], rtol=1e-12)
    assert np.array_equal(MODEL.probability_of(records, 3), fourth[c, a, d])


def test_given_cells_stay() -> None:
    rng = np.random.default_rng(1)
    given_cells = everything((3, 2))[rng.integers(0, 6, 40_000)]
    drawn = MODEL.draw(rng.integers(0, 2**64, (40_000, 2), dtype=np.uint64), given_cells)
    assert np.array_equal(given_cells, drawn[:, :2])
    assert drawn.dtype == np.int32
    assert np.array_equal(drawn, MODEL.draw(np.empty((40_000, 0), dtype=np.uint64), drawn))


def deviation(records: np.ndarray, law: np.ndarray, sizes: tuple[int, ...]) -> float:
    """Pearson's statistic of drawn records against a law of all records."""
    counts = np.bincount(np.ravel_multi_index(tuple(records.T), sizes), minlength=law.size)
    expected = len(records) * law
    return float(((counts - expected) ** 2 / expected).sum())


def test_draws_follow_the_law_and_not_one_that_is_thirty_percent_off() -> None:
    sizes, rng = (3, 2, 4, 3), np.random.default_rng(2)
    model = random_model(rng, sizes, ((), (0,), (1,), (2, 0)))
    words = rng.integers(0, 2**64, (400_000, 4), dtype=np.uint64)
    records = model.draw(words, np.empty((400_000, 0), dtype=np.int32))
    law = np.exp(model.log_probability(everything(sizes), 0))
    # 72 cells: a chi-square law of 71 degrees exceeds 147 with a probability of 3e-7.
    assert deviation(records, law, sizes) < 147
    wrong = np.where(np.arange(law.size) == law.argmax(), 1.3 * law, law)
    assert deviation(records, wrong / wrong.sum(), sizes) > 147


def test_a_model_made_from_its_own_tables_is_the_same() -> None:
    again = Model(MODEL.axes, MODEL.parents, MODEL.tables)
    assert all(np.array_equal(one, other) for one, other in zip(MODEL.tables, again.tables, strict=True))
    assert ("c0", "c1", "c2", "c3") == again.names


def test_a_probability_below_the_lattice_is_still_possible() -> None:
    model = Model((axis("a", 2),), ((),), (np.array([1 - 1e-30, 1e-30]),))
    assert 2.0**-52 == model.tables[0][1]
    assert [1] == model.draw(np.array([[2**64 - 1]], dtype=np.uint64), np.empty((1, 0), dtype=np.int32))[0].tolist()


@pytest.mark.parametrize(
    ("parents", "table"),
    [
        (((1,), ()), np.full((2, 3), 1 / 3)),
        (((), (0, 0)), np.full((3, 3, 2), 0.5)),
        (((), (0,)), np.full((2, 2), 0.5)),
        (((), (0,)), np.array([[0.5, 0.5], [1.0, 0.0], [0.5, 0.5]])),
        (((), (0,)), np.array([[0.5, 0.5], [0.5, 0.4], [0.5, 0.5]])),
        (((), (0,)), np.array([[0.5, 0.5], [np.nan, 0.5], [0.5, 0.5]])),
        (((),), np.full((3, 2), 0.5)),
    ],
)
def test_what_is_no_network_of_laws_is_refused(parents: tuple[tuple[int, ...], ...], table: np.ndarray) -> None:
    with pytest.raises(DeclarationError):
        Model((axis("a", 3), axis("b", 2)), parents, (np.full(3, 1 / 3), table))
