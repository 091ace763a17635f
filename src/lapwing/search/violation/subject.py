"""A mechanism to search, and what is computed of it on given inputs.

The one idea: the kernel's engine computes every probability, so a search only chooses inputs and events. It is not
believed all the same: what it finds leaves as a witness, which the kernel computes again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from lapwing.algebra.exact import exact
from lapwing.errors import InvalidInput
from lapwing.kernel.distribution.inputs import LARGEST
from lapwing.kernel.distribution.last_resort import chance, distribution
from lapwing.kernel.distribution.probability import Chance, Distribution, is_finite
from lapwing.kernel.distribution.probability_cells import explored
from lapwing.kernel.distribution.scripted import scripted
from lapwing.kernel.distribution.states import Limits
from lapwing.kernel.evidence.event import Event
from lapwing.kernel.evidence.values import Value
from lapwing.kernel.program import ir
from lapwing.kernel.run.evaluate import evaluate
from lapwing.kernel.uncomputable import TooMuch, Uncomputable
from lapwing.search.violation.walked_answers import Answers

Inputs = Mapping[str, Value]
#: Of a number in an answer: whether it is a whole one, where its law may change, and how far it reaches.
Known = tuple[bool, frozenset[Fraction], Fraction]
#: What one probability may take.
ORDINARY = Limits()
#: What one probability may take in a search, where there are many.
QUICK = Limits(states=20_000, rounds=2_000, seconds=1.0)


@dataclass(frozen=True)
class Subject:
    """A mechanism of a module; ``limits`` are of one probability.

    Functions among its parameters are lists of what they answer. ``source`` is the module as it was written.
    """

    module: ir.Module
    mechanism: ir.Mechanism
    limits: Limits = ORDINARY
    source: ir.Module | None = None

    def __post_init__(self) -> None:
        if self.source is None:
            object.__setattr__(self, "source", self.module)
            object.__setattr__(self, "module", scripted(self.module, self.mechanism.name))
            object.__setattr__(self, "mechanism", self.module[self.mechanism.name])

    @property
    def quick(self) -> Subject:
        """The same with the limits of a search, unless it was given others."""
        return replace(self, limits=QUICK) if self.limits == ORDINARY else self

    @cached_property
    def is_finite(self) -> bool:
        """Whether all randomness of the mechanism, and of what it calls, is finite."""
        return is_finite(self.module, self.mechanism.name)

    def inputs(self, given: Mapping[str, object]) -> dict[str, Value]:
        """Arguments as the mechanism sees them: exact, of their types, preconditions met."""
        names = [parameter.name for parameter in self.mechanism.parameters]
        missing = [name for name in names if name not in given]
        unknown = [name for name in given if name not in names]
        if missing or unknown:
            problem = f"no value is given for {missing[0]!r}" if missing else f"there is no parameter {unknown[0]!r}"
            raise InvalidInput("R106", f"{self.mechanism.name}: {problem}", f"Give values for {', '.join(names)}")
        plain = {p.name: self.argument(p, given[p.name]) for p in self.mechanism.parameters}
        for condition in self.mechanism.preconditions:
            if not evaluate(condition, dict(plain)):
                raise InvalidInput(
                    "R105",
                    f"the inputs break the precondition at {condition.span} of {self.mechanism.name}",
                    "Give inputs that meet it",
                )
        return plain

    def argument(self, parameter: ir.Parameter, value: object) -> Value:
        """One argument, exact and of the declared type."""
        name = parameter.name
        match parameter.type:
            case ir.List(inner) if isinstance(value, list | tuple):
                return tuple(self.argument(ir.Parameter(name, inner, parameter.relation), item) for item in value)
            case ir.Tuple(elements) if isinstance(value, list | tuple) and len(value) == len(elements):
                parts = zip(elements, value, strict=True)
                return tuple(self.argument(ir.Parameter(name, kind, parameter.relation), item) for kind, item in parts)
            case ir.Boolean() if isinstance(value, bool):
                return value
            case ir.Integer() | ir.Real() if not isinstance(value, list | tuple | bool):
                number = exact(value, name)  # type: ignore[arg-type]  # exact() refuses what is no number
                if parameter.private and abs(number) > LARGEST:
                    raise InvalidInput("R113", f"a number of '{name}' lies beyond ±2^53", "Give smaller numbers")
                if number.denominator == 1 or not isinstance(parameter.type, ir.Integer):
                    return number
        raise InvalidInput("R107", f"the value of {name} is of another type than declared", "Give it as annotated")

    def distribution(self, inputs: Inputs) -> Distribution:
        """The distribution of the answer; refuses answers that are real numbers."""
        return distribution(self.module, self.mechanism.name, inputs, self.limits)

    def chance(self, inputs: Inputs, event: Event) -> Chance:
        """The probability of an event."""
        return chance(self.module, self.mechanism.name, inputs, event, self.limits)

    def answers(self, inputs: Inputs) -> Answers | None:
        """The joint law of the answer, of which any event can be asked; None where nothing but cells will do."""
        try:
            return Answers.of(self.module, self.mechanism.name, inputs, self.limits)
        except TooMuch:
            raise
        except Uncomputable:
            return None

    def sketched(
        self, inputs: Inputs, shape: Callable[[object, list[Known]], Event]
    ) -> list[tuple[Event, tuple[Known, ...]]]:
        """Some shapes of answers, and where the real numbers in them may lie, by cells."""

        def judge(answer: object) -> tuple[Event, tuple[Known, ...]]:
            holes: list[Known] = []
            return shape(answer, holes), tuple(holes)

        states = min(self.limits.states, QUICK.states)
        found, _ = explored(self.module, self.mechanism.name, inputs, judge, states, self.limits.seconds)
        return list(found)  # type: ignore[arg-type]  # what judge says
