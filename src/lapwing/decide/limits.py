"""A limit on what one question may take: seconds of computing, so that a busy machine changes no verdict."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

#: Where the alarm was swallowed, or rang in a destructor, it rings again after so many seconds.
AGAIN, SOON = 0.5, 0.01


class OutOfTime(Exception):
    """The time limit of one mechanism passed."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise OutOfTime in the body after some seconds of computing, where the system can: load changes no verdict."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    late = False

    def passed(_number: int, frame: FrameType | None) -> None:
        nonlocal late
        if _destroying(frame):
            signal.setitimer(signal.ITIMER_PROF, SOON, AGAIN)
            return
        late = True
        raise OutOfTime

    before = signal.signal(signal.SIGPROF, passed)
    signal.setitimer(signal.ITIMER_PROF, seconds, AGAIN)
    try:
        yield
    except Exception as error:
        if late:  # raised inside the solver's bindings, it may come out as something else
            raise OutOfTime from error
        raise
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _destroying(frame: FrameType | None) -> bool:
    """Whether a destructor is at work, from which nothing can be raised: Python would print it and go on."""
    while frame is not None:
        if frame.f_code.co_name == "__del__":
            return True
        frame = frame.f_back
    return False
