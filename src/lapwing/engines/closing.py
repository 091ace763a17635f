"""How an engine ends: its connection, and then whatever somebody left to be done afterwards."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Self


class Closing(ABC):
    """An engine that can be closed, and knows that it is."""

    def __init__(self) -> None:
        self._closed = False
        self._afterwards: list[Callable[[], None]] = []

    @abstractmethod
    def _end(self) -> None:
        """Ends the connection, and removes what it left on disk."""

    @property
    def closed(self) -> bool:
        """Whether the connection was ended: then nothing can be fetched any more."""
        return self._closed

    def close(self) -> None:
        """Ends the connection and removes what it left on disk."""
        self._closed = True
        self._end()
        while self._afterwards:
            self._afterwards.pop()()

    def on_close(self, afterwards: Callable[[], None]) -> None:
        """Something to do once the connection has ended."""
        self._afterwards.append(afterwards)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
