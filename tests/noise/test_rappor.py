import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from lapwing.algebra import balls
from lapwing.errors import InvalidInput, Unbounded
from lapwing.noise.rappor import PermanentResponses, Rappor

chances = st.fractions(min_value=Fraction(1, 100), max_value=Fraction(99, 100))


def test_claims_of_the_paper():
    # [EPK14, §5]: h = 2, f = 1/2, q = 3/4, p = 1/2 gives ε∞ = 4 ln 3.
    rappor = Rappor(128, 2, flip="1/2", zero="1/2", one="3/4")
    assert float(rappor.lifetime_claim().epsilon) == pytest.approx(4 * math.log(3))
    set_, clear = 0.25 * 1.25 + 0.5 * 0.75, 0.25 * 1.25 + 0.5 * 0.5
    assert float(rappor.chance_of_one(filter_bit=True)) == pytest.approx(set_)
    assert float(rappor.chance_of_one(filter_bit=False)) == pytest.approx(clear)
    expected = 2 * math.log(set_ * (1 - clear) / (clear * (1 - set_)))
    assert float(rappor.report_claim().epsilon) == pytest.approx(expected)


def distribution(rappor, value, cohort):
    reports = product([False, True], repeat=rappor.bits)
    return [rappor.pmf(np.array(report), value, cohort) for report in reports]


@settings(max_examples=25, deadline=None)
@given(flip=chances, zero=chances, one=chances, hashes=st.integers(1, 2))
def test_no_report_tells_more_than_claimed(flip, zero, one, hashes):
    rappor = Rappor(4, hashes, 3, flip=flip, zero=zero, one=one)
    factor = balls.enclose(lambda: balls.ball(rappor.report_claim().epsilon).exp()).upper
    for cohort in range(3):
        p, q = (distribution(rappor, value, cohort) for value in ("a", "b"))
        assert sum(p) == 1
        assert all(x <= factor * y and y <= factor * x for x, y in zip(p, q, strict=True))
    assert rappor.report_claim().epsilon <= rappor.lifetime_claim().epsilon


def test_one_report_reaches_its_claim():
    rappor = Rappor(64, 2, 1)
    apart = next(v for v in map(str, range(50)) if (rappor.filter_bits("a", 0) | rappor.filter_bits(v, 0)).sum() == 4)
    report = rappor.filter_bits("a", 0)
    ratio = rappor.pmf(report, "a", 0) / rappor.pmf(report, apart, 0)
    assert math.log(ratio) == pytest.approx(float(rappor.report_claim().epsilon))


def test_two_reports_tell_more_than_one_claim_and_never_more_than_the_lifetime_claim():
    # One bit, reported r times: P(all ones | bit) from the permanent bit being right or wrong.
    rappor = Rappor(2, 1, 1)
    right, one, zero = 1 - rappor.flip / 2, rappor.one, rappor.zero
    for reports in (2, 50):
        set_ = right * one**reports + (1 - right) * zero**reports
        clear = right * zero**reports + (1 - right) * one**reports
        loss = 2 * math.log(set_ / clear)
        assert loss > float(rappor.report_claim().epsilon)
        assert loss <= float(rappor.lifetime_claim().epsilon)


def test_a_new_value_is_paid_for():
    assert Rappor().lifetime_claim(3).epsilon == 3 * Rappor().lifetime_claim().epsilon


@pytest.mark.parametrize("flip", [0, 2 * 0.5])
def test_permanent_bits_that_never_or_always_lie(flip):
    rappor = Rappor(flip=flip)
    if flip == 0:
        with pytest.raises(Unbounded, match=r"^N240 "):
            rappor.lifetime_claim()
        assert rappor.report_claim().epsilon > 0
    else:
        assert rappor.lifetime_claim().epsilon == 0


def test_reports_that_exclude_a_value_have_no_bound():
    with pytest.raises(Unbounded):
        Rappor(flip=0, zero=0, one=1).report_claim()
    assert Rappor(flip=0, zero=0, one=0).report_claim().epsilon == 0


def test_filters_are_fixed_and_differ_by_cohort():
    rappor = Rappor(128, 2, 8)
    assert np.flatnonzero(rappor.filter_bits("apple", 0)).tolist() == [6, 94]  # on every machine
    assert len({rappor.filter_bits("apple", cohort).tobytes() for cohort in range(8)}) > 4
    assert rappor.filter_bits("\ud800 lone surrogate", 0).any()


def test_bits_are_as_frequent_as_stated():
    rappor, n = Rappor(16, 2, 1, flip="1/3", zero="1/5", one="4/7"), 40_000
    permanent = rappor.permanent(["pear"] * n)
    bits = rappor.filter_bits("pear", 0)
    reports = rappor.report(permanent)
    for i, bit in enumerate(bits.tolist()):
        wrong = int((permanent.bits[:, i] != bit).sum())
        assert stats.binomtest(wrong, n, 1 / 6).pvalue > 1e-6
        chance = float(rappor.chance_of_one(filter_bit=bit))
        assert stats.binomtest(int(reports.bits[:, i].sum()), n, chance).pvalue > 1e-6


def test_reports_come_from_the_permanent_bits_alone():
    rappor = Rappor(32, 2, 4, zero=0, one=1)
    permanent = rappor.permanent(["fig"] * 50)
    for _ in range(3):
        assert (rappor.report(permanent).bits == permanent.bits).all()


def test_cohorts_are_drawn_evenly():
    cohorts = Rappor(8, 1, 5).permanent(["a"] * 20_000).cohorts
    assert stats.chisquare(np.bincount(cohorts, minlength=5)).pvalue > 1e-6


@pytest.mark.parametrize("bad", [[], "apple", [1], [None], [b"a"]])
def test_values_are_refused_by_type_alone(bad):
    with pytest.raises(InvalidInput, match=r"^N262 "):
        Rappor().permanent(bad)


@pytest.mark.parametrize("name", ["flip", "zero", "one"])
@pytest.mark.parametrize("bad", [-0.1, "1.5", "nan", True])
def test_bad_probabilities_are_refused(name, bad):
    with pytest.raises(InvalidInput) as refused:
        Rappor(**{name: bad})
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("sizes", [(0, 1, 1), (8, 0, 1), (8, 1, 0), (8.0, 1, 1), (2**20, 1, 1)])
def test_bad_sizes_are_refused(sizes):
    with pytest.raises(InvalidInput):
        Rappor(*sizes)


def test_responses_of_another_width_are_refused():
    other = Rappor(16).permanent(["a"])
    with pytest.raises(InvalidInput, match=r"^N261 "):
        Rappor(32).report(PermanentResponses(other.cohorts, other.bits))
    with pytest.raises(InvalidInput, match=r"^N261 "):
        Rappor(32).pmf(np.zeros(16, dtype=bool), "a", 0)
