"""Where a reading is, public ways through a mechanism, and what is released on each."""

from __future__ import annotations

from dataclasses import dataclass

from lapwing.kernel.folds.values import Value
from lapwing.kernel.program import ir
from lapwing.kernel.symbolic.terms import Term


@dataclass(frozen=True, slots=True)
class Released:
    """A total made public by noise of ``scale``; ``each`` is what one record adds to it.

    For a choice among scores, ``other`` is what the record adds to another score, and the difference counts.
    """

    draw: ir.Sample
    scale: Term
    each: Term
    other: Term | None = None
    loose: bool = False


@dataclass(frozen=True, slots=True)
class Rounds:
    """A public loop of ``count`` rounds, each of which goes one of ``ways``; ``number`` is the unknown of a round."""

    count: Term
    number: str
    #: unknowns with a higher number are the round's own
    since: int
    ways: tuple[Way, ...]


@dataclass(frozen=True, slots=True)
class Way:
    """What holds on a way through the program, and what is released on it."""

    known: tuple[Term, ...] = ()
    released: tuple[Released | Rounds, ...] = ()


@dataclass(slots=True)
class Reading:
    """Where a reading is: what variables hold, what is known, what was released, which noise is used up."""

    values: dict[str, Value]
    known: tuple[Term, ...] = ()
    released: tuple[Released | Rounds, ...] = ()
    used: frozenset[int] = frozenset()

    def knowing(self, *facts: Term) -> Reading:
        """The same, where more is known."""
        return Reading(dict(self.values), (*self.known, *facts), self.released, self.used)
