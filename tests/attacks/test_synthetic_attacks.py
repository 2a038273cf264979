"""Every attack finds a synthesizer that copies, and finds nothing in one that hardly looked."""

import math

import numpy as np
import pytest

from reaedp.attacks.attack import Attack
from reaedp.attacks.attribute import Learner, by_classifier, by_neighbours, infer, infer_random
from reaedp.attacks.density import density_attack, density_ratio
from reaedp.attacks.linkage import linkability
from reaedp.attacks.pair import Codes, counts
from reaedp.attacks.people import People, Synthesize
from reaedp.attacks.shadow import matching, most_exposed, shadow, subsets
from reaedp.attacks.similarity import Similarity, similarity
from reaedp.attacks.singling_out import Descriptions, combinations, rare_values, single_out
from reaedp.attacks.space import Space
from reaedp.errors import DeclarationError
from reaedp.mechanisms.noise import SeededNoise
from reaedp.privacy.permitted import permitted

SIZES = (12, 9, 8, 7, 15, 2)
SECRET = 5
SIZE = 500


def copying(codes: Codes, rng: np.random.Generator) -> Codes:
    return rng.permutation(codes)


def independent(epsilon: float, rows: int = SIZE) -> Synthesize:
    """One-column histograms with discrete Laplace noise, an equal share of ε each; then independent draws."""

    def synthesize(codes: Codes, rng: np.random.Generator) -> Codes:
        exact = [counts(codes, SIZES, [column]) for column in range(len(SIZES))]
        noisy = [SeededNoise(rng).laplace(table, len(SIZES) / epsilon) for table in exact]
        kept = [np.maximum(table, 0) + 1e-9 for table in noisy]
        return np.column_stack([rng.choice(len(table), size=rows, p=table / table.sum()) for table in kept])

    return synthesize


def drawn(rows: int, rng: np.random.Generator) -> Codes:
    """Records of 40 kinds with errors, so that columns go together; the secret follows the first column."""
    kinds = np.random.default_rng(0).integers(SIZES, size=(40, len(SIZES)))
    likely = kinds[rng.integers(40, size=rows)]
    codes = np.where(rng.random(likely.shape) < 0.5, likely, rng.integers(SIZES, size=likely.shape))
    codes[:, SECRET] = np.where(rng.random(rows) < 0.8, codes[:, 0] % 2, rng.integers(2, size=rows))
    return codes


@pytest.fixture(scope="module")
def people() -> People:
    codes = drawn(2 * SIZE, np.random.default_rng(1))
    return People(codes[:SIZE], codes[SIZE:], Space.unordered(SIZES))


@pytest.fixture(scope="module")
def reference() -> Codes:
    return drawn(SIZE, np.random.default_rng(2))


def apart(attack: Attack) -> bool:
    """Whether the two 95 % ranges leave a gap as wide as themselves: chance does that less than once in 10 million."""
    width = attack.main.high - attack.main.low + attack.control.high - attack.control.low
    return attack.main.low > attack.control.high + width / 2


def test_the_most_exposed_record_is_the_one_farthest_from_its_neighbours() -> None:
    rng = np.random.default_rng(3)
    codes = rng.integers(3, size=(100, 6))
    codes[42] = 9
    space = Space.unordered((10,) * 6)
    assert 42 == most_exposed(codes, space)
    assert 7 == most_exposed(codes, space, among=np.array([7]))


def test_questions_are_different_sets_of_one_to_three_columns() -> None:
    questions = subsets(5, 1_000, np.random.default_rng(4))
    sets = {frozenset(question.tolist()) for question in questions}
    assert (25, 25, {1, 2, 3}) == (len(questions), len(sets), {len(chosen) for chosen in sets})


def test_records_like_the_target_are_counted_as_by_a_plain_loop() -> None:
    rng = np.random.default_rng(5)
    synthetic, target = rng.integers(3, size=(200, 5)), rng.integers(3, size=(1, 5))
    questions = subsets(5, 12, rng)
    plain = [sum(all(row[c] == target[0][c] for c in question) for row in synthetic) for question in questions]
    assert [200, *plain] == matching(synthetic, target, questions).tolist()


def test_shadow_runs_catch_copies_and_nothing_else(people: People) -> None:
    rng = np.random.default_rng(6)
    target = most_exposed(people.members, people.space)
    told: list[int] = []
    caught = shadow(
        people.members, target, copying, permitted(1.0), runs=300, rng=rng, substitute=people.outsiders[0],
        progress=lambda done, of: told.append(of - done),
    )  # fmt: skip
    assert list(range(300))[::-1] == told
    area, accuracy, *_ = caught
    assert area.main.value > 0.99
    assert accuracy.main.low > accuracy.permitted
    nothing = shadow(people.members, target, independent(0.1), permitted(0.1), runs=600, rng=rng)
    # 300 rounds are judged, 100 or more of each kind but for 1e-8: Hoeffding's bound leaves 1e-6 beyond 0.27 and 0.16,
    # of which ε itself may move the mean by 0.025.
    assert 0.5 == pytest.approx(nothing[0].main.value, abs=0.29)
    assert 0.5 == pytest.approx(nothing[1].main.value, abs=0.19)
    assert nothing[1].main.low <= nothing[1].permitted


