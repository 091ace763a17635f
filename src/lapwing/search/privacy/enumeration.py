"""Proving by listing: private values and draws of finite kinds have few runs, each with a probability as a formula.

The one idea: the privacy of randomized response is the largest ratio of two such formulas. The checker's own list of
pairs is searched for it; probabilities are quotients of polynomials in the public parameters and in powers of e.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from flint import Ordering, fmpq, fmpq_mpoly_ctx

from lapwing.algebra.outward import outward
from lapwing.kernel.boundary import SECONDS, Limit
from lapwing.kernel.doubt import Unproved
from lapwing.kernel.evidence.certificate import Enumeration
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.prices.polynomials import Quotient
from lapwing.kernel.program import ir
from lapwing.kernel.program.printer import show
from lapwing.kernel.relational.enumeration import with_powers
from lapwing.kernel.relational.responses import Pair, pairs
from lapwing.search.privacy.blocked import Blocked
from lapwing.search.privacy.bounds import Powers, Sum, added, divided, multiplied, products, text
from lapwing.search.privacy.kept_solver import KeptTerms
from lapwing.search.privacy.linear import number, times
from lapwing.search.privacy.outcome import Failed, Found
from lapwing.search.privacy.totals import Point, points

#: Exponents beyond this are not computed.
FAR = 100


@dataclass(frozen=True, slots=True)
class Ratio:
    """A quotient of two sums of products."""

    above: Sum
    below: Sum

    def over(self, other: Ratio) -> Ratio:
        """The quotient, with common products taken out."""
        above, below = self.above, other.above
        if self.below != other.below:
            above, below = _known(multiplied(above, other.below)), _known(multiplied(below, self.below))
        if len(below) == 1 and (single := divided(above, below)) is not None:
            return Ratio(single, ONE)
        shared = _shared([*above, *below])
        factor = lcm(*(value.denominator for value in (*above.values(), *below.values())))
        unit: Sum = {tuple((name, -power) for name, power in shared): Fraction(factor)}
        return Ratio(_known(multiplied(above, unit)), _known(multiplied(below, unit)))


ONE: Sum = {(): Fraction(1)}
ONE_TO_ONE = Quotient.of(1)


def by_enumeration(mechanism: ir.Mechanism) -> Found | Failed:
    """The claim, or the largest ratio of two probabilities of an answer, for the checker to confirm."""
    if mechanism.claim is not None and not isinstance(mechanism.claim, ir.PureClaim):
        return Failed("listing runs gives a bound on ε", mechanism.claim.span)
    rows = any(each.private and isinstance(each.type, ir.List) for each in mechanism.parameters)
    claim = mechanism.claim.epsilon if isinstance(mechanism.claim, ir.PureClaim) else None
    try:
        found = _pairs(mechanism, claim)
        if any(each.right.above.is_zero and not each.left.above.is_zero for each in found):
            return Failed("an answer is possible on one input and not on the other", mechanism.span)
        bound = _fewest(found, mechanism) if claim is None else show(claim)
        return Found("epsilon", bound, Enumeration(rows))
    except Unproved as doubt:
        return Failed(str(doubt), mechanism.span)
    except Blocked as blocked:
        return Failed(blocked.reason, blocked.span)


def two_runs(mechanism: ir.Mechanism) -> list[tuple[str, str]]:
    """The probabilities that an answer can have in two runs on different inputs, as text."""
    found = _pairs(mechanism, None)
    return list(dict.fromkeys((_written(each.left), _written(each.right)) for each in found))


def _pairs(mechanism: ir.Mechanism, claim: ir.Expression | None) -> list[Pair]:
    terms = KeptTerms(limit=Limit(SECONDS))
    return pairs(terms, with_powers(terms, mechanism, claim), mechanism)


def _written(chance: Quotient) -> str:
    above, below = _without_common(chance.above.terms, chance.below.terms)
    return _shown(Ratio(above, ONE).over(Ratio(below, ONE)))


def _fewest(found: Sequence[Pair], mechanism: ir.Mechanism) -> str:
    """``ln(max(…))`` of few ratios, of which one is the largest wherever all are defined and draws are possible."""
    ratios: dict[str, Ratio] = {}
    natural: list[Ratio] = []
    for pair in found:
        natural += [Ratio(dict(each.above.terms), dict(each.below.terms)) for each in pair.natural]
        if not pair.left.above.is_zero:
            quotient = ONE_TO_ONE if pair.left.agrees(pair.right) else pair.left / pair.right
            above, below = _without_common(quotient.above.terms, quotient.below.terms)
            ratio = Ratio(above, ONE).over(Ratio(below, ONE))
            ratios[_shown(ratio)] = ratio
    best: list[set[str]] = []
    for point in points(mechanism):
        if any((value := _at(point, each)) is not None and value < 0 for each in natural):
            continue
        values = {shown: _at(point, ratio) for shown, ratio in ratios.items()}
        known = [value for value in values.values() if value is not None]
        if len(known) == len(values):
            best.append({shown for shown, value in values.items() if value == max(known)})
    tops: list[str] = []
    while best:  # the ratio that is the largest most often, of those the shortest
        top = max(ratios, key=lambda each: (sum(each in place for place in best), -len(each)))
        tops.append(top)
        best = [place for place in best if top not in place]
    if not tops:
        raise Blocked(
            "none of the values that were tried for the public parameters satisfy the asserts", mechanism.span
        )
    if len(tops) > 1:
        return f"ln(max({', '.join(tops)}))"
    return _power_of_e(ratios[tops[0]]) or f"ln({tops[0]})"


def _without_common(above: Mapping[Powers, Fraction], below: Mapping[Powers, Fraction]) -> tuple[Sum, Sum]:
    """Both polynomials divided by their greatest common divisor."""
    names = sorted({name for monomial in (*above, *below) for name, _ in monomial})
    if not names:
        return dict(above), dict(below)
    ring = fmpq_mpoly_ctx.get(names, Ordering.lex)
    written = [
        ring.from_dict(
            {
                tuple(dict(monomial).get(name, 0) for name in names): fmpq(value.numerator, value.denominator)
                for monomial, value in part.items()
            }
        )
        for part in (above, below)
    ]
    common = written[0].gcd(written[1])
    first, second = (
        {
            tuple((name, int(power)) for name, power in zip(names, powers, strict=True) if power): Fraction(
                int(value.p), int(value.q)
            )
            for powers, value in (part // common).to_dict().items()
        }
        for part in written
    )
    return first, second


def _power_of_e(ratio: Ratio) -> str | None:
    """The exponent, if a ratio is a power of e."""
    if ratio.below != ONE or set(ratio.above.values()) != {Fraction(1)} or len(ratio.above) != 1:
        return None
    whole: Sum | None = {}
    for name, power in next(iter(ratio.above)):
        match formula(name):
            case ir.Builtin("exp", (exponent,)):
                whole = added(whole, multiplied({(): Fraction(power)}, products(exponent)))
            case _:
                return None
    return None if not whole else text(whole)


def _at(point: Point, ratio: Ratio) -> Fraction | None:
    above, below = (_sum_at(point, part) for part in (ratio.above, ratio.below))
    return None if above is None or not below else above / below


def _sum_at(point: Point, whole: Sum) -> Fraction | None:
    total = Fraction(0)
    for powers, factor in whole.items():
        for name, power in powers:
            value = _value_at(point, formula(name))
            if value is None or (value == 0 and power < 0):
                return None
            factor *= value**power
        total += factor
    return total


def _value_at(point: Point, node: ir.Expression) -> Fraction | None:
    match node:
        case ir.Builtin("exp", (exponent,)):
            inner = point.value(exponent)
            return None if inner is None or abs(inner) > FAR else outward("exp", inner)  # near enough to compare
    return point.value(node)


def _shown(ratio: Ratio) -> str:
    if ratio.below == ONE:
        return text(ratio.above)
    return show(ir.Arithmetic("/", _expression(ratio.above), _expression(ratio.below)))


def _expression(whole: Sum) -> ir.Expression:
    """A sum of products with powers from 0 up, as an expression."""
    result: ir.Expression | None = None
    for powers, factor in sorted(whole.items(), key=lambda item: (item[1] < 0, len(item[0]), item[0])):
        term = number(abs(factor))
        for name, power in powers:
            for _ in range(power):
                term = times(term, ir.Name(name))
        if result is None:
            result = ir.Negate(term) if factor < 0 else term
        else:
            result = ir.Arithmetic("-" if factor < 0 else "+", result, term)
    return number(0) if result is None else result


def _shared(terms: list[Powers]) -> list[tuple[str, int]]:
    names = {name for powers in terms for name, _ in powers}
    return [(name, low) for name in sorted(names) if (low := min(dict(powers).get(name, 0) for powers in terms))]


def _known(value: Sum | None) -> Sum:
    if value is None:
        raise Blocked("a probability is not a formula that is followed")
    return value
