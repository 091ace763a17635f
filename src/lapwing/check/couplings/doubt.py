"""Why a proof is not accepted."""

from __future__ import annotations

from lapwing.program import ir


class Unproved(Exception):
    """A condition of a proof that does not hold, or that could not be confirmed; a sentence without its full stop."""


def at(node: ir.Node, problem: str) -> Unproved:
    """``problem`` at its place in the source, if it has one there."""
    return Unproved(f"line {node.span.line}: {problem}" if node.span.line else problem)
