"""What a mechanism claims: as text, and as numbers at given parameters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from lapwing.algebra.balls import Interval
from lapwing.errors import InvalidInput, LapwingError
from lapwing.kernel.program import ir
from lapwing.kernel.program.printer import show
from lapwing.kernel.run.claim_values import enclosed
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
    hidden = {each.name for each in mechanism.parameters if each.private}
    known = tuple(
        (name, (0,) * len(value) if name in hidden and isinstance(value, tuple) else value)
        for name, value in inputs.items()
    )
    try:
        return _claim_value(mechanism.claim, known)
    except (LapwingError, ZeroDivisionError) as error:
        reason = error.problem if isinstance(error, LapwingError) else "it divides by zero"
        problem = f"the claim of {mechanism.name} has no value for these public parameters: {reason}"
        raise InvalidInput("R112", problem, "Set public parameters for which it has one") from None


def _claim_value(claim: ir.Claim | None, known: tuple[tuple[str, object], ...]) -> ClaimValue | None:
    match claim:
        case None:
            return None
        case ir.PureClaim(epsilon):
            return ClaimValue(ir.PureClaim, _enclosed(epsilon, known))
        case ir.ApproximateClaim(epsilon, delta):
            return ClaimValue(ir.ApproximateClaim, _enclosed(epsilon, known), _enclosed(delta, known))
        case ir.ZcdpClaim(rho):
            return ClaimValue(ir.ZcdpClaim, _enclosed(rho, known))


@lru_cache(maxsize=4096)  # a search asks for every finding, and its public parameters are nearly always the same
def _enclosed(expression: ir.Expression, known: tuple[tuple[str, object], ...]) -> Interval:
    return enclosed(expression, dict(known)).or_zero()


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
