"""Every variable holds values of its type, and every answer is of the type that the mechanism returns.

The one idea: a proof takes a variable for a whole number because its type says so, and two whole numbers less than 1
apart are the same. So nothing is believed of types: each setting is looked at again. What the settings give together
may be narrower than the type: a list that stays empty is said to hold numbers, and fits any.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.types import bound_types, fits, join, show, type_of, types_of
from lapwing.kernel.wellformed.refusing import refused

_REAL = ("laplace", "exponential", "gaussian")
#: Types get narrower a few times at most: where an empty list is put into another.
ROUNDS = 20
Types = Mapping[str, ir.Type]
Callees = Mapping[str, ir.Mechanism]


def check(mechanism: ir.Mechanism, callees: Callees) -> None:
    """Refuse a mechanism that sets a variable, or answers, with what does not fit its type."""
    declared = {**types_of(mechanism), "return": mechanism.returns}
    known: Types = declared
    for _ in range(ROUNDS):
        narrower = _found(mechanism, known, callees)
        if narrower == known:
            break
        known = narrower
    else:
        raise refused("P131", mechanism.span, f"the types of {mechanism.name} do not settle", "Use other names")
    for statement in walk.statements(mechanism.body):
        for expression in walk.expressions(statement):
            _check_elements(expression, known)
        for name, given in _settings(statement, known, callees):
            if name not in declared or not fits(given, declared[name]):
                kind = show(declared[name]) if name in declared else "nothing"
                raise refused("P131", statement.span, f"'{name}' is {kind}, and is given {show(given)}", "Use one type")


def _found(mechanism: ir.Mechanism, known: Types, callees: Callees) -> Types:
    """What the settings give each variable, where others have their known types."""
    found: dict[str, ir.Type] = {each.name: each.type for each in mechanism.parameters}
    for statement in walk.statements(mechanism.body):
        for name, given in _settings(statement, known, callees):
            found[name] = join(found.get(name, ir.Unknown()), given) or known.get(name, given)
    return found


def _settings(statement: ir.Statement, known: Types, callees: Callees) -> Iterator[tuple[str, ir.Type]]:
    """The names that a statement sets, with the types of what they are given; an answer is called ``return``."""
    match statement:
        case ir.Assign(target, value):
            yield target, type_of(value, known)
        case ir.Append(target, value):
            yield target, ir.List(type_of(value, known))
        case ir.Sample(target, kind):
            yield target, ir.Real() if kind in _REAL else ir.Boolean() if kind == "flip" else ir.Integer()
        case ir.Call(target, callee):
            yield target, callees[callee].returns
        case ir.Asking(target, (ir.Name(asked), *_)):
            oracle = known.get(asked)
            yield target, oracle.result if isinstance(oracle, ir.Oracle) else ir.Real()
        case ir.For(source):
            yield from bound_types(source, known).items()
        case ir.Return(value):
            yield "return", type_of(value, known)


def _check_elements(node: ir.Node, known: Types) -> None:
    """Refuse an index that calls what it reads something else than the list does."""
    if isinstance(node, ir.Comprehension):
        _check_elements(node.source, known)
        known = {**known, **bound_types(node.source, known)}
    for child in walk.children(node):
        if not isinstance(child, ir.Over | ir.Range):
            _check_elements(child, known)
    if isinstance(node, ir.Index):
        held = type_of(node.sequence, known)
        if not isinstance(held, ir.List) or not fits(held.element, node.element):
            raise refused("P131", node.span, f"an element of {show(held)} is no {show(node.element)}", "Read the list")
