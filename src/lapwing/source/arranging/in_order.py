"""The other words, one way after the other.

The one idea: the order matters. Tests are put where loops ask them before lists are filled; what private data decide is
told apart before noise is put off to where it is read; accounts and scores come last, as they look at finished loops.
"""

from __future__ import annotations

from dataclasses import replace

from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.types import types_of
from lapwing.source.arranging.counted_rounds import with_rounds_counted
from lapwing.source.arranging.counting_coins import below, counted
from lapwing.source.arranging.drawn_within import drawn_within
from lapwing.source.arranging.filling import filled, renewed
from lapwing.source.arranging.leaving import tested_first
from lapwing.source.arranging.one_of_many import kept_or_any
from lapwing.source.arranging.portions import shared_out
from lapwing.source.arranging.priced import walked_over
from lapwing.source.arranging.put_last import put_last
from lapwing.source.arranging.putting_off import put_off
from lapwing.source.arranging.returned_last import returned_last
from lapwing.source.arranging.roots_in_scales import with_roots_in_scales
from lapwing.source.arranging.scattering import scattered
from lapwing.source.arranging.sliced import unsliced
from lapwing.source.arranging.stretching import stretched
from lapwing.source.arranging.two_sided import two_sided
from lapwing.source.arranging.two_sums import taken_together
from lapwing.source.arranging.weighing import weighed
from lapwing.source.arranging.winners import found_at_once, kept_with_its_place
from lapwing.source.built_lists import Block, Variables
from lapwing.source.claimed import granted


def arranged(mechanism: ir.Mechanism) -> ir.Mechanism:
    """The mechanism with its lists built, and its noise drawn, where they are used."""
    read = {part.name for part in walk.nodes(mechanism) if isinstance(part, ir.Name)}
    names = Variables(dict(types_of(mechanism)), read | walk.walked(mechanism))
    body = unsliced(mechanism, taken_together(tested_first(mechanism.body), names), names)
    body = with_rounds_counted(mechanism, scattered(body, names), names)
    body = below(counted(mechanism, body, names), names)
    body = returned_last(mechanism, drawn_within(mechanism, body), names)
    body = put_last(mechanism, body, names)
    body = found_at_once(renewed(filled(body, names), names), names)
    body = stretched(mechanism, put_off(kept_with_its_place(body, names), names))
    body = shared_out(mechanism, walked_over(mechanism, body, names), names)
    body = with_roots_in_scales(mechanism, weighed(mechanism, body))
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
                each = replace(each, site=counts[0])
            case ir.For() | ir.While():
                counts[1] += 1
                each = replace(each, number=counts[1])
        found.append(walk.with_blocks(each, lambda inner: _numbered(inner, counts)))
    return tuple(found)
