"""Powers of e to a program's ln(…): what a run computes is further from 0 than the logarithm, so its power is known.

The one idea: where n stands for ``ln(x)`` rounded away from 0 (:mod:`named_functions`), e^n is at least x if x is at
least 1, and at most x if x is at most 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from lapwing.kernel.doubt import Unproved
from lapwing.kernel.prices.polynomials import Polynomial, Quotient
from lapwing.kernel.prices.prices import Parameters
from lapwing.kernel.program import ir
from lapwing.kernel.solver import Term

#: Higher powers than any threshold needs.
MAX_POWER = 4
_ONE = Polynomial.of(1)


def about_named(
    parameters: Parameters, direction: Mapping[tuple[tuple[str, Fraction], ...], Fraction], degree: int, here: Term,
    unknowns: Mapping[str, Term],
) -> Iterator[Term]:  # fmt: skip
    """What is true of ``here`` = e^(factor · n / degree), if the direction is a number times one such n."""
    if len(direction) != 1:
        return
    ((powers, factor),) = direction.items()
    if len(powers) != 1 or powers[0][1] != 1:
        return
    rate = factor / degree
    if abs(rate.numerator) > MAX_POWER or rate.denominator > MAX_POWER:
        return
    for symbol, argument in _meanings(parameters.mechanism, powers[0][0]):
        try:
            yield _compared(parameters, symbol, parameters.of(argument), rate, here, unknowns)
        except (Unproved, KeyError):
            continue  # a formula that is not read says nothing


def _meanings(mechanism: ir.Mechanism, name: str) -> Iterator[tuple[str, ir.Expression]]:
    """What the preconditions say of a name and a logarithm: ``x < 1 or name >= ln(x)``, and its contrary."""
    for condition in mechanism.preconditions:
        match condition:
            case ir.Or((ir.Compare("<" | ">" as side, x, bound), ir.Compare(">=" | "<=" as symbol, value, real))):
                stated = (bound, value, real) == (ir.ONE, ir.Name(name), ir.Builtin("ln", (x,)))
                if stated and (side, symbol) in (("<", ">="), (">", "<=")):
                    yield symbol, x


def _compared(
    parameters: Parameters, symbol: str, x: Quotient, rate: Fraction, here: Term, unknowns: Mapping[str, Term]
) -> Term:
    """Where x is on its side of 1, e^n is on that side of x, to the power of the rate."""
    terms, zero = parameters.terms, parameters.terms.number(0)

    def term(polynomial: Polynomial) -> Term:
        return terms.polynomial(polynomial.terms, unknowns)

    raised = here
    for _ in range(rate.denominator - 1):
        raised = terms.arithmetic("*", raised, here)
    # x to a power, over the square of its divisor, whose sign is then no matter
    above, below = _ONE, _ONE
    for _ in range(abs(rate.numerator)):
        above, below = above * x.above * x.below, below * x.below * x.below
    left, right = (raised, _ONE) if rate > 0 else (terms.arithmetic("*", raised, term(above)), below)
    if rate > 0:
        left, right = terms.arithmetic("*", raised, term(below)), above
    turned = {">=": "<=", "<=": ">="}[symbol] if rate < 0 else symbol
    side = terms.compare(symbol, term((x.above - x.below) * x.below), zero)
    positive = terms.compare(">", term(x.above * x.below), zero)
    return terms.implies(terms.both((side, positive)), terms.compare(turned, left, term(right)))
