"""An end to runs that do not end: a callable that hangs is interrupted some time after the audit should have ended.

The one idea: only the operating system can interrupt a function that never returns. Its alarm reaches the main thread
alone; elsewhere, and where somebody else has set an alarm, there is none, and Ctrl-C remains.
"""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

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


def _has_alarm() -> bool:
    here = threading.current_thread() is threading.main_thread()
    return here and hasattr(signal, "setitimer") and signal.getitimer(signal.ITIMER_REAL)[0] == 0.0


def _ring(_number: int, _frame: object) -> None:
    raise TimeIsUp
