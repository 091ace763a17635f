"""Lists of noise: what is likely to hold of each element of a list that a mechanism builds and reads later.

The one idea: a list that only grows is one function from places to elements. What holds of every element as it is
appended may be assumed wherever one is read, so a list needs an invariant of its own, about one element and its place
(theory: one more unknown predicate in the Horn clauses). Likely facts are few, as for loops: how far the element is
shifted, at the place that the answer considered names and elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator

import z3  # type: ignore[import-untyped]  # z3 ships no type information

from lapwing.kernel.program import ir, walk
from lapwing.kernel.relational.proof_parts import only_grows
from lapwing.search.privacy.encoding import Entry, Filled, Pair, Truths, choose
from lapwing.search.privacy.linear import OUTPUT, linear, number, plus, scaled, times, written
from lapwing.search.privacy.terms import ZERO, is_literal, literal

PLACE = ir.Builtin("place", ())


def held_lists(mechanism: ir.Mechanism) -> dict[str, ir.Type]:
    """The lists of numbers and truth values that only grow, are read by place or walked over, and used no other way."""
    found: dict[str, ir.Type] = {}
    for variable in mechanism.variables:
        if isinstance(variable.type, ir.List) and only_grows(mechanism, variable.name):
            kind = variable.type.element
            if isinstance(kind, ir.Real | ir.Integer | ir.Boolean) and _only_read(mechanism, variable.name):
                found[variable.name] = kind
    return found


def _only_read(mechanism: ir.Mechanism, name: str) -> bool:
    every = uses = 0
    for statement in walk.statements(mechanism.body):
        if isinstance(statement, ir.If) and name in walk.assigned((statement,)):
            return False  # its length would depend on the test
        if isinstance(statement, ir.For) and isinstance(statement.source, ir.Over):
            uses += sum(each == ir.Name(name) for _, each in statement.source.items)
        for expression in walk.expressions(statement):
            for part in walk.nodes(expression):
                every += part == ir.Name(name)
                match part:
                    case ir.Index(ir.Name(read)) if read == name:
                        uses += 1
                    case ir.Builtin("len", (ir.Name(read),)) if read == name:
                        every -= 1
    return every == uses > 0


def mark(name: str, index: int) -> z3.BoolRef:
    """The literal that says that a fact about the elements of a list is kept."""
    return z3.Bool(f"keep#{name}#{index}")


def element_facts(mechanism: ir.Mechanism, name: str, kind: ir.Type, *, ghost: bool) -> Iterator[ir.Expression]:
    """Facts that may hold of every element of a list."""
    element = ir.Index(ir.Name(name), PLACE, kind)
    if isinstance(kind, ir.Boolean):
        facts: list[ir.Expression] = [ir.Compare("==", ir.Builtin("other", (element,)), element)]
    else:
        facts = list(_shifts(mechanism, ir.Builtin("hat", (element,))))
    yield from facts
    for parameter in mechanism.parameters:
        if parameter.relation is not None and parameter.relation.kind in ("one", "replaced"):
            there = ir.Builtin("where", (ir.Name(parameter.name),))
            yield from (ir.Or((ir.Compare("==", PLACE, there), fact)) for fact in facts)
    if ghost and isinstance(mechanism.returns, ir.Integer):
        yield from (ir.Or((ir.Compare("!=", PLACE, OUTPUT), fact)) for fact in facts)
        yield from (ir.Or((ir.Compare("==", PLACE, OUTPUT), fact)) for fact in facts)


def _shifts(mechanism: ir.Mechanism, hat: ir.Expression) -> Iterator[ir.Expression]:
    distances = list(dict.fromkeys(each.distance for each in mechanism.parameters if each.distance is not None))
    steps = [times(number(factor), distance) for distance in distances for factor in (1, 2)]
    for level in (number(0), *steps, *map(ir.Negate, steps)):
        for symbol in ("==", "<=", ">="):
            yield ir.Compare(symbol, hat, level)
    for parameter in mechanism.parameters:
        if parameter.private and isinstance(parameter.type, ir.List):
            yield from (ir.Compare("==", hat, each) for each in levels(parameter, PLACE, distances))


def levels(parameter: ir.Parameter, place: ir.Expression, distances: list[ir.Expression]) -> list[ir.Expression]:
    """What levels the element of a private list at ``place``, as it is or up to the distance more or less."""
    if not isinstance(parameter.type, ir.List) or not isinstance(parameter.type.element, ir.Real | ir.Integer):
        return []
    own = ir.Negate(ir.Builtin("hat", (ir.Index(ir.Name(parameter.name), place, parameter.type.element),)))
    sums = [plus(linear(own), scaled(linear(each), sign)) for each in distances for sign in (1, -1)]  # type: ignore[arg-type]  # whole numbers
    return [own, *(written(each) for each in sums if each is not None)]


def nothing(kind: ir.Type) -> Pair | Truths:
    """What is read outside a list."""
    if isinstance(kind, ir.Boolean):
        return Truths(z3.BoolVal(False), z3.BoolVal(False))
    return Pair(ZERO, ZERO)


def picked(sequence: Filled, index: Pair, length: z3.ArithRef) -> Entry:
    """The element at a place of a list of which all elements are known."""
    found: Entry = nothing(sequence.element)
    place, other = (z3.simplify(each) for each in (index.value, index.other))
    for position, element in reversed(list(enumerate(sequence.elements))):
        if all(is_literal(each) and literal(each) != position for each in (place, other)):
            continue
        inside = length > position
        test = Truths(z3.And(place == position, inside), z3.And(other == position, inside))
        found = choose(test, element, found)
    return found
