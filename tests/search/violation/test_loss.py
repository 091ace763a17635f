from fractions import Fraction
from itertools import pairwise
from math import exp, log

import pytest

from lapwing.kernel.evidence.event import Between
from lapwing.search.violation.landscape import Side
from lapwing.search.violation.loss import Table, enclosure, log_ratio
from lapwing.search.violation.subject import Subject
from lapwing.source.parse import parse_text

TEXT = """
from lapwing import discrete_laplace, flip, laplace, mechanism, replaced, within

@mechanism(x=within(1), claim="epsilon")
def noisy(x: float, epsilon: float) -> float:
    return x + laplace(1 / epsilon)

@mechanism(x=within(1), claim="epsilon")
def whole(x: int, epsilon: float) -> int:
    return x + discrete_laplace(1 / epsilon)

@mechanism(x=replaced(), claim="1")
def plain(x: bool) -> bool:
    return x

@mechanism(x=replaced(), claim="1")
def coin(x: bool) -> bool:
    return x if flip(1 / 2) else flip(1 / 2)
"""
MODULE = parse_text(TEXT)


def two(name, left, right):
    subject = Subject(MODULE, MODULE[name])
    return Table.of(*(Side(subject, subject.inputs(side)) for side in (left, right)))


def test_laplace_loses_epsilon_and_no_certain_end_says_more():
    ratio = two("noisy", {"x": 0, "epsilon": 1}, {"x": 1, "epsilon": 1}).worst.ratio
    assert ratio.lower <= 1 <= ratio.upper
    assert ratio.upper - ratio.lower < Fraction(1, 10**9)


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 2), Fraction(9, 10)])
def test_delta_of_a_real_answer_is_at_least_what_its_regions_show(epsilon):
    """δ(ε) of Laplace noise is 1 - e^((ε-1)/2); regions show almost all of it, and never more."""
    found = two("noisy", {"x": 0, "epsilon": 1}, {"x": 1, "epsilon": 1}).delta(epsilon)
    truth = 1 - exp((float(epsilon) - 1) / 2)
    assert truth / 2 <= float(found.lower) <= truth + 1e-12
    assert found.upper == 1


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 2), Fraction(9, 10)])
def test_delta_of_a_finite_answer_is_exact(epsilon):
    table = two("coin", {"x": True}, {"x": False})
    found = table.delta(epsilon)
    assert float(found) == pytest.approx(max(0, 3 / 4 - exp(epsilon) / 4), abs=1e-12)
    assert found.width < Fraction(1, 10**9)
    assert table.beyond(epsilon) == (True,)


def test_the_curve_falls_to_nothing_at_the_worst_loss():
    points = two("coin", {"x": True}, {"x": False}).curve()
    assert all(earlier[1].upper >= later[1].lower for earlier, later in pairwise(points))
    assert points[0][0] == 0
    assert points[-1][1].upper < Fraction(1, 10**9)


def test_an_answer_that_cannot_happen_on_the_right_has_infinite_loss():
    table = two("plain", {"x": True}, {"x": False})
    found = table.worst
    assert found.event is True
    assert found.closed_form == "inf"
    assert found.ratio.lower is None
    assert table.delta(Fraction(50)).lower == 1


def test_every_answer_of_either_side_is_listed():
    assert [loss.event for loss in two("plain", {"x": True}, {"x": False}).losses] == [True, False]


def test_regions_of_real_answers_hold_every_answer_once():
    for name in ("noisy", "whole"):
        table = two(name, {"x": 0, "epsilon": 1}, {"x": 1, "epsilon": 1})
        assert sum(float(enclosure(each)) for each in table.left.values()) == pytest.approx(1, abs=1e-9)


def test_a_log_ratio_encloses_the_logarithm():
    subject = Subject(MODULE, MODULE["noisy"])
    sides = [subject.chance(subject.inputs({"x": x, "epsilon": 1}), Between(Fraction(3))) for x in (0, 1)]
    ratio = log_ratio(*sides)
    assert float(ratio.lower) <= -1 <= float(ratio.upper)
    assert log(float(sides[0]) / float(sides[1])) == pytest.approx(-1)
