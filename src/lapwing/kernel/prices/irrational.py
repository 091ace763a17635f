"""What is known of ln, exp and sqrt in a claim, a bound or a precondition: unknowns with true inequalities.

The one idea: nobody computes with irrational numbers here. ``sqrt(k)`` is an unknown whose square is k, ``exp(x)`` one
of at least 1 + x, ``ln(x)`` one between 1 - 1/x and x - 1; of a number there are rational ends from balls. What the
solver is asked stays polynomial, and facts that are left out can only lose a proof. Each fact is stated where the
function has a value; elsewhere the unknown may be anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from lapwing.algebra.balls import Interval, ball, certified_floor, enclose
from lapwing.kernel.prices.polynomials import Polynomial, Quotient, unknown
from lapwing.kernel.solver import Term, Terms

#: Where ln is told apart from x - 1 by a number, and what it is at least there, in whole millionths.
_STEPS = tuple(
    (at, Fraction(certified_floor(lambda at=at: ball(at).log() * 10**6), 10**6))  # type: ignore[misc]  # at is bound
    for at in (2, 3, 5, 10, 100)
)
_ONE = Quotient.of(1)
#: The sign of a formula as a term: ``sign(">=", value)``, which holds only where the value is defined.
Sign = Callable[[str, Quotient], Term]


@dataclass(frozen=True, slots=True)
class Irrational:
    """A function of a public formula; of a number, with rational ends around its value."""

    function: str
    argument: Quotient
    ends: Interval | None = None


def facts(terms: Terms, known: Mapping[str, Irrational], sign: Sign) -> Iterator[Term]:
    """What is true of the unknowns, each called as it is written."""
    for name, each in known.items():
        yield from _of_one(terms, unknown(name), each, sign)
        for other, than in known.items():
            if other != name and than.function == each.function:
                # all three functions grow; where one has no value nothing is said, as its argument has no such sign
                grows = terms.both(
                    (sign(">=", each.argument - than.argument), *_valued(each, sign), *_valued(than, sign))
                )
                yield terms.implies(grows, sign(">=", unknown(name) - unknown(other)))
                apart = _apart(each, than) if each.function == "ln" and name < other else None
                if apart is not None:  # ln(x) - ln(y) = ln(x/y), where that is a number
                    difference = unknown(name) - unknown(other)
                    ends = (
                        sign(">=", difference - Quotient.of(apart.lower)),
                        sign("<=", difference - Quotient.of(apart.upper)),
                    )
                    yield terms.implies(terms.both((*_valued(each, sign), *_valued(than, sign))), terms.both(ends))
                if each.function == "ln" and name < other:  # ln(1/x) = -ln(x)
                    inverse = sign("==", each.argument * than.argument - _ONE)
                    valued = terms.both((inverse, *_valued(each, sign)))
                    yield terms.implies(valued, sign("==", unknown(name) + unknown(other)))


def _apart(one: Irrational, other: Irrational) -> Interval | None:
    """The logarithm of the quotient of two arguments that differ by a factor above 0."""
    above, below = one.argument.above * other.argument.below, one.argument.below * other.argument.above
    (first, factor), *_ = below.terms.items() or [((), Fraction(0))]
    ratio = above.terms.get(first, Fraction(0)) / factor if factor else Fraction(0)
    if ratio <= 0 or not (above - below * Polynomial.of(ratio)).is_zero:
        return None
    return enclose(lambda: ball(ratio).log())


def _valued(each: Irrational, sign: Sign) -> tuple[Term, ...]:
    """That the function has a value."""
    symbol = {"ln": ">", "sqrt": ">="}.get(each.function)
    return () if symbol is None else (sign(symbol, each.argument),)


def _of_one(terms: Terms, value: Quotient, each: Irrational, sign: Sign) -> Iterator[Term]:
    function, argument = each.function, each.argument
    if each.ends is not None:
        yield sign(">=", value - Quotient.of(each.ends.lower))
        yield sign("<=", value - Quotient.of(each.ends.upper))
        return
    match function:
        case "sqrt":
            yield terms.implies(sign(">=", argument), sign(">=", value))
            yield terms.implies(sign(">=", argument), sign("==", value * value - argument))
        case "exp":
            yield sign(">", value)
            yield terms.implies(sign(">=", argument), sign(">=", value - _ONE - argument))
            yield terms.implies(sign("<", argument), sign(">=", value - _ONE - argument))
            yield terms.implies(sign("<=", argument), sign("<=", value - _ONE))
            below_one = terms.both((sign("<", argument - _ONE), sign(">=", argument)))
            yield terms.implies(below_one, sign("<=", value * (_ONE - argument) - _ONE))
            to_one = terms.both((sign("<=", argument - _ONE), sign(">=", argument)))
            yield terms.implies(to_one, sign("<=", value - _ONE - argument - argument * argument))
        case "ln":
            yield terms.implies(sign(">", argument), sign("<=", value - argument + _ONE))
            yield terms.implies(sign(">", argument), sign(">=", value - _ONE + _ONE / argument))
            for at, least in _STEPS:
                yield terms.implies(sign(">=", argument - Quotient.of(at)), sign(">=", value - Quotient.of(least)))
                small = terms.both((sign(">", argument), sign("<=", argument - Quotient.of(Fraction(1, at)))))
                yield terms.implies(small, sign("<=", value + Quotient.of(least)))
