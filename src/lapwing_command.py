"""The ``lapwing`` command, which can be interrupted from its first moment on.

It stands beside the package because importing any part of that reads most of it, and Ctrl-C in the middle of an
import would end in a traceback.
"""

from __future__ import annotations

import os
import signal
from types import FrameType


def main() -> None:
    """Read the command line's code, then do as it says."""
    leave_when_interrupted()
    from lapwing.cli import main as command

    command()


def leave_when_interrupted() -> None:
    """From here on Ctrl-C ends the process in one line, until a command hears it itself."""
    signal.signal(signal.SIGINT, _leave)


def _leave(_number: int, _frame: FrameType | None) -> None:
    """At once, without an exception that an import could swallow: there is nothing to tidy up yet."""
    os.write(2, b"error interrupted; nothing was left half done\n")
    os._exit(130)
