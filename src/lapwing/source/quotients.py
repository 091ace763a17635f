"""Divisions by numbers that are not public, said in the word that has a value whatever it divides by.

The one idea: Python fails where a divisor is 0, and a failure that private data or noise decide would be an answer. So
a quotient by such a number is a function of its own (``ir``), which is 0 there; by public numbers it stays a division,
which a run refuses before anything private is looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.program import ir, walk
from lapwing.kernel.wellformed import secrecy
from lapwing.kernel.wellformed.influence import Influence


def with_quotients(mechanism: ir.Mechanism, callees: Mapping[str, ir.Mechanism]) -> ir.Mechanism:
    """The mechanism, with every quotient by a number that may not be public as a function of the language.

    Divisions that are written alike are changed together: a divisor that is public in one place has a value there, too.
    """
    if not (divisions := list(_divisions(mechanism))):
        return mechanism
    influence = secrecy.analyse(_changed(mechanism, divisions), callees).influence
    private = [each for expression in walk.evaluated(mechanism.body) for each in _private(expression, influence)]
    return _changed(mechanism, private) if private else mechanism


def _divisions(mechanism: ir.Mechanism) -> Iterator[ir.Arithmetic]:
    for part in walk.parts(mechanism.body):
        if isinstance(part, ir.Arithmetic) and part.operator == "/":
            yield part


def _private(node: ir.Node, influence: Influence) -> Iterator[ir.Arithmetic]:
    """The divisions inside ``node`` by what private data or noise can influence."""
    outer = influence.bound
    if isinstance(node, ir.Comprehension):
        yield from _private(node.source, influence)
        influence.bound = {**outer, **influence.steps(node.source)}
    for child in walk.children(node):
        if not isinstance(child, ir.Over | ir.Range):
            yield from _private(child, influence)
    influence.bound = outer
    if isinstance(node, ir.Arithmetic) and node.operator == "/" and influence.secret(node.right)[0]:
        yield node


def _changed(mechanism: ir.Mechanism, divisions: Iterable[ir.Arithmetic]) -> ir.Mechanism:
    meanings: dict[ir.Expression, ir.Expression] = {}
    for each in sorted(divisions, key=lambda one: sum(1 for _ in walk.nodes(one))):  # what stands inside another first
        sides = tuple(replaced(side, meanings) for side in (each.left, each.right))
        meanings[each] = ir.Builtin("/", sides, span=each.span)
    return replace(mechanism, body=walk.rewritten(mechanism.body, lambda each: replaced(each, meanings)))
