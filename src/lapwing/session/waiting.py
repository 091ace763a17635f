"""A question that waits: checked for its road as far as that goes without data, and yet to be charged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from lapwing.engines import Progress
from lapwing.errors import InvalidInput
from lapwing.session.road import Inquiry, Road

R = TypeVar("R")
T = TypeVar("T", covariant=True)


@dataclass(frozen=True, slots=True)
class Ready(Generic[T]):
    """A question made ready for its road: all is computed that reads no data, and nothing is charged before `answer`.

    ``finish`` makes of what the road gives what the analyst is given.
    """

    road: Road
    question: Inquiry[Any, Any]
    finish: Callable[[Any], T]

    def then(self, more: Callable[[T], R]) -> Ready[R]:
        """The same question; more is made of its answer."""
        return Ready(self.road, self.question, lambda found: more(self.finish(found)))

    def kept(self) -> T | None:
        """The answer, where it was paid for before; refuses what would be refused in asking for it."""
        road, prices = self.road, self.road.prices(self.question)
        with road.ledger.during() as ledger:
            found = road.kept(self.question, prices, ledger, road.snapshot(ledger))
        return None if found is None else self.finish(found)

    def answer(self, progress: Progress | None = None) -> T:
        """The answer, charged; or for nothing, where it was paid for before."""
        if self.road.engine.closed:  # it could not answer
            raise InvalidInput("S147", "the session is closed, and nothing was charged", "Open the table again")
        return self.finish(self.road.answer(self.question, progress))
