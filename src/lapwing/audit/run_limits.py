"""An end to runs that do not end, and none for us: a callable that hangs is interrupted, one that leaves is kept.

The one idea: only the operating system can interrupt a function that never returns. Its alarm reaches the main thread
alone; elsewhere, and where somebody else has set an alarm, there is none, and Ctrl-C remains. A run that ends the whole
process with 0 would say *not refuted* in our name, so that is an exception while runs are made.
"""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

#: Seconds after the deadline before a run is interrupted: a slow one may still come back.
GRACE = 3.0


class TimeIsUp(BaseException):
    """The deadline passed before all runs were done; the runs that were done are thrown away.

    No ``Exception``: what a callable catches and hides must not be this.
    """


def is_for_us(error: BaseException) -> bool:
    """Whether what a run raised is no answer of the callable: Ctrl-C, the deadline, or a word of the test runner."""
    of_pytest = any(each.__module__.startswith("_pytest.") for each in type(error).__mro__)
    return of_pytest or isinstance(error, KeyboardInterrupt | TimeIsUp)


@contextmanager
def patience(deadline: float) -> Iterator[None]:
    """Raise TimeIsUp in what runs inside, a little after the deadline (of ``time.monotonic``)."""
    if not _has_alarm() or math.isinf(deadline):
        yield
        return
    before = signal.signal(signal.SIGALRM, _ring)
    signal.setitimer(signal.ITIMER_REAL, max(0.0, deadline - time.monotonic()) + GRACE, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def staying() -> Iterator[None]:
    """Make ``os._exit`` an exception in what runs inside; processes that a run starts leave as they like."""
    leave, here = os._exit, os.getpid()

    def left(status: int) -> NoReturn:
        if os.getpid() == here:
            raise SystemExit(status)
        leave(status)

    os._exit = left
    try:
        yield
    finally:
        os._exit = leave


def _has_alarm() -> bool:
    here = threading.current_thread() is threading.main_thread()
    return here and hasattr(signal, "setitimer") and signal.getitimer(signal.ITIMER_REAL)[0] == 0.0


def _ring(_number: int, _frame: object) -> None:
    raise TimeIsUp
