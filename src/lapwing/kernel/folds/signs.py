"""Conditions without what does not decide their sign, so that the solver is asked about smaller polynomials.

Claim: let p = c·∏ fᵢ^kᵢ, and let f be one of the factors that is not 0, given what is known. Then p has the sign of p
without f² as often as f² divides it; and if f is known not to be below 0, that of p without f. So a condition on p and
the same condition on what is left of it are equivalent. That a factor is not 0 is known where something is divided by
it, and where a condition that excludes 0 holds of a product with it; its sign, where a condition is about it alone.

FLINT factors; its factors are multiplied out again, so that nothing rests on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from lapwing.kernel.doubt import Unproved
from lapwing.kernel.folds.points import Condition
from lapwing.kernel.prices.polynomials import Monomial, Polynomial
from lapwing.kernel.program.comparisons import MIRRORED

#: A factor, as it is written.
Factor = str
#: Larger polynomials are left as they are: to factor them may take long.
MOST_TERMS, MOST_POWERS = 60, 12

#: Comparisons with 0 that 0 does not meet.
_STRICT = ("<", ">", "!=")


@dataclass(frozen=True, slots=True)
class Comparison:
    """``polynomial symbol 0``."""

    symbol: str
    polynomial: Polynomial


@dataclass(slots=True)
class _Factored:
    """A condition on ``number`` times powers of factors, some of which something is divided by."""

    symbol: str
    number: fmpq
    powers: Counter[Factor]
    divisors: frozenset[Factor]

    @property
    def alone(self) -> Factor | None:
        """The factor that the sign hangs on, if it is one."""
        odd = [each for each, power in self.powers.items() if power % 2]
        return odd[0] if len(odd) == 1 and self.symbol in ("<", "<=", ">", ">=") else None

    @property
    def sign(self) -> int:
        """What that factor times is not below 0, where the others are not 0."""
        return 1 if (self.symbol in (">", ">=")) == (self.number > 0) else -1


def simplified(conditions: Sequence[Condition]) -> list[Comparison]:
    """Comparisons from which the last follows exactly if the last condition follows from the others.

    All conditions are about numbers, and whatever something is divided by is not 0.
    """
    sides = [side for each in conditions if each.value is not None for side in (each.value.above, each.value.below)]
    if not conditions or any(map(_is_large, sides)):  # of truth values alone, there is nothing to compare
        return _as_they_are(conditions)
    ring = _Ring(sorted({name for side in sides for monomial in side.terms for name, _ in monomial}))
    *known, asked = map(ring.factored, conditions)
    nonzero = asked.divisors.union(*(each.divisors for each in known))
    nonzero |= {factor for each in known if each.symbol in _STRICT for factor in each.powers}
    signs = {each.alone: each.sign for each in known if each.alone in nonzero and nonzero.issuperset(each.powers)}
    found = [Comparison("!=", ring.written(ring.factors[each])) for each in sorted(nonzero)]
    # what tells the sign of a factor goes on telling it
    found += [ring.left(one, nonzero, {f: sign for f, sign in signs.items() if f != one.alone}) for one in known]
    return [*found, ring.left(asked, nonzero, signs)]


def connected(comparisons: Sequence[Comparison]) -> Sequence[Comparison]:
    """Those that share unknowns with the last, by way of others: what follows from fewer follows from all."""
    known = comparisons[-1].polynomial.names
    while more := {n for each in comparisons if each.polynomial.names & known for n in each.polynomial.names} - known:
        known |= more
    return [each for each in comparisons if each.polynomial.names & known] if known else comparisons


def _as_they_are(conditions: Sequence[Condition]) -> list[Comparison]:
    quotients = [each.value for each in conditions if each.value is not None]
    defined = [Comparison("!=", each.below) for each in quotients if not each.below.is_number]
    products = [each.above * each.below for each in quotients]  # of the quotients' signs
    return [*defined, *(Comparison(c.symbol, each) for c, each in zip(conditions, products, strict=True))]


class _Ring:
    """Polynomials in some names, as FLINT has them; a factor is known by how it is written."""

    def __init__(self, names: list[str]) -> None:
        self._names = names
        self._ring = fmpq_mpoly_ctx.get(tuple(f"x{i}" for i in range(len(names))), Ordering.lex)
        self.factors: dict[Factor, fmpq_mpoly] = {}

    def factored(self, condition: Condition) -> _Factored:
        """The condition, on a product."""
        assert condition.value is not None  # noqa: S101  # they are all about numbers
        (a, above), (b, below) = self._parts(condition.value.above), self._parts(condition.value.below)
        return _Factored(condition.symbol, a * b, above + below, frozenset(below))

    def _parts(self, side: Polynomial) -> tuple[fmpq, Counter[Factor]]:
        """A number and powers of factors, the product of which a polynomial is."""
        polynomial = self._ring.from_dict(
            {self._powers(each): _rational(number) for each, number in side.terms.items()}
        )
        number, factors = polynomial.factor() if side.terms else (1, [(polynomial, 1)])
        if prod((factor**power for factor, power in factors), start=self._ring.constant(number)) != polynomial:
            raise Unproved("a polynomial is not the product of its factors")
        self.factors |= {str(factor): factor for factor, _ in factors}
        return fmpq(number), Counter({str(factor): int(power) for factor, power in factors})

    def _powers(self, monomial: Monomial) -> tuple[int, ...]:
        powers = dict(monomial)
        return tuple(powers.get(name, 0) for name in self._names)

    def left(self, condition: _Factored, nonzero: frozenset[Factor], signs: Mapping[Factor, int]) -> Comparison:
        """The condition without what does not decide its sign."""
        product, flipped = self._ring.constant(1), condition.number < 0
        for name, power in condition.powers.items():
            factor = self.factors[name]
            if power % 2 and name in signs:
                flipped ^= signs[name] < 0
            elif power % 2 or name not in nonzero:
                product *= factor if power % 2 else factor * factor
        return Comparison(MIRRORED[condition.symbol] if flipped else condition.symbol, self.written(product))

    def written(self, polynomial: fmpq_mpoly) -> Polynomial:
        """The polynomial, as everybody else has it."""
        return Polynomial(
            {
                tuple((name, int(power)) for name, power in zip(self._names, powers, strict=True) if power): Fraction(
                    int(number.p), int(number.q)
                )
                for powers, number in polynomial.to_dict().items()
            }
        )


def _is_large(polynomial: Polynomial) -> bool:
    powers = (sum(power for _, power in monomial) for monomial in polynomial.terms)
    return len(polynomial.terms) > MOST_TERMS or max(powers, default=0) > MOST_POWERS


def _rational(number: Fraction) -> fmpq:
    return fmpq(number.numerator, number.denominator)
