from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lapwing.algebra.composition import concentrated, postprocessed, renyi, sequential
from lapwing.algebra.conversion import pure_to_tight_zcdp, zcdp_to_renyi
from lapwing.algebra.measures import ZCDP, ApproxDP, PureDP, RenyiDP
from lapwing.errors import InvalidInput, NotComparable, Unbounded
from tests.algebra import finite
from tests.algebra.strategies import alike, measures, triples, zcdps


@st.composite
def adaptive_pairs(draw):
    """Two neighbours' joint distributions, with the first mechanism and every second one it may select."""
    first = (draw(finite.distributions()), draw(finite.distributions()))
    seconds = {o: (draw(finite.distributions(2)), draw(finite.distributions(2))) for o in first[0]}
    whole = tuple(finite.joint(first[i], {o: pair[i] for o, pair in seconds.items()}) for i in (0, 1))
    return first, list(seconds.values()), whole


@given(adaptive_pairs())
def test_pure_bound_covers_every_adaptive_pair(case):
    first, seconds, whole = case
    finite.assert_pure([whole], sequential([finite.true_pure([first]), finite.true_pure(seconds)]))


@given(adaptive_pairs(), st.fractions(0, 1, max_denominator=8), st.fractions(0, 1, max_denominator=8))
def test_approx_bound_covers_every_adaptive_pair(case, one, other):
    first, seconds, whole = case
    parts = [finite.true_approx([first], one), finite.true_approx(seconds, other)]
    if sum(part.delta for part in parts) < 1:
        finite.assert_approx([whole], sequential(parts))


@given(adaptive_pairs())
def test_renyi_bound_covers_every_adaptive_pair(case):
    first, seconds, whole = case
    parts = [finite.true_renyi([first], (2, 3, 5)), finite.true_renyi(seconds, (2, 3, 5))]
    finite.assert_renyi([whole], renyi(parts))


@given(adaptive_pairs())
@settings(max_examples=50)
def test_concentrated_bound_covers_every_adaptive_pair(case):
    first, seconds, whole = case
    total = concentrated([pure_to_tight_zcdp(finite.true_pure(part)) for part in ([first], seconds)])
    finite.assert_renyi([whole], zcdp_to_renyi(total, (2, 3, 9)))


def test_the_pure_bound_is_reached():
    one = finite.response(Fraction(3))
    whole = tuple(finite.joint(one[i], dict.fromkeys((0, 1), one[i])) for i in (0, 1))
    assert finite.largest_ratio([whole]) == 9
    bound = sequential([finite.true_pure([one])] * 2)
    assert finite.log(Fraction(9)).lower <= bound.epsilon < finite.log(Fraction(9)).upper + Fraction(1, 10**20)


@given(triples)
def test_order_and_grouping_do_not_matter(parts):
    a, b, c = parts
    assert sequential([a, sequential([b, c])]) == sequential([sequential([a, b]), c]) == sequential([c, a, b])


@given(alike)
def test_it_agrees_with_the_theorem_of_the_measure(parts):
    total = sequential(parts)
    if isinstance(parts[0], ZCDP):
        assert total == concentrated(parts)
    if isinstance(parts[0], RenyiDP):
        assert total == renyi(parts)


@given(zcdps, st.integers(1, 50))
def test_repeating_is_multiplying(measure, count):
    assert sequential([measure] * count) == ZCDP(count * measure.rho)


@given(measures)
def test_postprocessing_changes_nothing(measure):
    assert postprocessed(measure) is measure


@given(finite.distributions(4), finite.distributions(4), st.lists(st.integers(0, 2), min_size=4, max_size=4))
def test_postprocessing_never_increases_the_true_loss(p, q, mapping):
    def image(distribution):
        merged = dict.fromkeys(set(mapping), Fraction(0))
        for outcome, mass in distribution.items():
            merged[mapping[outcome]] += mass
        return merged

    after = [(image(p), image(q))]
    finite.assert_pure(after, postprocessed(finite.true_pure([(p, q)])))
    finite.assert_approx(after, postprocessed(finite.true_approx([(p, q)], Fraction(1, 4))))
    finite.assert_renyi(after, postprocessed(finite.true_renyi([(p, q)], (2, 4))))


def test_ten_tenths_are_one():
    assert sequential([PureDP(0.1)] * 10) == PureDP(1)


def test_renyi_keeps_only_common_orders():
    assert renyi([RenyiDP({2: 1, 3: 2}), RenyiDP({3: 5, 4: 1})]) == RenyiDP({3: 7})


@pytest.mark.parametrize(
    ("parts", "error", "code"),
    [
        ([], InvalidInput, "A304"),
        ([PureDP(1), ZCDP(1)], NotComparable, "A301"),
        ([ApproxDP(1, 0.5), ApproxDP(1, 0.5)], Unbounded, "A302"),
        ([RenyiDP({2: 1}), RenyiDP({3: 1})], Unbounded, "A303"),
    ],
)
def test_refusals(parts, error, code):
    with pytest.raises(error) as refused:
        sequential(parts)
    assert refused.value.code == code
