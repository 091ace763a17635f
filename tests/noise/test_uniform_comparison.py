from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from lapwing.algebra.balls import ball
from lapwing.noise.uniform_comparison import uniform_below
from tests.noise.scripted import Scripted


@given(numerator=st.integers(0, 10**30), word=st.integers(0, 2**64 - 1))
def test_agrees_with_exact_comparison(numerator, word):
    p = Fraction(numerator, 10**30)
    assert uniform_below(lambda: ball(p), Scripted(bits=[word, 1])) == (Fraction(word, 2**64) < p)


def test_equal_bits_are_followed_by_more():
    first, second = divmod((1 << 128) // 3, 2**64)
    third = lambda: ball(Fraction(1, 3))  # noqa: E731  # a probability is a function here
    for bits, below in (
        ([first, second - 1], True),
        ([first, second + 1], False),
        ([first, second, 0], True),
        ([first, second, 2**64 - 1], False),
    ):
        source = Scripted(bits=bits)
        assert uniform_below(third, source) is below
        assert source.used_up


def test_bits_drawn_before_count():
    assert uniform_below(lambda: ball(Fraction(1, 3)), uniform=0, bits=2)
    assert not uniform_below(lambda: ball(Fraction(1, 3)), uniform=3, bits=2)


@pytest.mark.parametrize("sure", [0, 1])
def test_certain_coins(sure):
    words = [0, 2**64 - 1]
    assert {uniform_below(lambda: arb(sure), Scripted(bits=[word])) for word in words} == {bool(sure)}


def test_a_ball_that_stays_wide_at_first_decides_nothing_wrongly():
    calls = []

    def probability():
        calls.append(1)
        return arb(0.5, 0.25) if len(calls) < 3 else arb(0.5)

    assert uniform_below(probability, Scripted(bits=[2**63 - 1]))
    assert len(calls) == 3
