"""Numbers with noise inside: exact arithmetic, comparisons that end, floors that agree at every fineness."""

from fractions import Fraction

import pytest
from flint import ctx
from hypothesis import given
from hypothesis import strategies as st

from lapwing.noise.forms import LONGEST, Form, draw, opened, total
from tests.noise.scripted import Scripted

NUMBERS = st.fractions(-1000, 1000) | st.integers(-(10**30), 10**30)
LAWS = ["laplace", "exponential", "gaussian"]


@given(NUMBERS)
def test_what_cancels_is_a_plain_number_again(x):
    n = draw("laplace", Fraction(1, 3))
    for same in (
        (x + n) - n,
        n + x - n,
        -(n - x) + n,
        (x * 2 + n * 2 - n - n) * Fraction(1, 2),
        n * n + x - n * n,
        0 * n + x,
    ):
        assert not isinstance(same, Form)
        assert same == x
        assert type(same) in (int, Fraction)


@given(st.fractions(-5, 5), st.fractions(-5, 5), st.fractions(-5, 5))
def test_arithmetic_is_the_arithmetic_of_numbers(a, b, c):
    m, n = draw("gaussian", 2), draw("exponential", 5)
    assert (m + a) * (n + b) == m * n + b * m + a * n + a * b
    assert (m - n) * (m + n) == m * m - n * n
    assert c * (m + a) - (c * a) == m * c
    if b:
        assert (m + a) / b == m / b + a / b
    assert 1 - m == -(m - 1)


def test_equality_is_certain_or_has_probability_0():
    m, n = draw("laplace", 1), draw("laplace", 1)
    assert m == m + 0
    assert m != n
    assert m != 0
    assert m + n == n + m
    assert m + n != m - n
    assert m != "text"
    with pytest.raises(TypeError):
        hash(m)


@pytest.mark.parametrize("law", LAWS)
def test_comparisons_agree_with_floors(law):
    for _ in range(200):
        m, n = draw(law, Fraction(7, 5)), draw(law, 3)
        low = m.floor_to(40)
        assert low < m < low + Fraction(1, 2**40)
        assert m >= low
        assert (m < n) == (n > m) == (not m >= n) == (n.floor_to(60) >= m.floor_to(60))
        assert abs(m) >= 0
        assert abs(m) == (m if m > 0 else -m)
        assert max(m, n) >= min(m, n)


def test_a_form_equals_itself_in_every_comparison():
    m = draw("gaussian", 1) + 3
    same = (m + draw("laplace", 1)) - 1 + 1
    assert same <= same
    assert not same < same
    again = 2 * m - m
    assert m <= again
    assert m >= again
    assert not m < again


@pytest.mark.parametrize("law", LAWS)
def test_two_forms_that_share_a_draw_agree_at_every_fineness(law):
    for _ in range(100):
        n = draw(law, Fraction(1000003, 7))
        x, y = Fraction(1, 3) + n, n * 2 - 5
        for bits in (0, 20, 40, 200):
            step = Fraction(1, 2**bits)
            low = n.floor_to(bits)
            assert low + Fraction(1, 3) - step < x.floor_to(bits) <= low + Fraction(1, 3) + step
            assert 2 * low - 5 - step < y.floor_to(bits) <= 2 * low - 5 + 2 * step
            assert x.floor_to(bits) * 2**bits % 1 == 0


def test_floors_are_floors_of_one_number():
    for _ in range(100):
        n = draw("laplace", 1) * draw("gaussian", 5) + draw("exponential", 2)
        fine = n.floor_to(300)
        for bits in (0, 1, 20, 100):
            assert n.floor_to(bits) == Fraction((fine * 2**bits).__floor__(), 2**bits)


def test_large_and_small_scales():
    for scale in (10**15, 10**300, Fraction(1, 10**300)):
        n = draw("laplace", scale)
        assert n.floor_to(20) <= n
        assert (n + 10**308).floor_to(20) - 10**308 == n.floor_to(20)


def test_negative_numbers_are_floored_down():
    n = draw("exponential", Fraction(1, 2**80))
    assert (-n).floor_to(20) == -Fraction(1, 2**20)
    assert n.floor_to(20) == 0


def test_a_question_too_close_to_call_asks_for_more_digits():
    digits = (1 << 62) // 3
    source = Scripted(bits=[digits << 1, 1, 2, 3, 4, 5, 6, 7])
    n = draw("exponential", 1, source)
    near = n.floor_to(200)
    assert n > near
    assert len(source.queues["bits"]) < 6


def test_running_totals_are_cheap_and_exact():
    parts = [draw("laplace", Fraction(1, k + 1)) for k in range(3000)]
    running, totals = 0, []
    for part in parts:
        running = running + part
        totals.append(running)
        assert len(running.terms) <= LONGEST + 1
    whole = total(parts)
    assert running == whole
    assert not running < whole
    assert (running - whole).floor_to(20) == 0  # what cancels is seen to cancel
    assert (totals[2000] - totals[1999]) == parts[2000]
    assert opened(totals[99] - totals[98]).terms == parts[99].terms
    assert abs(running.floor_to(20) - totals[-2].floor_to(20) - parts[-1].floor_to(20)) <= Fraction(1, 2**19)


def test_products_of_long_sums():
    parts = [draw("gaussian", 1) for _ in range(40)]
    running = 0
    for part in parts:
        running = running + part
    assert running * 2 - running == total(parts)
    assert (running + 1) * (running - 1) == total(parts) * total(parts) - 1


def test_sums_of_plain_numbers_stay_plain():
    assert total([]) == 0
    assert total([1, Fraction(1, 2)]) == Fraction(3, 2)
    n = draw("laplace", 1)
    assert total([n, 3, -n]) == 3


def test_precision_is_left_as_it_was():
    with ctx.workprec(77):
        assert draw("laplace", 1) != 0
        draw("gaussian", 10**9).floor_to(300)
        assert ctx.prec == 77
