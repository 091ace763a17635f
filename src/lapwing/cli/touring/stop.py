"""What a stop of the tour is, and the few things that all of them print with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from lapwing.cli.touring.clinic import Clinic


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen at a stop: for people, and as figures for programs."""

    body: tuple[RenderableType, ...]
    figures: dict[str, object]


@dataclass(frozen=True, slots=True)
class Stop:
    """A question, what is done meanwhile, and the function that finds the answer."""

    question: str
    task: str
    visit: Callable[[Clinic], Seen]


@dataclass(frozen=True, slots=True)
class Indented:
    """Something to print, moved to the right; unlike Rich's padding it leaves no blanks at the ends of lines."""

    part: RenderableType
    by: int = 3

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Its lines, each behind a margin."""
        for line in console.render_lines(self.part, options.update_width(options.max_width - self.by), pad=False):
            while line and not line[-1].text.strip():
                line.pop()
            if line:
                last = line.pop()
                yield from (Segment(" " * self.by), *line, Segment(last.text.rstrip(), last.style, last.control))
            yield Segment.line()


def words(*sentences: str) -> Text:
    """A paragraph."""
    return Text(" ".join(sentences))


def code(text: str, language: str) -> Syntax:
    """A program, as it is."""
    return Syntax(text.rstrip(), language, background_color="default", word_wrap=True)


def query(text: str) -> Syntax:
    """A query, with its clauses on lines of their own."""
    for clause in (" WHERE ", " GROUP BY "):
        text = text.replace(clause, f"\n{clause.lstrip()}")
    return code(text, "sql")


def grid(columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[str | Text]]) -> Table:
    """A plain table; each column has a heading, and is ``left``, ``right`` or ``folded`` where it does not fit."""
    table = Table(box=None, padding=(0, 3, 0, 0), header_style="dim")
    for heading, side in columns:
        table.add_column(heading, justify="right" if side == "right" else "left", no_wrap=side != "folded")
    for row in rows:
        table.add_row(*row)
    return table
