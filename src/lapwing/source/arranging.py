"""What people lay out in lists before they use it, said where it is used.

The one idea: a list that is filled place by place, noise that is drawn before the loop that reads it, and a largest
element that is looked for twice are ways to write a loop that appends, draws and compares as it goes. What runs is the
program that is proved: both are read here.
"""

from __future__ import annotations

from dataclasses import replace

from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.types import types_of
from lapwing.source.built_lists import Block, Variables
from lapwing.source.claimed import granted
from lapwing.source.counted_rounds import with_rounds_counted
from lapwing.source.counting_coins import below, counted
from lapwing.source.drawn_within import drawn_within
from lapwing.source.filling import filled, renewed
from lapwing.source.leaving import tested_first
from lapwing.source.one_of_many import kept_or_any
from lapwing.source.portions import shared_out
from lapwing.source.priced import walked_over
from lapwing.source.put_last import put_last
from lapwing.source.putting_off import put_off
from lapwing.source.returned_last import returned_last
from lapwing.source.scattering import scattered
from lapwing.source.stretching import stretched
from lapwing.source.two_sided import two_sided
from lapwing.source.weighing import weighed
from lapwing.source.winners import found_at_once, kept_with_its_place


def arranged(mechanism: ir.Mechanism) -> ir.Mechanism:
    """The mechanism with its lists built, and its noise drawn, where they are used."""
    read = {part.name for part in walk.nodes(mechanism) if isinstance(part, ir.Name)}
    names = Variables(dict(types_of(mechanism)), read | walk.walked(mechanism))
    body = with_rounds_counted(mechanism, scattered(tested_first(mechanism.body), names), names)
    body = below(counted(mechanism, body, names), names)
    body = returned_last(mechanism, drawn_within(mechanism, body), names)
    body = put_last(mechanism, body, names)
    body = found_at_once(renewed(filled(body, names), names), names)
    body = stretched(mechanism, put_off(kept_with_its_place(body, names), names))
    body = shared_out(mechanism, walked_over(mechanism, body, names), names)
    body = weighed(mechanism, body)
    body = two_sided(kept_or_any(replace(mechanism, body=body), body, names), names)
    if body == mechanism.body:
        return mechanism
    parameters = {each.name for each in mechanism.parameters}
    variables = tuple(
        ir.Variable(name, kind, False, False) for name, kind in names.types.items() if name not in parameters
    )
    made = replace(mechanism, body=_numbered(body, [0, 0]), variables=variables)
    return replace(made, preconditions=(*made.preconditions, *granted(made)))


def _numbered(block: Block, counts: list[int]) -> Block:
    """The block with its draws, calls and loops numbered in program order; ``counts`` are those of both so far."""
    found: list[ir.Statement] = []
    for each in block:
        match each:
            case ir.Sample() | ir.Call():
                counts[0] += 1
                found.append(replace(each, site=counts[0]))
            case ir.If():
                then = _numbered(each.then, counts)
                found.append(replace(each, then=then, otherwise=_numbered(each.otherwise, counts)))
            case ir.For() | ir.While():
                counts[1] += 1
                number = counts[1]
                found.append(replace(each, number=number, body=_numbered(each.body, counts)))
            case _:
                found.append(each)
    return tuple(found)
