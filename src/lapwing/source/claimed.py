"""What a claim takes for granted: the ε that a coin is made of, or noise divided by, is a price, and above 0.

The one idea: noise has a scale, so ``laplace(1 / epsilon)`` runs for no other ε. A coin has no scale:
``flip(exp(epsilon) / (1 + exp(epsilon)))`` runs for every number, and loses ``-epsilon`` where that is less than 0. No
mechanism at all keeps a claim of less than 0, so nobody means it. The program says so like any other precondition:
what is proved, what is looked for and what runs is the mechanism where ε is above 0.

A budget that is claimed and paid from (``left = epsilon``, ``while spent + price <= epsilon``) is 0 or more: no run
makes a claim below that. Who keeps an account begins it within its limit, and the program says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from lapwing.kernel.program import ir, walk


def granted(mechanism: ir.Mechanism) -> tuple[ir.Expression, ...]:
    """``epsilon > 0`` for each number of the claim's ε that no precondition speaks of, and that makes noise.

    That is one that a coin is made of, or that divides a variable: ``laplace(1) / epsilon``.
    """
    if not isinstance(mechanism.claim, ir.PureClaim | ir.ApproximateClaim):
        return ()
    body = list(walk.statements(mechanism.body))
    coins = [each.arguments[0] for each in body if isinstance(each, ir.Sample) and each.kind in ("flip", "choose")]
    tossed = {name for coin in coins for name in walk.names(coin)}
    tossed |= {name for scores in _scores(mechanism.body) for name in walk.names(scores)}
    own = {each.name for each in mechanism.variables}
    for part in walk.nodes(mechanism):
        match part:
            case ir.Arithmetic("/", ir.Name(noise), ir.Name(name)) if noise in own:
                tossed.add(name)
    said = {name for each in mechanism.preconditions for name in walk.names(each)}
    claimed = walk.names(mechanism.claim.epsilon)
    budgets = _budgets(mechanism.body) if isinstance(mechanism.claim.epsilon, ir.Name) else set[str]()
    return tuple(
        ir.Compare(symbol, ir.Name(each.name), ir.ZERO, span=mechanism.claim.span)
        for each in mechanism.parameters
        for symbol in _above(each.name in tossed, each.name in budgets)
        if each.name in claimed - said and not each.private and each.type == ir.Real()
    )


def _scores(body: tuple[ir.Statement, ...]) -> Iterator[ir.Expression]:
    """What the scores of a choice are made of, where they are set before."""
    chosen = {
        name
        for each in walk.statements(body)
        if isinstance(each, ir.Sample) and each.kind == "choose"
        for name in walk.names(each.arguments[0])
    }
    for each in walk.statements(body):
        if isinstance(each, ir.Assign | ir.Append) and each.target in chosen:
            yield each.value


def _above(tossed: bool, budget: bool) -> tuple[Literal[">", ">="], ...]:
    """What a number is to 0, by what is done with it."""
    return (">",) if tossed else (">=",) if budget else ()


def _budgets(body: tuple[ir.Statement, ...]) -> set[str]:
    """The numbers that a body with a loop copies, or compares what it adds up with."""
    inside = list(walk.statements(body))
    if not any(isinstance(each, ir.For | ir.While) for each in inside):
        return set()
    copied = {each.value.name for each in inside if isinstance(each, ir.Assign) and isinstance(each.value, ir.Name)}
    tests = (each.condition for each in inside if isinstance(each, ir.If | ir.While))
    compared = (part for test in tests for part in walk.nodes(test) if isinstance(part, ir.Compare))
    return copied.union(*(walk.names(each) for each in compared))
