from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from lapwing.algebra import balls
from lapwing.errors import InvalidInput
from lapwing.noise.bernoulli import bernoulli, bernoulli_exp, bernoulli_exp_each
from lapwing.noise.exponents import Exponents
from tests.noise.scripted import Scripted

N = 200_000


def digits(p, bits):
    """⌊p·2^bits⌋ of a Fraction."""
    return (p.numerator << bits) // p.denominator


def e_minus(x):
    return balls.enclose(lambda: (-balls.ball(x)).exp(), relative_bits=300).lower


@pytest.mark.parametrize("p", ["1/3", "1/2", "999/1000", "1/65537", 0.1])
def test_heads_are_as_frequent_as_p(p):
    heads = bernoulli(p, N)
    assert heads.dtype == np.bool_
    assert stats.binomtest(int(heads.sum()), N, float(Fraction(p))).pvalue > 1e-6
    assert stats.binomtest(sum(bernoulli(p) for _ in range(3000)), 3000, float(Fraction(p))).pvalue > 1e-6


@pytest.mark.parametrize("x", ["1/3", 1, "7/5", 5])
def test_heads_are_as_frequent_as_e_to_minus_x(x):
    p = float(e_minus(Fraction(x)))
    assert stats.binomtest(int(bernoulli_exp(x, N).sum()), N, p).pvalue > 1e-6
    assert stats.binomtest(sum(bernoulli_exp(x) for _ in range(3000)), 3000, p).pvalue > 1e-6


def test_certain_coins():
    assert not bernoulli(0, 1000).any()
    assert bernoulli(1, 1000).all()
    assert bernoulli_exp(0, 1000).all()
    assert not bernoulli_exp("1e4000", 1000).any()
    assert bernoulli(1) is True
    assert bernoulli(0) is False


@pytest.mark.parametrize("p", [Fraction(1, 3), Fraction(1, 2), Fraction(3, 2**70), e_minus(Fraction(1))])
def test_words_beside_the_threshold_are_decided_at_once_and_ties_by_more_bits(p):
    first, second = digits(p, 64), digits(p, 128) & (2**64 - 1)
    assert bernoulli(p, 2, Scripted(fine=[max(first - 1, 0), first + 1])).tolist()[1] is False
    if first:
        assert bernoulli(p, 1, Scripted(fine=[first - 1]))[0]
    if second:
        assert bernoulli(p, 1, Scripted(fine=[first], bits=[second - 1]))[0]
    assert not bernoulli(p, 1, Scripted(fine=[first], bits=[second + 1]))[0]
    third = digits(p, 192) & (2**64 - 1)
    source = Scripted(fine=[first], bits=[second, third + 1])
    assert not bernoulli(p, 1, source)[0]


def test_scalar_ties_are_decided_by_more_bits():
    p = Fraction(1, 3)
    first = digits(p, 64)
    assert bernoulli(p, source=Scripted(bits=[first, first - 1]))
    assert not bernoulli(p, source=Scripted(bits=[first, first + 1]))


def test_a_dyadic_tie_means_not_below():
    assert not bernoulli("1/2", 1, Scripted(fine=[2**63]))[0]
    assert bernoulli("1/2", 1, Scripted(fine=[2**63 - 1]))[0]


def test_each_coin_has_its_own_bias():
    steps = np.repeat(np.array([0, 1, 2, 7, 30, 10**6], dtype=np.uint64), N)
    heads = bernoulli_exp_each(Exponents(steps, Fraction(1, 3))).reshape(6, N).sum(axis=1)
    assert heads[0] == N
    for step, seen in zip((1, 2, 7, 30), heads[1:5], strict=True):
        assert stats.binomtest(int(seen), N, float(e_minus(Fraction(step, 3)))).pvalue > 1e-6
    assert heads[5] == 0


@pytest.mark.parametrize("step", [0, 1, 7, 30, 150, 1000])
def test_the_filter_hands_close_calls_to_the_balls(step):
    # Words so near to e^-x that no float could tell: below, at, and above the 64 digits of e^-x.
    p = e_minus(Fraction(step, 3)) if step else Fraction(1)
    first, second = digits(p, 64), digits(p, 128) & (2**64 - 1)
    exponents = Exponents(np.array([step], dtype=np.uint64), Fraction(1, 3))
    assert first == 0 or bernoulli_exp_each(exponents, Scripted(fine=[first - 1]))[0]
    if step:
        assert not bernoulli_exp_each(exponents, Scripted(fine=[first + 1]))[0]
        assert second == 0 or bernoulli_exp_each(exponents, Scripted(fine=[first], bits=[second - 1]))[0]
        assert not bernoulli_exp_each(exponents, Scripted(fine=[first], bits=[second + 1]))[0]


@settings(max_examples=200)
@given(step=st.integers(1, 120), off=st.integers(-(2**24), 2**24))
def test_filter_and_digits_agree_near_the_threshold(step, off):
    first = digits(e_minus(Fraction(step, 3)), 64)
    word = min(max(first + off, 0), 2**64 - 1)
    if word != first:
        exponents = Exponents(np.array([step], dtype=np.uint64), Fraction(1, 3))
        assert bernoulli_exp_each(exponents, Scripted(fine=[word]))[0] == (word < first)


@pytest.mark.parametrize("bad", [-0.1, "1.1", "nan", float("inf"), True, None, "x"])
def test_bad_probabilities_are_refused_in_one_line(bad):
    for size in (None, 3):
        with pytest.raises(InvalidInput) as refused:
            bernoulli(bad, size)
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize("bad", [-1, "nan", float("inf"), True, None])
def test_bad_exponents_are_refused(bad):
    with pytest.raises(InvalidInput):
        bernoulli_exp(bad, 3)


@pytest.mark.parametrize("bad", [-1, 1.5, "3", True])
def test_bad_sizes_are_refused(bad):
    for draw in (bernoulli, bernoulli_exp):
        with pytest.raises(InvalidInput):
            draw("1/2", bad)
