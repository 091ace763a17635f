"""Quotients of numbers that hold noise: one polynomial of draws over another, which is above 0.

The one idea: nothing is divided until digits are asked for. Whether a quotient is below another is a question about
polynomials, which forms decide (``a/b < c/d`` is ``a·d < c·b`` where b and d are above 0), and its floor is certain
once the balls of both are narrow enough: a quotient that is not constant has no atoms, because a polynomial has none.
So a quotient is post-processing like a product. Divided by 0 is 0 here: a program's division has a value whatever it
divides by, or that it fails would be an answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from flint import arb, fmpq, fmpz

from lapwing.noise.reals import FIRST, OfOneRun, Precision

Rational = int | Fraction
#: A form, which stands on this file (:class:`~lapwing.noise.forms.Form`), and a form or an exact number.
Form = Any
Noisy = Any


class NoisyQuotient(OfOneRun):
    """``above / below``, where ``below`` holds noise and is above 0. Never changes."""

    __slots__ = ("above", "below")

    def __init__(self, above: Noisy, below: Form) -> None:
        self.above, self.below = above, below

    # --- arithmetic -----------------------------------------------------------------------------------------

    def __add__(self, other: object) -> NoisyQuotient | Rational:
        if isinstance(other, NoisyQuotient):
            return _made(self.above * other.below + other.above * self.below, self.below * other.below)
        return _made(self.above + other * self.below, self.below) if _is_number(other) else NotImplemented

    __radd__ = __add__

    def __neg__(self) -> NoisyQuotient:
        return NoisyQuotient(-self.above, self.below)

    def __sub__(self, other: Noisy) -> NoisyQuotient | Rational:
        return self + -other if _is_number(other) else NotImplemented

    def __rsub__(self, other: object) -> NoisyQuotient | Rational:
        return -self + other

    def __mul__(self, other: object) -> NoisyQuotient | Rational:
        if isinstance(other, NoisyQuotient):
            return _made(self.above * other.above, self.below * other.below)
        return _made(self.above * other, self.below) if _is_number(other) else NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other: Noisy) -> NoisyQuotient | Noisy:
        return divided(self, other)

    def __rtruediv__(self, other: Noisy) -> NoisyQuotient | Noisy:
        return divided(other, self)

    def __abs__(self) -> NoisyQuotient:
        return self if self >= 0 else -self

    # --- questions ------------------------------------------------------------------------------------------

    def compared(self, other: object) -> int:
        """The sign of this less another number of any kind."""
        return _sign(self._excess(other))

    def _excess(self, other: object) -> Noisy:
        """A number with the sign of this less another; 0 as a number only where they are the same."""
        if isinstance(other, NoisyQuotient):
            return self.above * other.below - other.above * self.below
        return self.above - other * self.below

    def __lt__(self, other: object) -> bool:
        return self.compared(other) < 0

    def __le__(self, other: object) -> bool:
        return self.compared(other) <= 0

    def __gt__(self, other: object) -> bool:
        return self.compared(other) > 0

    def __ge__(self, other: object) -> bool:
        return self.compared(other) >= 0

    def __eq__(self, other: object) -> bool:
        """Whether both are the same number: certain where the draws cancel, else it has probability 0."""
        if not _is_number(other):
            return NotImplemented
        excess = _settled(self._excess(other))
        return _is_exact(excess) and excess == 0

    __hash__ = None  # type: ignore[assignment]  # as of forms

    def floor_to(self, bits: int) -> Fraction:
        """The largest multiple of 2^-``bits`` that is not above the number."""
        steps = fmpz(1) << bits
        digits = FIRST
        while True:  # another thread may have changed the precision meanwhile: it is set in each round
            with Precision(digits):
                floor = (_ball(self.above, digits) / _ball(self.below, digits) * steps).floor().unique_fmpz()
            if floor is not None:
                return Fraction(int(floor), int(steps))
            if digits == FIRST:
                constant = self._constant()
                if constant is not None:
                    return Fraction((constant * int(steps)).__floor__(), int(steps))
            digits = 2 * digits + 1

    def _constant(self) -> Rational | None:
        """The number that the quotient is whatever was drawn; None where it hangs on a draw."""
        above, below = _settled(self.above), _settled(self.below)
        if _is_exact(above) and (above == 0 or _is_exact(below)):
            return Fraction(above) / below if above else 0
        share: Rational | None = None if _is_exact(above) or _is_exact(below) else above.share_of(below)
        return share

    @staticmethod
    def total(values: Iterable[Noisy]) -> Noisy:
        """The sum of numbers of any kind."""
        return sum(values)

    def weight(self) -> int:
        """What a step of arithmetic on it costs."""
        return int(self.below.weight()) + (64 if _is_exact(self.above) else int(self.above.weight()))

    def __repr__(self) -> str:
        return "<a quotient of noisy numbers>"


def divided(above: NoisyQuotient | Noisy, below: NoisyQuotient | Noisy) -> NoisyQuotient | Noisy:
    """``above / below``, and 0 where ``below`` is 0."""
    if isinstance(below, int | Fraction):
        return 0 if below == 0 else above * (1 / Fraction(below))
    if isinstance(below, NoisyQuotient):  # the inverse of a quotient is one, or 0
        return above * divided(below.below, below.above)
    if isinstance(above, NoisyQuotient):
        return above * divided(1, below)
    sign = _sign(below)
    return 0 if sign == 0 else _made(above * sign, below * sign)  # 0 where what is added up cancels


def _made(above: Noisy, below: Form) -> NoisyQuotient | Rational:
    return 0 if _is_exact(above) and above == 0 else NoisyQuotient(above, below)


def _settled(number: Noisy) -> Noisy:
    return number if _is_exact(number) else number.settled()


def _is_exact(value: object) -> bool:
    return isinstance(value, int | Fraction)


def _is_number(value: Any) -> bool:  # noqa: ANN401  # whatever stands beside a quotient
    known = isinstance(value, NoisyQuotient) or hasattr(value, "share_of")
    return known or (_is_exact(value) and not isinstance(value, bool))


def _sign(number: Noisy) -> int:
    return int(number > 0) - int(number < 0)


def _ball(number: Noisy, digits: int) -> arb:
    return arb(fmpq(number.numerator, number.denominator)) if _is_exact(number) else number.ball(digits)
