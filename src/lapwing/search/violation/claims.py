"""What a mechanism claims: as text, and as numbers at given parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from lapwing.algebra.balls import Interval
from lapwing.errors import InvalidInput, LapwingError
from lapwing.kernel.program import ir
from lapwing.kernel.program.printer import show
from lapwing.kernel.run.claims import enclosed
from lapwing.search.violation.subject import Inputs


@dataclass(frozen=True, slots=True)
class ClaimValue:
    """ε, or (ε, δ), or ρ of zCDP, at given parameters."""

    kind: type[ir.PureClaim] | type[ir.ApproximateClaim] | type[ir.ZcdpClaim]
    value: Interval
    delta: Interval | None = None


def claim_value(mechanism: ir.Mechanism, inputs: Inputs) -> ClaimValue | None:
    """The mechanism's claim at these inputs (only public parameters and public lengths matter).

    A claim below 0 counts as 0: no loss is less, and a proof says nothing about such parameters but that.
    """
    values = cast("dict[str, object]", dict(inputs))
    try:
        return _claim_value(mechanism, values)
    except (LapwingError, ZeroDivisionError) as error:
        reason = error.problem if isinstance(error, LapwingError) else "it divides by zero"
        problem = f"the claim of {mechanism.name} has no value for these public parameters: {reason}"
        raise InvalidInput("R112", problem, "Set public parameters for which it has one") from None


def _claim_value(mechanism: ir.Mechanism, values: dict[str, object]) -> ClaimValue | None:
    match mechanism.claim:
        case None:
            return None
        case ir.PureClaim(epsilon):
            return ClaimValue(ir.PureClaim, enclosed(epsilon, values).or_zero())
        case ir.ApproximateClaim(epsilon, delta):
            value = enclosed(epsilon, values).or_zero()
            return ClaimValue(ir.ApproximateClaim, value, enclosed(delta, values).or_zero())
        case ir.ZcdpClaim(rho):
            return ClaimValue(ir.ZcdpClaim, enclosed(rho, values).or_zero())


def claim_text(claim: ir.Claim | None) -> str | None:
    """A claim as it is written in a decorator, without quotes."""
    match claim:
        case None:
            return None
        case ir.PureClaim(epsilon):
            return show(epsilon)
        case ir.ApproximateClaim(epsilon, delta):
            return f"({show(epsilon)}, {show(delta)})"
        case ir.ZcdpClaim(rho):
            return f"zcdp({show(rho)})"
