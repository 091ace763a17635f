"""Scales with a root or a logarithm in them that are set before a loop, written out where the loop draws.

The one idea: a round of a loop is proved as a mechanism of its own, and a number that was set before it is any number
there: of ``gaussian(sigma)`` nothing is known but its name, of ``gaussian(sqrt(n / (2 * rho)))`` what it costs. The
formula speaks of what never changes, so each draw finds the same number; the variable is still set where it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.vocabulary import OUTWARD
from lapwing.source.built_lists import Block, is_public

#: Noise whose scale is the last number that it is given.
_SCALED = ("laplace", "exponential", "gaussian", "discrete_laplace", "discrete_gaussian")
#: More parts than what a person writes as one scale: a variable of itself, again and again, doubles.
MAX_PARTS = 100


def with_roots_in_scales(mechanism: ir.Mechanism, body: Block) -> Block:
    """The body with such scales as formulas inside its loops."""
    formulas = _formulas(mechanism, body)
    return _block(body, formulas, looped=False) if formulas else body


def _formulas(mechanism: ir.Mechanism, body: Block) -> dict[ir.Expression, ir.Expression]:
    """The variables that are set once, at the top of the body, to a formula with a root or a logarithm."""
    every, plain = walk.assigned(body), dict[str, ir.Expression]()
    for each in body:
        if isinstance(each, ir.Assign) and every.count(each.target) == 1:
            found = _written(mechanism, each.value, plain)
            if found is not None and sum(1 for _ in walk.nodes(found)) <= MAX_PARTS:
                plain[each.target] = found
    return {ir.Name(name): value for name, value in plain.items() if _is_irrational(value)}


def _written(mechanism: ir.Mechanism, node: ir.Expression, known: Mapping[str, ir.Expression]) -> ir.Expression | None:
    """The expression over public numbers and lengths, if it is one."""
    match node:
        case ir.Number():
            return node
        case ir.Name(name) if name in known:
            return known[name]
        case ir.Name(name) | ir.Builtin("len", (ir.Name(name),)):
            return node if is_public(mechanism, name, length=isinstance(node, ir.Builtin)) else None
        case ir.Negate(operand):
            inner = _written(mechanism, operand, known)
            return None if inner is None else replace(node, operand=inner)
        case ir.Arithmetic(_, left, right):
            one, other = (_written(mechanism, each, known) for each in (left, right))
            return None if one is None or other is None else replace(node, left=one, right=other)
        case ir.Builtin(function, (operand,)) if function in OUTWARD:
            inner = _written(mechanism, operand, known)
            return None if inner is None else replace(node, arguments=(inner,))
    return None


def _is_irrational(node: ir.Expression) -> bool:
    return any(isinstance(part, ir.Builtin) and part.function in OUTWARD for part in walk.nodes(node))


def _block(block: Block, formulas: Mapping[ir.Expression, ir.Expression], *, looped: bool) -> Block:
    found: list[ir.Statement] = []
    for each in block:
        match each:
            case ir.Sample(_, kind, (scale,)) if looped and kind in _SCALED:
                found.append(replace(each, arguments=(replaced(scale, formulas),)))
            case _:
                inside = partial(_block, formulas=formulas, looped=looped or isinstance(each, ir.For | ir.While))
                found.append(walk.with_blocks(each, inside))
    return tuple(found)
