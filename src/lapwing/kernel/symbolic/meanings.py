"""What expressions mean at one point of a run, as terms.

The one idea: a list that the mechanism builds is known by its length and by its element at each *ghost*: a position
that is fixed but arbitrary, so that what is shown of it holds of every position.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from lapwing.kernel.program import ir
from lapwing.kernel.symbolic.formulas_of_runs import WORDS
from lapwing.kernel.symbolic.terms import (
    TRUE,
    ZERO,
    Outside,
    Term,
    arithmetic,
    both,
    choose,
    compare,
    either,
    extreme,
    implies,
    inside,
    magnitude,
    minus,
    negate,
    number,
    plus,
)
from lapwing.kernel.symbolic.world import MAX_SIZE, Elements, World


@dataclass(frozen=True, slots=True)
class Built:
    """A list the mechanism builds: its length, and its element at each ghost (meaningful where the ghost is inside)."""

    element: ir.Type
    length: Term
    seen: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """A tuple."""

    parts: tuple[Entry, ...]


Entry = ir.Expression | Elements | Built | Record


@dataclass(frozen=True, slots=True)
class Scope:
    """Names and words at one point."""

    world: World
    variables: Mapping[str, Entry]
    words: Mapping[str, Term] = field(default_factory=dict)
    ghosts: tuple[Term, ...] = ()
    #: the largest level of what names mean (:class:`~lapwing.kernel.symbolic.world.Elements`)
    level: int = 0

    def binding(self, **terms: Term) -> Scope:
        """The scope with further names."""
        level = max([self.level, *map(self.world.level, terms.values())])
        return replace(self, variables={**self.variables, **terms}, level=level)

    def term(self, expression: ir.Expression) -> Term:
        """The number or truth value that an expression is."""
        found = self.entry(expression)
        if isinstance(found, Elements | Built | Record):
            raise Outside("a number or truth value is expected here", expression)
        if self.world.size(found) > MAX_SIZE:
            raise Outside("a term is larger than any proof needs", expression)
        return found

    def entry(self, expression: ir.Expression) -> Entry:
        """What an expression is."""
        match expression:
            case ir.Number() | ir.Truth():
                return expression
            case ir.Name(name):
                if name not in self.variables:
                    raise Outside(f"the value of '{name}' is not followed here", expression)
                return self.variables[name]
            case ir.Negate(operand):
                return minus(ZERO, self.term(operand))
            case ir.Arithmetic(symbol, left, right):
                return arithmetic(symbol, self.term(left), self.term(right))
            case ir.Compare(symbol, left, right):
                return compare(symbol, self.term(left), self.term(right))
            case ir.And(operands):
                return both(self.term(each) for each in operands)
            case ir.Or(operands):
                return either(self.term(each) for each in operands)
            case ir.Not(operand):
                return negate(self.term(operand))
            case ir.Conditional(condition, then, otherwise):
                return choose(self.term(condition), self.term(then), self.term(otherwise))
            case ir.TupleOf(elements):
                return Record(tuple(self.entry(each) for each in elements))
            case ir.Item(record, position) | ir.Index(record, ir.Number(position)) if isinstance(
                found := self.entry(record), Record
            ):
                return found.parts[int(position)]
            case ir.Index(sequence, index):
                return self._element(self.entry(sequence), self.term(index), expression)
            case ir.Builtin(function, arguments):
                return self._builtin(expression, function, arguments)
            case ir.Comprehension():
                return self._comprehension(expression)
        raise Outside("this expression is not followed", expression)

    def sequence(self, expression: ir.Expression) -> Elements:
        """A list that is known by its elements."""
        if isinstance(expression, ir.ListOf):
            return self._literal(expression)
        if isinstance(expression, ir.Slice) and expression.start is None and expression.stop is not None:
            whole = self.sequence(expression.sequence)
            if whole.keep is None:
                return Elements(self._cut(self.term(expression.stop), whole.length), whole.at, level=self.level)
        found = self.entry(expression)
        if not isinstance(found, Elements):
            raise Outside("this list is not followed element by element", expression)
        return found

    def every(self, expression: ir.Expression, first: int = 1) -> Term:
        """A condition with each ``all(...)``, numbered from ``first``, read at its ghost; only where that is stronger.

        ``all`` may stand under ``and``, ``or`` and in the branches of a conditional, but not under ``not`` or a test:
        what is shown for an arbitrary position holds for all of them only there.
        """
        return self._every(expression, [first])

    def _every(self, expression: ir.Expression, number: list[int]) -> Term:
        match expression:
            case ir.And(operands):
                return both([self._every(each, number) for each in operands])
            case ir.Or(operands):
                return either([self._every(each, number) for each in operands])
            case ir.Conditional(condition, then, otherwise):
                parts = self._every(then, number), self._every(otherwise, number)
                return choose(self.term(condition), *parts)
            case ir.Builtin("all", (ir.Comprehension(element, source, condition),)):
                ghost = self.ghosts[number[0] - 1]
                number[0] += 1
                bound, here = self._at(source, ghost)
                kept = () if condition is None else (bound.term(condition),)
                return implies(both((here, *kept)), bound.term(element))
        return self.term(expression)

    def _at(self, source: ir.Over | ir.Range, position: Term) -> tuple[Scope, Term]:
        """The scope of a comprehension's element in the round ``position`` (0 or more), and whether there is one."""
        if isinstance(source, ir.Range):
            counted = plus(self.term(source.start), position)
            return self.binding(**{source.target: counted}), compare("<", counted, self.term(source.stop))
        bound: dict[str, Term] = {} if source.index is None else {source.index: position}
        here: Term = TRUE
        for name, walked in source.items:
            found = self.entry(walked)
            if not isinstance(found, Elements | Built) or (isinstance(found, Elements) and found.keep is not None):
                raise Outside("this list is not followed element by element", walked)
            here = both((here, compare("<", position, found.length)))
            bound[name] = self._inner(found, position, walked)
        return self.binding(**bound), here

    def _inner(self, found: Elements | Built, position: Term, place: ir.Node) -> Term:
        """The element at a position inside the list."""
        if isinstance(found, Elements):
            self.world.mention(position)
            return found.at(position)
        if position not in self.ghosts:
            raise Outside("a list that the mechanism builds is read at a position that is not followed", place)
        return found.seen[self.ghosts.index(position)]

    def _element(self, found: Entry, index: Term, place: ir.Node) -> Term:
        """``found[index]``: from the end if the index is negative, the zero of its type outside."""
        if not isinstance(found, Elements | Built) or (isinstance(found, Elements) and found.keep is not None):
            raise Outside("this list is not followed element by element", place)
        length = found.length
        if isinstance(found, Built):
            # a ghost counts from the front, so reading from the end cannot occur
            return choose(inside(index, length), self._inner(found, index, place), _zero(found.element))
        counted = index in self.ghosts or index in self.words.values()  # never negative
        position = index if counted else choose(compare(">=", index, ZERO), index, plus(index, length))
        self.world.mention(position)
        element = found.at(position)
        return choose(inside(position, length), element, _zero(self.world.type_of(element)))

    def _builtin(self, node: ir.Builtin, function: str, arguments: tuple[ir.Expression, ...]) -> Term:
        match function, arguments:
            case _, (ir.Number(position),) if function in WORDS:
                key = f"{function}({position})"
                if key in self.words:
                    return self.words[key]
                raise Outside(f"{key} has no meaning here", node)
            case "len", (sequence,):
                found = self.entry(sequence)
                if isinstance(found, Built) or (isinstance(found, Elements) and found.keep is None):
                    return found.length
            case "sum", (sequence,):
                return self._sum(sequence)
            case (("min" | "max"), (sequence,)):
                return self.world.extreme(self.sequence(sequence), largest=function == "max")
            case (("min" | "max"), (_, *_)):
                return extreme(function, [self.term(each) for each in arguments])
            case "abs", (operand,):
                return magnitude(self.term(operand))
            case "clip", (operand, low, high):
                return extreme("max", [self.term(low), extreme("min", [self.term(operand), self.term(high)])])
            case "match", (left, right):
                return compare("==", self.term(left), self.term(right))
        raise Outside(f"{function}(…) is not followed here", node)

    def _sum(self, sequence: ir.Expression) -> Term:
        if isinstance(sequence, ir.ListOf):
            total: Term = ZERO
            for each in sequence.elements:
                total = plus(total, self.term(each))
            return total
        if not isinstance(sequence, ir.Slice):
            found = self.sequence(sequence)
            return self.world.total(found, found.length)
        found = self.sequence(sequence.sequence)
        if found.keep is not None:
            raise Outside("a slice of some elements of a list is not followed", sequence)
        ends = [
            default if end is None else self._cut(self.term(end), found.length)
            for end, default in ((sequence.start, ZERO), (sequence.stop, found.length))
        ]
        part = minus(self.world.total(found, ends[1]), self.world.total(found, ends[0]))
        if ends[0] == ZERO:
            return self.world.total(found, ends[1])
        return choose(compare("<=", ends[0], ends[1]), part, ZERO)

    def _cut(self, end: Term, length: Term) -> Term:
        """Where Python cuts a list of this length."""
        clipped = extreme("max", [ZERO, extreme("min", [plus(end, length), length])])
        return choose(both((compare("<=", ZERO, end), compare("<=", end, length))), end,
                      choose(compare(">", end, ZERO), length, clipped))  # fmt: skip

    def _literal(self, sequence: ir.ListOf) -> Elements:
        parts = [self.term(each) for each in sequence.elements]

        def at(position: Term) -> Term:
            found = parts[-1]
            for place in range(len(parts) - 2, -1, -1):
                found = choose(compare("==", position, number(place)), parts[place], found)
            return found

        if not parts:
            raise Outside("an empty list is not followed", sequence)
        return Elements(number(len(parts)), at, level=self.level)

    def _comprehension(self, node: ir.Comprehension) -> Elements:
        """A list computed from others, element by element."""
        source = node.source
        if isinstance(source, ir.Range):
            start, stop = self.term(source.start), self.term(source.stop)
            count = extreme("max", [ZERO, minus(stop, start)])

            def bound(position: Term) -> Scope:
                return self.binding(**{source.target: plus(start, position)})

        else:
            walked = [(name, self.sequence(value)) for name, value in source.items]
            count = extreme("min", [found.length for _, found in walked])
            if any(found.keep is not None for _, found in walked):
                raise Outside("some elements of a list are walked over", node)

            def bound(position: Term) -> Scope:
                entries: dict[str, Term] = {name: found.at(position) for name, found in walked}
                if source.index is not None:
                    entries[source.index] = position
                return self.binding(**entries)

        condition = node.condition
        keep = None if condition is None else (lambda position: bound(position).term(condition))
        return Elements(count, lambda position: bound(position).term(node.element), keep, self.level)


@dataclass(frozen=True, slots=True)
class Replacing(Scope):
    """A scope in which some expressions have a meaning of their own."""

    replaced: Mapping[ir.Expression, Term] = field(default_factory=dict)

    def entry(self, expression: ir.Expression) -> Entry:
        """What an expression is."""
        if expression in self.replaced:
            return self.replaced[expression]
        return Scope.entry(self, expression)


def _zero(kind: ir.Type) -> Term:
    return ir.Truth(False) if kind == ir.Boolean() else ZERO
