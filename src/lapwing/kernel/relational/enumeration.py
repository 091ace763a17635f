"""Is a bound right that was found by listing all answers? They are listed again, with probabilities as formulas.

The one idea: with a private truth value and draws from finite sets there are finitely many runs. Each has a
probability that is a quotient of polynomials in the public parameters (and in e^(1/scale) for ``choose``), so
P(o | a) ≤ e^ε · P(o | b) is an inequality between such quotients, for each answer o and both orders of the inputs.

A list of truth values of which each is answered by itself is as private as one of them: parallel composition, [McS09].
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.evidence.certificate import Certificate, Enumeration
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.prices.polynomials import Polynomial, Quotient
from lapwing.kernel.prices.prices import MAX_DEPTH, Parameters
from lapwing.kernel.program import ir, walk
from lapwing.kernel.relational.responses import pairs
from lapwing.kernel.run.evaluate import evaluate
from lapwing.kernel.solver import Terms

Value = bool | int | Fraction
Environment = dict[str, Value]
ONE = Quotient.of(1)
#: More runs than any randomized response has.
MAX_RUNS = 2000
MAX_POWER = 20
#: The unknown e^(1/scale). No variable of a program can have this name.
GROWTH = "e^(1/scale)"


@dataclass(slots=True)
class Enumerated:
    """The runs of one mechanism, or of one round of its loop."""

    terms: Terms
    mechanism: ir.Mechanism
    certificate: Certificate
    proof: Enumeration
    #: the scale of the ``choose`` whose e^(1/scale) is an unknown, and the formulas that are above 0 or at least 0
    scale: ir.Expression | None = None
    positive: list[Quotient] = field(default_factory=list)
    natural: list[Quotient] = field(default_factory=list)
    runs: int = 0

    @property
    def parameters(self) -> Parameters:
        """The public parameters, and e^(1/scale), which is above 1."""
        return Parameters(self.terms, self.mechanism, () if self.scale is None else ((GROWTH, 1),))

    def confirm(self) -> None:
        """Refuse unless no answer is more than e^bound times likelier on one input than on the other."""
        if self.certificate.claim not in (None, self.certificate.bound):
            raise Unproved("an enumeration shows the claim as it stands, or a bound where there is none")
        if not any(_has_truths(each.type) for each in self.mechanism.parameters if each.private):
            self._confirm_numbers()
            return
        name, body, target = self._rows() if self.proof.rows else self._single()
        chosen = [each for each in walk.statements(body) if isinstance(each, ir.Sample) and each.kind == "choose"]
        self.scale = chosen[0].arguments[1] if chosen else None
        answers = {truth: self._answers(name, truth, body, target) for truth in (False, True)}
        self._within(answers, self.certificate.bound)

    def _confirm_numbers(self) -> None:
        """The same for private whole numbers: see :mod:`~lapwing.kernel.relational.responses`."""
        factors = self._factors(self.certificate.bound)
        if self._at_most(ONE, Quotient.of(0)):  # from a contradiction everything would follow
            raise Unproved("what is known of the parameters contradicts itself")
        for pair in pairs(self.terms, self.parameters, self.mechanism, self.proof.rows):
            self.natural = list(pair.natural)
            if not self._covered(pair.left, pair.right, factors):
                raise Unproved(f"an answer may be more than e^({self.certificate.bound[:60]}) times likelier")

    # --- what is enumerated ---------------------------------------------------------------------------------

    def _private(self, kind: ir.Type) -> str:
        private = [parameter for parameter in self.mechanism.parameters if parameter.private]
        match private:
            case [ir.Parameter(name, found, relation)] if found == kind and relation is not None:
                if relation.kind == "replaced":
                    return name
        raise Unproved("the mechanism does not have one private input of truth values, of which one is replaced")

    def _single(self) -> tuple[str, Sequence[ir.Statement], None]:
        return self._private(ir.Boolean()), self.mechanism.body, None

    def _rows(self) -> tuple[str, Sequence[ir.Statement], str]:
        """The loop over the rows, which does nothing but put one answer per row into the list that is returned."""
        rows = self._private(ir.List(ir.Boolean()))
        match self.mechanism.body:
            case (
                ir.Assign(start, ir.ListOf(())),
                ir.For(ir.Over(items=((name, ir.Name(walked)),), index=None), body),
                ir.Return(ir.Name(answer)),
            ) if start == answer and walked == rows and name != answer:
                return name, body, answer
        raise Unproved("the mechanism does more than answer each row by itself")

    # --- runs -----------------------------------------------------------------------------------------------

    def _answers(
        self, name: str, truth: bool, body: Sequence[ir.Statement], target: str | None
    ) -> dict[object, Quotient]:
        found: dict[object, Quotient] = {}
        for answer, chance in self._run(tuple(body), {name: truth}, ONE, target, None):
            found[answer] = found.get(answer, Quotient.of(0)) + chance
        return found

    def _run(
        self, todo: tuple[ir.Statement, ...], state: Environment, chance: Quotient, target: str | None, given: object
    ) -> Iterator[tuple[object, Quotient]]:
        """Every answer with its probability, from one state on; ``given`` is the answer put into the list so far."""
        self.runs += 1
        if self.runs > MAX_RUNS:
            raise Unproved("there are too many runs to list")
        if not todo:
            if target is None or given is None:
                raise Unproved("a run ends without an answer")
            yield given, chance
            return
        statement, rest = todo[0], todo[1:]
        match statement:
            case ir.Assign(name, value) if name != target:
                yield from self._run(rest, {**state, name: self._value(value, state)}, chance, target, given)
            case ir.If(condition, then, otherwise):
                side = then if self._value(condition, state) else otherwise
                yield from self._run((*side, *rest), state, chance, target, given)
            case ir.Sample(name) if name != target:
                for drawn, share in self._draws(statement, state):
                    yield from self._run(rest, {**state, name: drawn}, chance * share, target, given)
            case ir.Append(name, value) if name == target and given is None:
                yield from self._run(rest, state, chance, target, (self._value(value, state),))
            case ir.Return(value) if target is None:
                yield (self._value(value, state),), chance
            case _:
                raise at(statement, "this statement is outside what proofs by enumeration cover")

    def _value(self, node: ir.Expression, state: Environment) -> Value:
        """A truth value or number that is settled: nothing set in another round, and no public parameter."""
        allowed = ir.Number | ir.Truth | ir.Name | ir.Negate | ir.Arithmetic | ir.Compare | ir.And | ir.Or | ir.Not
        for part in walk.nodes(node):
            if not isinstance(part, allowed | ir.Conditional):
                raise at(node, "this expression is outside what proofs by enumeration cover")
            if isinstance(part, ir.Name) and part.name not in state:
                raise at(node, f"'{part.name}' is not settled here")
        found = evaluate(node, dict(state))
        if not isinstance(found, bool | int | Fraction):
            raise at(node, "this is not a number or truth value")
        return found

    def _draws(self, draw: ir.Sample, state: Environment) -> Iterator[tuple[Value, Quotient]]:
        match draw.kind, draw.arguments:
            case "flip", (probability,):
                share = self.parameters.of(probability)
                self.natural += [share, ONE - share]  # a run refuses what is no probability
                yield True, share
                yield False, ONE - share
            case "uniform", (ir.Number(count),) if count.denominator == 1 and 1 <= count <= MAX_RUNS:
                for index in range(int(count)):
                    yield index, Quotient.of(1 / count)
            case "choose", (ir.ListOf(elements), scale) if scale == self.scale and elements:
                self.positive.append(self.parameters.of(scale))
                scores = [Fraction(self._value(element, state)) for element in elements]
                weights = [self._power(score - min(scores)) for score in scores]
                total = Quotient.of(0)
                for weight in weights:
                    total = total + weight
                for index, weight in enumerate(weights):
                    yield index, weight / total
            case _:
                raise at(draw, "this draw is outside what proofs by enumeration cover")

    def _power(self, exponent: Fraction) -> Quotient:
        """The number e^(exponent / scale) as a power of e^(1 / scale)."""
        if exponent.denominator != 1 or abs(exponent) > MAX_POWER:
            raise Unproved("scores differ by amounts that proofs by enumeration do not cover")
        power = Polynomial({((GROWTH, int(abs(exponent))),): Fraction(1)} if exponent else {(): Fraction(1)})
        return Quotient(power, Polynomial.of(1)) if exponent >= 0 else Quotient(Polynomial.of(1), power)

    # --- the bound ------------------------------------------------------------------------------------------

    def _within(self, answers: dict[bool, dict[object, Quotient]], bound: str) -> None:
        factors = self._factors(bound)
        if self._at_most(ONE, Quotient.of(0)):  # from a contradiction everything would follow
            raise Unproved("what is known of the parameters contradicts itself")
        for left in (False, True):
            for answer, chance in answers[left].items():
                if not self._covered(chance, answers[not left].get(answer, Quotient.of(0)), factors):
                    raise Unproved(f"an answer may be more than e^({bound[:60]}) times likelier on one input")

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
            self.parameters.entailed(
                self.positive, [*self.natural, *(factor - each for each in factors)], factor * other - chance
            )
            for factor in factors
        )

    def _some_above_one(self, factors: list[Quotient]) -> bool:
        """Whether the largest factor is at least 1: of a number above 0 and what it is divided into 1, one is."""
        for place, factor in enumerate(factors):
            if any(ONE.agrees(factor * other) for other in factors[:place]) and self._at_most(Quotient.of(0), factor):
                return True
        return any(self._at_most(ONE, factor) for factor in factors)

    def _at_most(self, small: Quotient, large: Quotient) -> bool:
        return self.parameters.entailed(self.positive, self.natural, large - small)

    def _factors(self, bound: str) -> list[Quotient]:
        """Formulas of which the largest is e^bound: from ``ln(X)``, ``ln(max(X, Y))``, or k / scale."""
        match formula(bound):
            case ir.Builtin("ln", (ir.Builtin("max", parts),)):
                return [self.parameters.of(part, MAX_DEPTH) for part in parts]
            case ir.Builtin("ln", (part,)):
                return [self.parameters.of(part, MAX_DEPTH)]
        if self.scale is None:
            raise Unproved(f"e^({bound[:60]}) is not a formula in the public parameters")
        steps = self.parameters.read(bound) * self.parameters.of(self.scale)
        for power in range(-MAX_POWER, MAX_POWER + 1):
            if steps.agrees(Quotient.of(power)):
                return [self._power(Fraction(power))]
        raise Unproved(f"e^({bound[:60]}) is not a power of e^(1 / scale)")


def _has_truths(kind: ir.Type) -> bool:
    return kind in (ir.Boolean(), ir.List(ir.Boolean()))
