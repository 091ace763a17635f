"""How a query is refused: a code, what and where, what to write instead, and the place underlined.

The one idea: nothing here has seen data. A refusal is made from the text and the policy alone, so it tells an
attacker nothing, and it is raised before anything is charged.
"""

from __future__ import annotations

import bisect
import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from lapwing.errors import InvalidInput, LapwingError, Unbounded

#: Longer names and lines are cut in messages.
_LONGEST_SHOWN = 120


class _Underlined(LapwingError):
    """A refusal that shows the line of SQL, with the place marked."""

    def __init__(self, code: str, problem: str, remedy: str, underlined: str = "") -> None:
        super().__init__(code, problem, remedy)
        self.underlined = underlined

    def __str__(self) -> str:
        return f"{super().__str__()}\n{self.underlined}" if self.underlined else super().__str__()


class InvalidQuery(_Underlined, InvalidInput):
    """SQL that is outside what can be answered."""


class UnboundedQuery(_Underlined, Unbounded):
    """SQL for which no bound on one person's influence follows from the policy."""


class Refuses(Protocol):
    """Somewhere in a query: what a rule needs in order to refuse what stands there."""

    def invalid(self, code: str, problem: str, remedy: str) -> InvalidQuery:
        """A refusal of something that has no meaning here."""

    def unbounded(self, code: str, problem: str, remedy: str) -> UnboundedQuery:
        """A refusal of something whose influence nothing bounds."""


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of a query's text, by offsets; it makes the refusals that point at it."""

    text: Text
    start: int
    end: int

    def __str__(self) -> str:
        line, column = self.text.position(self.start)
        return f"{line}:{column}"

    def invalid(self, code: str, problem: str, remedy: str) -> InvalidQuery:
        """A refusal of something that has no meaning here."""
        return InvalidQuery(code, f"{problem} ({self})", remedy, self.underlined)

    def unbounded(self, code: str, problem: str, remedy: str) -> UnboundedQuery:
        """A refusal of something whose influence nothing bounds."""
        return UnboundedQuery(code, f"{problem} ({self})", remedy, self.underlined)

    @property
    def underlined(self) -> str:
        """The line of SQL and carets under the place."""
        number, column = self.text.position(self.start)
        line = self.text.line(number)
        width = max(1, min(self.end - self.start, len(line) - column + 1))
        first = max(0, column - 1 - _LONGEST_SHOWN // 2)  # of a very long line, the part around the place
        shown = line[first : first + _LONGEST_SHOWN]
        # tabs stay tabs, so that the carets stand under the text whatever a tab's width is
        margin = "".join("\t" if letter == "\t" else " " for letter in line[first : column - 1])
        return f"    {shown}\n    {margin}{'^' * min(width, _LONGEST_SHOWN)}"


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a query, and where its lines begin."""

    sql: str
    starts: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "starts", (0, *(found.end() for found in re.finditer("\n", self.sql))))

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both from 1."""
        line = bisect.bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def line(self, number: int) -> str:
        """One line, without its break."""
        start = self.starts[number - 1]
        end = self.starts[number] if number < len(self.starts) else len(self.sql)
        return self.sql[start:end].rstrip("\r\n")

    def place(self, start: int, end: int) -> Place:
        """The stretch from ``start`` up to ``end``, kept inside the text."""
        first = max(0, min(start, len(self.sql)))
        return Place(self, first, max(first, min(end, len(self.sql))))

    @property
    def whole(self) -> Place:
        """The first line that has something on it."""
        start = len(self.sql) - len(self.sql.lstrip())
        return self.place(start, len(self.sql))


def quoted(name: str) -> str:
    """A name in a message: on one line, and not longer than a person reads."""
    plain = " ".join(name.split())
    return f"'{plain if len(plain) <= 40 else plain[:37] + '...'}'"


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name most like this one, as the end of a remedy; empty when none is."""
    spelled = {each.lower(): each for each in known}
    found = difflib.get_close_matches(name.lower(), spelled, n=1, cutoff=0.7)
    return f"; the nearest is {quoted(spelled[found[0]])}" if found else ""
