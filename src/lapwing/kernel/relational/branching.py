"""What an expression may be on a path through a program with a private number, and the tests that lead to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.prices.polynomials import Quotient
from lapwing.kernel.prices.prices import Parameters
from lapwing.kernel.program import ir
from lapwing.kernel.solver import Term, Terms

ONE = Quotient.of(1)


@dataclass(frozen=True, slots=True)
class Whole:
    """A number: multiples of draws, and the rest, which no draw has a part in."""

    rest: Term
    draws: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Later:
    """An expression in the state it was assigned in. It is read where it is used: what nobody uses tests nothing."""

    expression: ir.Expression
    state: Mapping[str, Value | Later]


Value = bool | Whole
#: A condition that was taken, and the value under it.
Case = tuple[tuple[Term, ...], Value]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A uniform draw: its unknown, and the number of its outcomes as a term and as a formula."""

    unknown: Term
    count: Term
    outcomes: Quotient


@dataclass(frozen=True, slots=True)
class Path:
    """One way through the program so far."""

    state: Mapping[str, Value | Later]
    facts: tuple[Term, ...] = ()
    chance: Quotient = ONE
    #: formulas that are at least 0 where the path is taken: a run refuses what is no probability
    natural: tuple[Quotient, ...] = ()
    draws: Mapping[str, Drawn] = field(default_factory=dict)
    #: what was put into the list that is returned, and the answer
    given: tuple[Value, ...] = ()
    answer: tuple[Value, ...] | None = None


