"""The doors every parameter passes: exact, and inside the range where the theorems hold.

A parameter outside its range is refused here, with its value and a remedy, before anything runs: no
mechanism ever sees a scale of 0 or an ε of NaN.
"""

from __future__ import annotations

from fractions import Fraction
from typing import SupportsIndex

from lapwing.algebra.exact import Number, exact, plain_whole, shown
from lapwing.errors import InvalidInput


def epsilon(value: Number, name: str = "epsilon") -> Fraction:
    """A privacy-loss bound to spend or to calibrate to: finite and above 0."""
    number = exact(value, name)
    if number <= 0:
        raise InvalidInput(
            "A101",
            f"{name} is {shown(number)}, not above 0",
            "Give a positive number: small is private, 0.1 to 1 is usual",
        )
    return number


def delta(value: Number, name: str = "delta") -> Fraction:
    """A failure probability of a privacy bound: in [0, 1)."""
    number = exact(value, name)
    if not 0 <= number < 1:
        raise InvalidInput(
            "A102",
            f"{name} is {shown(number)}, outside [0, 1)",
            "Give 0 for pure privacy, or far less than 1/people, such as 1e-9",
        )
    return number


def positive_delta(value: Number, name: str = "delta") -> Fraction:
    """A failure probability that the method cannot do without: in (0, 1)."""
    number = delta(value, name)
    if number == 0:
        raise InvalidInput(
            "A103", f"{name} is 0, and this method needs it above 0", "Give far less than 1/people, such as 1e-9"
        )
    return number


def scale(value: Number, name: str = "scale") -> Fraction:
    """A noise scale: finite and above 0."""
    number = exact(value, name)
    if number <= 0:
        remedy = "Give a number above 0, such as the sensitivity divided by epsilon"
        if name == "sigma":
            remedy = "Give the standard deviation of the noise, a number above 0"
        raise InvalidInput("A104", f"{name} is {shown(number)}, not above 0", remedy)
    return number


def probability(value: Number, name: str = "probability") -> Fraction:
    """A probability: in [0, 1]."""
    number = exact(value, name)
    if not 0 <= number <= 1:
        raise InvalidInput("A105", f"{name} is {shown(number)}, outside [0, 1]", "Give a number from 0 to 1")
    return number


def interval(low: Number, high: Number, name: str = "range") -> tuple[Fraction, Fraction]:
    """A closed range of values with ``low <= high``."""
    lo, hi = exact(low, f"{name} low end"), exact(high, f"{name} high end")
    if lo > hi:
        raise InvalidInput(
            "A106", f"{name} is {shown(lo)}:{shown(hi)}, whose low end is above its high end", "Swap the two ends"
        )
    return lo, hi


def nonnegative(value: Number, name: str) -> Fraction:
    """A distance, sensitivity or cost: 0 or more."""
    number = exact(value, name)
    if number < 0:
        raise InvalidInput("A107", f"{name} is {shown(number)}, below 0", "Give a positive number")
    return number


def whole(value: SupportsIndex, name: str, least: int = 1) -> int:
    """A count: a whole number, at least ``least``."""
    try:
        number = plain_whole(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise InvalidInput(
            "A108", f"{name} is a {type(value).__name__}, not a whole number", f"Give an int of at least {least}"
        )
    if number < least:
        raise InvalidInput(
            "A108", f"{name} is {shown(Fraction(number))}, below {least}", f"Give an int of at least {least}"
        )
    return number
