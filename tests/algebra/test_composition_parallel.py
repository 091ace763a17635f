"""Tables of up to three rows, each with a key (its part) and a bit; every neighbour of every table is enumerated."""

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lapwing.algebra.composition import group, parallel, parallel_moving, sequential
from lapwing.algebra.conversion import pure_to_tight_zcdp, zcdp_to_renyi
from lapwing.algebra.measures import ZCDP, ApproxDP, PureDP, RenyiDP
from lapwing.errors import InvalidInput, NotComparable, Unbounded
from tests.algebra import finite
from tests.algebra.strategies import alike, at_most

ROWS = list(product((0, 1), (0, 1)))  # (key, bit)
TABLES = [table for size in range(4) for table in combinations_with_replacement(ROWS, size)]
PARTS = [part for size in range(4) for part in combinations_with_replacement((0, 1), size)]


def one_fewer(table):
    return {tuple(sorted((Counter(table) - Counter([row])).elements())) for row in table}


def one_changed(table, values):
    return {tuple(sorted((*smaller, row))) for smaller in one_fewer(table) for row in values} - {table}


def added_pairs(mechanism, tables):
    return [(mechanism[t], mechanism[s]) for t in tables for s in one_fewer(t)]


def replaced_pairs(mechanism, tables, values):
    return [(mechanism[t], mechanism[s]) for t in tables for s in one_changed(t, values)]


@st.composite
def split_mechanisms(draw):
    """Two mechanisms, one for each part, and the mechanism that runs both on the parts of a table."""
    parts = [{part: draw(finite.distributions(2, most=5)) for part in PARTS} for _ in (0, 1)]
    whole = {}
    for table in TABLES:
        inside = [tuple(sorted(bit for key, bit in table if key == k)) for k in (0, 1)]
        whole[table] = finite.joint(parts[0][inside[0]], dict.fromkeys((0, 1), parts[1][inside[1]]))
    return parts, whole


@given(split_mechanisms())
@settings(max_examples=30, deadline=None)
def test_the_largest_bound_covers_one_row_more_or_fewer(case):
    parts, whole = case
    pairs = added_pairs(whole, TABLES)
    inside = [added_pairs(part, PARTS) for part in parts]
    finite.assert_pure(pairs, parallel([finite.true_pure(i) for i in inside]))
    finite.assert_approx(pairs, parallel([finite.true_approx(i, Fraction(1, 3)) for i in inside]))
    finite.assert_renyi(pairs, parallel([finite.true_renyi(i, (2, 3)) for i in inside]))


@given(split_mechanisms())
@settings(max_examples=30, deadline=None)
def test_the_moving_bound_covers_one_row_changed(case):
    parts, whole = case
    pairs = replaced_pairs(whole, TABLES, ROWS)
    added = [added_pairs(part, PARTS) for part in parts]
    replaced = [replaced_pairs(part, PARTS, (0, 1)) for part in parts]

    def bound(measure):
        return parallel_moving([measure(i) for i in added], [measure(i) for i in replaced])

    finite.assert_pure(pairs, bound(finite.true_pure))
    finite.assert_renyi(pairs, bound(lambda i: finite.true_renyi(i, (2, 3))))
    concentrated = bound(lambda i: pure_to_tight_zcdp(finite.true_pure(i)))
    finite.assert_renyi(pairs, zcdp_to_renyi(concentrated, (2, 3)))
    try:
        approximate = bound(lambda i: finite.true_approx(i, Fraction(1, 3)))
    except Unbounded:
        return
    finite.assert_approx(pairs, approximate)


def test_the_largest_bound_is_wrong_for_one_row_changed():
    # Each part publishes, by randomised response, whether it has an odd number of rows. A changed row may move.
    odd, even = finite.response(Fraction(3))
    part = {p: odd if len(p) % 2 else even for p in PARTS}
    whole = {}
    for table in TABLES:
        sizes = [sum(key == k for key, _ in table) for k in (0, 1)]
        first, second = (odd if size % 2 else even for size in sizes)
        whole[table] = finite.joint(first, dict.fromkeys((0, 1), second))
    truth = finite.largest_ratio(replaced_pairs(whole, TABLES, ROWS))
    assert truth == 9
    assert finite.largest_ratio(added_pairs(part, PARTS)) == 3
    assert finite.largest_ratio(replaced_pairs(part, PARTS, (0, 1))) == 1  # so a maximum would claim ε = 0
    added = finite.true_pure(added_pairs(part, PARTS))
    assert finite.log(truth).lower <= parallel_moving([added] * 2, [PureDP(0)] * 2).epsilon


def test_the_largest_bound_covers_a_split_by_place():
    # Places are fixed: place 0 answers with ratio 2, place 1 with ratio 3; one place's bit changes.
    responses = [finite.response(Fraction(2)), finite.response(Fraction(3))]

    def run(a, b):
        return finite.joint(responses[0][a], dict.fromkeys((0, 1), responses[1][b]))

    pairs = [(run(0, b), run(1, b)) for b in (0, 1)] + [(run(a, 0), run(a, 1)) for a in (0, 1)]
    bound = parallel([finite.true_pure([pair]) for pair in responses])
    finite.assert_pure(pairs, bound)
    assert finite.largest_ratio(pairs) == 3


@given(alike)
def test_parallel_is_at_most_sequential(parts):
    try:
        total = sequential(parts)
    except Unbounded:
        return
    assert at_most(parallel(parts), total)


@given(alike)
def test_parallel_ignores_order_and_repetition(parts):
    assert parallel(parts) == parallel(parts[::-1]) == parallel([*parts, parallel(parts)])


@given(alike)
def test_moving_is_at_least_staying(parts):
    try:
        moving = parallel_moving(parts, parts)
    except Unbounded:
        return
    assert at_most(parallel(parts), moving)


def test_moving_costs_two_steps_and_no_more():
    assert parallel_moving([ZCDP(1), ZCDP(1)], [ZCDP(1), ZCDP(1)]) == ZCDP(2)
    assert group(parallel([ZCDP(1), ZCDP(1)]), 2) == ZCDP(4)  # what the group of two would have charged
    assert parallel_moving([PureDP(3)], [PureDP(1)]) == PureDP(1)


def test_refusals():
    with pytest.raises(NotComparable, match="A301"):
        parallel([PureDP(1), ApproxDP(1, 0)])
    with pytest.raises(InvalidInput, match="A304"):
        parallel([])
    with pytest.raises(Unbounded, match="A303"):
        parallel([RenyiDP({2: 1}), RenyiDP({3: 1})])
    with pytest.raises(InvalidInput, match="A305"):
        parallel_moving([PureDP(1)], [PureDP(1)] * 2)
