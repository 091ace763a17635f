"""Places in a mechanism's source."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """From (line, column) up to (end_line, end_column). Lines and columns count from 1, in characters."""

    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.line}:{self.column}"


#: The place of a node that nobody wrote: built by a tool, or by a test.
NOWHERE = Span(0, 0, 0, 0)
