"""What a call costs: the callee's bound, by its own certificate, with arguments in place of parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress

from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.prices.polynomials import Polynomial, Quotient
from lapwing.kernel.prices.prices import Parameters, Price
from lapwing.kernel.program import ir, walk
from lapwing.kernel.symbolic.publics import over_parameters
from lapwing.kernel.wellformed.certain import certain

#: What stands in a callee's formulas, and what the caller gives for it.
Given = Mapping[ir.Expression, ir.Expression]
#: Whether an argument that is no formula over public parameters is known to all.
Known = Callable[[ir.Expression], bool]


def price_of(
    call: ir.Call, callee: ir.Mechanism, bound: str, caller: Parameters, known: Known = lambda _: False
) -> Price:
    """The price of ``call``, whose neighbours have to be the callee's; ``bound`` is the callee's own."""
    inner, given = Parameters(caller.terms, callee), _given(call, callee, caller, known)
    for parameter, argument in zip(callee.parameters, call.arguments, strict=True):
        if parameter.private:
            _same_neighbours(call, parameter, argument, caller, inner, given)
    reached = tuple(_scales(callee, caller, given))
    cost = _inside(call, bound, inner, caller, given, reached)
    if not caller.entailed(reached, [], cost):
        raise at(call, f"the bound of {callee.name} may be below 0 here")
    return Price(cost, reached)


def delta_of(call: ir.Call, callee: ir.Mechanism, delta: str, caller: Parameters, known: Known) -> Quotient:
    """The δ of a call, where the callee's own is ``delta``."""
    given = _given(call, callee, caller, known)
    reached = tuple(_scales(callee, caller, given))
    return _inside(call, delta, Parameters(caller.terms, callee), caller, given, reached)


def _given(call: ir.Call, callee: ir.Mechanism, caller: Parameters, known: Known) -> Given:
    """The formulas that numbers and lengths among the callee's parameters are given as."""
    given: dict[ir.Expression, ir.Expression] = {}
    for parameter, argument in zip(callee.parameters, call.arguments, strict=True):
        if isinstance(argument, ir.Name) and f"len({argument.name})" in caller.names:
            given[ir.Builtin("len", (ir.Name(parameter.name),))] = ir.Builtin("len", (argument,))
        if parameter.private:
            continue
        try:
            caller.of(argument)
        except Unproved:
            if not known(argument):
                raise
        else:
            if isinstance(parameter.type, ir.Real | ir.Integer):
                given[ir.Name(parameter.name)] = argument
    return given


def _inside(
    call: ir.Call, text: str, inner: Parameters, caller: Parameters, given: Given, reached: tuple[Quotient, ...]
) -> Quotient:
    """A formula of the callee as one of the caller."""
    value = _meant(formula(text), caller, given)
    # where its bound divides by 0 the callee's certificate shows nothing, also when the caller's arguments cancel that
    below = _meant(_written(inner.read(text).below), caller, given)
    arguments = [caller.of(each) for each in given.values()]
    if not caller.never_zero(reached, [below.above, below.below, value.below, *(each.below for each in arguments)]):
        raise at(call, f"the bound of {inner.mechanism.name} may divide by 0 here")
    return value


def _meant(node: ir.Expression, caller: Parameters, given: Given) -> Quotient:
    """What a formula over the callee's parameters is for the caller, who may use the same names for something else."""
    marked = {key: ir.Name(f"%given{number}") for number, key in enumerate(given)}
    open_formula = replaced(node, dict(marked))
    if walk.names(open_formula) - {each.name for each in marked.values()}:
        raise Unproved("a bound speaks of what has no formula in the caller")
    return caller.of(replaced(open_formula, {marked[key]: value for key, value in given.items()}))


def _scales(callee: ir.Mechanism, caller: Parameters, given: Given) -> list[Quotient]:
    """The scales of noise that is drawn whenever the callee answers, as far as they are formulas of the caller."""
    found = []
    for draw in certain(callee):
        with suppress(Unproved):
            found.append(_meant(over_parameters(callee, draw.arguments[-1]), caller, given))
    return found


def _written(value: Polynomial) -> ir.Expression:
    """A polynomial as a formula."""
    total: ir.Expression = ir.ZERO
    for monomial, factor in value.terms.items():
        size: ir.Expression = ir.Number(abs(factor))
        product = ir.Negate(size) if factor < 0 else size
        for name, power in monomial:
            for _ in range(power):
                product = ir.Arithmetic("*", product, formula(name))
        total = ir.Arithmetic("+", total, product)
    return total


def _same_neighbours(
    call: ir.Call,
    parameter: ir.Parameter,
    argument: ir.Expression,
    caller: Parameters,
    inner: Parameters,
    given: Given,
) -> None:
    """Refuse unless a private parameter is passed on as it came in, at the same distance."""
    own = caller.mechanism.parameter(argument.name) if isinstance(argument, ir.Name) else None
    if own is None or own.relation is None or parameter.relation is None or own.type != parameter.type:
        raise at(call, f"'{parameter.name}' is not filled with a private parameter as it is")
    if own.relation.kind != parameter.relation.kind or parameter.given is not None:
        raise at(call, f"neighbours in '{own.name}' are not those of '{parameter.name}'")
    if own.distance is not None and parameter.distance is not None:
        inner.of(parameter.distance)  # a formula of the callee
        if not caller.of(own.distance).agrees(_meant(parameter.distance, caller, given)):
            raise at(call, f"neighbours in '{own.name}' are not as far apart as those of '{parameter.name}'")