def test_shadow_runs_find_a_person_in_many_records_that_copy_nobody(people: People) -> None:
    # Of 100 people one is 1 %: among 5,000 records 50 more in a cell, where chance moves the number by some 15.
    rng = np.random.default_rng(19)
    few = people.members[:100]
    target = most_exposed(few, people.space)
    found = shadow(few, target, independent(60.0, 5_000), permitted(60.0), runs=300, rng=rng)
    assert found[0].main.value > 0.9


def test_a_number_of_rows_that_tells_is_a_leak_too(people: People) -> None:
    rng = np.random.default_rng(7)

    def as_many(codes: Codes, rng: np.random.Generator) -> Codes:
        return np.zeros((len(codes), len(SIZES)), dtype=np.int64)

    assert 1.0 == shadow(people.members, 0, as_many, permitted(1.0), runs=200, rng=rng)[0].main.value


def test_the_density_ratio_is_that_of_smoothed_shares() -> None:
    synthetic, reference = np.array([[0, 0], [0, 0], [1, 1]]), np.array([[0, 1], [1, 1]])
    ratio = density_ratio(np.array([[0, 0], [1, 1], [0, 1]]), synthetic, reference, [[0, 1]])
    expected = np.log([(2.5 / 3.5) / (0.5 / 2.5), (1.5 / 3.5) / (1.5 / 2.5), (0.5 / 3.5) / (1.5 / 2.5)])
    np.testing.assert_allclose(expected, ratio)
    both = density_ratio(np.array([[0, 0]]), synthetic, reference, [[0], [1]])
    np.testing.assert_allclose([np.log((2.5 / 3.5) / (1.5 / 2.5)) + np.log((2.5 / 3.5) / (0.5 / 2.5))], both)


def test_density_catches_copies_and_nothing_else(people: People, reference: Codes) -> None:
    rng = np.random.default_rng(8)
    options = {"promise": permitted(1.0), "rounds": 4_000, "rng": rng}
    caught = density_attack(people, copying(people.members, rng), reference, **options)[0]
    assert caught.main.value > 0.95
    assert apart(caught)
    groups = [[0, 1], [2, 3], [4, 5]]
    nothing = density_attack(people, independent(0.1)(people.members, rng), reference, groups=groups, **options)[0]
    # Members and outsiders are 500 fixed people each: 5.5 deviations of their areas, √(1/6000), and of the rounds.
    assert 0.5 == pytest.approx(nothing.main.value, abs=0.15)


def test_halves_are_joined_through_copies_and_not_through_noise(people: People) -> None:
    rng = np.random.default_rng(9)
    options = {"halves": ((0, 1, 2), (3, 4, 5)), "promise": permitted(0.1), "rng": rng, "most": 400}
    caught = linkability(people, copying(people.members, rng), **options)
    assert apart(caught)
    assert caught.main.low > caught.permitted
    nothing = linkability(people, independent(0.1)(people.members, rng), **options)
    # One in ten of 400, of 250 strangers: 5.5 deviations are 0.083 and 0.105.
    assert 0.1 == pytest.approx(nothing.main.value, abs=0.11) == nothing.control.value
    assert 0.1 == nothing.baseline


@pytest.mark.slow
@pytest.mark.parametrize("learner", [by_neighbours(Space.unordered(SIZES), SECRET, 1), by_classifier])
def test_secrets_leak_through_copies_even_if_they_go_with_nothing(people: People, learner: Learner) -> None:
    rng = np.random.default_rng(10)
    caught = infer_random(people, copying, SECRET, learner, permitted(0.1), rng=rng, most=500)
    assert apart(caught)
    assert caught.main.low > caught.permitted
    assert caught.risk.low > 0
    # Half of 500 is guessed by chance; 5.5 deviations are 0.123.
    assert 0.5 == pytest.approx(caught.control.value, abs=0.123)
    nothing = infer_random(people, independent(0.1), SECRET, learner, permitted(0.1), rng=rng, most=500)
    assert 0.5 == pytest.approx(nothing.main.value, abs=0.123)


@pytest.mark.slow
def test_what_goes_together_in_everybody_is_no_leak(people: People, reference: Codes) -> None:
    # The release is made from other people altogether: both groups are guessed well, and equally well.
    rng = np.random.default_rng(11)
    found = infer(people, reference, SECRET, by_classifier, permitted(0.1), rng=rng, most=500)
    assert min(found.main.value, found.control.value) > 0.7 > found.baseline
    assert found.main.value == pytest.approx(found.control.value, abs=0.17)
    assert not apart(found)


def test_a_release_with_one_secret_for_all_is_guessed_to_have_it() -> None:
    guess = by_classifier(np.zeros((3, 2)), np.array([1, 1, 1]), np.random.default_rng(12))
    assert [1, 1] == guess(np.zeros((2, 2))).tolist()


