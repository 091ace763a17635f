"""Every error Lapwing raises on purpose.

::

    LapwingError                 anything Lapwing refuses; has .code, .problem and .remedy
    ├── InvalidInput             a parameter, expression or value that has no meaning here (also a ValueError)
    │   └── InvalidProgram       a mechanism's source that is outside the language; shows the place, underlined
    ├── Unbounded                the input has a meaning, but no finite privacy bound can be proved for it
    ├── NotComparable            two claims about different neighbours or units were about to be mixed
    ├── BudgetExceeded           the request costs more than what is left; nothing was charged
    └── MissingExtra             an optional dependency is not installed (also an ImportError)

An error reads ``CODE what was refused. What to do.`` on one line. It may quote *parameters* (they are
public); it never quotes a value of the private table. Each code is listed in ``docs/reference/errors.md``,
and a test keeps that list whole.
"""

from __future__ import annotations


class LapwingError(Exception):
    """A refusal with a code, the problem and the remedy: sentences without their full stops; a question has one."""

    def __init__(self, code: str, problem: str, remedy: str) -> None:
        super().__init__(code, problem, remedy)
        self.code = code
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.code} {self.problem}. {self.remedy}{'' if self.remedy.endswith('?') else '.'}"

    def _render_traceback_(self) -> list[str]:
        """In a notebook: the message and the underlined place, not a stack that may show what a frame holds."""
        return str(self).splitlines()


class InvalidInput(LapwingError, ValueError):
    """A parameter, expression or value that has no meaning where it was given."""


class InvalidProgram(InvalidInput):
    """A mechanism that is outside the language; ``place`` is the underlined source, on lines of its own.

    What refuses a program that is already read knows only ``where`` it was written; whoever has the text underlines it.
    """

    def __init__(self, code: str, problem: str, remedy: str, place: str = "", where: object = None) -> None:
        super().__init__(code, problem, remedy)
        self.place = place
        self.where = where

    def __str__(self) -> str:
        return f"{super().__str__()}\n{self.place}" if self.place else super().__str__()


class Unbounded(LapwingError):
    """No finite privacy bound can be proved, so the request is refused rather than guessed."""


class NotComparable(LapwingError):
    """Two claims about different neighbour notions or units were about to be mixed."""


class BudgetExceeded(LapwingError):
    """The request costs more than what is left. Nothing was charged."""


class MissingExtra(LapwingError, ImportError):
    """An optional dependency is needed and not installed."""
