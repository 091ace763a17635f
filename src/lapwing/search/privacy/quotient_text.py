"""Distances and prices as people write them, with what their numerator and denominator have in common left out."""

from __future__ import annotations

from fractions import Fraction

from lapwing.kernel.prices.polynomials import Polynomial, Quotient
from lapwing.search.privacy.bounds import text


def written(quotient: Quotient) -> str:
    """A quotient in as few words as it has."""
    simpler = _product(quotient) or quotient
    above, below = simpler.above.terms, simpler.below.terms
    if len(below) > 1:
        return f"({text(dict(above))}) / ({text(dict(below))})"
    ((divisor, factor),) = below.items()
    found = {}
    for monomial, size in above.items():
        powers = dict(monomial)
        for name, power in divisor:
            powers[name] = powers.get(name, 0) - power
        found[tuple(sorted((name, power) for name, power in powers.items() if power))] = size / factor
    return text(found)


def _product(quotient: Quotient) -> Quotient | None:
    """The quotient as one product of powers, if it is one: where both parts have the same sum for a factor."""
    above, below = quotient.above, quotient.below
    if above.is_zero or len(below.terms) < 2:
        return None
    first, value = next(iter(below.terms.items()))
    for monomial, other in above.terms.items():
        powers = dict(monomial)
        for name, power in first:
            powers[name] = powers.get(name, 0) - power
        up, down = ({name: sign * power for name, power in powers.items() if sign * power > 0} for sign in (1, -1))
        over = Polynomial({tuple(sorted(up.items())): other / value})
        under = Polynomial({tuple(sorted(down.items())): Fraction(1)})
        if (below * over - above * under).is_zero:
            return Quotient(over, under)
    return None