@dataclass(slots=True)
class Branching:
    """Reads expressions; ``secrets`` are the unknowns that differ between two runs."""

    terms: Terms
    parameters: Parameters
    mechanism: ir.Mechanism
    secrets: list[Term] = field(default_factory=list)
    #: what is known of public numbers, and of the secrets
    facts: list[Term] = field(default_factory=list)
    bounds: list[Term] = field(default_factory=list)
    _known: dict[tuple[object, ...], Term] = field(default_factory=dict)

    def start(self, private: Mapping[str, ir.Type]) -> Path:
        """The state before the first statement: public numbers, and secrets that may be any of their type."""
        state: dict[str, Value | Later] = {}
        for parameter in self.mechanism.parameters:
            if not parameter.private and parameter.type == ir.Integer():
                state[parameter.name] = Whole(self.terms.fresh(ir.Integer(), parameter.name))
        path = Path(state)
        for condition in self.mechanism.preconditions:
            self.facts += self._known_facts(condition, path)
        for name, kind in private.items():
            if kind != ir.Integer():
                raise Unproved(f"'{name}' is not a whole number")
            state[name] = Whole(self._secret(name))
        return path

    def _secret(self, name: str) -> Term:
        self.secrets.append(self.terms.fresh(ir.Integer(), name))
        return self.secrets[-1]

    def _known_facts(self, node: ir.Expression, path: Path) -> list[Term]:
        """Preconditions on whole numbers; others are left out, which can only lose a proof."""
        match node:
            case ir.And(operands):
                return [fact for each in operands for fact in self._known_facts(each, path)]
            case ir.Compare(symbol, left, right):
                try:
                    sides = [self._only(each, path) for each in (left, right)]
                except Unproved:
                    return []
                return [self.terms.compare(symbol, sides[0], sides[1])]
        return []

    def _only(self, node: ir.Expression, path: Path) -> Term:
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

    def _within(self, number: Term, count: Term) -> tuple[Term, ...]:
        zero = self.terms.number(0)
        return self.terms.compare(">=", number, zero), self.terms.compare("<", number, count)

    def possible(self, facts: Sequence[Term]) -> bool:
        """Whether the facts may hold together; True where the solver cannot tell."""
        return not self.terms.entailed((*self.facts, *self.bounds, *facts), self.terms.truth(False), "QF_NIA")

    # --- expressions ----------------------------------------------------------------------------------------

    def values(self, node: ir.Expression, path: Path) -> Iterator[Case]:
        """Every value that an expression may have on a path, with the tests that lead to it."""
        terms = self.terms
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
            case ir.Arithmetic("*", ir.Number(factor), other) | ir.Arithmetic("*", other, ir.Number(factor)):
                if factor.denominator != 1:
                    raise at(node, "this is not a whole number")
                for facts, value in self.values(other, path):
                    yield facts, self._times(self._whole(value, node), int(factor))
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
                    for more, rest in self._remainder(self._whole(value, left), self._only(right, here), here, node):
                        yield (*facts, *more), rest
            case ir.Index(ir.Name(name), index, ir.Integer()) if self._is_public_list(name):
                for facts, place in self.values(index, path):
                    at_place = self._whole(place, index)
                    if at_place.draws:
                        raise at(node, "a draw chooses from a list here")
                    yield facts, Whole(self._unknown(("element", name, at_place.rest), name))
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
        for truth, fact in ((True, test), (False, self.terms.negate(test))):
            if self.possible((*path.facts, *facts, fact)):
                yield (*facts, fact), truth

    def _remainder(self, value: Whole, count: Term, path: Path, node: ir.Expression) -> Iterator[Case]:
        """``value % count`` by its whole number of rounds, 0 or 1, if there cannot be others."""
        terms, number = self.terms, self.term(value, path)
        above = terms.compare(">", count, terms.number(0))
        if not terms.entailed((*self.facts, *self.bounds, *path.facts), above, "QF_NIA"):
            raise at(node, "the divisor may be 0 or less")
        if not value.draws and not self._within_rounds(number, count, path):
            rest = self._unknown(("rest", value.rest, count), "rest")
            self.bounds.append(terms.implies(above, terms.both(self._within(rest, count))))
            yield (), Whole(rest)
            return
        if not self._within_rounds(number, count, path):
            raise at(node, "a draw goes round more than once here")
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

    def _of(self, function: str, values: list[Whole], node: ir.Expression) -> Whole:
        if any(value.draws for value in values):
            raise at(node, f"{function}(…) of a draw is outside what proofs by enumeration cover")
        rests, terms = [value.rest for value in values], self.terms
        match function, rests:
            case "clip", [number, low, high]:
                return Whole(terms.larger(low, terms.smaller(number, high)))
            case "abs", [number]:
                return Whole(terms.magnitude(number))
            case "min", [first, second, *others]:
                return Whole(terms.smaller(first, second, *others))
            case "max", [first, second, *others]:
                return Whole(terms.larger(first, second, *others))
        raise at(node, f"{function} of a list is outside what proofs by enumeration cover")

    def _unknown(self, key: tuple[object, ...], name: str) -> Term:
        """What is not followed: a secret of its own, the same wherever it is the same."""
        if key not in self._known:
            self._known[key] = self._secret(name)
        return self._known[key]

    def _is_public_list(self, name: str) -> bool:
        parameter = self.mechanism.parameter(name)
        return parameter is not None and not parameter.private and parameter.type == ir.List(ir.Integer())

    def term(self, value: Whole, path: Path) -> Term:
        """A number as a term."""
        found = value.rest
        for key, factor in value.draws:
            product = self.terms.arithmetic("*", self.terms.number(factor), path.draws[key].unknown)
            found = self.terms.arithmetic("+", found, product)
        return found

    def _plus(self, left: Whole, right: Whole) -> Whole:
        draws = dict(left.draws)
        for key, factor in right.draws:
            draws[key] = draws.get(key, 0) + factor
        kept = tuple((key, factor) for key, factor in draws.items() if factor)
        return Whole(self.terms.arithmetic("+", left.rest, right.rest), kept)

    def _times(self, value: Whole, factor: int) -> Whole:
        draws = tuple((key, own * factor) for key, own in value.draws if factor)
        return Whole(self.terms.arithmetic("*", self.terms.number(factor), value.rest), draws)

    def _whole(self, value: Value, node: ir.Expression) -> Whole:
        if not isinstance(value, Whole):
            raise at(node, "a number is expected here")
        return value

    def _truth(self, value: Value, node: ir.Expression) -> bool:
        if not isinstance(value, bool):
            raise at(node, "a truth value is expected here")
        return value
