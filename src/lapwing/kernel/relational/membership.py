"""Whether a counter is among the values of a public list, read at a place of another public list.

The one idea: of the values of a public parameter that a program asks about, nothing matters but who is among them. So
``i in taken`` is an element of a list of truth values that both runs share, and no loop looks for it.

Claim: what is shown of the program that is given here holds for the one that is written. A parameter is never set, so
that for given inputs ``i in taken`` depends on i alone; i counts from 0; and there is a list, with False for all that
follows, in which every place that a run asks about holds just that. The program is walked for every list.
"""

from __future__ import annotations

from dataclasses import replace

from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.program import ir, walk


def members(mechanism: ir.Mechanism) -> ir.Mechanism:
    """The mechanism, with a public list of truth values for each public list in which it looks for its counters."""
    assigned = walk.assigned(mechanism.body)
    counters = {name for name in _counters(mechanism) if assigned.count(name) == 1}
    lists: dict[str, ir.Parameter] = {}
    meanings: dict[ir.Expression, ir.Expression] = {}
    for part in walk.nodes(mechanism):
        match part:
            case ir.Compare(
                ">",
                ir.Builtin(
                    "len",
                    (
                        ir.Comprehension(
                            ir.Name(one),
                            ir.Over(((each, ir.Name(listed)),), None),
                            ir.Compare("==", ir.Name(other), ir.Name(counter)),
                        ),
                    ),
                ),
                ir.Number(0),
            ) if one == each == other != counter and counter in counters and _is_public(mechanism, listed):
                # no formula of a certificate can say this name
                made = ir.Parameter(f"%members.{listed}", ir.List(ir.Boolean()))
                lists[listed] = made
                meanings[part] = ir.Index(ir.Name(made.name), ir.Name(counter), ir.Boolean(), span=part.span)
    if not lists:
        return mechanism
    body = walk.rewritten(mechanism.body, lambda each: replaced(each, meanings))
    return replace(mechanism, parameters=(*mechanism.parameters, *lists.values()), body=body)


def _counters(mechanism: ir.Mechanism) -> set[str]:
    """The variables of loops that count from 0."""
    found: set[str] = set()
    for each in walk.statements(mechanism.body):
        match each:
            case ir.For(ir.Range(counter, start, _)) if start == ir.ZERO:
                found.add(counter)
            case ir.For(ir.Over(_, str(counter))):
                found.add(counter)
    return found


def _is_public(mechanism: ir.Mechanism, name: str) -> bool:
    parameter = mechanism.parameter(name)
    whole = parameter is not None and parameter.type == ir.List(ir.Integer())
    return whole and parameter is not None and not parameter.private and mechanism.flow is None
