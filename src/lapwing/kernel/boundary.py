"""The one boundary: evidence from anywhere is judged here, and whatever it makes go wrong rejects it.

The one idea: to confirm nothing is always safe. A check says what it found only by returning; a doubt, a refusal, a
broken solver, a full stack and a spent limit all end as :class:`Rejected`, from this one list.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from lapwing.errors import LapwingError
from lapwing.kernel.program.spans import NOWHERE, Span
from lapwing.kernel.rejected import Rejected

V = TypeVar("V")
#: Seconds of computing that one check may take in all, whatever it is asked to confirm, and terms that it may build.
SECONDS, TERMS = 20.0, 400_000
#: What hostile evidence may break a checker or its solver with; the solver's own errors are RuntimeErrors.
DAMAGE = (
    ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError,
)  # fmt: skip
#: How many terms are built between two looks at the clock.
_STRIDE = 256


class Doubt(Exception):
    """Why evidence is not accepted: a step that does not follow, a number that is another; a sentence, unstopped."""


class Unproved(Doubt):
    """A condition of a proof that does not hold, or that could not be confirmed; a sentence without its full stop.

    ``problem`` is the sentence alone, ``span`` its place in the source.
    """

    def __init__(self, problem: str, span: Span = NOWHERE) -> None:
        super().__init__(f"line {span.line}: {problem}" if span.line else problem)
        self.problem = problem
        self.span = span


def judged(check: Callable[[], V]) -> V | Rejected:
    """What ``check`` shows; one doubt, and any damage, rejects."""
    try:
        return check()
    except Doubt as doubt:
        return Rejected(str(doubt))
    except LapwingError as error:
        return Rejected(f"{error.code} {error.problem}")
    except RecursionError:
        return Rejected("the evidence is nested too deep (RecursionError)")
    except DAMAGE as error:
        return Rejected(f"the check broke off with {type(error).__name__}, so nothing is shown")


@dataclass(slots=True)
class Limit:
    """The time and the terms that one check has in all, shared by everything it does."""

    seconds: float = SECONDS
    terms: int = TERMS
    built: int = 0
    _end: float = field(init=False)

    def __post_init__(self) -> None:
        self._end = time.thread_time() + self.seconds

    def left(self) -> float:
        """The seconds that are left; refuses the evidence when there are none."""
        left = self._end - time.thread_time()
        if left <= 0:
            raise Unproved(f"the check takes more than {self.seconds:g} seconds")
        return left

    def count(self) -> None:
        """Count one more term."""
        self.built += 1
        if self.built > self.terms:
            raise Unproved(f"the check needs more than {self.terms} terms")
        if self.built % _STRIDE == 0:
            self.left()
