"""What an expression may be on a path through a program with a private number, and the tests that lead to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.program import ir
from lapwing.kernel.relational.wholes import Case, Later, Path, Value, Whole, Wholes
from lapwing.kernel.solver import Term

#: Where an element is read, among the variables: none can have this name.
PLACE = "%place"


@dataclass(slots=True)
class Branching(Wholes):
    """Reads expressions; ``secrets`` are the unknowns that differ between two runs."""

    #: names of public numbers, which no statement sets
    public: set[str] = field(default_factory=set)
    _lengths: dict[str, Term] = field(default_factory=dict)

    def start(self, private: Mapping[str, ir.Type], before: Sequence[ir.Assign] = ()) -> list[Path]:
        """The states before the first statement: one for each choice of the truth values among the secrets.

        What was set ``before`` knows no secret: a name that it shares with one meant something else there.
        """
        state: dict[str, Value | Later] = {}
        for parameter in self.mechanism.parameters:
            if not parameter.private and parameter.type == ir.Integer():
                state[parameter.name] = Whole(self.terms.fresh(ir.Integer(), parameter.name))
                self.public.add(parameter.name)
        for condition in self.mechanism.preconditions:
            self.facts += self._known_facts(condition, Path(state))
        paths = [self.computed(Path(state), before)]
        for name, kind in private.items():
            secret = self._secret(name)
            match kind:
                case ir.Integer():
                    paths = [self._after(each, (), {name: Whole(secret)}) for each in paths]
                case ir.Boolean():
                    tests = [(True, self._is_true(secret)), (False, self.terms.negate(self._is_true(secret)))]
                    paths = [self._after(each, (fact,), {name: truth}) for each in paths for truth, fact in tests]
                case _:
                    raise Unproved(f"'{name}' is not a whole number or truth value")
        return paths

    def computed(self, path: Path, before: Sequence[ir.Assign]) -> Path:
        """The path on which this was set, one after the other."""
        for statement in before:
            path = self._after(path, (), {statement.target: Later(statement.value, path.state)})
        return path

    def _is_true(self, number: Term) -> Term:
        return self.terms.compare("==", number, self.terms.number(1))

    def _known_facts(self, node: ir.Expression, path: Path) -> list[Term]:
        """Preconditions on whole numbers; others are left out, which can only lose a proof."""
        match node:
            case ir.And(operands):
                return [fact for each in operands for fact in self._known_facts(each, path)]
            case ir.Compare(symbol, left, right):
                with suppress(Unproved):
                    return [self.terms.compare(symbol, self.only(left, path), self.only(right, path))]
        return []

    def only(self, node: ir.Expression, path: Path) -> Term:
        """A number that has one value on the path, whatever is drawn."""
        cases = list(self.values(node, path))
        if len(cases) == 1 and isinstance(cases[0][1], Whole) and not cases[0][1].draws:
            return cases[0][1].rest
        raise at(node, "this number depends on draws or tests")

    def _each(self, parts: Sequence[ir.Expression], path: Path) -> Iterator[tuple[tuple[Term, ...], tuple[Value, ...]]]:
        if not parts:
            yield (), ()
            return
        for facts, first in self.values(parts[0], path):
            for more, others in self._each(parts[1:], self._after(path, facts, {})):
                yield (*facts, *more), (first, *others)

    def _after(self, path: Path, facts: tuple[Term, ...], state: Mapping[str, Value | Later]) -> Path:
        return replace(path, facts=(*path.facts, *facts), state={**path.state, **state})

    def possible(self, facts: Sequence[Term]) -> bool:
        """Whether the facts may hold together; True where the solver cannot tell."""
        return not self.terms.entailed((*self.facts, *self.bounds, *facts), self.terms.truth(False), "QF_NIA")

    # --- expressions ----------------------------------------------------------------------------------------

    def values(self, node: ir.Expression, path: Path) -> Iterator[Case]:
        """Every value that an expression may have on a path, with the tests that lead to it."""
        terms = self.terms
        terms.limit.count()  # a variable that reads itself twice is looked at twice as often at every step
        match node:
            case ir.Truth(truth):
                yield (), truth
            case ir.Number(number) if number.denominator == 1:
                yield (), Whole(terms.number(number))
            case ir.Name(name) if name in path.state:
                found = path.state[name]
                if isinstance(found, Later):
                    yield from self.values(found.expression, replace(path, state=found.state))
                else:
                    yield (), found
            case ir.Negate(operand):
                for facts, value in self.values(operand, path):
                    yield facts, self._times(self._whole(value, node), -1)
            case ir.Arithmetic("+" | "-" as symbol, left, right):
                for facts, (a, b) in self._each((left, right), path):
                    one, two = self._whole(a, left), self._whole(b, right)
                    yield facts, self._plus(one, two if symbol == "+" else self._times(two, -1))
            case ir.Arithmetic("*", left, right):
                for facts, (a, b) in self._each((left, right), path):
                    yield facts, self._multiplied(self._whole(a, left), self._whole(b, right), path)
            case ir.Compare(symbol, left, right):
                for facts, (a, b) in self._each((left, right), path):
                    yield from self._compared(facts, symbol, a, b, path, node)
            case ir.Not(operand):
                for facts, value in self.values(operand, path):
                    yield facts, not self._truth(value, operand)
            case ir.And(operands) | ir.Or(operands):
                yield from self._joined(isinstance(node, ir.And), operands, path)
            case ir.Conditional(condition, then, otherwise):
                for facts, held in self.values(condition, path):
                    side = then if self._truth(held, condition) else otherwise
                    for more, value in self.values(side, self._after(path, facts, {})):
                        yield (*facts, *more), value
            case ir.Builtin("clip" | "min" | "max" | "abs" as function, operands):
                for facts, values in self._each(operands, path):
                    yield facts, self._of(function, [self._whole(each, node) for each in values], node)
            case ir.Builtin("%", (left, right)):
                for facts, value in self.values(left, path):
                    here = self._after(path, facts, {})
                    for more, rest in self._remainder(self._whole(value, left), self.only(right, here), here):
                        yield (*facts, *more), rest
            case ir.Builtin("//", operands):
                for facts, values in self._each(operands, path):
                    parts = [self._whole(each, node) for each in values]
                    yield facts, self._divided("//", parts) or self._not_followed("//", parts, path)
            case ir.Builtin("len", (ir.Name(name),)):
                yield (), self._length(name, path)
            case ir.Index(ir.Name(name), index, kind):
                for facts, place in self.values(index, path):
                    here = self._after(path, facts, {})
                    for more, element in self._element(name, self._whole(place, index), kind, here, node):
                        yield (*facts, *more), element
            case _:
                raise at(node, "this expression is outside what proofs by enumeration cover")

    def _joined(self, every: bool, operands: Sequence[ir.Expression], path: Path) -> Iterator[Case]:
        if not operands:
            yield (), every
            return
        for facts, value in self.values(operands[0], path):
            if self._truth(value, operands[0]) != every:
                yield facts, not every
                continue
            for more, rest in self._joined(every, operands[1:], self._after(path, facts, {})):
                yield (*facts, *more), rest

    def _compared(
        self, facts: tuple[Term, ...], symbol: str, a: Value, b: Value, path: Path, node: ir.Expression
    ) -> Iterator[Case]:
        if isinstance(a, bool) and isinstance(b, bool):
            yield facts, (a == b) == (symbol == "==")
            return
        test = self.terms.compare(symbol, self.term(self._whole(a, node), path), self.term(self._whole(b, node), path))
        yield from self._tested(facts, test, path)

    def _tested(self, facts: tuple[Term, ...], test: Term, path: Path) -> Iterator[Case]:
        for truth, fact in ((True, test), (False, self.terms.negate(test))):
            if self.possible((*path.facts, *facts, fact)):
                yield (*facts, fact), truth

    def _remainder(self, value: Whole, count: Term, path: Path) -> Iterator[Case]:
        """``value % count`` by its whole number of rounds, 0 or 1, if there cannot be others."""
        terms, number = self.terms, self.term(value, path)
        above = terms.compare(">", count, terms.number(0))
        known = terms.entailed((*self.facts, *self.bounds, *path.facts), above, "QF_NIA")
        if not known or not self._within_rounds(number, count, path):
            parts = [value, Whole(count)]
            yield (), self._divided("%", parts) or self._not_followed("%", parts, path)
            return
        below = terms.compare("<", number, count)
        if self.possible((*path.facts, below)):
            yield (below,), value
        if self.possible((*path.facts, terms.negate(below))):
            less = Whole(terms.arithmetic("-", value.rest, count), value.draws)
            yield (terms.negate(below),), less

    def _within_rounds(self, number: Term, count: Term, path: Path) -> bool:
        terms = self.terms
        twice = terms.arithmetic("+", count, count)
        goal = terms.both((terms.compare(">=", number, terms.number(0)), terms.compare("<", number, twice)))
        return terms.entailed((*self.facts, *self.bounds, *path.facts), goal, "QF_NIA")

    # --- lists ----------------------------------------------------------------------------------------------

    def _length(self, name: str, path: Path) -> Whole:
        """The length of a list that neighbours share."""
        found = path.state.get(name)
        if isinstance(found, Later):
            match found.expression:
                case ir.ListOf(elements):
                    return Whole(self.terms.number(len(elements)))
                case ir.Comprehension(_, ir.Range(_, ir.Number(0), stop), None):
                    length = self.only(stop, replace(path, state=found.state))
                    return Whole(self.terms.larger(length, self.terms.number(0)))
                case ir.Comprehension(_, ir.Over(((_, ir.Name(inner)),), _), None) | ir.Name(inner):
                    return self._length(inner, replace(path, state=found.state))
        parameter = self.mechanism.parameter(name)
        if found is None and parameter is not None and f"len({name})" in self.parameters.names:
            if name not in self._lengths:
                here = self._lengths[name] = self.terms.fresh(ir.Integer(), f"len({name})")
                self.facts.append(self.terms.compare(">=", here, self.terms.number(0)))
            return Whole(self._lengths[name])
        raise Unproved(f"the length of '{name}' is outside what proofs by enumeration cover")

    def _element(self, name: str, place: Whole, kind: ir.Type, path: Path, node: ir.Expression) -> Iterator[Case]:
        """An element of a list: of a public one an unknown, of a list computed in the program what is computed."""
        found = path.state.get(name)
        if isinstance(found, Later):
            yield from self._computed(found, place, kind, path, node)
            return
        parameter = self.mechanism.parameter(name)
        if found is not None or parameter is None or parameter.private or parameter.type != ir.List(kind):
            raise at(node, "this list is outside what proofs by enumeration cover")
        element = self._not_followed(f"element of {name}", [place], path)
        if kind == ir.Integer():
            yield (), element
        elif kind == ir.Boolean():
            yield from self._tested((), self._is_true(element.rest), path)
        else:
            raise at(node, "this list is not of whole numbers or truth values")

    def _computed(self, found: Later, place: Whole, kind: ir.Type, path: Path, node: ir.Expression) -> Iterator[Case]:
        inside = replace(path, state=found.state)
        match found.expression:
            case ir.Name(inner):
                yield from self._element(inner, place, kind, inside, node)
                return
            case ir.ListOf(elements) if place.rest.isIntegerValue() and not place.draws:
                position = place.rest.getIntegerValue()
                if 0 <= position < len(elements):
                    yield from self.values(elements[position], inside)
                    return
            case ir.Comprehension(element, ir.Range(target, ir.Number(0), stop), None):
                self._check_inside(place, self.only(stop, inside), path, node)
                yield from self.values(element, self._after(inside, (), {target: place}))
                return
            case ir.Comprehension(element, ir.Over(((each, ir.Name(inner)),), index), None):
                self._check_inside(place, self._length(inner, inside).rest, path, node)
                state = {**found.state, PLACE: place}
                step: dict[str, Value | Later] = {each: Later(ir.Index(ir.Name(inner), ir.Name(PLACE), kind), state)}
                if index is not None:
                    step[index] = place
                yield from self.values(element, self._after(inside, (), step))
                return
        raise at(node, "this list is outside what proofs by enumeration cover")

    def _check_inside(self, place: Whole, length: Term, path: Path, node: ir.Expression) -> None:
        goal = self.terms.both(self._within(self.term(place, path), length))
        if not self.terms.entailed((*self.facts, *self.bounds, *path.facts), goal, "QF_NIA"):
            raise at(node, "this may be outside the list")
