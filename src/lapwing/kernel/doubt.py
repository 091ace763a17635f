"""Why a proof is not accepted, and where."""

from __future__ import annotations

from lapwing.kernel.boundary import Unproved as Unproved
from lapwing.kernel.program import ir


def at(node: ir.Node, problem: str) -> Unproved:
    """``problem`` at its place in the source, if it has one there."""
    return Unproved(problem, node.span)
