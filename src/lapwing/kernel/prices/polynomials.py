"""Quotients of polynomials with exact coefficients: what prices and claims are made of.

The one idea: two such formulas agree wherever both are defined exactly when a cross product of polynomials vanishes,
which is seen from the coefficients.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from operator import add, mul, sub, truediv

from lapwing.kernel.coefficients import added, multiplied
from lapwing.kernel.doubt import Unproved

#: An unknown such as ``epsilon`` or ``len(q)`` to a power, and products of them in order of their names.
Monomial = tuple[tuple[str, int], ...]
#: Larger formulas than any bound has.
MAX_TERMS = 400
#: Longer numbers and higher powers than any bound has; to compute with them would take the checker's time and memory.
MAX_BITS, MAX_DEGREE = 4096, 400


@dataclass(frozen=True, slots=True)
class Polynomial:
    """A sum of monomials with coefficients other than 0."""

    terms: Mapping[Monomial, Fraction]

    def __post_init__(self) -> None:
        for monomial, factor in self.terms.items():
            if max(factor.numerator.bit_length(), factor.denominator.bit_length()) > MAX_BITS:
                raise Unproved(f"a number of a formula is longer than {MAX_BITS} bits")
            if sum(power for _, power in monomial) > MAX_DEGREE:
                raise Unproved(f"a formula has a power above {MAX_DEGREE}")

    @staticmethod
    def of(value: Fraction | int) -> Polynomial:
        """A number."""
        return Polynomial({(): Fraction(value)} if value else {})

    @staticmethod
    def unknown(name: str) -> Polynomial:
        """An unknown."""
        return Polynomial({((name, 1),): Fraction(1)})

    @property
    def names(self) -> frozenset[str]:
        """The unknowns in it."""
        return frozenset(name for monomial in self.terms for name, _ in monomial)

    @property
    def is_zero(self) -> bool:
        """Whether it vanishes everywhere."""
        return not self.terms

    @property
    def is_number(self) -> bool:
        """Whether it is a number other than 0."""
        return set(self.terms) == {()}

    def __add__(self, other: Polynomial) -> Polynomial:
        return Polynomial(added(self.terms, other.terms))

    def __neg__(self) -> Polynomial:
        return Polynomial({monomial: -factor for monomial, factor in self.terms.items()})

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + -other

    def __mul__(self, other: Polynomial) -> Polynomial:
        if len(self.terms) * len(other.terms) > MAX_TERMS:
            raise Unproved("a formula is larger than any bound should be")
        return Polynomial(multiplied(self.terms, other.terms, _times))

    def without(self, common: Mapping[str, int]) -> Polynomial:
        """Divided by a monomial that is in every term."""
        return Polynomial(
            {
                tuple(
                    (name, power - common.get(name, 0)) for name, power in monomial if power > common.get(name, 0)
                ): factor
                for monomial, factor in self.terms.items()
            }
        )


def _times(left: Monomial, right: Monomial) -> Monomial:
    if not (left and right):
        return left or right
    powers = dict(left)
    for name, power in right:
        powers[name] = powers.get(name, 0) + power
    return tuple(sorted(powers.items()))


@dataclass(frozen=True, slots=True)
class Quotient:
    """``above / below``, where ``below`` is not the zero polynomial; powers of single unknowns are cancelled."""

    above: Polynomial
    below: Polynomial

    @staticmethod
    def of(value: Fraction | int) -> Quotient:
        """A number."""
        return Quotient(Polynomial.of(value), Polynomial.of(1))

    @property
    def names(self) -> frozenset[str]:
        """The unknowns in it."""
        return self.above.names | self.below.names

    def at(self, name: str, value: Quotient) -> Quotient:
        """What it is where an unknown is ``value``."""
        above, below = (_valued(part, name, value) for part in (self.above, self.below))
        return above / below

    def __add__(self, other: Quotient) -> Quotient:
        if self.below.terms == other.below.terms:
            return quotient(self.above + other.above, self.below)
        return quotient(self.above * other.below + other.above * self.below, self.below * other.below)

    def __neg__(self) -> Quotient:
        return Quotient(-self.above, self.below)

    def __sub__(self, other: Quotient) -> Quotient:
        return self + -other

    def __mul__(self, other: Quotient) -> Quotient:
        return quotient(self.above * other.above, self.below * other.below)

    def __truediv__(self, other: Quotient) -> Quotient:
        return quotient(self.above * other.below, self.below * other.above)

    @property
    def number(self) -> Fraction | None:
        """The number it is, if it is one."""
        if self.above.is_zero:
            return Fraction(0)
        return self.above.terms[()] / self.below.terms[()] if self.above.is_number and self.below.is_number else None

    @property
    def is_negative(self) -> bool:
        """Whether this is a number, and below 0."""
        return (self.number or 0) < 0

    def agrees(self, other: Quotient) -> bool:
        """Whether both are equal wherever both are defined."""
        return (self.above * other.below - other.above * self.below).is_zero


def quotient(above: Polynomial, below: Polynomial) -> Quotient:
    """``above / below`` with common powers of unknowns and the leading number of ``below`` cancelled."""
    if below.is_zero:
        raise Unproved("a formula divides by zero")
    common: dict[str, int] = {}
    *others, last = (*above.terms, *below.terms)
    for name, power in last:
        least = min([power, *(dict(each).get(name, 0) for each in others)])
        if least:
            common[name] = least
    if common:
        above, below = above.without(common), below.without(common)
    lead = next(iter(below.terms.values()))
    if lead != 1:
        above, below = above * Polynomial.of(1 / lead), below * Polynomial.of(1 / lead)
    return Quotient(above, below)


def unknown(name: str) -> Quotient:
    """An unknown, as a quotient."""
    return Quotient(Polynomial.unknown(name), Polynomial.of(1))


def _valued(polynomial: Polynomial, name: str, value: Quotient) -> Quotient:
    total = Quotient.of(0)
    for monomial, factor in polynomial.terms.items():
        product = Quotient.of(factor)
        for each, power in monomial:
            for _ in range(power):
                product = product * (value if each == name else unknown(each))
        total = total + product
    return total


#: What the operators of the language are on formulas.
OPERATORS: Mapping[str, Callable[[Quotient, Quotient], Quotient]] = {"+": add, "-": sub, "*": mul, "/": truediv}
