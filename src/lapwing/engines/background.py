"""Running a query where it can be watched and stopped."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from lapwing.engines.engine import Progress
from lapwing.engines.failures import failed
from lapwing.errors import LapwingError

Result = TypeVar("Result")
#: Seconds between two looks at how far a query is.
_BREATH = 0.1


def in_background(
    work: Callable[[], Result],
    busy: threading.Lock,
    stop: Callable[[], object],
    share: Callable[[], float] | None = None,
    progress: Progress | None = None,
    seconds: float | None = None,
) -> Result:
    """Runs the work in a thread, so that this one can report progress and hear Ctrl-C, which ends it cleanly.

    The connection is one for all who ask, and does one thing at a time: while ``busy`` is held it is the holder's. So a
    question that still waits neither reports how far another one is, nor ends it. ``stop`` asks the driver to give up,
    and ``share`` says how much is done, from 0 to 1. Work that takes more than ``seconds`` fails like any other.
    """
    done: list[Result] = []
    errors: list[LapwingError] = []
    started, given_up = threading.Event(), threading.Event()
    began: list[float] = []

    # An event and not Thread.join: a join that Ctrl-C interrupts may take a running thread for an ended one.
    finished = threading.Event()

    def run() -> None:
        try:
            with busy:
                if given_up.is_set():
                    return
                began.append(time.monotonic())
                started.set()
                done.append(work())
        except LapwingError as refused:  # our own words, without whatever led to them
            errors.append(LapwingError(refused.code, refused.problem, refused.remedy))
        except BaseException:  # its text may hold data, so nothing of it leaves
            errors.append(failed())
        finally:
            finished.set()

    threading.Thread(target=run, name="lapwing-engine", daemon=True).start()

    def end() -> None:
        given_up.set()
        while started.is_set() and not finished.is_set():
            stop()
            finished.wait(_BREATH)

    try:
        while not finished.wait(_BREATH):
            if not started.is_set():
                continue
            if seconds is not None and time.monotonic() - began[0] > seconds:
                errors.insert(0, failed())
                break
            if progress is not None and share is not None:
                progress(min(max(share(), 0.0), 1.0))
    except BaseException:
        end()
        raise
    if not finished.is_set():
        end()
    if errors:
        raise errors[0]
    return done[0]
