"""The text of a program, and how to show a place in it to a person."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lapwing.kernel.program.spans import Span


@dataclass(frozen=True, slots=True)
class Source:
    """The text a program was read from, and the name to call it by (a path, or ``<text>``)."""

    text: str
    name: str = "<text>"
    lines: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", self.text.removeprefix("\ufeff"))  # the mark some editors begin files with
        # the line breaks that Python itself counts; splitlines() would also split at form feeds
        object.__setattr__(self, "lines", tuple(re.split(r"\r\n|\r|\n", self.text)))

    def line(self, number: int) -> str:
        """Line ``number`` of the text, without its line break; empty where there is none."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""

    def underline(self, span: Span) -> str:
        """The place, the line of source and carets under the part meant, on three lines."""
        text = self.line(span.line)
        end = span.end_column if span.end_line == span.line else len(text) + 1
        # tabs stay tabs, so that the carets stand under the text whatever a tab's width is
        margin = "".join("\t" if letter == "\t" else " " for letter in text[: span.column - 1])
        carets = "^" * max(1, end - span.column)
        return f"  {self.name}:{span}\n    {text}\n    {margin}{carets}"
