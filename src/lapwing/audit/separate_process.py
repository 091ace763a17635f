"""A process apart: whatever happens in it, only its words come back.

The one idea: the operating system can split a process in two. The other one has the same memory, without the other
threads; it runs a callable as this one would, and then it is gone, with all that was replaced, cached or drawn there.
Nothing of it can be seen from here except the JSON that it sends.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import suppress

#: Seconds after its limit before a process that still says nothing is ended.
GRACE = 2.0


class Unheard(Exception):  # no error: something that could not be had
    """There was no process apart, or it ended without a word; says why."""


def apart(work: Callable[[], object], seconds: float) -> object:
    """What ``work`` returns (as JSON) in a process of its own; raises Unheard if nothing comes back in time."""
    read, write = os.pipe()
    try:
        child = split(lambda: _say(write, work), seconds + GRACE)
        os.close(write)
        try:
            return json.loads(heard(read, time.monotonic() + seconds + GRACE)[0])
        finally:
            end(child)
    finally:
        os.close(read)


def split(work: Callable[[], None], seconds: float) -> int:
    """Run something in a new process that ends with it, silently, after so many seconds at the latest: its number."""
    if not hasattr(os, "fork"):
        raise Unheard("this system cannot split a process")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about threads: the new process has none, and is ended if it waits for one
        try:
            child = os.fork()
        except OSError:
            raise Unheard("the system has no room for another process") from None
    if child:
        return child
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, max(0.1, seconds))
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that waits for this one
        nowhere = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nowhere, number)
        sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115  # until the end
        work()
    except BaseException:  # noqa: S110  # nobody is there to hear it
        pass
    finally:
        os._exit(0)


def heard(read: int, deadline: float, lines: int = 1) -> list[str]:
    """So many lines from a pipe; raises Unheard if they do not come in time."""
    found = b""
    while found.count(b"\n") < lines:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([read], [], [], left)[0]:
            raise Unheard("it took too long")
        more = os.read(read, 1 << 16)
        if not more:
            raise Unheard("the process ended without a word")
        found += more
    return found.decode().splitlines()


def end(child: int) -> None:
    """End a process, and wait until it is gone."""
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    with suppress(ChildProcessError):
        os.waitpid(child, 0)


def told(write: int, words: object) -> None:
    """Write a line of JSON to a pipe."""
    data = json.dumps(words).encode() + b"\n"
    while data:
        data = data[os.write(write, data) :]


def _say(write: int, work: Callable[[], object]) -> None:
    told(write, work())
