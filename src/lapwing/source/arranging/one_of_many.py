"""A choice among k places of which one scores more: that place with some chance, and else any of them.

The one idea: ``choose([1 if i == x else 0 for i in range(k)], b)`` picks ``x`` with a weight of e^(1/b), and the
others with one of 1. So does a coin of chance (e^(1/b) - 1) / (e^(1/b) + k - 1) that keeps ``x``, and otherwise picks
one of all k alike: k-ary randomized response. Where ``x`` is none of the places, all score alike, and nothing is kept.
"""

from __future__ import annotations

from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.types import type_of
from lapwing.kernel.program.vocabulary import is_irrational
from lapwing.kernel.symbolic.terms import constant
from lapwing.source.arranging.counting_coins import above_zero
from lapwing.source.arranging.weighing import Weights, scaled
from lapwing.source.built_lists import ONE, ZERO, Block, Variables
from lapwing.source.real_chances import public_formula


def kept_or_any(mechanism: ir.Mechanism, body: Block, names: Variables) -> Block:
    """The body with a coin and an even pick for each such choice."""
    found: list[ir.Statement] = []
    for each in body:
        match each:
            case ir.Sample(_, "choose", (scores, scale)):
                lighter, above, below = Weights.of(mechanism, mechanism.body).of_all(_listed(body, scores))
                kept = _kept(mechanism, each, (lighter, scaled(scale, above, below)), names)
                if kept is not None and isinstance(scores, ir.Name):
                    found = _without(mechanism.body, found, scores.name, each)
                found += kept or (each,)
            case _:
                found.append(walk.with_blocks(each, lambda inner: kept_or_any(mechanism, inner, names)))
    return tuple(found)


def _listed(block: Block, scores: ir.Expression) -> ir.Expression:
    """The scores as one expression, also of a list that the block sets, or fills in a loop, and that stays as it is."""
    if not isinstance(scores, ir.Name):
        return scores
    settings = [each for each in walk.statements(block) if scores.name in walk.targets(each)]
    match [each for each in block if scores.name in walk.assigned((each,))]:
        case [ir.Assign(_, ir.Comprehension() as value)] if len(settings) == 1:
            made: ir.Expression = value
        case [ir.Assign(_, ir.ListOf(())), ir.For(ir.Range() as source, inside)] if len(settings) == 2:
            element = _appended(inside, scores.name)
            made = scores if element is None else ir.Comprehension(element, source, None)
        case _:
            return scores
    changing = {name for name in walk.assigned(block) if walk.assigned(block).count(name) > 1}
    return scores if walk.names(made) & changing else made


def _without(body: Block, block: list[ir.Statement], name: str, draw: ir.Sample) -> list[ir.Statement]:
    """What stands before a choice, without the making of its scores if nothing else reads what that sets."""
    making = [each for each in block if name in walk.assigned((each,))]
    gone = set(walk.assigned(making))
    reading = [each for each in walk.statements(body) if each not in [draw, *walk.statements(making)]]
    if gone & {other for each in reading for value in walk.expressions(each) for other in walk.names(value)}:
        return block
    return [each for each in block if each not in making]


def _appended(body: Block, name: str) -> ir.Expression | None:
    """What a round puts into a list: one of two values, by a test."""
    match body:
        case (ir.Append(listed, value),) if listed == name:
            return value
        case (ir.If(test, (ir.Append(one, then),), (ir.Append(other, otherwise),)),) if one == other == name:
            return ir.Conditional(test, then, otherwise)
        case (
            ir.Assign(item, otherwise),
            ir.If(test, (ir.Assign(again, then),), ()),
            ir.Append(listed, ir.Name(last)),
        ) if item == again == last and listed == name and item not in walk.names(test) | walk.names(then):
            return ir.Conditional(test, then, otherwise)
    return None


def _kept(
    mechanism: ir.Mechanism,
    draw: ir.Sample,
    arguments: tuple[ir.Expression, ir.Expression],
    names: Variables,
) -> Block | None:
    """The statements for a choice, if one place of it scores more than all others."""
    match arguments:
        case (
            ir.Comprehension(
                ir.Conditional(ir.Compare("==" | "!=" as symbol, left, right), one, other),
                ir.Range(place, start, count),
                None,
            ),
            scale,
        ) if start == ZERO:
            secret = right if left == ir.Name(place) else left
            high, low = (one, other) if symbol == "==" else (other, one)
        case _:
            return None
    if ir.Name(place) not in (left, right) or place in walk.names(secret) or place in walk.names(count):
        return None
    most, least = constant(high), constant(low)
    if most is None or least is None or most <= least:
        return None  # no chance is below 0
    if type_of(secret, names.types) != ir.Integer() or type_of(count, names.types) != ir.Integer():
        return None
    settings = {
        each.target: each.value
        for each in mechanism.body
        if isinstance(each, ir.Assign) and walk.assigned(mechanism.body).count(each.target) == 1
    }
    more = ir.Number(most - least)
    size, many = (public_formula(mechanism, each, settings) for each in (scale, count))
    if size is None or many is None or is_irrational(size):
        return None
    power = ir.Builtin("exp", (_over(mechanism, more, size),))
    below = ir.Arithmetic("-", ir.Arithmetic("+", power, many), ONE)
    chance = ir.Arithmetic("/", ir.Arithmetic("-", power, ONE), below)
    keep, pick = names.fresh("keep", ir.Boolean()), names.fresh("pick", ir.Integer())
    inside = (ir.Compare("<=", ZERO, secret), ir.Compare("<", secret, count))
    kept = ir.Conditional(ir.And((ir.Name(keep), *inside)), secret, ir.Name(pick))
    return (
        ir.Sample(keep, "flip", (chance,), draw.site, span=draw.span),
        ir.Sample(pick, "uniform", (count,), draw.site, span=draw.span),
        ir.Assign(draw.target, kept, span=draw.span),
    )


def _over(mechanism: ir.Mechanism, more: ir.Number, size: ir.Expression) -> ir.Expression:
    """How much more a place scores, by the scale: over ``1 / epsilon`` that is ``epsilon``, where it is not 0."""
    claim = mechanism.claim
    named = walk.names(claim.epsilon) if isinstance(claim, ir.PureClaim | ir.ApproximateClaim) else frozenset[str]()
    taken = {name for name in named if isinstance(getattr(mechanism.parameter(name), "type", None), ir.Real)}
    said = {name for each in mechanism.preconditions for name in walk.names(each)}
    known = {name for each in mechanism.preconditions for name in above_zero(each)} | (taken - said)
    match size:
        case ir.Arithmetic("/", above, ir.Name(name) as below) if name in known:
            times = below if more == ONE else ir.Arithmetic("*", more, below)
            return times if above == ONE else ir.Arithmetic("/", times, above)
    return ir.Arithmetic("/", more, size)
