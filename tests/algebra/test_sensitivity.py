import math
from fractions import Fraction
from itertools import combinations_with_replacement

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapwing.algebra import sensitivity as rules
from lapwing.algebra.metrics import L1, L2, Linf
from lapwing.algebra.neighbours import Neighbours, Unit
from lapwing.algebra.sensitivity import Sensitivity
from lapwing.errors import InvalidInput, NotComparable, Unbounded

ADDED, REPLACED = Neighbours.ADDED, Neighbours.REPLACED
both = st.sampled_from([ADDED, REPLACED])
values = st.fractions(-5, 5, max_denominator=12)
vectors = st.lists(values, min_size=1, max_size=4)
pairs = st.integers(1, 4).flatmap(
    lambda k: st.tuples(st.lists(values, min_size=k, max_size=k), st.lists(values, min_size=k, max_size=k))
)
metrics = st.sampled_from([L1, L2, Linf])


def measure(metric, x, y):
    """The true distance, in the form the metric keeps it."""
    moved = [abs(a - b) for a, b in zip(x, y, strict=True)]
    if metric is L1:
        return L1(sum(moved))
    if metric is L2:
        return L2(squared=sum(m * m for m in moved))
    return Linf(max(moved))


def size(distance):
    return distance.squared if isinstance(distance, L2) else distance.bound


def tables(domain, most=3):
    return [t for n in range(most + 1) for t in combinations_with_replacement(domain, n)]


def neighbouring(domain, neighbours):
    """All pairs of neighbouring tables of up to three rows."""
    for table in tables(domain):
        for i in range(len(table)):
            rest = table[:i] + table[i + 1 :]
            if neighbours is ADDED:
                yield table, rest
            else:
                yield from ((table, (*rest, row)) for row in domain)


@given(values, values, both)
def test_the_sum_of_clipped_values(one, other, neighbours):
    low, high = sorted((one, other))
    found = size(rules.bounded_sum(low, high, neighbours).distance)
    domain = [low, (low + high) / 2, high]
    assert found == max(abs(sum(s) - sum(t)) for s, t in neighbouring(domain, neighbours))


@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_the_count_of_rows_that_satisfy_something(neighbours):
    found = size(rules.count(neighbours).distance)
    assert found == max(abs(sum(s) - sum(t)) for s, t in neighbouring((0, 1), neighbours)) == 1


@pytest.mark.parametrize("neighbours", list(Neighbours))
@pytest.mark.parametrize("metric", [L1, L2])
def test_a_histogram(neighbours, metric):
    bins = ("a", "b", "c")
    truth = max(
        size(measure(metric, [s.count(b) for b in bins], [t.count(b) for b in bins]))
        for s, t in neighbouring(bins, neighbours)
    )
    assert size(rules.histogram(neighbours, metric).distance) == truth


@given(pairs, metrics, values)
def test_scaling_and_adding_cover_every_pair(pair, metric, factor):
    x, y = pair
    found = Sensitivity(measure(metric, x, y), ADDED)
    scaled = measure(metric, [factor * a for a in x], [factor * b for b in y])
    assert rules.scaled(found, factor).distance == scaled
    doubled = measure(metric, [a + factor * a for a in x], [b + factor * b for b in y])
    assert size(doubled) <= size(rules.added(found, rules.scaled(found, factor)).distance)


@given(pairs, pairs, metrics)
def test_concatenation_is_exact(one, other, metric):
    parts = [Sensitivity(measure(metric, *pair), ADDED) for pair in (one, other)]
    whole = measure(metric, one[0] + other[0], one[1] + other[1])
    assert rules.concatenated(parts).distance == whole


@given(pairs, metrics)
def test_norms_convert_in_the_safe_direction(pair, metric):
    found, k = Sensitivity(measure(metric, *pair), ADDED), len(pair[0])
    assert size(measure(L1, *pair)) <= size(rules.in_l1(found, coordinates=k).distance)
    assert size(measure(L2, *pair)) <= size(rules.in_l2(found, coordinates=k).distance)
    assert size(measure(Linf, *pair)) <= size(rules.in_linf(found).distance)