def test_descriptions_fit_as_many_as_a_plain_loop_finds() -> None:
    rng = np.random.default_rng(13)
    codes, low = rng.integers(5, size=(60, 4)), rng.integers(3, size=(30, 2))
    columns, high = rng.integers(4, size=(30, 2)), low + rng.integers(2, size=(30, 2))
    plain = [
        sum(all(a <= row[c] <= b for c, a, b in zip(*chosen, strict=True)) for row in codes)
        for chosen in zip(columns, low, high, strict=True)
    ]
    assert plain == Descriptions(columns, low, high).fitting(codes).tolist()


def test_rare_values_are_those_of_one_record_and_the_ends() -> None:
    found = rare_values(np.array([[2], [2], [3], [5], [5]]), (8,), 100, np.random.default_rng(14))
    assert {(0, 3, 3), (0, 0, 2), (0, 5, 7)} == {
        (int(c), int(a), int(b)) for c, a, b in zip(found.columns[:, 0], found.low[:, 0], found.high[:, 0], strict=True)
    }


def test_copies_single_people_out_and_noise_does_not(people: People) -> None:
    rng = np.random.default_rng(15)
    caught, nothing = (
        single_out(people, combinations(made, 4, 500, rng), epsilon=0.1, delta=0.0, rng=rng)
        for made in (copying(people.members, rng), independent(0.1)(people.members, rng))
    )
    assert apart(caught)
    assert caught.main.low > caught.permitted
    assert nothing.main.value == pytest.approx(nothing.control.value, abs=0.1)
    assert nothing.main.low <= nothing.permitted


def test_only_a_description_of_exactly_one_person_singles_out() -> None:
    """Of four values one is nobody's, one has one member, one two and one three of them; the same among outsiders."""
    codes = np.array([[1], [2], [2], [3], [3], [3]])
    everyone = People(codes, codes, Space.unordered((4,)))
    values = np.arange(4).reshape(-1, 1)
    described = Descriptions(np.zeros_like(values), values, values)
    found = single_out(everyone, described, epsilon=1.0, delta=0.0, rng=np.random.default_rng(21))
    assert (0.25, 0.25) == (found.main.value, found.control.value)


def test_the_cap_on_singling_out_is_that_of_the_proof(people: People) -> None:
    """e^ε times the mean number of outsiders fitted where at most one member is, and δ for each of the members."""
    described = combinations(people.members, 3, 300, np.random.default_rng(19))
    size = min(len(people.members), len(people.outsiders))

    def cap(epsilon: float, delta: float) -> float:
        return single_out(people, described, epsilon=epsilon, delta=delta, rng=np.random.default_rng(20)).permitted

    free = cap(0.0, 0.0)
    assert 0 < free < 0.5
    assert free + size * 1e-5 == pytest.approx(cap(0.0, 1e-5))
    assert math.exp(0.3) * free == pytest.approx(cap(0.3, 0.0))
    assert 1.0 == cap(20.0, 0.0)


def test_copied_numbers_of_insurance_single_people_out(people: People) -> None:
    rng = np.random.default_rng(16)
    numbers = rng.permutation(10_000)
    insured = [np.column_stack([codes, part[: len(codes)]]) for codes, part in zip(
        (people.members, people.outsiders), (numbers, numbers[SIZE:]), strict=True
    )]  # fmt: skip
    everyone = People(*insured, Space.unordered((*SIZES, 10_000)))
    rare = rare_values(everyone.members, everyone.space.sizes, 400, rng)
    found = single_out(everyone, rare, epsilon=1.0, delta=0.0, rng=rng)
    # All but the ends of seven columns are numbers of one member each, and of no outsider.
    assert found.main.value > 1 - 14 / 400
    assert found.control.value < 14 / 400
    assert found.main.low > found.permitted


def test_copies_are_similar_which_is_not_a_figure_of_privacy(people: People, reference: Codes) -> None:
    rng = np.random.default_rng(17)
    copied, fresh = (similarity(people, made, rng, 500) for made in (copying(people.members, rng), reference))
    assert (1.0, 0.0) == (copied.copies.value, copied.distance)
    assert copied.nearer_to_members > 0.9
    # People who are in neither group are as near to one as to the other: 5.5 deviations of 500 are 0.123.
    assert 0.5 == pytest.approx(fresh.nearer_to_members, abs=0.123)
    assert fresh.copies.value == pytest.approx(fresh.chance_copies.value, abs=0.1)
    assert not Similarity.disclosable


def test_people_have_the_columns_of_their_space(people: People) -> None:
    with pytest.raises(DeclarationError, match="same columns"):
        People(people.members, people.outsiders[:, :2], people.space)


def test_promises_cap_members_by_what_outsiders_suffer(people: People) -> None:
    found = people.attacked(
        "demo", "share", lambda codes: np.arange(len(codes)) % 2 == 0, baseline=0.0, promise=permitted(0.5, 0.01),
        most=400, rng=np.random.default_rng(18),
    )  # fmt: skip
    assert (0.5, 0.5) == (found.main.value, found.control.value)
    assert float(permitted(0.5, 0.01).true_positives(found.control.high)) == found.permitted
