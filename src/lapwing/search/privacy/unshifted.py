"""What both runs get without a shift: the same draw, or what a function among the parameters answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import z3  # type: ignore[import-untyped]  # z3 ships no type information

from lapwing.kernel.program import ir
from lapwing.kernel.relational.questions import function_of
from lapwing.search.privacy.blocked import Blocked
from lapwing.search.privacy.encoding import Entry, Pair, Scope, Truths
from lapwing.search.privacy.states import State, assigned
from lapwing.search.privacy.terms import ZERO

if TYPE_CHECKING:
    from lapwing.search.privacy.product import Product


def asked(runs: Product, statement: ir.Asking, state: State) -> State:
    """What a function among the parameters answers to what is released: known up to its distance."""
    for argument in statement.arguments[1:]:
        runs.same(argument, state, "the runs ask differently")
    parameter = function_of(runs.mechanism, statement)
    assert isinstance(parameter.type, ir.Oracle)  # noqa: S101  # it is one
    sort = sort_of(parameter.type.result)
    value, hat = runs.fresh(statement.target, sort), ZERO
    if isinstance(parameter.type.result, ir.Boolean):
        return assigned(state, statement.target, Truths(value, value))
    if parameter.distance is not None:
        hat = runs.fresh(f"hat({statement.target})", sort)
        most = runs.scope(state).number(parameter.distance).value
        runs.facts.extend((hat >= -most, hat <= most))
    return assigned(state, statement.target, Pair(value, hat))


def equal_draw(runs: Product, statement: ir.Sample, scope: Scope) -> Entry:
    """A draw from one law in both runs: coupled to be equal, at no cost."""
    if statement.kind == "flip":
        coin = runs.fresh(statement.target, z3.BoolSort())
        return Truths(coin, coin)
    if statement.kind == "uniform":
        number = runs.fresh(statement.target, z3.IntSort())
        runs.inputs.facts += [number >= 0, number < scope.number(statement.arguments[0]).value]
        return Pair(number, ZERO)
    raise Blocked(f"{statement.kind} has no shift", statement.span)


def sort_of(kind: ir.Type) -> z3.SortRef:
    """The sort of a number or truth value."""
    match kind:
        case ir.Integer():
            return z3.IntSort()
        case ir.Real():
            return z3.RealSort()
        case ir.Boolean():
            return z3.BoolSort()
    raise Blocked("only a number or truth value is compared with the ghost")
