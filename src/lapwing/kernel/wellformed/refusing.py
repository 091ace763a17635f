"""The error that refuses a program at a place."""

from __future__ import annotations

from lapwing.errors import InvalidProgram
from lapwing.kernel.program.spans import Span


def refused(code: str, span: Span, problem: str, remedy: str) -> InvalidProgram:
    """The refusal; whoever has the source shows the place."""
    return InvalidProgram(code, f"{problem} ({span})", remedy, where=span)
