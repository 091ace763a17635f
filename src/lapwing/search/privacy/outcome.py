"""What an attempt at a proof comes to: steps and the bound they give, or the reason and the place where it stopped."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lapwing.kernel.evidence.certificate import Measure, Method
from lapwing.kernel.program import ir
from lapwing.kernel.program.printer import show
from lapwing.kernel.program.spans import NOWHERE, Span
from lapwing.search.privacy.suspects import Suspect

#: How a reason begins that an ``assert`` would take away.
ASSUMED = "it needs an assumption"


@dataclass(frozen=True, slots=True)
class Found:
    """A proof, not yet checked."""

    measure: Measure
    bound: str
    proof: Method
    delta: str | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """Why there is no proof, where it stopped, and on which inputs alignments broke."""

    reason: str
    span: Span = NOWHERE
    suspects: tuple[Suspect, ...] = ()


def claiming(module: ir.Module, name: str, claim: ir.Claim | None) -> ir.Module:
    """The module in which a mechanism has another claim, or none."""
    return ir.Module(tuple(replace(each, claim=claim) if each.name == name else each for each in module))


def claim_of(mechanism: ir.Mechanism) -> str | None:
    """The claim as a certificate repeats it; of (ε, δ), the ε."""
    match mechanism.claim:
        case ir.PureClaim(value) | ir.ZcdpClaim(value) | ir.ApproximateClaim(value):
            return show(value)
    return None


def claimed_delta(mechanism: ir.Mechanism) -> str | None:
    """The δ of a claim as a certificate repeats it."""
    return show(mechanism.claim.delta) if isinstance(mechanism.claim, ir.ApproximateClaim) else None
