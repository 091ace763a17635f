from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapwing.algebra.exact import decimal_down, decimal_up, exact
from lapwing.errors import InvalidInput


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (0.1, Fraction(1, 10)),
        ("0.1", Fraction(1, 10)),
        ("1e-5", Fraction(1, 10**5)),
        (1e-5, Fraction(1, 10**5)),
        ("1/3", Fraction(1, 3)),
        (" 1 / 3 ", Fraction(1, 3)),
        ("1\t/\t3", Fraction(1, 3)),
        (".5", Fraction(1, 2)),
        ("+2.", Fraction(2)),
        (7, Fraction(7)),
        (Decimal("0.30"), Fraction(3, 10)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.float32(0.1), Fraction(1, 10)),
        (np.int64(3), Fraction(3)),
        ("1e5000", Fraction(10) ** 5000),
    ],
)
def test_what_is_written_is_what_is_meant(written, meant):
    assert exact(written) == meant


@pytest.mark.parametrize(
    "written",
    [
        float("nan"), float("inf"), float("-inf"), Decimal("NaN"), Decimal("Infinity"), np.float64("nan"), "nan", "inf",
        True, np.True_, None, "", "1/0", "0x10", "1_000", "1 1/3", "٣", [1], 1j, "1e999999999", "9" * 4900,
        np.array([1, 2]),
    ],
)  # fmt: skip
def test_anything_else_is_refused_with_a_code(written):
    with pytest.raises(InvalidInput, match="A001"):
        exact(written)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_the_decimal_a_person_sees(number):
    assert exact(number) == Fraction(repr(number))


@given(st.fractions(), st.integers(1, 40))
def test_printed_decimals_enclose_the_number(number, digits):
    low, high = Fraction(decimal_down(number, digits)), Fraction(decimal_up(number, digits))
    assert low <= number <= high
    assert high - low <= abs(number) * Fraction(10) ** (1 - digits)


@pytest.mark.parametrize(
    ("number", "up", "down"),
    [
        (Fraction(0), "0", "0"),
        (Fraction(1, 3), "0.333334", "0.333333"),
        (Fraction(-1, 3), "-0.333333", "-0.333334"),
        (Fraction(9999999), "10000000", "9999990"),
        (Fraction(1, 10), "0.1", "0.1"),
        (Fraction(10**20), "1e20", "1e20"),
        (Fraction(1, 10**9), "1e-9", "1e-9"),
        (Fraction(120), "120", "120"),
    ],
)
def test_printed_decimals(number, up, down):
    assert decimal_up(number) == up
    assert decimal_down(number) == down


def test_numbers_too_long_for_python_to_print_are_printed():
    assert decimal_up(Fraction(1, 2**20000)) == "2.51239e-6021"
    assert decimal_down(Fraction(10) ** 5000) == "1e5000"


class LyingFraction(Fraction):
    """Answers 10^9 wherever it is asked."""

    numerator = property(lambda _: 10**9)
    _numerator = property(lambda _: 10**9, lambda self, value: vars(Fraction)["_numerator"].__set__(self, value))

    def __rtruediv__(self, other):
        return Fraction(1, 10**9)


class LyingInt(int):
    def __index__(self):
        return 10**9

    numerator = property(lambda _: 10**9)


class LyingStr(str):
    __slots__ = ()

    def __str__(self):
        return "1000000000"

    def split(self):
        return ["1000000000"]


class LyingFloat(float):
    def __repr__(self):
        return "1000000000.0"


class LyingDecimal(Decimal):
    def __str__(self):
        return "1000000000"


LIARS = [LyingFraction(3, 4), LyingInt(3), LyingStr("0.75"), LyingFloat(0.75), LyingDecimal("0.75")]


@pytest.mark.parametrize("liar", LIARS, ids=lambda each: type(each).__name__)
def test_a_subclass_is_read_as_what_it_holds(liar):
    found = exact(liar)
    assert type(found) is Fraction
    assert found == Fraction(3 if isinstance(liar, int) else "3/4")
    assert 1 / found == Fraction(1, 3) * (1 if isinstance(liar, int) else 4)
    assert type(found.numerator) is type(found.denominator) is int
