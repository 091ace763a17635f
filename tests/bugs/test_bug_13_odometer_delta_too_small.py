"""An odometer once reported a δ smaller than the probability that its readings were ever wrong."""

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from lapwing.algebra.measures import ZCDP
from lapwing.algebra.odometers import ConcentratedOdometer

STEP = 0.5  # the loss of each randomised response is ±STEP
STEPS = 600
DELTA = Fraction(1, 2)


@given(st.integers(1, 300))
def test_the_shares_of_the_rungs_never_add_up_to_more_than_delta(rungs):
    odometer = ConcentratedOdometer("1e-5", 1)
    total = sum(odometer.rung_delta(rung) for rung in range(rungs))
    assert total < odometer.delta
    assert odometer.delta - total == odometer.delta / (rungs + 1)  # so nothing is wasted either


def ever_above(readings: list[float]) -> float:
    """The probability that the loss of randomised responses is above its reading at some moment, by recursion."""
    keep = 1 / (1 + math.exp(-STEP))
    alive, crossed = {0: 1.0}, 0.0
    for reading in readings:
        after: dict[int, float] = {}
        for height, mass in alive.items():
            for change, weight in ((1, keep), (-1, 1 - keep)):
                if (height + change) * STEP > reading:
                    crossed += mass * weight
                else:
                    after[height + change] = after.get(height + change, 0.0) + mass * weight
        alive = after
    return crossed


def test_readings_hold_at_all_moments_at_once():
    cost = ZCDP(Fraction(1, 8))  # ε²/2 at ε = 1/2
    odometer = ConcentratedOdometer(DELTA, Fraction(1, 8))
    readings = []
    for _ in range(STEPS):
        odometer = odometer.charge(cost)
        readings.append(float(odometer.reading().epsilon))
    assert ever_above(readings) <= DELTA


def test_the_bound_for_one_moment_does_not_hold_at_all_moments():
    # The same formula without rungs: right at each moment, wrong over the session. So the test above can fail.
    rho = [0.125 * (i + 1) for i in range(STEPS)]
    naive = [r + 2 * math.sqrt(r * math.log(1 / float(DELTA))) for r in rho]
    assert ever_above(naive) > DELTA
