"""Limits that are written as numbers, thought of as parameters while alignments are searched.

The one idea: three rounds tell nothing about a limit of three. With a parameter in its place they tell as much as they
do about any ``limit``; what is found is then said with the number again, and proved of the mechanism as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from lapwing.kernel.program import ir, walk
from lapwing.search.privacy.linear import number, rewritten
from lapwing.search.privacy.synthesis import Choice, Choices
from lapwing.search.privacy.totals import Totals, limits
from lapwing.source.built_lists import with_comparisons

#: What the parameters stand for.
Meant = Mapping[str, ir.Expression]


def generalised(mechanism: ir.Mechanism) -> tuple[ir.Mechanism, Meant]:
    """The mechanism with a parameter for the first number that limits a counter; itself, if there is none."""
    found = limits(mechanism)
    if not found:
        return mechanism, {}
    limit = found[0]
    taken = mechanism.names
    name = next(each for count in range(len(taken) + 1) if (each := f"limit_{count}") not in taken)
    counters = {each.name for each in mechanism.variables if isinstance(each.type, ir.Integer)}

    def opened(node: ir.Compare) -> ir.Expression:
        if not walk.names(node) & counters:
            return node
        one, two = (ir.Name(name) if each == limit else each for each in (node.left, node.right))
        return replace(node, left=one, right=two)

    body = [
        replace(each, value=ir.Name(name))
        if isinstance(each, ir.Assign) and each.target in counters and each.value == limit
        else each
        for each in walk.rewritten(mechanism.body, lambda each: with_comparisons(each, opened))
    ]
    parameter = ir.Parameter(name, ir.Integer())
    least = ir.Compare(">=", ir.Name(name), number(1))
    parameters, known = (*mechanism.parameters, parameter), (*mechanism.preconditions, least)
    return replace(mechanism, parameters=parameters, preconditions=known, body=tuple(body)), {name: limit}


def with_totals(totals: Totals, meant: Meant) -> Totals:
    """Totals said with the numbers again."""
    return {meter: rewritten(total, meant) for meter, total in totals.items()}


def with_choices(choices: Choices, meant: Meant) -> Choices:
    """Alignments said with the numbers again."""
    return {
        site: Choice(
            None if each.guard is None else rewritten(each.guard, meant),
            rewritten(each.then, meant),
            rewritten(each.otherwise, meant),
        )
        for site, each in choices.items()
    }
