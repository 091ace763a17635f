from fractions import Fraction
from itertools import pairwise
from math import exp, log

import pytest

from lapwing.program.parse import parse_text
from lapwing.refute.distribution import Subject
from lapwing.refute.loss import beyond, curve, delta, log_ratio, losses, mass, worst

TEXT = """
from lapwing import flip, laplace, mechanism, replaced, within

@mechanism(x=within(1), claim="epsilon")
def noisy(x: float, epsilon: float) -> float:
    return x + laplace(1 / epsilon)

@mechanism(x=replaced(), claim="1")
def plain(x: bool) -> bool:
    return x
"""
MODULE = parse_text(TEXT)


def two(name, left, right):
    subject = Subject(MODULE, MODULE[name])
    return subject.distribution(subject.inputs(left)), subject.distribution(subject.inputs(right))


def test_laplace_loses_epsilon_and_no_certain_end_says_more():
    left, right = two("noisy", {"x": 0, "epsilon": 1}, {"x": 1, "epsilon": 1})
    ratio = worst(left, right).ratio
    assert ratio.lower <= 1 <= ratio.upper
    assert ratio.upper - ratio.lower < Fraction(1, 10**9)


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 2), Fraction(9, 10)])
def test_delta_encloses_the_sum_over_the_lattice(epsilon):
    left, right = two("noisy", {"x": 0, "epsilon": 1}, {"x": 1, "epsilon": 1})
    q = exp(-1)
    masses = {k: (1 - q) / (1 + q) * q ** abs(k) for k in range(-60, 62)}
    truth = sum(max(0, masses[k] - exp(epsilon) * masses[k - 1]) for k in range(-59, 61))
    found = delta(left, right, epsilon)
    assert float(found.lower) <= truth + 1e-12
    assert truth - 1e-12 <= float(found.upper)
    assert found.width < Fraction(1, 10**9)
    event = beyond(left, right, epsilon)
    assert float(mass(left, event)) - exp(epsilon) * float(mass(right, event)) == pytest.approx(truth, abs=1e-9)


def test_the_curve_falls_to_nothing_at_the_worst_loss():
    left, right = two("noisy", {"x": 0, "epsilon": 1}, {"x": 1, "epsilon": 1})
    points = curve(left, right)
    assert all(earlier[1].upper >= later[1].lower for earlier, later in pairwise(points))
    assert points[0][0] == 0
    assert points[-1][1].upper < Fraction(1, 10**9)


def test_an_answer_that_cannot_happen_on_the_right_has_infinite_loss():
    left, right = two("plain", {"x": True}, {"x": False})
    found = worst(left, right)
    assert found.output is True
    assert found.closed_form == "inf"
    assert found.ratio.lower is None
    assert delta(left, right, Fraction(50)).lower == 1


def test_every_answer_of_either_side_is_listed():
    left, right = two("plain", {"x": True}, {"x": False})
    assert [loss.output for loss in losses(left, right)] == [True, False]


def test_a_log_ratio_encloses_the_logarithm():
    left, right = two("noisy", {"x": 0, "epsilon": 1}, {"x": 1, "epsilon": 1})
    ratio = log_ratio(left.probability(Fraction(3)), right.probability(Fraction(3)))
    assert float(ratio.lower) <= -1 <= float(ratio.upper)
    assert log(float(left.probability(Fraction(3))) / float(right.probability(Fraction(3)))) == pytest.approx(-1)
