"""How much work one distribution may take, and what is said when it would take more."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from lapwing.algebra.exact import shown
from lapwing.errors import InvalidInput
from lapwing.program.spans import Span

#: Loops inside loops may take this many times the rounds of one loop, all together.
_NESTED = 100
#: Exact numbers longer than this are growing without end.
_LONGEST = 20_000


@dataclass(frozen=True, slots=True)
class Limits:
    """States of one distribution, and rounds of one loop."""

    states: int = 3_000_000
    rounds: int = 10_000


#: Limits that ordinary mechanisms on small inputs stay within.
ORDINARY = Limits()


class TooLarge(InvalidInput):
    """The program needs more states, rounds or digits than the limits allow."""


class TooFar(TooLarge):
    """A number grew out of all bounds; whoever knows the place raises it again with one."""

    def __init__(self, span: Span | None = None) -> None:
        place = "" if span is None else f" at {span}"
        super().__init__("R104", f"a number of the program passed 2^62 lattice steps{place}", "Use smaller inputs")


@dataclass(slots=True)
class Rounds:
    """The rounds of all loops and comprehensions of one run."""

    limit: int
    spent: int = 0

    def spend(self, count: int, span: Span) -> None:
        """Count the rounds of a loop that is about to begin; refuses one that is too long."""
        self.spent += count
        if count > self.limit or self.spent > _NESTED * self.limit:
            raise endless(span, min(count, self.limit))


def endless(span: Span, count: int) -> TooLarge:
    """A loop that does not end in time."""
    return TooLarge(
        "R102",
        f"the loop at {span} has not ended after {count} rounds",
        "Give inputs on which it ends, or raise the limit with --max-rounds",
    )


def crowded(states: int, limit: int, what: str, span: Span) -> TooLarge:
    """More states than fit."""
    return TooLarge(
        "R101",
        f"{states} states are needed, above the limit of {limit}: {what} ({span})",
        "Use fewer or smaller inputs or a coarser lattice, or raise the limit with --max-states",
    )


def too_wide(scale: Fraction, span: Span) -> TooLarge:
    """Noise that no run draws."""
    problem = f"the noise scale {shown(scale)} at {span} is above 2^40 lattice steps"
    return TooLarge("R101", problem, "Use a smaller scale or a coarser lattice")


def bounded(number: Fraction) -> Fraction:
    """The number, unless it has grown too long to go on with."""
    if number.numerator.bit_length() + number.denominator.bit_length() > _LONGEST:
        raise TooFar
    return number
