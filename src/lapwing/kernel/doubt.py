"""Why a proof is not accepted."""

from __future__ import annotations

from lapwing.kernel.boundary import Doubt
from lapwing.kernel.program import ir
from lapwing.kernel.program.spans import NOWHERE, Span


class Unproved(Doubt):
    """A condition of a proof that does not hold, or that could not be confirmed; a sentence without its full stop.

    ``problem`` is the sentence alone, ``span`` its place in the source.
    """

    def __init__(self, problem: str, span: Span = NOWHERE) -> None:
        super().__init__(f"line {span.line}: {problem}" if span.line else problem)
        self.problem = problem
        self.span = span


def at(node: ir.Node, problem: str) -> Unproved:
    """``problem`` at its place in the source, if it has one there."""
    return Unproved(problem, node.span)
