"""Is a bound right that was found by listing all answers? They are listed again, with probabilities as formulas.

The one idea: with private values and draws of finite kinds there are finitely many kinds of runs
(:mod:`~lapwing.kernel.relational.responses`). Each has a probability that is a quotient of polynomials in the public
parameters and in powers of e, so P(o | a) ≤ e^ε · P(o | b) is an inequality between such quotients, for each answer o
and every two inputs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from lapwing.kernel.doubt import Unproved
from lapwing.kernel.evidence.certificate import Certificate, Enumeration
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.prices.polynomials import Quotient
from lapwing.kernel.prices.powers_of_e import PowersOfE
from lapwing.kernel.prices.prices import MAX_DEPTH, Parameters
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.printer import show
from lapwing.kernel.relational.responses import pairs
from lapwing.kernel.solver import Terms

ONE = Quotient.of(1)
#: Larger multiples of a logarithm than any claim has.
MAX_MULTIPLE = 12


def with_powers(terms: Terms, mechanism: ir.Mechanism, bound: ir.Expression | None) -> Parameters:
    """The public parameters, with unknowns for the powers of e in probabilities and in e^bound."""
    plain = Parameters(terms, mechanism)
    exponents: list[tuple[str, Quotient]] = []
    if bound is not None:
        exponents += [(show(each), plain.of(each, MAX_DEPTH)) for each in _exponents(bound)]
    for statement in walk.statements(mechanism.body):
        match statement:
            case ir.Sample(_, "flip", (chance,)):
                exponents += [(show(each), plain.of(each)) for each in _raised(chance)]
            case ir.Sample(_, "choose", (_, scale)):
                exponents.append((f"1 / ({show(scale)})", ONE / plain.of(scale)))
    return Parameters(terms, mechanism, PowersOfE.spanning(exponents))


def _exponents(bound: ir.Expression) -> Iterator[ir.Expression]:
    """What e is raised to in e^bound: the summands that are no logarithms, and what is inside those."""
    match bound:
        case ir.Builtin("ln" | "log", (inner,)):
            yield from _raised(inner)
        case ir.Arithmetic("+" | "-", left, right):
            yield from _exponents(left)
            yield from _exponents(right)
        case ir.Arithmetic("*" | "/", left, right) if _has_logarithm(bound):
            yield from _exponents(left if _has_logarithm(left) else right)
        case _:
            yield bound


def _raised(node: ir.Expression) -> Iterator[ir.Expression]:
    for part in walk.nodes(node):
        if isinstance(part, ir.Builtin) and part.function == "exp":
            yield part.arguments[0]


def _has_logarithm(node: ir.Expression) -> bool:
    return any(isinstance(part, ir.Builtin) and part.function in ("ln", "log") for part in walk.nodes(node))


@dataclass(slots=True)
class Enumerated:
    """The runs of one mechanism, or of one round of its loop."""

    terms: Terms
    mechanism: ir.Mechanism
    certificate: Certificate
    proof: Enumeration
    parameters: Parameters = field(init=False)
    #: formulas that are at least 0
    natural: list[Quotient] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.parameters = with_powers(self.terms, self.mechanism, formula(self.certificate.bound))

    def confirm(self) -> None:
        """Refuse unless no answer is more than e^bound times likelier on one input than on the other."""
        if self.certificate.claim not in (None, self.certificate.bound):
            raise Unproved("an enumeration shows the claim as it stands, or a bound where there is none")
        if self.proof.rows != any(
            each.private and isinstance(each.type, ir.List) for each in self.mechanism.parameters
        ):
            raise Unproved("what is private is a list, or is not, other than is said")
        bound = formula(self.certificate.bound)
        factors = self._factors(bound)
        powers = self.parameters.powers
        # a run computes its claim first, so what stands in a claim has a value
        known = [each for part in _exponents(bound) for each in powers.facts(self.parameters.of(part, MAX_DEPTH))]
        self.natural = known
        self._refuse_contradiction()
        for pair in pairs(self.terms, self.parameters, self.mechanism):
            self.natural = [*known, *pair.natural]
            self._refuse_contradiction()
            if not self._covered(pair.left, pair.right, factors):
                raise Unproved(f"an answer may be more than e^({self.certificate.bound[:60]}) times likelier")

    def _refuse_contradiction(self) -> None:
        """From facts that contradict each other everything would follow."""
        if self._at_most(ONE, Quotient.of(0)):
            raise Unproved("what is known of the parameters contradicts itself")

    def _covered(self, chance: Quotient, other: Quotient, factors: list[Quotient]) -> bool:
        """Whether ``chance`` is at most the largest factor times ``other``; what is seen at once is tried first."""
        if any(chance.agrees(factor * other) for factor in factors):
            return True
        if self._at_most(chance, other) and self._some_above_one(factors):
            return True
        if any(self._at_most(chance, factor * other) for factor in factors):
            return True
        # one of the factors is the largest, whichever it is
        return len(factors) > 1 and all(
            self.parameters.entailed((), [*self.natural, *(factor - each for each in factors)], factor * other - chance)
            for factor in factors
        )

    def _some_above_one(self, factors: list[Quotient]) -> bool:
        """Whether the largest factor is at least 1: of a number above 0 and what it is divided into 1, one is."""
        for place, factor in enumerate(factors):
            if any(ONE.agrees(factor * other) for other in factors[:place]) and self._at_most(Quotient.of(0), factor):
                return True
        return any(self._at_most(ONE, factor) for factor in factors)

    def _at_most(self, small: Quotient, large: Quotient) -> bool:
        return self.parameters.entailed((), self.natural, large - small)

    def _factors(self, bound: ir.Expression) -> list[Quotient]:
        """Formulas of which the largest is e^bound."""
        match bound:
            case ir.Builtin("ln" | "log", (ir.Builtin("max", parts),)):
                return [self.parameters.of(part, MAX_DEPTH) for part in parts]
            case ir.Builtin("ln" | "log", (part,)):
                return [self.parameters.of(part, MAX_DEPTH)]
            case ir.Arithmetic("+", left, right) if _has_logarithm(bound):
                return [self._factor(left) * self._factor(right)]
            case ir.Arithmetic("*", ir.Number(times), part) | ir.Arithmetic("*", part, ir.Number(times)) if (
                _has_logarithm(bound)
            ):
                return [_power(self._factor(part), times)]
        return [self.parameters.powers.of(self.parameters.of(bound, MAX_DEPTH))]

    def _factor(self, bound: ir.Expression) -> Quotient:
        """The one formula that is e^bound: products of the largest of several need not be the largest product."""
        match self._factors(bound):
            case [factor]:
                return factor
        raise Unproved("a maximum stands beside other parts of a bound")


def _power(value: Quotient, times: Fraction) -> Quotient:
    if times.denominator != 1 or not 1 <= times <= MAX_MULTIPLE:
        raise Unproved("a logarithm is taken a number of times that is not followed")
    found = ONE
    for _ in range(int(times)):
        found = found * value
    return found
