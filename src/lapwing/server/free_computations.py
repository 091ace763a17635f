"""What is computed for nothing: prices, plans and checks, which read no data, each within some seconds of a processor.

The one idea: it is bounded for each account. One thing at a time is computed for somebody, the others of theirs wait,
and what takes too long is refused; so nobody can keep the machine from those who pay. The seconds are those of the
processor and not of the clock: a busy machine refuses nothing that an idle one would answer.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from starlette.concurrency import run_in_threadpool

from lapwing import watching
from lapwing.server.statuses import REFUSED, Refusal, too_many

Result = TypeVar("Result")
#: So many may wait for one account; a page asks anew at each pause in typing, and forgets the ones before.
MOST_WAITING = 64


@dataclass(slots=True)
class Computing:
    """At most ``seconds`` for each thing."""

    seconds: float = 10.0
    _turns: dict[str, asyncio.Lock] = field(default_factory=dict)
    _waiting: dict[str, int] = field(default_factory=dict)

    async def of(self, account: str, work: Callable[[], Result]) -> Result:
        """What the work gives, when it is its turn."""
        waiting = self._waiting.get(account, 0)
        if waiting >= MOST_WAITING:
            raise too_many("this account has too many prices under way", int(self.seconds))
        self._waiting[account] = waiting + 1
        try:
            async with self._turns.setdefault(account, asyncio.Lock()):
                return await run_in_threadpool(lambda: self._bounded(work))
        finally:
            self._waiting[account] -= 1
            if not self._waiting[account]:
                del self._waiting[account], self._turns[account]

    def _bounded(self, work: Callable[[], Result]) -> Result:
        start = time.thread_time()

        def watcher() -> None:
            if time.thread_time() - start > self.seconds:
                raise Refusal(
                    REFUSED,
                    "D139",
                    f"this takes more than {self.seconds:g} seconds to compute, and nothing was charged",
                    "Ask for fewer columns, or fewer questions, at a time",
                )

        with watching.watched(watcher):
            return work()
