"""Hypothesis strategies for measures."""

from __future__ import annotations

from hypothesis import strategies as st

from lapwing.algebra.measures import ZCDP, ApproxDP, PureDP, RenyiDP

costs = st.fractions(0, 3, max_denominator=1000)
deltas = st.fractions(0, "1/100", max_denominator=10**6)
pures = costs.map(PureDP)
approxes = st.builds(ApproxDP, costs, deltas)
zcdps = costs.map(ZCDP)
renyis = st.lists(costs, min_size=3, max_size=3).map(lambda bounds: RenyiDP(dict(zip((2, 3, 8), bounds, strict=True))))
kinds = st.sampled_from([pures, approxes, zcdps, renyis])
measures = kinds.flatmap(lambda kind: kind)
alike = kinds.flatmap(lambda kind: st.lists(kind, min_size=1, max_size=4))
triples = kinds.flatmap(lambda kind: st.tuples(kind, kind, kind))


def numbers(measure):
    """The numbers of a measure, for comparing bound by bound."""
    match measure:
        case PureDP(epsilon):
            return (epsilon,)
        case ApproxDP(epsilon, delta):
            return (epsilon, delta)
        case ZCDP(rho):
            return (rho,)
        case RenyiDP(curve):
            return tuple(bound for _, bound in curve)


def at_most(one, other) -> bool:
    return all(a <= b for a, b in zip(numbers(one), numbers(other), strict=True))
