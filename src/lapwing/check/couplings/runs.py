"""Two runs side by side, as terms: what each variable holds in the first run and in the second.

The one idea: nothing about the pair is assumed but the neighbour relation. Elements of a list are a function of their
position; wherever one is read, the relation is stated of that position, so no quantifier is needed. Lists that the
program builds are kept equal in both runs (the walk refuses every append that could make them differ), so
only their length is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from lapwing.check.couplings.doubt import at
from lapwing.check.couplings.terms import Term, Terms
from lapwing.program import ir

FIRST, SECOND = 0, 1
Pair = tuple[Term, Term]


@dataclass(frozen=True, slots=True)
class State:
    """Where both runs are: scalars, lengths of lists, price so far by site, rounds by loop, and what is known."""

    values: Mapping[str, Pair]
    lengths: Mapping[str, Term]
    costs: Mapping[int, Term] = field(default_factory=dict)
    rounds: Mapping[int, Term] = field(default_factory=dict)
    known: tuple[Term, ...] = ()

    def with_value(self, name: str, pair: Pair) -> State:
        """The state after ``name`` was set."""
        return replace(self, values={**self.values, name: pair})

    def with_length(self, name: str, length: Term) -> State:
        """The state after a built list changed."""
        return replace(self, lengths={**self.lengths, name: length})

    def knowing(self, *facts: Term) -> State:
        """The state on a path where ``facts`` hold too."""
        return replace(self, known=(*self.known, *facts))


@dataclass(slots=True)
class Inputs:
    """The parameters of both runs, and every fact about them stated so far; public ones are one term for both."""

    terms: Terms
    mechanism: ir.Mechanism
    scalars: dict[str, Pair] = field(default_factory=dict)
    lengths: dict[str, Term] = field(default_factory=dict)
    #: the elements of each list as functions of the position
    elements: dict[str, Pair] = field(default_factory=dict)
    distances: dict[str, Term] = field(default_factory=dict)
    #: by list: the one position at which neighbours differ; whether all its elements rise
    where: dict[str, Term] = field(default_factory=dict)
    rising: dict[str, Term] = field(default_factory=dict)
    facts: list[Term] = field(default_factory=list)

    def __post_init__(self) -> None:
        terms = self.terms
        for parameter in self.mechanism.parameters:
            name, kind = parameter.name, parameter.type
            if isinstance(kind, ir.List):
                if parameter.relation is not None and not parameter.relation.keeps_length:
                    raise at(parameter, f"neighbours in '{name}' differ in length, which coupling proofs do not cover")
                first = terms.function(kind.element, name)
                second = terms.function(kind.element, f"{name}'") if parameter.private else first
                self.elements[name] = first, second
                self.lengths[name] = terms.fresh(ir.Integer(), f"len({name})")
                self.facts.append(terms.compare(">=", self.lengths[name], terms.number(0)))
                self.where[name] = terms.fresh(ir.Integer(), "where")
                self.rising[name] = terms.fresh(ir.Boolean(), "rising")
            else:
                first = terms.fresh(kind, name)
                self.scalars[name] = first, terms.fresh(kind, f"{name}'") if parameter.private else first

    def is_private(self, name: str) -> bool:
        """Whether ``name`` is a private parameter."""
        parameter = self.mechanism.parameter(name)
        return parameter is not None and parameter.private

    def element(self, name: str, position: Term, run: int) -> Term:
        """The element at a position inside the list; states the relation there."""
        first, second = (self.terms.at(function, position) for function in self.elements[name])
        parameter = self.mechanism.parameter(name)
        if parameter is not None and parameter.relation is not None:
            if parameter.relation.kind in ("one", "replaced"):
                elsewhere = self.terms.compare("!=", position, self.where[name])
                self.facts.append(self.terms.implies(elsewhere, self.terms.compare("==", first, second)))
            self.relate(parameter, parameter.relation.kind, first, second)
        return second if run == SECOND else first

    def relate(self, parameter: ir.Parameter, kind: str, first: Term, second: Term) -> None:
        """State how far apart a private number, or one element of a private list, can be in the two runs."""
        if kind == "replaced":
            return
        if parameter.name not in self.distances:
            raise at(parameter, f"neighbours in '{parameter.name}' differ in a way that coupling proofs do not cover")
        terms, zero, most = self.terms, self.terms.number(0), self.distances[parameter.name]
        fall, rise = most, most
        match kind:
            case "rises":
                fall = zero
            case "falls":
                rise = zero
            case "monotone":
                rising = self.rising[parameter.name]
                fall, rise = terms.choose(rising, zero, most), terms.choose(rising, most, zero)
        step = terms.arithmetic("-", second, first)
        self.facts += [terms.compare(">=", step, terms.minus(fall)), terms.compare("<=", step, rise)]
