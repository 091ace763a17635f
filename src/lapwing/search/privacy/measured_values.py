"""Whole numbers that are measured rather than counted: taken as any numbers while an invariant is looked for.

The one idea: what holds of all numbers holds of the whole ones, and Spacer finds invariants over reals far sooner. So
values that whole-number noise or a private number flows into are reals; places and counters, which compare with limits
and with the answer, stay whole. The kernel checks what is found over whole numbers.
"""

from __future__ import annotations

from dataclasses import replace

from lapwing.kernel.program import ir, walk


def with_measured_as_reals(mechanism: ir.Mechanism) -> ir.Mechanism:
    """The mechanism with real types for what its noise and its secrets flow into."""
    measured = _measured(mechanism)
    parameters = tuple(
        replace(each, type=_real(each.type)) if each.name in measured else each for each in mechanism.parameters
    )
    variables = tuple(
        replace(each, type=_real(each.type)) if each.name in measured else each for each in mechanism.variables
    )
    return replace(mechanism, parameters=parameters, variables=variables)


def _measured(mechanism: ir.Mechanism) -> set[str]:
    found = {each.name for each in mechanism.parameters if each.private}
    statements = list(walk.statements(mechanism.body))
    found |= {each.target for each in statements if isinstance(each, ir.Sample)}
    grew = True
    while grew:
        before = len(found)
        for each in statements:
            match each:
                case ir.Assign(target, value) | ir.Append(target, value) if walk.names(value) & found:
                    found.add(target)
                case ir.For(ir.Over(items)):
                    found |= {name for name, value in items if walk.names(value) & found}
        grew = len(found) > before
    return found


def _real(kind: ir.Type) -> ir.Type:
    match kind:
        case ir.Integer():
            return ir.Real()
        case ir.List(ir.Integer()):
            return ir.List(ir.Real())
    return kind
