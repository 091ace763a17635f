"""Two runs side by side, as terms: what each variable holds in the first run and in the second.

The one idea: nothing about the pair is assumed but the neighbour relation. Elements of a list are a function of their
position; wherever one is read, the relation is stated of that position, so no quantifier is needed. Lists that the
program builds are kept equal in both runs (the walk refuses every append that could make them differ), so
only their length is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from lapwing.check.couplings.doubt import Unproved, at
from lapwing.check.couplings.terms import Term, Terms
from lapwing.program import ir

FIRST, SECOND = 0, 1
Pair = tuple[Term, Term]


@dataclass(frozen=True, slots=True)
class State:
    """Where both runs are: scalars, lengths of built lists, price so far by site, rounds by loop, and what is known."""

    values: Mapping[str, Pair]
    lengths: Mapping[str, Term]
    costs: Mapping[int, Term]
    rounds: Mapping[int, Term]
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


@dataclass(frozen=True, slots=True)
class Elements:
    """The elements of a list parameter: two functions of the position (the same one if the list is public)."""

    parameter: ir.Parameter
    kind: ir.Type
    length: Term
    first: Term
    second: Term
    distance: Term | None = None
    where: Term | None = None
    rising: Term | None = None


@dataclass(slots=True)
class Inputs:
    """The parameters of both runs, and every fact about them stated so far."""

    terms: Terms
    mechanism: ir.Mechanism
    scalars: dict[str, Pair] = field(default_factory=dict)
    lists: dict[str, Elements] = field(default_factory=dict)
    facts: list[Term] = field(default_factory=list)

    def __post_init__(self) -> None:
        public = [parameter for parameter in self.mechanism.parameters if not parameter.private]
        private = [parameter for parameter in self.mechanism.parameters if parameter.private]
        for parameter in (*public, *private):  # distances mention public parameters and lengths
            if isinstance(parameter.type, ir.List):
                self.lists[parameter.name] = self._list(parameter, parameter.type.element)
            elif isinstance(parameter.type, ir.Tuple):
                raise at(parameter, f"the record '{parameter.name}' is outside what coupling proofs cover")
            else:
                self.scalars[parameter.name] = self._scalar(parameter)
        for parameter in private:
            if parameter.name in self.lists and parameter.distance is not None:
                found = self.lists[parameter.name]
                self.lists[parameter.name] = replace(found, distance=self._distance(parameter))
        evaluate = Evaluator(self, State(self.scalars, {}, {}, {}))
        for condition in self.mechanism.preconditions:
            self.facts.append(evaluate.value(condition, FIRST))
        for parameter in private:
            if parameter.name in self.scalars:
                self._relate(parameter)

    def _scalar(self, parameter: ir.Parameter) -> Pair:
        first = self.terms.fresh(parameter.type, parameter.name)
        return (first, self.terms.fresh(parameter.type, f"{parameter.name}'") if parameter.private else first)

    def _list(self, parameter: ir.Parameter, kind: ir.Type) -> Elements:
        if isinstance(kind, ir.List | ir.Tuple):
            raise at(parameter, f"the nested list '{parameter.name}' is outside what coupling proofs cover")
        terms, name = self.terms, parameter.name
        length = terms.fresh(ir.Integer(), f"len({name})")
        self.facts.append(terms.compare(">=", length, terms.number(0)))
        first = terms.function(kind, name)
        if parameter.relation is None:
            return Elements(parameter, kind, length, first, first)
        if not parameter.relation.keeps_length:
            raise at(parameter, f"neighbours in '{name}' differ in length, which coupling proofs do not cover")
        return Elements(
            parameter,
            kind,
            length,
            first,
            terms.function(kind, f"{name}'"),
            where=terms.fresh(ir.Integer(), "where") if parameter.relation.kind in ("one", "replaced") else None,
            rising=terms.fresh(ir.Boolean(), "rising") if parameter.relation.kind == "monotone" else None,
        )

    def _distance(self, parameter: ir.Parameter) -> Term:
        """The declared distance; a run refuses one below 0."""
        assert parameter.distance is not None  # noqa: S101  # asked only where there is one
        distance = Evaluator(self, State(self.scalars, {}, {}, {})).value(parameter.distance, FIRST)
        self.facts.append(self.terms.compare(">=", distance, self.terms.number(0)))
        return distance

    def _relate(self, parameter: ir.Parameter) -> None:
        first, second = self.scalars[parameter.name]
        assert parameter.relation is not None  # noqa: S101  # only called for private numbers
        match parameter.relation.kind:
            case "replaced":
                return
            case "within":
                distance = self._distance(parameter)
                self._between(first, second, low=distance, high=distance)
                return
        raise at(parameter, f"neighbours in '{parameter.name}' differ in a way that coupling proofs do not cover")

    def _between(self, first: Term, second: Term, *, low: Term | None, high: Term | None) -> None:
        """State that ``second - first`` lies in [-low, high], None standing for 0."""
        terms, zero = self.terms, self.terms.number(0)
        step = terms.arithmetic("-", second, first)
        self.facts.append(terms.compare(">=", step, zero if low is None else terms.arithmetic("-", zero, low)))
        self.facts.append(terms.compare("<=", step, zero if high is None else high))

    def element(self, name: str, position: Term, run: int) -> Term:
        """The element at a position inside the list; states the relation there."""
        found = self.lists[name]
        first, second = self.terms.at(found.first, position), self.terms.at(found.second, position)
        if found.parameter.relation is not None:
            self._relate_elements(found, position, first, second)
        return second if run == SECOND else first

    def _relate_elements(self, found: Elements, position: Term, first: Term, second: Term) -> None:
        terms, distance = self.terms, found.distance
        assert found.parameter.relation is not None  # noqa: S101  # only called for private lists
        kind = found.parameter.relation.kind
        if kind in ("one", "replaced"):
            elsewhere = terms.compare("!=", position, found.where)
            self.facts.append(terms.implies(elsewhere, terms.compare("==", first, second)))
        if kind == "replaced":
            return
        if distance is None:
            raise at(found.parameter, f"neighbours in '{found.parameter.name}' have no distance")
        match kind:
            case "one" | "each":
                self._between(first, second, low=distance, high=distance)
            case "rises":
                self._between(first, second, low=None, high=distance)
            case "falls":
                self._between(first, second, low=distance, high=None)
            case "monotone":
                zero = terms.number(0)
                up, down = terms.choose(found.rising, distance, zero), terms.choose(found.rising, zero, distance)
                self._between(first, second, low=down, high=up)
            case _:
                raise at(found.parameter, f"'{kind}' is outside what coupling proofs cover")


@dataclass(frozen=True, slots=True)
class Evaluator:
    """The value of an expression in one of the two runs."""

    inputs: Inputs
    state: State

    @property
    def terms(self) -> Terms:
        """The terms."""
        return self.inputs.terms

    def value(self, node: ir.Expression, run: int) -> Term:
        """The scalar that ``node`` stands for in that run."""
        terms = self.terms
        match node:
            case ir.Number(number):
                return terms.number(number)
            case ir.Truth(truth):
                return terms.truth(truth)
            case ir.Name(name) if name in self.state.values:
                return self.state.values[name][run]
            case ir.Negate(operand):
                return terms.arithmetic("-", terms.number(0), self.value(operand, run))
            case ir.Arithmetic(operator, left, right):
                return terms.arithmetic(operator, self.value(left, run), self.value(right, run))
            case ir.Compare(operator, left, right):
                return terms.compare(operator, self.value(left, run), self.value(right, run))
            case ir.And(operands):
                return terms.both(self.value(operand, run) for operand in operands)
            case ir.Or(operands):
                return terms.either(self.value(operand, run) for operand in operands)
            case ir.Not(operand):
                return terms.negate(self.value(operand, run))
            case ir.Conditional(condition, then, otherwise):
                parts = (self.value(each, run) for each in (condition, then, otherwise))
                return terms.choose(*parts)
            case ir.Builtin(function, arguments):
                return self._builtin(node, function, arguments, run)
            case ir.Index(ir.Name(name), index) if name in self.inputs.lists:
                return self.element(name, self.value(index, run), run)
        raise at(node, "this expression is outside what coupling proofs cover")

    def _builtin(self, node: ir.Node, function: str, arguments: tuple[ir.Expression, ...], run: int) -> Term:
        terms = self.terms
        if function == "len":
            return self.length(arguments[0])
        values = [self.value(argument, run) for argument in arguments]
        match function, values:
            case "abs", [number]:
                return terms.magnitude(number)
            case (("min" | "max"), [_, _, *_]):
                best = values[0]
                for other in values[1:]:
                    best = terms.smaller(best, other) if function == "min" else terms.larger(best, other)
                return best
            case "clip", [number, low, high]:
                return terms.larger(low, terms.smaller(number, high))
            case "match", [left, right]:
                return terms.compare("==", left, right)
        raise at(node, f"{function}(…) is outside what coupling proofs cover here")

    def element(self, name: str, index: Term, run: int) -> Term:
        """``name[index]``: from the end if negative, the zero of its type outside."""
        terms, length, zero = self.terms, self.inputs.lists[name].length, self.terms.number(0)
        if not terms.is_whole(index):
            raise Unproved(f"an index of '{name}' is not a whole number")
        from_end = terms.arithmetic("+", index, length)
        position = terms.choose(terms.compare(">=", index, zero), index, from_end)
        inside = terms.both((terms.compare(">=", position, zero), terms.compare("<", position, length)))
        element = self.inputs.element(name, position, run)
        return terms.choose(inside, element, terms.truth(False) if terms.is_truth(element) else zero)

    def length(self, node: ir.Expression) -> Term:
        """The length of a list parameter or built list: the same in both runs."""
        match node:
            case ir.Name(name) if name in self.state.lengths:
                return self.state.lengths[name]
            case ir.Name(name) if name in self.inputs.lists:
                return self.inputs.lists[name].length
        raise at(node, "the length of this is outside what coupling proofs cover")

    def pair(self, node: ir.Expression) -> Pair:
        """The value in both runs."""
        return self.value(node, FIRST), self.value(node, SECOND)

    def same(self, node: ir.Expression) -> Term:
        """That ``node`` has the same value in both runs; lists the program built always do."""
        match node:
            case ir.Name(name) if name in self.state.lengths:
                return self.terms.truth(True)
            case ir.Name(name) if name in self.inputs.lists and not self.inputs.lists[name].parameter.private:
                return self.terms.truth(True)
            case ir.TupleOf(elements) | ir.ListOf(elements):
                return self.terms.both(self.same(element) for element in elements)
        return self.terms.compare("==", *self.pair(node))
