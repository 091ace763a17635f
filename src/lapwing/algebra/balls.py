"""Real numbers that know their own error: the one door to ball arithmetic.

Irrational quantities (e^ε, ln 3, a Gaussian tail) are computed by FLINT's ``arb`` as balls that certainly
contain the true value. :func:`enclose` turns a computation on balls into an :class:`Interval` with rational
ends, so whoever needs a bound takes the end that errs on the safe side: ``upper`` for a price, ``lower`` for
an accusation.

FLINT keeps its working precision in a global. Another thread may change it at any moment; a ball then gets
wider or narrower, and still contains the truth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, ctx, fmpq

from lapwing.errors import Unbounded

#: Working precision of a first attempt, and where refining gives up.
BITS = 128
MAX_BITS = 1 << 17


@dataclass(frozen=True, slots=True)
class Interval:
    """A closed interval with rational ends that certainly contains the number meant."""

    lower: Fraction
    upper: Fraction

    def __post_init__(self) -> None:
        if self.lower > self.upper:
            raise AssertionError("an Interval was built upside down")

    @classmethod
    def point(cls, value: Fraction | int) -> Interval:
        """The interval that holds one rational exactly."""
        number = Fraction(value)
        return cls(number, number)

    def or_zero(self) -> Interval:
        """The number meant, or 0 where that is more."""
        return Interval(max(self.lower, Fraction(0)), max(self.upper, Fraction(0)))

    @property
    def is_exact(self) -> bool:
        """Whether both ends are the number itself."""
        return self.lower == self.upper

    @property
    def width(self) -> Fraction:
        """How far apart the ends are."""
        return self.upper - self.lower

    def __contains__(self, value: Fraction | int) -> bool:
        return self.lower <= value <= self.upper

    def __float__(self) -> float:
        return float((self.lower + self.upper) / 2)


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Compute with balls of ``bits`` bits inside the block."""
    with ctx.workprec(bits):
        yield


def ball(value: Fraction | int) -> arb:
    """A ball around a rational, as narrow as the working precision allows."""
    number = Fraction(value)
    return arb(fmpq(number.numerator, number.denominator))


def upper(value: arb) -> Fraction:
    """A rational that is certainly not below the number in the ball."""
    with precision(_bits_of(value)):
        return _rational(value.upper(), up=True)


def lower(value: arb) -> Fraction:
    """A rational that is certainly not above the number in the ball."""
    with precision(_bits_of(value)):
        return _rational(value.lower(), up=False)


def _rational(end: arb, *, up: bool) -> Fraction:
    """The dyadic rational that a ball of radius 0 is; refuses NaN and infinities, and what is as good as infinite.

    A number nearer to 0 than 2^-131072 is rounded outward to that: e^(-10^30) would not fit in memory.
    """
    if not end.is_finite():
        raise _infinite()
    mantissa, exponent = (int(part) for part in end.man_exp())
    size = mantissa.bit_length() + exponent
    if mantissa and abs(size) > MAX_BITS:
        outward = (mantissa > 0) == up
        if size > 0 and outward:
            raise _infinite()
        if size < 0 and not outward:
            return Fraction(0)
        limit = Fraction(2) ** (MAX_BITS if size > 0 else -MAX_BITS)
        return limit if mantissa > 0 else -limit
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)


def _infinite() -> Unbounded:
    return Unbounded("A201", "a bound came out infinite", "Use smaller parameters, or a method that covers them")


def _bits_of(value: arb) -> int:
    """Enough precision to take an end of the ball without widening it: ends are rounded to the working precision."""
    return int(value.mid().bits()) + 64 if value.is_finite() else BITS


def to_interval(value: arb) -> Interval:
    """The ball as an interval with rational ends."""
    return Interval(lower(value), upper(value))


def enclose(compute: Callable[[], arb], bits: int = BITS, relative_bits: int = 80) -> Interval:
    """Run ``compute`` at growing precision until the ball is narrow relative to its size.

    Cancellation can eat any number of bits (1 - e^(-10^-40) at 128 bits has none left), so precision is
    doubled until ``relative_bits`` are good. A value that stays indistinguishable from 0 is returned as the
    narrowest interval reached: correct, merely not relatively narrow.
    """
    while True:
        with precision(bits):
            value = compute()
        good = value.is_finite() and value.rel_accuracy_bits() >= relative_bits
        if good or bits >= MAX_BITS or (value.is_exact() and value.is_finite()):
            return to_interval(value)
        if value.is_finite() and bits >= 4096 and value.contains(0):
            return to_interval(value)
        bits *= 2


def certified_floor(compute: Callable[[], arb], bits: int = BITS) -> int:
    """⌊x⌋ for the real number that ``compute`` encloses, never guessed: precision grows until it is certain."""
    while bits <= MAX_BITS:
        with precision(bits):
            floor = compute().floor().unique_fmpz()
        if floor is not None:
            return int(floor)
        bits *= 2
    raise Unbounded(
        "A202", "a number is too close to an integer to tell its floor", "Change a parameter in its last digit"
    )
