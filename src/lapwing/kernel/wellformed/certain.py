"""Draws that are certain to be made: whoever has an answer has their scales, which are above 0."""

from __future__ import annotations

from lapwing.kernel.program import ir


def certain(mechanism: ir.Mechanism) -> list[ir.Sample]:
    """Draws with a scale that are made whenever there is an answer: those before anything that could prevent them."""
    found = []
    for statement in mechanism.body:
        match statement:
            case ir.Sample(
                kind="laplace" | "exponential" | "gaussian" | "discrete_laplace" | "discrete_gaussian" | "choose"
            ):
                found.append(statement)
            case ir.If() | ir.For() | ir.While() | ir.Return():
                break
    return found
