"""Powers of e in probabilities and claims, as powers of few unknowns: e^ε is the square of e^(ε/2).

The one idea: the exponents of a mechanism are rational combinations of a few of them. Each of those, divided so that
all combinations are whole, gets an unknown y for e to it, and every other power of e is a product of powers of the
unknowns. Of y = e^x only true things are said: y > 0, y ≥ 1 + x and y (1 - x) ≤ 1. These settle its side of 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from lapwing.kernel.doubt import Unproved
from lapwing.kernel.prices.directions import Vector, combination
from lapwing.kernel.prices.polynomials import Polynomial, Quotient, unknown

ONE = Quotient.of(1)
#: Higher powers than any randomized response has.
MAX_POWER = 24


@dataclass(frozen=True, slots=True)
class PowersOfE:
    """Unknowns, each with the formula that e is raised to in it."""

    bases: tuple[tuple[str, Quotient], ...] = ()

    @staticmethod
    def spanning(exponents: Iterable[tuple[str, Quotient]]) -> PowersOfE:
        """Unknowns for the powers of e to some formulas, each given with how it is written."""
        found = [(text, each) for text, each in exponents if not each.above.is_zero]
        vectors = _over_one_divisor([each for _, each in found])
        chosen: list[int] = []
        weights: list[list[Fraction]] = []
        for place, vector in enumerate(vectors):
            mine = combination([vectors[each] for each in chosen], vector)
            if mine is None:
                mine = [Fraction(0)] * len(chosen) + [Fraction(1)]
                chosen.append(place)
            weights.append(mine)
        bases = []
        for number, place in enumerate(chosen):
            parts = lcm(*(each[number].denominator for each in weights if number < len(each)))
            text, exponent = found[place]
            name = f"exp({text})" if parts == 1 else f"exp(({text}) / {parts})"
            bases.append((name, exponent * Quotient.of(Fraction(1, parts))))
        return PowersOfE(tuple(bases))

    def of(self, exponent: Quotient) -> Quotient:
        """The power of e to a formula."""
        found = ONE
        for (name, _), power in zip(self.bases, self._weights(exponent), strict=True):
            base = unknown(name)
            for _ in range(abs(power)):
                found = found * base if power > 0 else found / base
        return found

    def facts(self, exponent: Quotient) -> tuple[Quotient, ...]:
        """Formulas that are at least 0 wherever the exponent is defined, and defined there themselves."""
        found: list[Quotient] = []
        for (name, base), power in zip(self.bases, self._weights(exponent), strict=True):
            # e is the quotient of e^(e + 1/r) and e^(1/r), and says nothing of r
            if power and (base.below.is_number or base.below.terms == exponent.below.terms):
                found += [unknown(name) - ONE - base, ONE - unknown(name) * (ONE - base)]
        return tuple(found)

    def _weights(self, exponent: Quotient) -> list[int]:
        vectors = _over_one_divisor([*(base for _, base in self.bases), exponent])
        found = combination(vectors[:-1], vectors[-1])
        if found is None or any(each.denominator != 1 or abs(each) > MAX_POWER for each in found):
            raise Unproved("a power of e is not a product of those in the probabilities")
        return [int(each) for each in found]


NO_POWERS = PowersOfE()


def _over_one_divisor(values: list[Quotient]) -> list[Vector]:
    """The numerators of formulas that are written with one divisor."""
    divisors: list[Polynomial] = []
    for each in values:
        if all(each.below.terms != other.terms for other in divisors):
            divisors.append(each.below)
    found: list[Vector] = []
    for each in values:
        above = each.above
        for other in divisors:
            if other.terms != each.below.terms:
                above = above * other
        found.append({tuple((name, Fraction(power)) for name, power in key): by for key, by in above.terms.items()})
    return found
