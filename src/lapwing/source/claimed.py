"""What a claim takes for granted: the ε that a coin is made of, or noise divided by, is a price, and above 0.

The one idea: noise has a scale, so ``laplace(1 / epsilon)`` runs for no other ε. A coin has no scale:
``flip(exp(epsilon) / (1 + exp(epsilon)))`` runs for every number, and loses ``-epsilon`` where that is less than 0. No
mechanism at all keeps a claim of less than 0, so nobody means it. The program says so like any other precondition:
what is proved, what is looked for and what runs is the mechanism where ε is above 0.
"""

from __future__ import annotations

from fractions import Fraction

from lapwing.kernel.program import ir, walk


def granted(mechanism: ir.Mechanism) -> tuple[ir.Expression, ...]:
    """``epsilon > 0`` for each number of the claim's ε that no precondition speaks of, and that makes noise.

    That is one that a coin is made of, or that divides a variable: ``laplace(1) / epsilon``.
    """
    if not isinstance(mechanism.claim, ir.PureClaim | ir.ApproximateClaim):
        return ()
    coins = (
        argument
        for each in walk.statements(mechanism.body)
        if isinstance(each, ir.Sample) and each.kind == "flip"
        for argument in each.arguments
    )
    tossed = {name for coin in coins for name in walk.names(coin)}
    own = {each.name for each in mechanism.variables}
    for part in walk.nodes(mechanism):
        match part:
            case ir.Arithmetic("/", ir.Name(noise), ir.Name(name)) if noise in own:
                tossed.add(name)
    said = {name for each in mechanism.preconditions for name in walk.names(each)}
    claimed = walk.names(mechanism.claim.epsilon)
    return tuple(
        ir.Compare(">", ir.Name(each.name), ir.Number(Fraction(0)), span=mechanism.claim.span)
        for each in mechanism.parameters
        if each.name in (claimed & tossed) - said and not each.private and each.type == ir.Real()
    )
