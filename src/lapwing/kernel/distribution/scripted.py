"""Adversaries who ask a fixed list of queries, whatever they are told: mechanisms with lists in place of functions.

The one idea: an adversary may ignore what he is told. So a mechanism that asks a function is as a special case one that
walks through a list of answers, which neighbours change by the same distance; what is lost there is lost. The k-th
question is answered with the k-th element, and with nothing (0 or False) when the list has come to its end.
"""

from __future__ import annotations

from dataclasses import replace

from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.neighbours import Relation
from lapwing.kernel.uncomputable import Uncomputable
from lapwing.kernel.wellformed.secrecy import with_variables


def scripted(module: ir.Module, name: str) -> ir.Module:
    """The module with lists in place of the functions that mechanism ``name`` asks."""
    mechanism = module[name]
    functions = [each.name for each in mechanism.parameters if isinstance(each.type, ir.Oracle)]
    if not functions:
        return module
    for each in walk.statements(mechanism.body):
        if isinstance(each, ir.Call) and any(walk.names(argument) & set(functions) for argument in each.arguments):
            raise Uncomputable(f"{each.mechanism} is handed a function, and asks how often it likes")
    taken = walk.taken(mechanism)
    counters = {each: walk.fresh(f"{each}_count", taken) for each in functions}
    starts = tuple(ir.Assign(counter, ir.ZERO) for counter in counters.values())

    def answered(statement: ir.Statement) -> walk.Block | None:
        match statement:
            case ir.Asking(target, (ir.Name(function), *_)):
                return _answered(mechanism, target, function, counters[function], statement)
        return None

    made = replace(
        mechanism,
        parameters=tuple(map(_parameter, mechanism.parameters)),
        body=(*starts, *walk.exchanged(mechanism.body, answered)),
        variables=(*mechanism.variables, *(ir.Variable(c, ir.Integer(), False, False) for c in counters.values())),
    )
    others = {each.name: each for each in module if each.name != name}
    return ir.Module((*others.values(), with_variables(made, others)))


def _parameter(parameter: ir.Parameter) -> ir.Parameter:
    if not isinstance(parameter.type, ir.Oracle):
        return parameter
    relation = parameter.relation and Relation("each", parameter.relation.distance)
    return replace(parameter, type=ir.List(parameter.type.result), relation=relation)


def _answered(
    mechanism: ir.Mechanism, target: str, function: str, counter: str, place: ir.Node
) -> tuple[ir.Statement, ...]:
    """The next element, and one question more."""
    parameter = mechanism.parameter(function)
    assert parameter is not None and isinstance(parameter.type, ir.Oracle)  # noqa: S101, PT018  # it is asked
    kind, count, answers = parameter.type.result, ir.Name(counter), ir.Name(function)
    nothing = ir.Truth(False) if isinstance(kind, ir.Boolean) else ir.ZERO
    inside = ir.Compare("<", count, ir.Builtin("len", (answers,)))
    value = ir.Conditional(inside, ir.Index(answers, count, kind), nothing, span=place.span)
    return (
        ir.Assign(target, value, span=place.span),
        ir.Assign(counter, ir.Arithmetic("+", count, ir.ONE), span=place.span),
    )
