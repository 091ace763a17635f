"""Exact numbers and answers, written for people: never a digit that is not certain."""

from __future__ import annotations

from fractions import Fraction

from lapwing.algebra.balls import Interval
from lapwing.algebra.exact import decimal_down, decimal_up, shown
from lapwing.kernel.evidence.event import FINENESS, Between, Event
from lapwing.kernel.evidence.witness import LogRatio
from lapwing.search.violation.loss import Loss
from lapwing.search.violation.witness_story import event_text

DIGITS = 7


def answer(event: Event) -> str:
    """An answer as a person would write it; a region of real numbers as its ends."""
    match event:
        case tuple():
            return f"[{', '.join(answer(each) for each in event)}]"
        case Between(low, high):
            # a region of answers is read up to the next one, which is where it ends for the real number
            return f"{'…' if low is None else shown(low)} to {'…' if high is None else shown(high + FINENESS)}"
        case bool():
            return str(event)
        case Fraction():
            return shown(event)
    return event_text(event)


def probability(interval: Interval) -> str:
    """Exact when short, else the digits that both ends round to, at most seven."""
    if interval.is_exact and interval.lower.denominator < 10**6:
        return str(interval.lower)
    if interval.lower <= 0:
        return f"≤ {decimal_up(interval.upper, 2)}"
    if interval.upper == 1:
        return f"≥ {decimal_down(interval.lower, 4)}"
    return _digits(interval)


def ratio(enclosed: LogRatio) -> str:
    """A log ratio, which may be negative or infinite."""
    if enclosed.lower is None:
        return "∞"
    if enclosed.upper is None:
        return f"≥ {decimal_down(enclosed.lower, 4)}"
    interval = Interval(enclosed.lower, enclosed.upper)
    if interval.is_exact and interval.lower.denominator < 10**6:
        return str(interval.lower)
    if interval.upper < 0:
        return f"-{_digits(Interval(-interval.upper, -interval.lower))}"
    if interval.lower <= 0 and interval.width < Fraction(1, 10**DIGITS):
        return "0"
    return _digits(interval)


def loss_text(loss: Loss) -> str:
    """The loss of an answer, with its closed form where there is one."""
    if loss.left.lower <= 0:  # not certainly possible on the left
        return "-∞" if loss.left.upper == 0 < loss.right.lower else "unknown"
    number = ratio(loss.ratio)
    if loss.closed_form is None or loss.closed_form == "inf":
        return number
    return f"{loss.closed_form} = {number}" if "ln" in loss.closed_form else loss.closed_form


def _digits(interval: Interval) -> str:
    for digits in range(DIGITS, 1, -1):
        text = f"{float(interval.lower):.{digits}g}"
        if text == f"{float(interval.upper):.{digits}g}":
            return text
    return f"{decimal_down(interval.lower, 3)} … {decimal_up(interval.upper, 3)}"
