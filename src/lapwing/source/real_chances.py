"""Probabilities that are formulas with ln, exp or sqrt: a coin has the real number for its bias, not a rounded one.

The one idea: a scale may be rounded up, since more noise is never less private. A probability has no such side:
``flip(exp(e) / (exp(e) + 1))`` with a rounded ``exp`` would keep a claim of ``e`` on no machine. So a coin's formula is
written out over the public parameters, where every variable in it is set once, with the functions that claims have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.vocabulary import CLAIM_FUNCTIONS, OUTWARD, is_irrational
from lapwing.source.built_lists import is_public


def with_real_chances(mechanism: ir.Mechanism) -> ir.Mechanism:
    """The mechanism, its coins with formulas of real numbers where they have ln, exp or sqrt in them."""
    names = walk.assigned(mechanism.body)
    settings = {
        each.target: each.value
        for each in walk.statements(mechanism.body)
        if isinstance(each, ir.Assign) and names.count(each.target) == 1
    }

    def real(statement: ir.Statement) -> walk.Block | None:
        match statement:
            case ir.Sample(_, "flip", (chance,)):
                formula = public_formula(mechanism, chance, settings)
                if formula is not None and is_irrational(formula):
                    return (replace(statement, arguments=(formula,)),)
        return None

    return replace(mechanism, body=walk.exchanged(mechanism.body, real))


def public_formula(
    mechanism: ir.Mechanism, node: ir.Expression, settings: Mapping[str, ir.Expression]
) -> ir.Expression | None:
    """The expression over public numbers and lengths, with real functions; None where it is not one.

    A variable that is set once, to such a formula, holds that number wherever it is read.
    """
    match node:
        case ir.Number():
            return node
        case ir.Name(name) if name in settings:
            others = {other: value for other, value in settings.items() if other != name}
            return public_formula(mechanism, settings[name], others)
        case ir.Name(name) | ir.Builtin("len", (ir.Name(name),)):
            return node if is_public(mechanism, name, length=isinstance(node, ir.Builtin)) else None
        case ir.Negate(operand):
            inner = public_formula(mechanism, operand, settings)
            return None if inner is None else replace(node, operand=inner)
        case ir.Arithmetic(_, left, right):
            sides = [public_formula(mechanism, each, settings) for each in (left, right)]
            if sides[0] is None or sides[1] is None:
                return None
            return replace(node, left=sides[0], right=sides[1])
        case ir.Builtin(function, (operand,)) if function in OUTWARD | CLAIM_FUNCTIONS:
            inner = public_formula(mechanism, operand, settings)
            if inner is None or is_irrational(inner):  # a function of a function has no exact argument
                return None
            return replace(node, function=function.removeprefix("~"), arguments=(inner,))
    return None
