"""What a call costs: the callee's bound, by its own certificate, with arguments in place of parameters."""

from __future__ import annotations

from collections.abc import Mapping

from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.prices.polynomials import Polynomial, Quotient, unknown
from lapwing.kernel.prices.prices import Parameters, Price, certain
from lapwing.kernel.program import ir


def price_of(call: ir.Call, callee: ir.Mechanism, bound: str, caller: Parameters) -> Price:
    """The price of ``call``, whose neighbours have to be the callee's; ``bound`` is the callee's own."""
    given: dict[str, Quotient] = {}
    pairs = list(zip(callee.parameters, call.arguments, strict=True))
    for parameter, argument in pairs:
        if parameter.private:
            given |= {f"len({parameter.name})": unknown(name) for name in _length(argument) & caller.names}
        elif isinstance(parameter.type, ir.Real | ir.Integer):
            given[parameter.name] = caller.of(argument)
        else:
            raise at(call, f"'{parameter.name}' is of a type that sensitivity proofs do not cover in calls")
    inner = Parameters(caller.terms, callee)
    for parameter, argument in pairs:
        if parameter.private:
            _same_neighbours(call, parameter, argument, caller, inner, given)
    stated = inner.read(bound)
    cost = _substituted(stated, given)
    reached = tuple(_substituted(inner.of(each.arguments[-1]), given) for each in certain(callee))
    # where its bound divides by 0 the callee's certificate shows nothing, also when the caller's arguments cancel that
    below = _substituted(Quotient(stated.below, Polynomial.of(1)), given)
    divisors = [below.above, below.below, cost.below, *(each.below for each in given.values())]
    if not caller.never_zero(reached, divisors):
        raise at(call, f"the bound of {callee.name} may divide by 0 here")
    if not caller.entailed(reached, [], cost):
        raise at(call, f"the bound of {callee.name} may be below 0 here")
    return Price(cost, reached)


def _length(argument: ir.Expression) -> set[str]:
    return {f"len({argument.name})"} if isinstance(argument, ir.Name) else set()


def _same_neighbours(
    call: ir.Call,
    parameter: ir.Parameter,
    argument: ir.Expression,
    caller: Parameters,
    inner: Parameters,
    given: Mapping[str, Quotient],
) -> None:
    """Refuse unless a private parameter is passed on as it came in, at the same distance."""
    own = caller.mechanism.parameter(argument.name) if isinstance(argument, ir.Name) else None
    if own is None or own.relation is None or parameter.relation is None or own.type != parameter.type:
        raise at(call, f"'{parameter.name}' is not filled with a private parameter as it is")
    if own.relation.kind != parameter.relation.kind or parameter.given is not None:
        raise at(call, f"neighbours in '{own.name}' are not those of '{parameter.name}'")
    if own.distance is not None and parameter.distance is not None:
        theirs = _substituted(inner.of(parameter.distance), given)
        if not caller.of(own.distance).agrees(theirs):
            raise at(call, f"neighbours in '{own.name}' are not as far apart as those of '{parameter.name}'")


def _substituted(value: Quotient, by: Mapping[str, Quotient]) -> Quotient:
    """``value`` with unknowns replaced by formulas."""

    def polynomial(part: Polynomial) -> Quotient:
        total = Quotient.of(0)
        for monomial, factor in part.terms.items():
            product = Quotient.of(factor)
            for name, power in monomial:
                if name not in by:
                    raise Unproved(f"{name} has no value in the caller")
                for _ in range(power):
                    product = product * by[name]
            total = total + product
        return total

    return polynomial(value.above) / polynomial(value.below)
