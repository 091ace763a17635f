"""When an answer leaves: on a schedule that does not follow the data.

How long an engine works depends on the rows it reads, and somebody with a stopwatch would learn of them what no price
was paid for. So an answer that was paid for leaves at the first of a few moments that it is ready for: the pace, twice,
four times the pace and so on, until the time-out. A question tells at most which of these moments it was.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

from lapwing.errors import InvalidInput, LapwingError


@dataclass(frozen=True, slots=True)
class Schedule:
    """``pace`` and ``timeout`` in seconds after a question's turn has come."""

    pace: float = 2.0
    timeout: float = 64.0

    def __post_init__(self) -> None:
        if not 0 < self.pace <= self.timeout <= 3600:
            raise InvalidInput(
                "D133",
                "a pace is above 0 seconds, and at most the time-out, which is at most an hour",
                "Give --pace 2 --timeout 64, say",
            )

    def now(self) -> float:
        """The clock, in seconds."""
        return time.monotonic()

    async def wait(self, until: float) -> None:
        """Lets others work until the clock shows this."""
        await asyncio.sleep(until - self.now())

    def departure(self, ready: float) -> float:
        """When an answer leaves that is ready after so many seconds: pace · 2^k, or the time-out; both are public."""
        moment = self.pace
        while moment < ready:
            moment *= 2
        return min(moment, self.timeout) if ready <= self.timeout else moment

    def overdue(self) -> LapwingError:
        """What is said, at the time-out, of a question whose answer was not ready; a session adds that it was paid."""
        return LapwingError(
            "D128",
            f"the answer was not ready within {self.timeout:g} seconds",
            "Ask for less at a time, or have the curator serve with a longer --timeout",
        )