@given(pairs, metrics, values, values)
def test_clamping_covers_every_pair(pair, metric, one, other):
    low, high = sorted((one, other))
    found = Sensitivity(measure(metric, *pair), ADDED)
    after = [[min(max(v, low), high) for v in vector] for vector in pair]
    bound = rules.clamped(found, low, high, coordinates=len(pair[0])).distance
    assert size(measure(metric, *after)) <= size(bound) <= size(found.distance)


@given(pairs, metrics, st.fractions("1/9", 3, max_denominator=9))
def test_lattice_steps_cover_every_pair(pair, metric, step):
    found = Sensitivity(measure(metric, *pair), ADDED)
    after = [[math.floor(v / step) for v in vector] for vector in pair]
    bound = rules.in_steps(found, step, coordinates=len(pair[0])).distance
    assert size(measure(metric, *after)) <= size(bound)
    assert size(bound).denominator == 1


@given(values, values, st.fractions("1/9", 3, max_denominator=9), st.fractions(0, 1))
def test_ranges_in_steps_hold_every_rounded_value(one, other, step, place):
    low, high = sorted((one, other))
    bottom, top = rules.range_in_steps(low, high, step)
    assert bottom <= math.floor((low + place * (high - low)) / step) <= top


def test_each_coordinate_may_cross_a_lattice_point():
    # Ten coordinates that together move by 1/100 of a step: all ten may cross.
    assert rules.in_steps(Sensitivity(L1("0.01"), ADDED), 1, coordinates=10).distance == L1(10)


def test_exact_roots_stay_exact():
    assert rules.in_linf(Sensitivity(L2(squared="9/4"), ADDED)).distance == Linf("3/2")
    assert rules.in_l1(Sensitivity(L2(1), ADDED), coordinates=4).distance == L1(2)
    assert rules.added(Sensitivity(L2(1), ADDED), Sensitivity(L2(2), ADDED)).distance == L2(3)
    root_two = rules.in_linf(Sensitivity(L2(squared=2), ADDED)).distance.bound
    assert root_two**2 > 2
    assert root_two < Fraction("1.41421356237309504880168873")


def test_rows_per_unit_multiply():
    person = Unit("person")
    found = rules.per_unit(rules.bounded_sum(-1, 3, ADDED), 4, person)
    assert found == Sensitivity(L1(12), ADDED, person)
    assert rules.per_unit(Sensitivity(L2(squared=2), ADDED), 3, person).distance == L2(squared=18)
    with pytest.raises(Unbounded, match="A322"):
        rules.per_unit(rules.count(REPLACED), 4, person)
    with pytest.raises(NotComparable, match="A321"):
        rules.per_unit(found, 2, Unit("household"))


def test_refusals():
    for low, high in ((None, 1), (0, None), (None, None)):
        with pytest.raises(Unbounded, match=r"A340.*Clip"):
            rules.bounded_sum(low, high, ADDED)
    with pytest.raises(InvalidInput, match="A106"):
        rules.bounded_sum(2, 1, ADDED)
    with pytest.raises(NotComparable, match="A342"):
        rules.added(Sensitivity(L1(1), ADDED), Sensitivity(L2(1), ADDED))
    with pytest.raises(NotComparable, match="A320"):
        rules.concatenated([rules.count(ADDED), rules.count(REPLACED)])
    with pytest.raises(NotComparable, match="A321"):
        rules.concatenated([rules.count(ADDED), Sensitivity(L1(1), ADDED, Unit("person"))])
    with pytest.raises(InvalidInput, match="A304"):
        rules.concatenated([])
    with pytest.raises(NotComparable, match="A320"):
        rules.replaced_from_added(rules.count(REPLACED))
    with pytest.raises(InvalidInput, match="A104"):
        rules.in_steps(rules.count(ADDED), 0, coordinates=1)
