"""What a mechanism claims at given parameters, as numbers: the claim's expressions in ball arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from flint import arb

from lapwing.algebra.balls import Interval, ball, enclose
from lapwing.program import ir
from lapwing.program.evaluate import evaluate
from lapwing.program.walk import nodes
from lapwing.refute.distribution import Inputs

_IRRATIONAL = ("ln", "exp", "sqrt")


@dataclass(frozen=True, slots=True)
class ClaimValue:
    """ε, or (ε, δ), or ρ of zCDP, at given parameters."""

    kind: type[ir.PureClaim] | type[ir.ApproximateClaim] | type[ir.ZcdpClaim]
    value: Interval
    delta: Interval | None = None


def claim_value(mechanism: ir.Mechanism, inputs: Inputs) -> ClaimValue | None:
    """The mechanism's claim at these inputs (only public parameters and public lengths matter)."""
    types = {parameter.name: parameter.type for parameter in mechanism.parameters}
    match mechanism.claim:
        case None:
            return None
        case ir.PureClaim(epsilon):
            return ClaimValue(ir.PureClaim, enclosed(epsilon, inputs, types))
        case ir.ApproximateClaim(epsilon, delta):
            value = enclosed(epsilon, inputs, types)
            return ClaimValue(ir.ApproximateClaim, value, enclosed(delta, inputs, types))
        case ir.ZcdpClaim(rho):
            return ClaimValue(ir.ZcdpClaim, enclosed(rho, inputs, types))


def enclosed(node: ir.Expression, inputs: Inputs, types: dict[str, ir.Type]) -> Interval:
    """The number an expression stands for, exactly where it is rational."""
    variables = cast("dict[str, object]", dict(inputs))
    if not _irrational(node):
        return Interval.point(Fraction(evaluate(node, variables, types)))
    return enclose(lambda: _ball(node, variables, types))


def _irrational(node: ir.Expression) -> bool:
    return any(isinstance(part, ir.Builtin) and part.function in _IRRATIONAL for part in nodes(node))


def _ball(node: ir.Expression, variables: dict[str, object], types: dict[str, ir.Type]) -> arb:
    if not _irrational(node):
        return ball(Fraction(evaluate(node, variables, types)))
    match node:
        case ir.Negate(operand):
            return -_ball(operand, variables, types)
        case ir.Arithmetic(operator, left, right):
            a, b = _ball(left, variables, types), _ball(right, variables, types)
            return a + b if operator == "+" else a - b if operator == "-" else a * b if operator == "*" else a / b
        case ir.Builtin("ln", (argument,)):
            return _ball(argument, variables, types).log()
        case ir.Builtin("exp", (argument,)):
            return _ball(argument, variables, types).exp()
        case ir.Builtin("sqrt", (argument,)):
            return _ball(argument, variables, types).sqrt()
        case ir.Builtin("min" | "max" as choice, arguments) if len(arguments) > 1:
            parts = [_ball(argument, variables, types) for argument in arguments]
            best = parts[0]
            for part in parts[1:]:
                best = best.min(part) if choice == "min" else best.max(part)
            return best
        case ir.Conditional(condition, then, otherwise) if not _irrational(condition):
            return _ball(then if evaluate(condition, variables, types) else otherwise, variables, types)
        case _:
            # no other operation takes an irrational number to a number in the language
            raise AssertionError(node)
