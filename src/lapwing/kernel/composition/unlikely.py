"""A coin that seldom comes up: what happens then costs its probability in δ, and nothing in ε.

Claim: let a mechanism flip a coin of public bias p, once on every run, and let it be (ε, δ)-private where the coin is
False. Then it is (ε, δ + p)-private. For with V and F the probabilities of a set of answers with and without the word
"where the coin is False": V₁ ≤ p + (1 - p) F₁ ≤ p + (1 - p) (e^ε F₂ + δ) ≤ p + e^ε V₂ + δ, as (1 - p) F₂ ≤ V₂. This is
*up to bad* ([BFGGHS16]) for an event that is no tail. A coin that only some runs flip would not do: (1 - p) F₂ ≤ V₂
needs both runs to have flipped it.
"""

from __future__ import annotations

from dataclasses import replace

from lapwing.kernel.doubt import Unproved
from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.program import ir, walk
from lapwing.kernel.wellformed.modules import remade

_NO = ir.Truth(False)


def coin_of(mechanism: ir.Mechanism) -> ir.Sample:
    """The first coin of the body, which every run flips once."""
    for statement in mechanism.body:
        if isinstance(statement, ir.Sample) and statement.kind == "flip":
            settings = [each for each in walk.statements(mechanism.body) if statement.target in walk.targets(each)]
            if len(settings) == 1:
                return statement
            break
        if any(isinstance(each, ir.Return) for each in walk.statements((statement,))):
            break
    raise Unproved("there is no coin that every run flips once")


def without_coin(module: ir.Module, mechanism: ir.Mechanism) -> ir.Module:
    """The mechanism, without its claim, where its first coin is False."""
    coin = coin_of(mechanism)
    body = tuple(each for each in mechanism.body if each is not coin)
    certain = walk.rewritten(body, lambda each: _settled(replaced(each, {ir.Name(coin.target): _NO})))
    return remade(module, replace(mechanism, body=_pruned(certain), claim=None))


def _settled(node: ir.Expression) -> ir.Expression:
    """An expression whose test is known."""
    match node:
        case ir.Not(ir.Truth(value)):
            return ir.Truth(not value)
        case ir.Conditional(ir.Truth(value), then, otherwise):
            return _settled(then if value else otherwise)
    return node


def _pruned(block: tuple[ir.Statement, ...]) -> tuple[ir.Statement, ...]:
    """The block without the sides of branches that are never gone, and what comes behind an answer."""
    found: list[ir.Statement] = []
    for each in block:
        match each:
            case ir.If(ir.Truth(value), then, otherwise):
                found += _pruned(then if value else otherwise)
            case _:
                found.append(walk.with_blocks(each, _pruned))
        if found and isinstance(found[-1], ir.Return | ir.Break | ir.Continue):
            break
    return tuple(found)
