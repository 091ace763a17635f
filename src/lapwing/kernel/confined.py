"""A check in a process of its own, so that nothing in a hostile file can keep the caller waiting or fill its memory.

The one idea: no limit inside a process holds for all that it calls: a solver may think about one polynomial for an hour
without looking at the clock. A child that has used up its seconds of computing is ended by the system, and a check that
did not end has shown nothing.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from lapwing.kernel.rejected import Rejected

V = TypeVar("V")
#: Seconds of computing that one check may take, and how many times as long the caller waits on a busy machine.
SECONDS, WAITING = 8.0, 20
#: Bytes that one check may ask for, beyond what the process has.
MEMORY = 2 << 30


def confined(check: Callable[[], V], seconds: float | None = None) -> V | Rejected:
    """What ``check`` gives, or raises; rejected if it takes too long. Without processes that fork, it runs here."""
    seconds = seconds or SECONDS
    if not hasattr(os, "fork"):
        return check()
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # the child touches nothing that another thread may hold, and is ended if it waits
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        _answer(check, seconds, writing)
    os.close(writing)
    try:
        answer = _received(reading, WAITING * seconds)
    finally:
        os.close(reading)
        os.kill(child, signal.SIGKILL)  # it has answered, or never will
        os.waitpid(child, 0)
    if answer is None:
        return Rejected(f"the check takes more than {seconds:g} seconds, or more memory than it may")
    given, error = pickle.loads(answer)  # noqa: S301  # written by our own child
    if error is not None:
        raise error
    return given  # type: ignore[no-any-return]  # what check gave


def _answer(check: Callable[[], object], seconds: float, writing: int) -> None:
    """In the child: check within the limits, write down what came of it, and end without a trace."""
    try:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # what a library says as it dies is of no use to people
        _limit_memory()
        answer: tuple[object, Exception | None]
        try:
            answer = check(), None
        except Exception as error:
            answer = None, error
        signal.setitimer(signal.ITIMER_PROF, 0)
        with os.fdopen(writing, "wb") as pipe:
            pickle.dump(answer, pipe)
            pipe.write(_WHOLE)
    finally:
        os._exit(0)


#: The end of an answer that was written to its end.
_WHOLE = b"whole"


def _limit_memory() -> None:
    with suppress(ImportError, OSError, ValueError):  # where the system does not know of it
        import resource

        with open("/proc/self/statm", encoding="ascii") as sizes:
            now = int(sizes.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _received(reading: int, seconds: float) -> bytes | None:
    """All that the child wrote, if it came to its end."""
    found, end = b"", time.monotonic() + seconds
    while select.select([reading], [], [], max(0.0, end - time.monotonic()))[0]:
        more = os.read(reading, 1 << 16)
        if not more:
            return found.removesuffix(_WHOLE) if found.endswith(_WHOLE) else None
        found += more
    return None
