from fractions import Fraction
from math import exp, isclose

from hypothesis import given
from hypothesis import strategies as st

from lapwing.kernel.distribution.exponentials import ExactProbability, closed_ratio, log_text

small = st.fractions(min_value=-3, max_value=3, max_denominator=4)
scores = st.lists(small, min_size=1, max_size=4)


@given(scores)
def test_softmax_adds_up_to_exactly_one(exponents):
    parts = ExactProbability.softmax(exponents)
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    assert closed_ratio(total, ExactProbability.rational(1)) == (1, 0)


@given(scores, scores)
def test_sums_and_products_agree_with_floating_point(first, second):
    p, q = ExactProbability.softmax(first)[0], ExactProbability.softmax(second)[-1]
    a = exp(first[0]) / sum(map(exp, first))
    b = exp(second[-1]) / sum(map(exp, second))
    assert isclose(float(p * q + p), a * b + a, rel_tol=1e-9)


@given(scores, scores)
def test_equality_is_decided_whatever_the_order_of_operations(first, second):
    p, q = ExactProbability.softmax(first)[0], ExactProbability.softmax(second)[0]
    assert closed_ratio(p * q + p, p * (q + ExactProbability.rational(1))) == (1, 0)


def test_a_ratio_of_exponentials_has_a_closed_form():
    high, low = ExactProbability.softmax([Fraction(1), Fraction(0)])
    assert log_text(*closed_ratio(high, low)) == "1"
    assert log_text(Fraction(3), Fraction(0)) == "ln(3)"
    assert log_text(Fraction(3, 2), Fraction(1, 2)) == "1/2 + ln(3/2)"


def test_a_sum_of_different_exponentials_is_no_single_one():
    high, _, _ = ExactProbability.softmax([Fraction(1), Fraction(0), Fraction(2)])
    assert closed_ratio(high + ExactProbability.rational(1), ExactProbability.rational(1)) is None
    assert high.fraction is None
