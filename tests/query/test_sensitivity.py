"""``change`` against brute force: people's rows aggregated in pure Python, with and without a person."""

import itertools
from fractions import Fraction
from math import floor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lapwing.algebra.neighbours import Neighbours
from lapwing.errors import InvalidInput
from lapwing.query.plan import Bounding, Function, Measurement
from lapwing.query.sensitivity import Change, change

GROUPS = ("a", "b", "c")
#: A row is (group, value); None is a row in no group, or without a value.
ROWS = st.lists(
    st.tuples(st.sampled_from((*GROUPS, None)), st.one_of(st.none(), st.integers(-12, 12))), min_size=0, max_size=5
)


@st.composite
def shares(draw):
    low = draw(st.integers(-6, 6))
    degree = draw(st.sampled_from([1, 2]))
    return Measurement(
        *("m", Function.SHARE, None, Bounding.WEIGHTS, draw(st.integers(1, 3)), 8),
        *(Fraction(low), Fraction(draw(st.integers(low + 2, low + 9))), Fraction(1), low),
        shift=draw(st.integers(0, 2)) * (degree - 1),
        degree=degree,
        place=draw(st.integers(0, degree)),
    )


@st.composite
def measurements(draw):
    function = draw(st.sampled_from(list(Function)))
    if function is Function.SHARE:
        return draw(shares())
    bounding = draw(st.sampled_from([Bounding.WEIGHTS, Bounding.SAMPLE]))
    if function is Function.DISTINCT:
        bounding = Bounding.SAMPLE
    low = draw(st.integers(-6, 6))
    high = draw(st.integers(low, 7))
    ranged = function in (Function.TOTAL, Function.SQUARES, Function.QUANTILE)
    step = draw(st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(2)]))
    return Measurement(
        "m",
        function,
        None,
        bounding,
        draw(st.integers(1, 3)),
        8 if bounding is Bounding.WEIGHTS else 1,
        Fraction(low) if ranged else None,
        Fraction(high) if ranged else None,
        step if function is not Function.QUANTILE else Fraction(high - low + 1, 3),
        draw(st.integers(-3, 3)) if function in (Function.TOTAL, Function.SQUARES) else 0,
        fraction=draw(st.sampled_from([Fraction(1, 2), Fraction(1, 100), Fraction(3, 4)])),
        buckets=3 if function is Function.QUANTILE else 0,
    )


