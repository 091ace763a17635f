"""What an attempt at a proof comes to: steps and the bound they give, or the reason and the place where it stopped."""

from __future__ import annotations

from dataclasses import dataclass

from lapwing.evidence.certificate import Measure, Method
from lapwing.program import ir
from lapwing.program.printer import show
from lapwing.program.spans import NOWHERE, Span
from lapwing.prove.suspects import Suspect


@dataclass(frozen=True, slots=True)
class Found:
    """A proof, not yet checked."""

    measure: Measure
    bound: str
    proof: Method


@dataclass(frozen=True, slots=True)
class Failed:
    """Why there is no proof, where it stopped, and on which inputs alignments broke."""

    reason: str
    span: Span = NOWHERE
    suspects: tuple[Suspect, ...] = ()


def claim_of(mechanism: ir.Mechanism) -> str | None:
    """The claim as a certificate repeats it."""
    match mechanism.claim:
        case ir.PureClaim(value) | ir.ZcdpClaim(value):
            return show(value)
    return None
