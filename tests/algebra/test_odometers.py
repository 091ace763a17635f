from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapwing.algebra.composition import sequential
from lapwing.algebra.measures import ZCDP, PureDP
from lapwing.algebra.odometers import ConcentratedOdometer, PureOdometer
from lapwing.errors import InvalidInput
from tests.algebra.strategies import pures, zcdps


@given(st.lists(pures, min_size=1, max_size=6))
def test_the_pure_reading_is_the_sum(costs):
    odometer = PureOdometer()
    for cost in costs:
        odometer = odometer.charge(cost)
    assert odometer.reading() == sequential(costs)


@given(st.lists(zcdps, min_size=1, max_size=6), st.fractions("1/1000", 1, max_denominator=1000))
def test_readings_never_fall_and_ignore_order(costs, first):
    odometer = backwards = ConcentratedOdometer("1e-6", first)
    last = odometer.reading().epsilon
    for cost, other in zip(costs, reversed(costs), strict=True):
        odometer, backwards = odometer.charge(cost), backwards.charge(other)
        assert odometer.reading().epsilon >= last
        last = odometer.reading().epsilon
    assert odometer == backwards
    assert odometer.reading().delta == Fraction(1, 10**6)


@given(st.fractions("1/1000", 1, max_denominator=1000), st.integers(0, 30))
def test_a_rung_holds_its_budget_and_the_next_one_the_rest(first, rung):
    odometer = ConcentratedOdometer("1e-6", first)
    top = odometer.rung_budget(rung)
    assert odometer.charge(ZCDP(top)).reading().epsilon == odometer.rung_epsilon(rung)
    assert odometer.charge(ZCDP(top + Fraction(1, 10**9))).reading().epsilon == odometer.rung_epsilon(rung + 1)


def test_an_unused_odometer_reads_nothing():
    assert ConcentratedOdometer("1e-6", 1).reading().epsilon == 0
    assert PureOdometer().reading() == PureDP(0)


def test_refusals():
    for delta, first, code in ((0, 1, "A103"), (1, 1, "A102"), ("1e-6", 0, "A101")):
        with pytest.raises(InvalidInput, match=code):
            ConcentratedOdometer(delta, first)
