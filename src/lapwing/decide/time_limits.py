"""A limit on what one question may take: seconds of computing, so that a busy machine changes no verdict.

Whoever waits for the answer may limit the seconds that pass, too. What may forget the time, as solvers do over some
polynomials, or abort, computes in a process of its own, which is ended; what it had said by then is kept.
"""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

from lapwing.kernel.confined import WAITING, apart

V = TypeVar("V")
#: Where the alarm was swallowed, or rang in a destructor, it rings again after so many seconds.
AGAIN, SOON = 0.5, 0.01
#: Seconds in which a process that has heard that its time is over says its last word.
GRACE = 1.0


class OutOfTime(Exception):
    """The time limit of one mechanism passed."""


def computed() -> float:
    """The seconds of computing so far, of this process and of those that it started and that have ended."""
    return sum(os.times()[:4])


def last_in_time(steps: Callable[[], Iterable[V]], seconds: float, wall: float | None = None) -> tuple[V | None, bool]:
    """The last of some steps that was made within the limits, and whether they were too short for all of them."""

    def taken(say: Callable[[V], None]) -> None:
        with time_limit(seconds, wall):
            for step in steps():
                say(step)

    waiting = WAITING * seconds if wall is None else max(wall, SOON)
    heard = apart(taken, seconds + GRACE, waiting + GRACE)
    if heard.error is not None and not isinstance(heard.error, OutOfTime):
        raise heard.error
    return heard.said[-1] if heard.said else None, not heard.ended


@contextmanager
def time_limit(seconds: float, wall: float | None = None) -> Iterator[None]:
    """Raise OutOfTime in the body after some seconds of computing, or ``wall`` seconds, where the system can."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    late = False

    clocks = [(signal.SIGPROF, signal.ITIMER_PROF, seconds)]
    clocks += [] if wall is None else [(signal.SIGALRM, signal.ITIMER_REAL, max(wall, SOON))]

    def passed(number: int, frame: FrameType | None) -> None:
        nonlocal late
        if _destroying(frame):
            signal.setitimer(next(timer for heard, timer, _ in clocks if heard == number), SOON, AGAIN)
            return
        late = True
        raise OutOfTime

    before = [signal.signal(heard, passed) for heard, _, _ in clocks]
    for _, timer, length in clocks:
        signal.setitimer(timer, length, AGAIN)
    try:
        yield
    except Exception as error:
        if late:  # raised inside the solver's bindings, it may come out as something else
            raise OutOfTime from error
        raise
    finally:
        for (heard, timer, _), handler in zip(clocks, before, strict=True):
            signal.setitimer(timer, 0)
            signal.signal(heard, handler)


def _destroying(frame: FrameType | None) -> bool:
    """Whether a destructor, or who listens to them, is at work: Python would print what is raised there and go on.

    What the solver has half made has a destructor that fails, too, and what it calls back prints as they do.
    """
    listeners = [getattr(each, "__code__", None) for each in gc.callbacks]
    while frame is not None:
        code = frame.f_code
        if (
            code.co_name == "__del__"
            or code in listeners
            or (code.co_name in ("__init__", "z3_error_handler") and code.co_filename.endswith("z3.py"))
        ):
            return True
        frame = frame.f_back
    return False
