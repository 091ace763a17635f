"""The exact output distribution of a mechanism on given inputs, or the probability of one answer.

The one idea: a :class:`Subject` is a mechanism on a lattice, run on distributions. With finite randomness
probabilities are exact (:class:`~lapwing.refute.exponentials.ExactProbability`); with noise of infinite support they
are intervals, certain to contain the truth, because all rounding is counted and all that was cut may be anywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, log2
from typing import cast

from lapwing.algebra.balls import Interval
from lapwing.algebra.exact import exact
from lapwing.errors import InvalidInput
from lapwing.program import ir
from lapwing.program.evaluate import evaluate
from lapwing.program.inputs import BOUND
from lapwing.program.interpret import types_of
from lapwing.program.walk import statements
from lapwing.refute.batches import Batch, plain_values
from lapwing.refute.draws import Draws
from lapwing.refute.exponentials import ExactProbability
from lapwing.refute.limits import ORDINARY, Limits, TooLarge
from lapwing.refute.machine import RESULT, Analysis, run
from lapwing.refute.values import Plain
from lapwing.refute.weights import ExactWeights, FloatWeights, widened

Inputs = Mapping[str, Plain]
#: Noise is cut where less than 2^-60 is left, unless the answer asked for is itself that unlikely.
TAIL_BITS = 60
#: An answer less likely than 2^-900 is beyond doubles: its probability is reported as at most that.
_MAX_TAIL_BITS = 960


@dataclass(frozen=True, slots=True)
class Distribution:
    """Answers and their probabilities. ``escaped`` bounds the probability whose place is unknown.

    ``masses`` are exact, or doubles after ``roundings`` roundings of what was found at an answer; what escaped may
    yet come on top.
    """

    masses: Mapping[Plain, ExactProbability | float]
    escaped: Fraction
    roundings: int = 0

    @property
    def is_exact(self) -> bool:
        """Whether every probability is known exactly."""
        return self.escaped == 0

    def exact(self, output: Plain) -> ExactProbability | None:
        """The probability of an answer, exactly, if it is known so."""
        mass = self.masses.get(output, ExactProbability.rational(0) if self.is_exact else None)
        return mass if isinstance(mass, ExactProbability) else None

    def found(self, output: Plain) -> Interval:
        """The probability of the paths found to an answer; what escaped is not in it."""
        mass = self.masses.get(output)
        if mass is None:
            return Interval.point(0)
        return mass.enclosure() if isinstance(mass, ExactProbability) else _interval(mass, self.roundings)

    def probability(self, output: Plain) -> Interval:
        """The probability of an answer."""
        found = self.found(output)
        return Interval(found.lower, min(Fraction(1), found.upper + self.escaped))


@dataclass(frozen=True)
class Subject:
    """A mechanism of a module, with noise on the multiples of ``step``."""

    module: ir.Module
    mechanism: ir.Mechanism
    step: Fraction = Fraction(1)
    limits: Limits = ORDINARY

    @cached_property
    def _analysed(self) -> dict[str, Analysis]:
        return {mechanism.name: Analysis.of(mechanism) for mechanism in self.module}

    @cached_property
    def is_finite(self) -> bool:
        """Whether all randomness of the mechanism, and of what it calls, is finite."""
        todo, seen = [self.mechanism], {self.mechanism.name}
        while todo:
            for statement in statements(todo.pop().body):
                if isinstance(statement, ir.Sample) and statement.kind in ("laplace", "exponential", "gaussian"):
                    return False
                if isinstance(statement, ir.Call) and statement.mechanism not in seen:
                    seen.add(statement.mechanism)
                    todo.append(self.module[statement.mechanism])
        return True

    def inputs(self, given: Mapping[str, object]) -> dict[str, Plain]:
        """Arguments as the mechanism sees them: exact, private numbers on the lattice, preconditions met."""
        names = [parameter.name for parameter in self.mechanism.parameters]
        missing = [name for name in names if name not in given]
        unknown = [name for name in given if name not in names]
        if missing or unknown:
            problem = f"no value is given for {missing[0]!r}" if missing else f"there is no parameter {unknown[0]!r}"
            raise InvalidInput("R106", f"{self.mechanism.name}: {problem}", f"Give values for {', '.join(names)}")
        plain = {p.name: self.argument(p, given[p.name]) for p in self.mechanism.parameters}
        for condition in self.mechanism.preconditions:
            if not evaluate(condition, cast("dict[str, object]", plain), types_of(self.mechanism)):
                raise InvalidInput(
                    "R105",
                    f"the inputs break the precondition at {condition.span} of {self.mechanism.name}",
                    "Give inputs that meet it",
                )
        return plain

    def argument(self, parameter: ir.Parameter, value: object) -> Plain:
        """One argument, exact and of the declared type; a private number goes to the lattice by floor."""
        name = parameter.name
        match parameter.type:
            case _ if isinstance(value, list | tuple) and isinstance(parameter.type, ir.List):
                inner = parameter.type.element
                return tuple(self.argument(ir.Parameter(name, inner, parameter.relation), item) for item in value)
            case _ if isinstance(value, list | tuple) and isinstance(parameter.type, ir.Tuple):
                parts = zip(parameter.type.elements, value, strict=True)
                return tuple(self.argument(ir.Parameter(name, kind, parameter.relation), item) for kind, item in parts)
            case ir.Boolean() if isinstance(value, bool):
                return value
            case ir.Integer() | ir.Real() if not isinstance(value, list | tuple | bool):
                number = exact(value, name)  # type: ignore[arg-type]  # exact() refuses what is no number
                if parameter.private and abs(number) > BOUND:
                    raise InvalidInput(
                        "R113", f"a number of '{name}' lies beyond ±2^53, where a run moves it", "Give smaller numbers"
                    )
                if not isinstance(parameter.type, ir.Integer):
                    return floor(number / self.step) * self.step if parameter.private else number
                if number.denominator == 1:
                    return number
        raise InvalidInput("R107", f"the value of {name} is of another type than declared", "Give it as annotated")

    def distribution(self, inputs: Inputs, tail_bits: int = TAIL_BITS) -> Distribution:
        """The distribution of the answer on ``inputs`` (as :meth:`inputs` returns them)."""
        if self.is_finite:
            try:
                return self._exact_distribution(inputs, None)
            except TooLarge as error:
                if error.code != "R102":
                    raise
                # a loop that may go on for ever: its tail is cut, and counted as escaped
        return self._bounded_distribution(inputs, None, tail_bits)

    def probability(self, inputs: Inputs, output: Plain) -> ExactProbability | Interval:
        """The probability of one answer on ``inputs``; much cheaper than the whole distribution.

        Noise is cut further out, and the computation repeated, while what escaped matters against what was found.
        """
        if self.is_finite:
            try:
                exact_one = self._exact_distribution(inputs, output)
                return cast(ExactProbability, exact_one.exact(output))
            except TooLarge as error:
                if error.code != "R102":
                    raise
        tail_bits = TAIL_BITS
        while True:
            one = self._bounded_distribution(inputs, output, tail_bits)
            found = one.found(output).lower
            if found == 0 or one.escaped * 2**40 < found or tail_bits >= _MAX_TAIL_BITS:
                return one.probability(output)
            tail_bits = min(_MAX_TAIL_BITS, max(tail_bits + 20, ceil(-log2(found)) + TAIL_BITS))

    def plausible(self, inputs: Inputs) -> list[Plain]:
        """Some answers that are possible on ``inputs``, found with three draws of every noise, likely ones first."""
        draws = Draws(self.step, TAIL_BITS, self.limits, sparse=True)
        start = Batch(dict(inputs), FloatWeights.certain())  # doubles serve here for finite randomness, too
        found: list[tuple[float, Plain]] = []
        for batch in run(self._analysed, self.mechanism.name, start, draws):
            answers = plain_values(batch.variables[RESULT], len(batch))
            found += zip(cast(FloatWeights, batch.weights).array.tolist(), answers, strict=True)
        return [answer for _, answer in sorted(found, key=lambda pair: -pair[0])]

    def _exact_distribution(self, inputs: Inputs, wanted: Plain | None) -> Distribution:
        draws = Draws(self.step, TAIL_BITS, self.limits)
        start = Batch(dict(inputs), ExactWeights.certain())
        masses: dict[Plain, ExactProbability | float] = {}
        for batch in run(self._analysed, self.mechanism.name, start, draws, wanted):
            weights = cast(ExactWeights, batch.weights).array
            masses.update(zip(plain_values(batch.variables[RESULT], len(batch)), weights, strict=True))
        return Distribution(masses, Fraction(0))

    def _bounded_distribution(self, inputs: Inputs, wanted: Plain | None, tail_bits: int) -> Distribution:
        draws = Draws(self.step, tail_bits, self.limits)
        start = Batch(dict(inputs), FloatWeights.certain())
        masses: dict[Plain, ExactProbability | float] = {}
        roundings = 0
        for batch in run(self._analysed, self.mechanism.name, start, draws, wanted):
            weights = cast(FloatWeights, batch.weights)
            roundings = max(roundings, weights.roundings)
            answers = plain_values(batch.variables[RESULT], len(batch))
            masses.update(zip(answers, weights.array.tolist(), strict=True))
        return Distribution(masses, Fraction(draws.escape.mass), roundings)


def _interval(weight: float, roundings: int) -> Interval:
    """A double that went through some roundings, as the interval that holds the truth.

    (1 + 2^-53)^-m >= 1 - m·2^-53 and (1 - 2^-53)^-m <= 1 + m·2^-52 while m <= 2^51.
    """
    slack = Fraction(roundings + 1, 2**53)
    return Interval(Fraction(weight) * (1 - slack), Fraction(widened(weight, roundings + 1)))
