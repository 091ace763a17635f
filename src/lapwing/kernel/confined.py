"""A computation in a process of its own, so that nothing in it can keep the caller waiting or fill its memory.

The one idea: no limit inside a process holds for all that it calls: a solver may think about one polynomial for an hour
without looking at the clock, or abort. A child that has used up its seconds of computing is ended by the system, and
counts for what it said before that. A check that did not end has shown nothing.
"""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Generic, TypeVar

from lapwing.kernel.rejected import Rejected

V = TypeVar("V")
#: A computation that says things as it goes on.
Speech = Callable[[Callable[[V], None]], None]
#: Seconds of computing that one check may take, and how many times as long the caller waits on a busy machine.
SECONDS, WAITING = 8.0, 20
#: Bytes that one check may ask for, beyond what the process has.
MEMORY = 2 << 30
#: What the system calls the wish to be ended together with one's parent.
_WITH_THE_PARENT = 1
#: The number of the stream of errors.
_ERRORS = 2


@dataclass(frozen=True, slots=True)
class Heard(Generic[V]):
    """What a child said, and how it went on: it came to its end, or raised an error, or was ended, or broke off."""

    said: tuple[V, ...]
    ended: bool
    error: Exception | None = None


def confined(check: Callable[[], V], seconds: float | None = None) -> V | Rejected:
    """What ``check`` gives, or raises; rejected if it takes too long. Without processes that fork, it runs here."""
    seconds = seconds or SECONDS

    def checked(say: Callable[[V], None]) -> None:
        say(check())

    heard = apart(checked, seconds, WAITING * seconds, MEMORY)
    if heard.error is not None:
        raise heard.error
    if not heard.ended:
        return Rejected(f"the check takes more than {seconds:g} seconds, or more memory than it may")
    return heard.said[-1]


def apart(body: Speech[V], computing: float, waiting: float, memory: int | None = None) -> Heard[V]:
    """What ``body`` says in so many seconds, in a process of its own; without processes that fork, all it says here."""
    if not hasattr(os, "fork"):
        here: list[V] = []
        body(here.append)
        return Heard(tuple(here), True)
    reading, writing = Pipe(duplex=False)
    with warnings.catch_warnings():
        # the child touches nothing that another thread may hold, and is ended if it waits
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        _speak(body, writing, computing, memory)
    writing.close()
    try:
        return _heard(reading, waiting)
    finally:
        reading.close()
        os.kill(child, signal.SIGKILL)  # it has said all, or never will
        os.waitpid(child, 0)


def _speak(
    body: Callable[[Callable[[V], None]], None], writing: Connection, seconds: float, memory: int | None
) -> None:
    """In the child: compute within the limits, say what comes of it, and end without a trace."""
    try:
        gc.freeze()  # what is there is shared with the parent as long as nobody looks at it
        _listen_to_nobody()
        if writing.fileno() == _ERRORS:  # the caller had closed its own
            writing = Connection(os.dup(_ERRORS), readable=False)
        os.dup2(os.open(os.devnull, os.O_WRONLY), _ERRORS)  # what a library says as it dies is of no use to people
        _limit(seconds, memory)
        error: Exception | None = None
        try:
            body(lambda value: writing.send((False, value)))
        except Exception as raised:
            error = raised
        writing.send((True, error))
    finally:
        os._exit(0)


def _listen_to_nobody() -> None:
    """Ctrl-C is the parent's to hear; whoever ends the parent ends the child."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.set_wakeup_fd(-1)
    with suppress(OSError, AttributeError):  # where the system does not know of it, the limits end it
        ctypes.CDLL(None).prctl(_WITH_THE_PARENT, signal.SIGKILL)


def _limit(seconds: float, memory: int | None) -> None:
    # not by the clock by which a body may hold itself to a limit
    signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    if memory is None:
        return
    with suppress(ImportError, OSError, ValueError):  # where the system does not know of it
        import resource

        with open("/proc/self/statm", encoding="ascii") as sizes:
            now = int(sizes.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + memory, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _heard(reading: Connection, seconds: float) -> Heard[V]:
    """All that the child says until it ends, breaks off, or nobody waits any more."""
    said: list[V] = []
    end = time.monotonic() + seconds
    with suppress(EOFError, OSError):  # it broke off
        while reading.poll(max(0.0, end - time.monotonic())):
            last, given = reading.recv()
            if last:
                return Heard(tuple(said), given is None, given)
            said.append(given)
    return Heard(tuple(said), False)
