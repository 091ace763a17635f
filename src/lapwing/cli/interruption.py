"""Ctrl-C, heard wherever a command is: also while a solver thinks, and where other code swallows exceptions.

The one idea: Python lets a handler raise only between two steps of its own, so a long call into C goes on until it
ends. The signal therefore also wakes a thread, which stops the solver and rings again as long as nobody is leaving.
"""

from __future__ import annotations

import _thread
import signal
import socket
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

#: Seconds that a command has to leave by itself before it is helped, again and again.
_BREATH = 0.1


@contextmanager
def hearing_interruptions() -> Iterator[None]:
    """Ctrl-C ends the body in KeyboardInterrupt: at the body's end, if it is lost on every way out."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    hearing = _Hearing()
    ear, bell = socket.socketpair()
    bell.setblocking(False)
    threading.Thread(target=hearing.help, args=(ear,), name="lapwing-ctrl-c", daemon=True).start()
    rung_before = signal.set_wakeup_fd(bell.fileno(), warn_on_full_buffer=False)
    handled_before = signal.signal(signal.SIGINT, hearing.interrupt)
    try:
        yield
    except Exception:
        if hearing.heard:  # whatever came of it is no result
            raise KeyboardInterrupt from None
        raise
    finally:
        hearing.over = True
        signal.signal(signal.SIGINT, handled_before)
        signal.set_wakeup_fd(rung_before)
        bell.close()
    if hearing.heard:
        raise KeyboardInterrupt


class _Interruption(KeyboardInterrupt):
    """One that can be watched: who swallows an exception lets go of it, who leaves because of it does not."""


@dataclass(slots=True)
class _Hearing:
    heard: bool = False
    over: bool = False
    raised: weakref.ref[_Interruption] | None = None
    main_thread: int = field(default_factory=threading.get_ident)

    @property
    def leaving(self) -> bool:
        """Whether the main thread is on its way out, perhaps tidying up."""
        return self.over or (self.raised is not None and self.raised() is not None)

    def interrupt(self, _number: int, frame: FrameType | None) -> None:
        """The handler, in the main thread."""
        self.heard = True
        if self.leaving or _is_deaf(frame):
            return
        interruption = _Interruption()
        self.raised = weakref.ref(interruption)
        try:
            raise interruption
        finally:
            del interruption  # or its own traceback would hold it

    def help(self, ear: socket.socket) -> None:
        """The thread: after an interruption, sees to it that the main thread leaves."""
        with ear:
            while (rung := ear.recv(1)) and rung[0] != signal.SIGINT:
                pass  # other signals ring too
            while rung and not self.over:
                time.sleep(_BREATH)
                if not self.leaving:
                    _thread.interrupt_main()  # first, so that the solver's answer is thrown away
                    _stop_the_solver()
                    if hasattr(signal, "pthread_kill"):
                        signal.pthread_kill(self.main_thread, signal.SIGINT)  # ends a sleep


def _stop_the_solver() -> None:
    """Only if it was loaded, which takes a moment."""
    solving = sys.modules.get("lapwing.search.solving")
    stop = getattr(solving, "stop_thinking", None)
    if stop is not None:
        stop()


def _is_deaf(frame: FrameType | None) -> bool:
    """Whether an exception would only be complained about: in a destructor, or by that of a solver half made."""
    while frame is not None:
        if frame.f_code.co_name == "__del__" or frame.f_code.co_qualname == "Context.__init__":
            return True
        frame = frame.f_back
    return False
