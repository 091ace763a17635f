"""Interval arithmetic holds every result: checked on points of the intervals."""

import math
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lapwing.query import ranges
from lapwing.query.ranges import ANY, Range

NUMBERS = st.fractions(min_value=-50, max_value=50, max_denominator=12)


@st.composite
def ranged(draw, whole=False):
    """A range with one of its points; an end may be missing."""
    numbers = st.integers(-50, 50).map(Fraction) if whole else NUMBERS
    low, point, high = sorted((draw(numbers), draw(numbers), draw(numbers)))
    return Range(draw(st.sampled_from([low, None])), draw(st.sampled_from([high, None]))), point


@given(ranged(), ranged())
def test_sums_and_products(first, second):
    (a, x), (b, y) = first, second
    assert ranges.add(a, b).contains(x + y)
    assert ranges.multiply(a, b).contains(x * y)
    assert ranges.hull((a, b)).contains(x)
    assert ranges.hull((a, b)).contains(y)


@given(ranged(), st.booleans().flatmap(lambda whole: st.tuples(ranged(whole), st.just(whole))))
def test_quotients(first, divisor):
    (a, x), ((b, y), whole) = first, divisor
    assume(y != 0)
    assert ranges.divide(a, b, whole_divisor=whole).contains(x / y)


@given(ranged(whole=True), ranged(whole=True))
def test_remainders_have_the_sign_of_the_dividend(first, second):
    (a, x), (b, y) = first, second
    assume(y != 0)
    assert ranges.modulo(a, b, whole=True).contains(Fraction(math.fmod(x, y)))


def test_rounding_down_has_no_more_numbers_than_it_gives():
    ages = ranges.Range(Fraction(0), Fraction(99, 10))
    assert ranges.rounded(ages, 0, up=False) == ranges.Range(Fraction(0), Fraction(9))
    assert ranges.rounded(ranges.negate(ages), 0, down=False) == ranges.Range(Fraction(-9), Fraction(0))


def test_an_end_that_is_a_whole_number_to_an_engine_is_kept():
    nearly = Fraction(3) - Fraction(1, 10**20)  # the float nearest to it is 3
    assert ranges.rounded(ranges.Range(Fraction(0), nearly), 0, up=False).high == math.floor(float(nearly))
    assert ranges.rounded(ranges.Range(-nearly, Fraction(0)), 0, down=False).low == math.ceil(-float(nearly))


@given(ranged(), st.integers(-2, 3))
def test_functions_of_one_number(one, digits):
    a, x = one
    unit = Fraction(10) ** -digits
    assert ranges.negate(a).contains(-x)
    assert ranges.absolute(a).contains(abs(x))
    for rounded in (math.floor(x / unit), math.ceil(x / unit), round(x / unit)):
        assert ranges.rounded(a, digits).contains(rounded * unit)
    assert ranges.rounded(a, digits, up=False).contains(math.floor(x / unit) * unit)
    assert ranges.rounded(a, digits, down=False).contains(math.ceil(x / unit) * unit)
    if x >= 0:
        root = ranges.root(a)
        assert root.low**2 <= x
        assert root.high is None or root.high**2 >= x


@given(ranged(), NUMBERS, NUMBERS)
def test_clipped_numbers(one, first, second):
    a, x = one
    low, high = sorted((first, second))
    kept = ranges.clip(a, low, high)
    assert kept.contains(min(max(x, low), high))
    assert low <= kept.low <= kept.high <= high


@given(ranged(), ranged())
def test_what_is_in_both_is_in_the_meet(first, second):
    (a, x), (b, _) = first, second
    if b.contains(x):
        assert ranges.meet(a, b).contains(x)


@pytest.mark.parametrize(
    ("divided", "expected"),
    [
        (ranges.divide(Range(Fraction(1), Fraction(2)), Range(Fraction(0), Fraction(4)), whole_divisor=False), ANY),
        (
            ranges.divide(Range(Fraction(1), Fraction(2)), Range(Fraction(0), Fraction(4)), whole_divisor=True),
            Range(Fraction(1, 4), Fraction(2)),
        ),
        (ranges.multiply(Range(Fraction(0), None), Range(Fraction(2), None)), Range(Fraction(0), None)),
        (ranges.multiply(ANY, Range(Fraction(0), Fraction(0))), Range(Fraction(0), Fraction(0))),
    ],
)
def test_exact_ranges(divided, expected):
    assert divided == expected


def test_ends_that_grow_beyond_use_are_given_up_outward():
    assert Range(Fraction(-(2**501)), Fraction(2**501)) == ANY
    tiny = Fraction(1, 3**400)
    assert Range(tiny, tiny).low <= tiny <= Range(tiny, tiny).high
    assert Range(tiny, tiny).high.denominator <= 2**500
