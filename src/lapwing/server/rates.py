"""How often somebody may knock: counted in memory, and refused with 429 before any work is done."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from lapwing.server.statuses import too_many

#: So many names are remembered; beyond, those that have not come for longest are forgotten.
_MOST_NAMES = 10_000


@dataclass(slots=True)
class Rate:
    """``most`` at once, and then one more every ``seconds / most``, for each name."""

    most: int
    seconds: float
    what: str
    clock: Callable[[], float] = time.monotonic
    _spent: dict[str, tuple[float, float]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, name: str) -> None:
        """Counts one; refuses if it is one too many, and says when to come again."""
        with self._lock:
            level, now = self._level(name)
            if level + 1 > self.most:
                raise too_many(self.what, math.ceil((level + 1 - self.most) * self.seconds / self.most))
            self._keep(name, level + 1, now)

    def forgive(self, name: str) -> None:
        """Takes one back: what was counted before it was tried turned out to be right."""
        with self._lock:
            level, now = self._level(name)
            self._keep(name, max(0.0, level - 1), now)

    def _level(self, name: str) -> tuple[float, float]:
        now = self.clock()
        level, then = self._spent.get(name, (0.0, now))
        return max(0.0, level - (now - then) * self.most / self.seconds), now

    def _keep(self, name: str, level: float, now: float) -> None:
        self._spent.pop(name, None)  # to the end of the order in which names came
        self._spent[name] = (level, now)
        if len(self._spent) > _MOST_NAMES:
            del self._spent[next(iter(self._spent))]


@dataclass(frozen=True, slots=True)
class Rates:
    """What is limited: questions and quotes of an account; wrong passwords and tokens, by name and by address."""

    questions: Rate = field(default_factory=lambda: Rate(600, 60, "this account asked too many questions"))
    quotes: Rate = field(default_factory=lambda: Rate(1200, 60, "this account asked for too many prices"))
    #: refusals that are noted as events; what comes beyond is refused all the same, and fills no disk
    noted: Rate = field(default_factory=lambda: Rate(30, 300, "too many refusals to note"))
    #: of one name from one address, so that nobody can shut out somebody else from where they sit
    pairs: Rate = field(default_factory=lambda: Rate(10, 900, "there were too many wrong passwords for this name"))
    names: Rate = field(default_factory=lambda: Rate(100, 900, "there were too many wrong passwords for this name"))
    addresses: Rate = field(default_factory=lambda: Rate(30, 300, "there were too many wrong attempts from here"))
