"""Both schemes on tables of up to three bits: every sample, every neighbour, exact probabilities."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lapwing.algebra.claims import Claim
from lapwing.algebra.measures import ZCDP, ApproxDP, PureDP, RenyiDP
from lapwing.algebra.neighbours import Neighbours, Unit
from lapwing.algebra.subsampling import FixedSize, Poisson, Shuffled, subsampled
from lapwing.errors import InvalidInput, NotComparable, Unbounded
from tests.algebra import finite

ADDED, REPLACED = Neighbours.ADDED, Neighbours.REPLACED
TABLES = [t for size in range(4) for t in combinations_with_replacement((0, 1), size)]
FULL = [t for t in TABLES if len(t) == 3]
mechanisms = st.fixed_dictionaries({table: finite.distributions(2) for table in TABLES})


def added_pairs(mechanism):
    return [
        (mechanism[t], mechanism[tuple((Counter(t) - Counter([bit])).elements())]) for t in TABLES for bit in set(t)
    ]


def replaced_pairs(mechanism, size):
    tables = [t for t in TABLES if len(t) == size]
    return [(mechanism[s], mechanism[t]) for s, t in combinations(tables, 2) if abs(sum(s) - sum(t)) == 1]


def mixture(weighted):
    total: Counter = Counter()
    for weight, distribution in weighted:
        for outcome, mass in distribution.items():
            total[outcome] += weight * mass
    return dict(total)


def poisson_sampled(mechanism, rate):
    def run(table):
        return mixture(
            (
                rate ** sum(kept) * (1 - rate) ** (len(table) - sum(kept)),
                mechanism[tuple(bit for bit, keep in zip(table, kept, strict=True) if keep)],
            )
            for kept in product((0, 1), repeat=len(table))
        )

    return {table: run(table) for table in TABLES}


def fixed_size_sampled(mechanism, size):
    def run(table):
        samples = list(combinations(table, size))
        return mixture((Fraction(1, len(samples)), mechanism[sample]) for sample in samples)

    return {table: run(table) for table in FULL}


rates = st.fractions(0, 1, max_denominator=6)


@given(mechanisms, rates, st.fractions(0, 1, max_denominator=6))
@settings(max_examples=60, deadline=None)
def test_poisson_bound_covers_every_mechanism(mechanism, rate, epsilon):
    sampled = added_pairs(poisson_sampled(mechanism, rate))
    base = added_pairs(mechanism)
    pure = subsampled(Claim(finite.true_pure(base), ADDED), Poisson(rate)).measure
    finite.assert_pure(sampled, pure)
    approx = subsampled(Claim(finite.true_approx(base, epsilon), ADDED), Poisson(rate)).measure
    finite.assert_approx(sampled, approx)


@given(mechanisms, st.integers(1, 3), st.fractions(0, 1, max_denominator=6))
@settings(max_examples=60, deadline=None)
def test_fixed_size_bound_covers_every_mechanism(mechanism, size, epsilon):
    sampled = replaced_pairs(fixed_size_sampled(mechanism, size), 3)
    base = replaced_pairs(mechanism, size)
    pure = subsampled(Claim(finite.true_pure(base), REPLACED), FixedSize(size, 3)).measure
    finite.assert_pure(sampled, pure)
    approx = subsampled(Claim(finite.true_approx(base, epsilon), REPLACED), FixedSize(size, 3)).measure
    finite.assert_approx(sampled, approx)


def test_the_bound_is_reached():
    # Publish by randomised response of ratio 3 whether the sample is empty; sample one row at rate 1/4.
    none, some = finite.response(Fraction(3))
    mechanism = {t: some if t else none for t in TABLES}
    sampled = poisson_sampled(mechanism, Fraction(1, 4))
    truth = finite.largest_ratio([(sampled[()], sampled[(0,)])])
    assert truth == 1 + Fraction(1, 4) * 2
    found = subsampled(Claim(PureDP(finite.log(Fraction(3)).upper), ADDED), Poisson("1/4")).measure
    assert finite.log(truth).lower <= found.epsilon < finite.log(truth).upper + Fraction(1, 10**20)


@given(st.fractions(0, 50, max_denominator=100), rates, rates)
def test_smaller_rates_lose_less(epsilon, one, other):
    low, high = sorted((one, other))
    bounds = [subsampled(Claim(PureDP(epsilon), ADDED), Poisson(rate)).measure.epsilon for rate in (low, high)]
    assert bounds[0] <= bounds[1] <= epsilon


def test_the_ends():
    claim = Claim(ApproxDP(1, "1e-6"), ADDED)
    assert subsampled(claim, Poisson(1)) == claim
    assert subsampled(claim, Poisson(0)).measure == ApproxDP(0, 0)
    assert subsampled(Claim(PureDP(10**6), ADDED), Poisson("1/2")).measure.epsilon < 10**6


def test_delta_shrinks_by_the_rate():
    assert subsampled(Claim(ApproxDP(1, "1e-6"), REPLACED), FixedSize(1, 4)).measure.delta == Fraction(1, 4 * 10**6)


def test_refusals():
    person = Unit("person")
    with pytest.raises(NotComparable, match="A321"):
        subsampled(Claim(PureDP(1), ADDED, person), Poisson("0.1"))
    for measure in (ZCDP(1), RenyiDP({2: 1})):
        with pytest.raises(Unbounded, match="A331"):
            subsampled(Claim(measure, ADDED), Poisson("0.1"))
    with pytest.raises(InvalidInput, match="A332"):
        FixedSize(5, 4)
    with pytest.raises(InvalidInput, match="A105"):
        Poisson("1.1")
    with pytest.raises(Unbounded, match="A330"):
        subsampled(Claim(PureDP(1), ADDED), Shuffled())
