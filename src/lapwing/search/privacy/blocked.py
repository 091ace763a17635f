"""The place a proof method cannot pass."""

from __future__ import annotations

from lapwing.kernel.program.spans import NOWHERE, Span


class Blocked(Exception):
    """A place the proof method cannot pass, with the reason in words."""

    def __init__(self, reason: str, span: Span = NOWHERE) -> None:
        super().__init__(reason)
        self.reason = reason
        self.span = span
