"""How long a computation may go on: whoever started it says so, and long loops look, once in each round.

The one idea: nothing below knows why it should stop, or by which clock. It asks :func:`check`, which raises what the
watcher of this thread says, or does nothing where nobody watches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_watcher: ContextVar[Callable[[], None] | None] = ContextVar("watcher", default=None)


def check() -> None:
    """Raises if whoever watches has lost patience."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher()


@contextmanager
def watched(watcher: Callable[[], None]) -> Iterator[None]:
    """While the block computes, in this thread, ``watcher`` is asked again and again; it ends it by raising."""
    before = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(before)
