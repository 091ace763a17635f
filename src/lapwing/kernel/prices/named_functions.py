"""A mechanism with its ln, exp and sqrt taken for public parameters of which only inequalities are known.

Claim: let M(p) = M'(p, f(p)), where f computes a program's ``sqrt(2 * k)`` and the like from public parameters alone.
If M' has a bound for all values of its new parameters for which its new preconditions hold, so has M: what a run
computes satisfies them, as it is the real value rounded away from 0 (:mod:`lapwing.algebra.outward`), and where there
is no real value no run uses it, and some number satisfies them.

So no proof method has to know these functions. Preconditions speak of the real values (``outward_1 >= sqrt(k)``), which
only whoever adds up prices understands; others leave them out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal, TypeGuard

from lapwing.kernel.doubt import Unproved
from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.vocabulary import OUTWARD
from lapwing.kernel.symbolic.publics import over_parameters


def named(module: ir.Module, name: str) -> ir.Module:
    """The module with one mechanism's functions of public parameters named; a mechanism without any is as it was."""
    mechanism, _ = _named(module[name])
    return ir.Module(tuple(mechanism if each.name == name else each for each in module))


def meanings(mechanism: ir.Mechanism) -> dict[ir.Expression, ir.Expression]:
    """The real value that each name of the named mechanism stands for, rounded away from 0."""
    return _named(mechanism)[1]


def _named(mechanism: ir.Mechanism) -> tuple[ir.Mechanism, dict[ir.Expression, ir.Expression]]:
    found_meanings: dict[ir.Expression, ir.Expression] = {}
    taken = walk.taken(mechanism)
    while (found := _innermost(mechanism)) is not None:
        function, argument = found
        number = 1
        while (name := f"outward_{number}") in taken:
            number += 1
        taken.add(name)
        real = ir.Builtin(function.removeprefix("~"), (replaced(argument, found_meanings),))
        found_meanings[ir.Name(name)] = real
        parameter = ir.Parameter(name, ir.Real())
        given = _given(mechanism, function, argument)
        mechanism = _replaced(mechanism, function, argument, ir.Name(name))
        mechanism = replace(
            mechanism,
            parameters=(*mechanism.parameters, parameter),
            preconditions=(*mechanism.preconditions, *given, *_known(real.function, argument, ir.Name(name))),
        )
    return mechanism, found_meanings


def _innermost(mechanism: ir.Mechanism) -> tuple[str, ir.Expression] | None:
    """A function of public parameters that has none inside it, if there is one."""
    for part in walk.parts(mechanism.body):
        if isinstance(part, ir.Builtin) and part.function in OUTWARD:
            argument = _over_parameters(mechanism, part.arguments[0])
            if argument is not None:
                return part.function, argument
    return None


def _over_parameters(mechanism: ir.Mechanism, node: ir.Expression) -> ir.Expression | None:
    """The argument as a formula over public numbers; None where it is not one (or not yet: a function is inside)."""
    try:
        found = over_parameters(mechanism, node)
    except Unproved:
        return None
    for part in walk.nodes(found):
        match part:
            case ir.Number() | ir.Negate() | ir.Arithmetic():
                continue
            case ir.Builtin("len", (ir.Name(),)):
                continue
            case ir.Name(name):
                parameter = mechanism.parameter(name)
                plain = parameter is not None and (not parameter.private or isinstance(parameter.type, ir.List))
                if plain:
                    continue
        return None
    return found


def _replaced(mechanism: ir.Mechanism, function: str, argument: ir.Expression, by: ir.Name) -> ir.Mechanism:
    """The mechanism with a function of that argument, however it is written, replaced by a name."""
    same = (part for part in walk.parts(mechanism.body) if _is(part, mechanism, function, argument))
    meanings: dict[ir.Expression, ir.Expression] = dict.fromkeys(same, by)
    return replace(mechanism, body=walk.rewritten(mechanism.body, lambda each: replaced(each, meanings)))


def _is(part: ir.Node, mechanism: ir.Mechanism, function: str, argument: ir.Expression) -> TypeGuard[ir.Builtin]:
    """Whether a part of an expression is a function of an argument, however that is written."""
    if not isinstance(part, ir.Builtin) or part.function != function:
        return False
    return _over_parameters(mechanism, part.arguments[0]) == argument


def _given(mechanism: ir.Mechanism, function: str, argument: ir.Expression) -> Sequence[ir.Expression]:
    """That the argument has a value of the function, if every run that answers has computed it."""
    for statement in mechanism.body:
        if isinstance(statement, ir.If | ir.For | ir.While | ir.Return):
            expressions = walk.expressions(statement) if isinstance(statement, ir.Return) else ()
        else:
            expressions = walk.expressions(statement)
        for part in (part for each in expressions for part in _always(each)):
            if _is(part, mechanism, function, argument):
                return _defined(function, argument)
        if isinstance(statement, ir.If | ir.For | ir.While | ir.Return):
            break
    return ()


def _defined(function: str, argument: ir.Expression) -> Sequence[ir.Expression]:
    divisors = (part.right for part in walk.nodes(argument) if isinstance(part, ir.Arithmetic) and part.operator == "/")
    sound = [ir.Compare("!=", each, ir.ZERO) for each in divisors]
    symbol: dict[str, Literal[">", ">="]] = {"~ln": ">", "~sqrt": ">="}
    return [*sound, *([ir.Compare(symbol[function], argument, ir.ZERO)] if function in symbol else [])]


def _always(node: ir.Node) -> Iterator[ir.Node]:
    """The parts of an expression that are computed whenever it is: not those behind a condition."""
    yield node
    if not isinstance(node, ir.Conditional | ir.And | ir.Or | ir.Comprehension):
        for child in walk.children(node):
            yield from _always(child)


def _known(function: str, argument: ir.Expression, value: ir.Name) -> Sequence[ir.Expression]:
    """What holds of the value that a run computes."""
    real = ir.Builtin(function, (argument,))
    if function == "ln":  # away from 0: up where ln is not negative, and down where it is not positive
        return (
            ir.Or((ir.Compare("<", argument, ir.ONE), ir.Compare(">=", value, real))),
            ir.Or((ir.Compare(">", argument, ir.ONE), ir.Compare("<=", value, real))),
        )
    signs = ir.Compare(">=", value, ir.ZERO)
    if function == "sqrt":
        square = ir.Arithmetic("*", value, value)
        return signs, ir.Compare(">=", square, argument), ir.Compare(">=", value, real)
    return signs, ir.Compare(">=", value, real)