def weighed(rows, measurement):
    """The rows of one person that count, with their weights, as the engine bounds them."""
    k, steps = measurement.rows_per_unit, measurement.weight_steps
    if measurement.function is Function.UNITS:
        rows = sorted({(group, 0) for group, _ in rows if group is not None})
    if measurement.bounding is Bounding.SAMPLE:
        return [(row, 1) for row in sorted(rows, key=repr)[:k]]
    return [(row, steps if len(rows) <= k else k * steps // len(rows)) for row in rows]


def points(value, measurement):
    steps = floor(min(max(Fraction(value), measurement.low), measurement.high) / measurement.step)
    return steps - measurement.centre


def aggregate(people, measurement, groups):
    """The vector before noise: one number per group (for a quantile, the scores of all buckets)."""
    kept = [(row, weight) for rows in people for row, weight in weighed(rows, measurement)]
    return [_group([(v, w) for (g, v), w in kept if _inside(g, group)], measurement) for group in groups]


def _inside(group, wanted):
    return wanted == "all" or group == wanted


def _group(rows, measurement):
    present = [(value, weight) for value, weight in rows if value is not None]
    match measurement.function:
        case Function.ROWS | Function.UNITS:
            return (sum(weight for _, weight in present),)
        case Function.TOTAL:
            return (sum(weight * points(value, measurement) for value, weight in present),)
        case Function.SQUARES:
            return (sum(weight * points(value, measurement) ** 2 for value, weight in present),)
        case Function.SHARE:
            return (sum(weight * share(value, measurement) for value, weight in present),)
        case Function.DISTINCT:
            return (len({value for value, _ in present}),)
        case Function.QUANTILE:
            return _scores(present, measurement)


def share(value, measurement):
    """What a row counts at one place: the squares of both ends, and in the middle what they leave."""
    x, most = points(value, measurement), int(measurement.high - measurement.low)
    above, below = (each**measurement.degree >> measurement.shift for each in (x, most - x))
    middle = (most**2 >> measurement.shift) - above - below
    return [below, above][measurement.place] if measurement.degree == 1 else [below, middle, above][measurement.place]


def _scores(rows, measurement):
    num, den = measurement.fraction.numerator, measurement.fraction.denominator
    bucket = [(min(max(floor((v - measurement.low) / measurement.step), 0), 2), w) for v, w in rows]
    everyone = sum(weight for _, weight in bucket)
    return tuple(-abs(den * sum(w for b, w in bucket if b < edge) - num * everyone) for edge in range(4))


def distance(first, second):
    """Sum and sum of squares over groups of how far a group's number (or its worst score) moved."""
    moves = [max(abs(a - b) for a, b in zip(x, y, strict=True)) for x, y in zip(first, second, strict=True)]
    return sum(moves), sum(move**2 for move in moves)


def check(measurement, groups, first, second, notion):
    bound = change(measurement, groups != ("all",), notion)
    l1, l2_squared = distance(aggregate(first, measurement, groups), aggregate(second, measurement, groups))
    assert l1 <= bound.l1
    assert l2_squared <= bound.l2_squared


@settings(max_examples=400, deadline=None)
@given(measurements(), st.lists(ROWS, max_size=3), ROWS, ROWS, st.booleans())
def test_one_person_never_moves_it_further(measurement, others, person, changed, grouped):
    groups = GROUPS if grouped else ("all",)
    if not grouped and measurement.function is Function.UNITS:
        person, changed = person[:1], changed[:1]
        others = [rows[:1] for rows in others]
    check(measurement, groups, others, [*others, person], Neighbours.ADDED)
    check(measurement, groups, [*others, person], [*others, changed], Neighbours.REPLACED)


def total(low, high, k=1, steps=1, centre=0):
    return Measurement(
        "m", Function.TOTAL, None, Bounding.NONE, k, steps, Fraction(low), Fraction(high), Fraction(1), centre
    )


@pytest.mark.parametrize(
    ("measurement", "grouped", "notion", "expected"),
    [
        (Measurement("n", Function.ROWS, None, Bounding.NONE, 1, 1), False, Neighbours.ADDED, Change(1, 1)),
        (Measurement("n", Function.ROWS, None, Bounding.NONE, 1, 1), False, Neighbours.REPLACED, Change(1, 1)),
        (Measurement("n", Function.ROWS, None, Bounding.NONE, 1, 1), True, Neighbours.REPLACED, Change(2, 2)),
        (Measurement("n", Function.ROWS, None, Bounding.WEIGHTS, 10, 8), True, Neighbours.ADDED, Change(80, 6400)),
        (total(0, 100), False, Neighbours.REPLACED, Change(100, 10_000)),
        (total(20, 100), False, Neighbours.REPLACED, Change(100, 10_000)),  # a row may be NULL, and count 0
        (total(-100, 100), False, Neighbours.ADDED, Change(100, 10_000)),
        (total(-100, 100), False, Neighbours.REPLACED, Change(200, 40_000)),
        # a person may stay in the group and change sign: twice the 20,000 of moving between groups
        (total(-100, 100), True, Neighbours.REPLACED, Change(200, 40_000)),
        (total(0, 100), True, Neighbours.REPLACED, Change(200, 20_000)),
        (total(0, 100, centre=50), True, Neighbours.ADDED, Change(50, 2500)),
        (total(0, 0), False, Neighbours.ADDED, Change(0, 0)),
    ],
)
def test_known_values(measurement, grouped, notion, expected):
    assert change(measurement, grouped, notion) == expected


@pytest.mark.parametrize("function", [Function.ROWS, Function.TOTAL, Function.SQUARES, Function.QUANTILE])
@pytest.mark.parametrize("notion", list(Neighbours))
@pytest.mark.parametrize("groups", [("all",), ("a", "b")])
def test_the_bound_is_reached(function, notion, groups):
    """Some pair of neighbours is exactly as far apart as the bound says, so a smaller bound would be wrong."""
    measurement = Measurement(
        *("m", function, None, Bounding.NONE, 1, 1, Fraction(-3), Fraction(3), Fraction(1), 0),
        fraction=Fraction(1, 4),
        buckets=3,
    )
    rows = [[]] + [[(group, value)] for group in "ab" for value in range(-3, 4)]
    background = [("a", 3)] * 5 + [("b", 3)] * 5  # so that no score is near where |·| turns
    pairs = itertools.product(rows, rows) if notion is Neighbours.REPLACED else (([], row) for row in rows)
    far = [
        distance(*(aggregate([*([row] for row in background), person], measurement, groups) for person in pair))
        for pair in pairs
    ]
    bound = change(measurement, groups != ("all",), notion)
    assert max(l1 for l1, _ in far) == bound.l1
    assert max(l2 for _, l2 in far) == bound.l2_squared


def test_a_notion_that_is_not_one_is_refused():
    with pytest.raises(InvalidInput):
        change(total(0, 1), False, "added")
