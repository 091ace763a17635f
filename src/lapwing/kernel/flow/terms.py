"""Values of one run as terms of a solver: numbers, truth values, lists as (elements, length), tuples.

The one idea: what solvers cannot follow (sums over lists, slices, comprehensions) is refused, never approximated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.operators import applied, operated
from lapwing.kernel.program import ir
from lapwing.kernel.solver import Term, Terms


@dataclass(frozen=True, slots=True)
class Listed:
    """A list: an array of elements of type ``kind``, of which the first ``length`` count."""

    elements: Term
    length: Term
    kind: ir.Type


#: A term of the solver (without type information), a :class:`Listed`, or a tuple of these.
Value = Any


@dataclass(slots=True)
class Values:
    """Builds values. What a list holds beyond its length is never read: one array per type stands for all of that."""

    terms: Terms
    beyond: dict[ir.Type, Term] = field(default_factory=dict)

    def any(self, kind: ir.Type, name: str) -> Value:
        """Any value of a type."""
        match kind:
            case ir.List(element):
                self._plain(element)
                return Listed(self.terms.array(element, name), self.terms.fresh(ir.Integer(), f"len {name}"), element)
            case ir.Tuple(elements):
                return tuple(self.any(each, f"{name}.{position}") for position, each in enumerate(elements))
        return self.terms.fresh(kind, name)

    def _plain(self, element: ir.Type) -> None:
        if not isinstance(element, ir.Real | ir.Integer | ir.Boolean):
            raise Unproved("a list of lists or of tuples is not followed")

    def zero(self, kind: ir.Type) -> Value:
        """What reading outside a list gives."""
        match kind:
            case ir.Boolean():
                return self.terms.truth(False)
            case ir.List(element):
                self._plain(element)
                if element not in self.beyond:
                    self.beyond[element] = self.terms.blank(element)
                return Listed(self.beyond[element], self.terms.number(0), element)
            case ir.Tuple(elements):
                return tuple(self.zero(each) for each in elements)
        return self.terms.number(0, real=isinstance(kind, ir.Real))

    def fitted(self, value: Value, kind: ir.Type) -> Value:
        """``value`` where ``kind`` is meant: whole numbers become reals, an empty list one of any elements."""
        match kind:
            case ir.Real():
                return self.terms.real(value)
            case ir.Tuple(elements) if isinstance(value, tuple):
                return tuple(self.fitted(each, part) for each, part in zip(value, elements, strict=True))
            case ir.List(element) if isinstance(value, Listed) and value.kind != element:
                if value.elements is self.beyond.get(value.kind):
                    return Listed(self.zero(kind).elements, value.length, element)
                raise Unproved("a list of whole numbers stands for one of numbers")
        return value

    def choose(self, condition: Term, then: Value, otherwise: Value) -> Value:
        """``then if condition else otherwise``."""
        if isinstance(then, tuple) and isinstance(otherwise, tuple):
            return tuple(self.choose(condition, a, b) for a, b in zip(then, otherwise, strict=True))
        if isinstance(then, Listed) and isinstance(otherwise, Listed):
            self._alike(then, otherwise)
            elements = self.terms.choose(condition, then.elements, otherwise.elements)
            return Listed(elements, self.terms.choose(condition, then.length, otherwise.length), then.kind)
        return self.terms.choose(condition, then, otherwise)

    def equal(self, left: Value, right: Value) -> Term:
        """Equality; of lists, more than is needed: of all elements wherever they are."""
        if isinstance(left, tuple) and isinstance(right, tuple):
            return self.terms.both(self.equal(a, b) for a, b in zip(left, right, strict=True))
        if isinstance(left, Listed) and isinstance(right, Listed):
            self._alike(left, right)
            same = self.terms.compare("==", left.elements, right.elements)
            return self.terms.both([self.terms.compare("==", left.length, right.length), same])
        return self.terms.compare("==", left, right)

    def _alike(self, left: Listed, right: Listed) -> None:
        if left.kind != right.kind:
            raise Unproved("lists of different types stand for each other")

    def at(self, found: Listed, index: Term, kind: ir.Type) -> Value:
        """``xs[i]``: from the end where i is negative, and the zero of its type outside the list."""
        terms = self.terms
        none = terms.number(0)
        back = terms.compare("<", index, none)
        position = terms.choose(back, terms.arithmetic("+", index, found.length), index)
        inside = terms.both([terms.compare(">=", position, none), terms.compare("<", position, found.length)])
        element = terms.element(found.elements, position)
        return self.choose(inside, element, self.zero(kind))

    def appended(self, found: Listed, value: Term) -> Listed:
        """``found`` with one element more."""
        elements = self.terms.stored(found.elements, found.length, value)
        return Listed(elements, self.terms.arithmetic("+", found.length, self.terms.number(1)), found.kind)


@dataclass(frozen=True, slots=True)
class Reader:
    """Expressions in one state of one run; ``ask`` hears of every match and of the condition it is evaluated under."""

    values: Values
    state: Mapping[str, Value]
    ask: Callable[[ir.Builtin, Value, Value, Term], None]

    @property
    def terms(self) -> Terms:
        """The solver's terms."""
        return self.values.terms

    def value(self, node: ir.Expression, under: Term) -> Value:
        """The value of ``node``, evaluated where ``under`` holds."""
        terms = self.terms
        match node:
            case ir.Number(number, real):
                return terms.number(number, real=real)
            case ir.Name(name):
                if name not in self.state:
                    raise at(node, f"'{name}' is not followed here")
                return self.state[name]
            case ir.And(operands):
                return terms.both(self._in_turn(operands, under, until=False))
            case ir.Or(operands):
                return terms.either(self._in_turn(operands, under, until=True))
            case ir.Conditional(condition, then, otherwise):
                test = self.value(condition, under)
                yes = self.value(then, terms.both([under, test]))
                no = self.value(otherwise, terms.both([under, terms.negate(test)]))
                return self.values.choose(test, yes, no)
            case ir.TupleOf(elements):
                return tuple(self.value(each, under) for each in elements)
            case ir.Item(record, position):
                return self.value(record, under)[position]
            case ir.ListOf(elements):
                return self._list([self.value(each, under) for each in elements], node)
            case ir.Index(sequence, index, element):
                found = self.value(sequence, under)
                if not isinstance(found, Listed):
                    raise at(node, "a list of lists or of tuples is not followed")
                return self.values.at(found, self.value(index, under), element)
            case ir.Builtin(function, arguments):
                return self._builtin(function, [self.value(each, under) for each in arguments], node, under)
        found = operated(terms, node, lambda part: self.value(part, under))
        if found is None:
            raise at(node, "slices and comprehensions are not followed")
        return found

    def _in_turn(self, operands: tuple[ir.Expression, ...], under: Term, *, until: bool) -> list[Term]:
        """Each operand under the condition that evaluation gets so far."""
        found: list[Term] = []
        for operand in operands:
            found.append(self.value(operand, under))
            under = self.terms.both([under, self.terms.negate(found[-1]) if until else found[-1]])
        return found

    def _list(self, parts: list[Value], node: ir.Node) -> Listed:
        if any(isinstance(part, tuple | Listed) for part in parts):
            raise at(node, "a list of lists or of tuples is not followed")
        parts = self.terms.alike(*parts) if parts else []
        kind: ir.Type = ir.Integer()
        if parts and self.terms.is_truth(parts[0]):
            kind = ir.Boolean()
        elif parts and not self.terms.is_whole(parts[0]):
            kind = ir.Real()
        found: Listed = self.values.zero(ir.List(kind))
        for part in parts:
            found = self.values.appended(found, part)
        return found

    def _builtin(self, function: str, values: list[Value], node: ir.Builtin, under: Term) -> Value:
        terms = self.terms
        match function, values:
            case "match", [left, right]:
                if isinstance(left, Listed):
                    raise at(node, "a match of lists is not followed")
                self.ask(node, left, right, under)
                return self.values.equal(left, right)
            case "len", [Listed(_, length, _)]:
                return length
        found = None if any(isinstance(each, tuple | Listed) for each in values) else applied(terms, function, values)
        if found is None:
            raise at(node, f"{function} of a list is not followed")
        return found
