"""A guarantee: what is known of a mechanism, as a bound in its public parameters, and what that is in numbers.

The one idea: a guarantee says whom it protects (neighbours), in which measure, how well, and of which program. The
bound is text; :meth:`Guarantee.at` turns it into exact numbers, rounded outward where they are irrational. A guarantee
is inert like all evidence: :mod:`lapwing.library` hands out those that ``check`` has confirmed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import SupportsIndex

from lapwing.algebra.exact import plain_whole
from lapwing.algebra.measures import ZCDP, PureDP
from lapwing.errors import InvalidInput, LapwingError
from lapwing.evidence.certificate import Measure
from lapwing.program import ir, walk
from lapwing.program.claims import enclosed
from lapwing.program.evaluate import Environment, evaluate
from lapwing.program.inputs import public as read_public
from lapwing.program.parse import parse_text


@dataclass(frozen=True, slots=True)
class Guarantee:
    """Between neighbours, ``function`` loses at most ``bound`` in ``measure``; ``source`` is its fingerprint.

    ``parameters`` has the type of every parameter, ``neighbours`` the relation of every private one, and
    ``preconditions`` what the mechanism asserts of the public ones, all as they are written in a program.
    """

    function: str
    neighbours: Mapping[str, str]
    measure: Measure
    bound: str
    source: str
    parameters: Mapping[str, str]
    preconditions: tuple[str, ...] = ()

    def at(self, **public: object) -> PureDP | ZCDP:
        """The bound at these public parameters: never below its true value.

        Only the parameters that the bound mentions have to be given. A private list is given by its length, if that
        is public and the bound mentions it.
        """
        head = self._head()
        bound = _bound(head)
        values = {name: self._read(head, name, value) for name, value in public.items()}
        missing = sorted(walk.names(bound) - set(values))
        if missing:
            raise InvalidInput(
                "Y101", f"the bound {self.bound} of {self.function} needs {', '.join(missing)}", "Give a value for each"
            )
        for condition, text in zip(head.preconditions, self.preconditions, strict=True):
            if walk.names(condition) <= set(values) and not _holds(condition, values):
                raise InvalidInput("Y103", f"{self.function} asserts {text}", "Give parameters for which it is true")
        try:
            number = enclosed(bound, values).upper
            return PureDP(number) if self.measure == "epsilon" else ZCDP(number)
        except (LapwingError, ZeroDivisionError) as error:
            reason = error.problem if isinstance(error, LapwingError) else "it divides by zero"
            problem = f"the bound {self.bound} of {self.function} is no price at these parameters: {reason}"
            raise InvalidInput("Y103", problem, "Give parameters at which the mechanism can run") from None

    def to_json(self) -> dict[str, object]:
        """The guarantee as a JSON object."""
        return {
            "kind": "guarantee",
            "function": self.function,
            "neighbours": dict(self.neighbours),
            "measure": self.measure,
            "bound": self.bound,
            "source": self.source,
            "parameters": dict(self.parameters),
            "preconditions": list(self.preconditions),
        }

    def _head(self) -> ir.Mechanism:
        """The bound and the preconditions as the front end reads them: the claim and asserts of an empty mechanism."""
        claim = repr(self.bound) if self.measure == "epsilon" else f"lapwing.zcdp({self.bound!r})"
        relations = [f"{name}=lapwing.{relation}" for name, relation in self.neighbours.items()]
        declared = ", ".join(f"{name}: {kind}" for name, kind in self.parameters.items())
        asserts = [f"    assert {condition}" for condition in self.preconditions]
        lines = [
            "import lapwing",
            f"@lapwing.mechanism({', '.join([*relations, f'claim={claim}'])})",
            f"def {self.function}({declared}) -> int:",
            *asserts,
            "    return 0",
        ]
        return parse_text("\n".join(lines), f"<the guarantee of {self.function}>")[self.function]

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


def _bound(head: ir.Mechanism) -> ir.Expression:
    match head.claim:
        case ir.PureClaim(value) | ir.ZcdpClaim(value):
            return value
    raise AssertionError(head.claim)


def _holds(condition: ir.Expression, values: Environment) -> bool:
    try:
        return bool(evaluate(condition, values))
    except (LapwingError, ZeroDivisionError):
        return False
