"""Probabilities in closed form: quotients of sums c·e^r with rational c and r.

The one idea: exponentials of distinct rationals are linearly independent over the rationals (Lindemann–Weierstrass),
so a sum Σ c·e^r is zero only when every coefficient is, and equality of such numbers is decided, not estimated.
``flip`` and ``uniform`` need only r = 0; ``choose`` brings in e^(score/scale), Laplace noise e^(distance/scale).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, fmpq

from lapwing.algebra.balls import Interval, ball, enclose
from lapwing.kernel.distribution.pieces import Ring

#: Σ c·e^r as its non-zero terms (r, c), sorted by exponent.
Terms = tuple[tuple[Fraction, Fraction], ...]

ONE: Terms = ((Fraction(0), Fraction(1)),)


def _terms(coefficients: dict[Fraction, Fraction]) -> Terms:
    return tuple(sorted((exponent, value) for exponent, value in coefficients.items() if value))


def add(left: Terms, right: Terms) -> Terms:
    """The sum of two sums of exponentials."""
    coefficients = dict(left)
    for exponent, value in right:
        coefficients[exponent] = coefficients.get(exponent, Fraction(0)) + value
    return _terms(coefficients)


def multiply(left: Terms, right: Terms) -> Terms:
    """The product of two sums of exponentials."""
    coefficients: dict[Fraction, Fraction] = {}
    for exponent, value in left:
        for other_exponent, other_value in right:
            total = exponent + other_exponent
            coefficients[total] = coefficients.get(total, Fraction(0)) + value * other_value
    return _terms(coefficients)


def _ball(terms: Terms) -> arb:
    return sum((ball(value) * ball(exponent).exp() for exponent, value in terms), arb(0))


@dataclass(frozen=True, slots=True)
class ExactProbability:
    """numerator / Π factor^power, every factor a sum of positive terms that starts with 1·e^0.

    Denominators stay factored: the sums over states that share a ``choose`` then need no common denominator.
    """

    numerator: Terms
    factors: tuple[tuple[Terms, int], ...] = ()

    @classmethod
    def rational(cls, value: Fraction | int) -> ExactProbability:
        """A rational probability."""
        return cls(_terms({Fraction(0): Fraction(value)}))

    @classmethod
    def softmax(cls, exponents: list[Fraction]) -> list[ExactProbability]:
        """e^x_i / Σ e^x_j for every i; shifting all x by their minimum changes nothing and keeps the terms small."""
        least = min(exponents)
        total: Terms = ()
        for x in exponents:
            total = add(total, ((x - least, Fraction(1)),))
        scale = total[0][1]
        factor = tuple((exponent, value / scale) for exponent, value in total)
        factors = () if len(factor) == 1 else ((factor, 1),)
        return [cls(((x - least, 1 / scale),), factors) for x in exponents]

    def __add__(self, other: ExactProbability) -> ExactProbability:
        if self.factors == other.factors:
            return ExactProbability(add(self.numerator, other.numerator), self.factors)
        mine, theirs = dict(self.factors), dict(other.factors)
        common = {factor: max(mine.get(factor, 0), theirs.get(factor, 0)) for factor in {**mine, **theirs}}
        numerator = add(_expand(self.numerator, common, mine), _expand(other.numerator, common, theirs))
        return ExactProbability(numerator, tuple(sorted(common.items())))

    def __mul__(self, other: ExactProbability | fmpq | int) -> ExactProbability:
        if not isinstance(other, ExactProbability):
            number = Fraction(other) if isinstance(other, int) else Fraction(int(other.p), int(other.q))
            return ExactProbability(tuple((r, c * number) for r, c in self.numerator) if number else (), self.factors)
        powers = Counter(dict(self.factors))
        powers.update(dict(other.factors))
        return ExactProbability(multiply(self.numerator, other.numerator), tuple(sorted(powers.items())))

    @property
    def is_zero(self) -> bool:
        """Whether this is exactly 0."""
        return not self.numerator

    @property
    def fraction(self) -> Fraction | None:
        """The rational number this is, or None when it is irrational or not recognised as rational."""
        ratio = closed_ratio(self, ExactProbability.rational(1))
        return ratio[0] if ratio is not None and ratio[1] == 0 else None

    def to_ball(self) -> arb:
        """A ball around the number, at the working precision."""
        value = _ball(self.numerator)
        for factor, power in self.factors:
            value /= _ball(factor) ** power
        return value

    def __float__(self) -> float:
        return float(self.enclosure())

    def enclosure(self) -> Interval:
        """An interval around the number."""
        value = self.fraction if not self.factors else None
        return Interval.point(value) if value is not None else enclose(self.to_ball)


class ExactRing(Ring):
    """Coefficients in closed form."""

    def number(self, value: fmpq) -> ExactProbability:
        """A rational."""
        return ExactProbability.rational(Fraction(int(value.p), int(value.q)))

    def exp(self, value: fmpq) -> ExactProbability:
        """E to a rational."""
        return ExactProbability(((Fraction(int(value.p), int(value.q)), Fraction(1)),))

    def is_zero(self, value: object) -> bool:
        """Whether this is 0, decided."""
        return isinstance(value, ExactProbability) and value.is_zero


def _expand(numerator: Terms, wanted: dict[Terms, int], present: dict[Terms, int]) -> Terms:
    for factor, power in wanted.items():
        for _ in range(power - present.get(factor, 0)):
            numerator = multiply(numerator, factor)
    return numerator


def closed_ratio(left: ExactProbability, right: ExactProbability) -> tuple[Fraction, Fraction] | None:
    """(c, r) with left = c·e^r·right, if there are such rationals; ``right`` is not 0.

    Because exponentials of distinct rationals are independent, L = c·e^r·R holds exactly when the terms of L are
    those of R shifted by r and scaled by c.
    """
    mine, theirs = dict(left.factors), dict(right.factors)
    common = {factor: max(mine.get(factor, 0), theirs.get(factor, 0)) for factor in {**mine, **theirs}}
    top, bottom = _expand(left.numerator, common, mine), _expand(right.numerator, common, theirs)
    if not top:
        return Fraction(0), Fraction(0)
    if len(top) != len(bottom):
        return None
    shift, factor = top[0][0] - bottom[0][0], top[0][1] / bottom[0][1]
    matches = all(a == b + shift and c == d * factor for (a, c), (b, d) in zip(top, bottom, strict=True))
    return (factor, shift) if matches else None


def log_text(factor: Fraction, exponent: Fraction) -> str:
    """ln(factor·e^exponent) as a person writes it: ``ln(3)``, ``1``, ``1/2 + ln(3)``."""
    if factor == 1:
        return str(exponent)
    logarithm = f"ln({factor})"
    return logarithm if exponent == 0 else f"{exponent} + {logarithm}"
