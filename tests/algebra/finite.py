"""Small mechanisms with rational probabilities, and their true privacy loss: what every theorem is held against."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction

from hypothesis import strategies as st

from lapwing.algebra.balls import Interval, ball, enclose
from lapwing.algebra.measures import ApproxDP, PureDP, RenyiDP

Distribution = Mapping[Hashable, Fraction]
Pair = tuple[Distribution, Distribution]


def distributions(outcomes: int = 3, most: int = 9) -> st.SearchStrategy[Distribution]:
    """Distributions that give every outcome a positive probability."""
    return st.lists(st.integers(1, most), min_size=outcomes, max_size=outcomes).map(
        lambda weights: {i: Fraction(w, sum(weights)) for i, w in enumerate(weights)}
    )


def response(ratio: Fraction) -> Pair:
    """Randomised response whose likelihood ratio is ``ratio``, so its ε is ln(ratio)."""
    keep = ratio / (1 + ratio)
    return {0: keep, 1: 1 - keep}, {0: 1 - keep, 1: keep}


def both_ways(pairs: Iterable[Pair]) -> list[Pair]:
    return [way for p, q in pairs for way in ((p, q), (q, p))]


def joint(first: Distribution, second: Mapping[Hashable, Distribution]) -> Distribution:
    """Run ``first``, then the mechanism of ``second`` that its outcome selects; release both."""
    return {(a, b): p * q for a, p in first.items() for b, q in second[a].items()}


def largest_ratio(pairs: Iterable[Pair]) -> Fraction:
    return max(p[outcome] / q[outcome] for p, q in both_ways(pairs) for outcome in p)


def log(value: Fraction) -> Interval:
    return Interval.point(0) if value == 1 else enclose(lambda: ball(value).log())


def least_delta(pairs: Iterable[Pair], epsilon: Fraction) -> Interval:
    """The true δ at ε, enclosed."""
    growth = enclose(lambda: ball(epsilon).exp())

    def stick(p: Distribution, q: Distribution, factor: Fraction) -> Fraction:
        return sum((max(Fraction(0), p[o] - factor * q[o]) for o in p), Fraction(0))

    ways = both_ways(pairs)
    return Interval(max(stick(p, q, growth.upper) for p, q in ways), max(stick(p, q, growth.lower) for p, q in ways))


def divergence(pairs: Iterable[Pair], order: int) -> Interval:
    """The true Rényi divergence at a whole order, enclosed."""
    worst = max(sum(p[o] ** order * q[o] ** (1 - order) for o in p) for p, q in both_ways(pairs))
    value = log(worst)
    return Interval(value.lower / (order - 1), value.upper / (order - 1))


def true_pure(pairs: Iterable[Pair]) -> PureDP:
    return PureDP(log(largest_ratio(pairs)).upper)


def true_approx(pairs: Iterable[Pair], epsilon: Fraction) -> ApproxDP:
    return ApproxDP(epsilon, least_delta(pairs, epsilon).upper)


def true_renyi(pairs: Iterable[Pair], orders: Iterable[int]) -> RenyiDP:
    found = list(pairs)
    return RenyiDP({order: max(Fraction(0), divergence(found, order).upper) for order in orders})


def assert_pure(pairs: Iterable[Pair], bound: PureDP) -> None:
    """The bound is not certainly below the truth."""
    assert log(largest_ratio(pairs)).lower <= bound.epsilon


def assert_approx(pairs: Iterable[Pair], bound: ApproxDP) -> None:
    assert least_delta(pairs, bound.epsilon).lower <= bound.delta


def assert_renyi(pairs: Iterable[Pair], bound: RenyiDP) -> None:
    found = list(pairs)
    for order, value in bound.curve:
        if order.denominator == 1:
            assert divergence(found, int(order)).lower <= value
