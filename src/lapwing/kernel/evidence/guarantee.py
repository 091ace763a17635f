"""A guarantee: what is known of a mechanism, as a bound in its public parameters, and what that is in numbers.

The one idea: a guarantee says whom it protects (neighbours), in which measure, how well, and of which program. The
bound is text; :meth:`Guarantee.at` turns it into exact numbers, rounded outward where they are irrational. A guarantee
is inert like all evidence: :mod:`lapwing.library` hands out those that ``check`` has confirmed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil
from typing import SupportsIndex

from lapwing.algebra.exact import plain_whole
from lapwing.algebra.measures import ZCDP, ApproxDP, PureDP
from lapwing.errors import InvalidInput, LapwingError
from lapwing.kernel.evidence.certificate import Measure
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.program import ir, walk, written_types
from lapwing.kernel.program.printer import show
from lapwing.kernel.run.claim_values import enclosed
from lapwing.kernel.run.evaluate import Environment, evaluate
from lapwing.kernel.run.inputs import public as read_public

#: Bits of the finest probability that is told.
_FINEST = 256


@dataclass(frozen=True, slots=True)
class Guarantee:
    """Between neighbours, ``mechanism`` loses at most ``bound`` in ``measure``; ``source`` is its fingerprint.

    ``delta`` is the δ of an approximate bound.
    """

    mechanism: ir.Mechanism = field(repr=False)
    measure: Measure
    bound: str
    source: str
    #: the δ of an approximate bound
    delta: str | None = None

    def __repr__(self) -> str:
        return f"{self.function} loses at most {self.stated}{' in zCDP' if self.measure == 'rho' else ''}"

    @property
    def stated(self) -> str:
        """The bound as people read it: ``epsilon``, or ``(epsilon, delta)``."""
        return self.bound if self.delta is None else f"({self.bound}, {self.delta})"

    def __post_init__(self) -> None:
        if (self.delta is None) != (self.measure != "approximate"):
            raise AssertionError("a guarantee has a δ exactly if it is approximate")

    @property
    def function(self) -> str:
        """The name of the mechanism."""
        return self.mechanism.name

    @property
    def neighbours(self) -> Mapping[str, str]:
        """How neighbours differ in each private parameter, as it is written in a program."""
        return {each.name: str(each.relation) for each in self.mechanism.parameters if each.relation is not None}

    @property
    def parameters(self) -> Mapping[str, str]:
        """The type of every parameter, as it is written in a program."""
        return {each.name: written_types.show(each.type) for each in self.mechanism.parameters}

    @property
    def preconditions(self) -> tuple[str, ...]:
        """What the mechanism asserts of its public parameters."""
        return tuple(show(condition) for condition in self.mechanism.preconditions)

    def at(self, **public: object) -> PureDP | ApproxDP | ZCDP:
        """The bound at these public parameters: never below its true value.

        Only the parameters that the bound mentions have to be given. A private list is given by its length, if that
        is public and the bound mentions it.
        """
        head = self.mechanism
        bound = formula(self.bound)
        parts = [bound] if self.delta is None else [bound, formula(self.delta)]
        values = {name: self._read(head, name, value) for name, value in public.items()}
        missing = sorted({name for part in parts for name in walk.names(part)} - set(values))
        if missing:
            raise InvalidInput(
                "Y101",
                f"the bound {self.stated} of {self.function} needs {', '.join(missing)}",
                "Give a value for each",
            )
        for condition, text in zip(head.preconditions, self.preconditions, strict=True):
            if walk.names(condition) <= set(values) and not _holds(condition, values):
                raise InvalidInput("Y103", f"{self.function} asserts {text}", "Give parameters for which it is true")
        try:
            number, *delta = (enclosed(part, values).upper for part in parts)
            match self.measure, delta:
                case "epsilon", []:
                    return PureDP(number)
                case "approximate", [chance]:
                    return ApproxDP(number, _printable(chance))
                case "rho", []:
                    return ZCDP(number)
            raise InvalidInput("Y103", "its measure has another number of parts", "Prove the mechanism again")
        except (LapwingError, ZeroDivisionError) as error:
            reason = error.problem if isinstance(error, LapwingError) else "it divides by zero"
            problem = f"the bound {self.stated} of {self.function} is no price at these parameters: {reason}"
            raise InvalidInput("Y103", problem, "Give parameters at which the mechanism can run") from None

    def to_json(self) -> dict[str, object]:
        """The guarantee as a JSON object."""
        return {
            "kind": "guarantee",
            "function": self.function,
            "neighbours": dict(self.neighbours),
            "measure": self.measure,
            "bound": self.bound if self.delta is None else [self.bound, self.delta],
            "source": self.source,
            "parameters": dict(self.parameters),
            "preconditions": list(self.preconditions),
        }

    def _read(self, head: ir.Mechanism, name: str, value: object) -> object:
        """A public value, exactly; for a private list of public length, anything of that length."""
        parameter = head.parameter(name)
        if parameter is None:
            known = ", ".join(each.name for each in head.parameters if not each.private)
            raise InvalidInput("Y102", f"{self.function} has no parameter '{name}'", f"Give some of {known}")
        if not parameter.private:
            return read_public(value, parameter.type, name)
        if not (isinstance(parameter.type, ir.List) and parameter.relation and parameter.relation.keeps_length):
            raise InvalidInput("Y102", f"'{name}' is private, and no bound depends on it", "Leave it out")
        length = -1 if isinstance(value, bool) or not isinstance(value, SupportsIndex) else plain_whole(value)
        if length < 0:
            raise InvalidInput("Y102", f"'{name}' is private, and its length is not a whole number", "Give its length")
        return range(length)


def _printable(chance: Fraction) -> Fraction:
    """No less than a probability, in digits that a ledger can keep: e^(-4000) has thousands."""
    fine = 1 << _FINEST
    return chance if chance.denominator <= fine else Fraction(ceil(chance * fine), fine)


def _holds(condition: ir.Expression, values: Environment) -> bool:
    try:
        return bool(evaluate(condition, values))
    except (LapwingError, ZeroDivisionError):
        return False
