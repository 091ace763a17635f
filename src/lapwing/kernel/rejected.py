"""Evidence that is not accepted, and why."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rejected:
    """The evidence does not hold, or could not be confirmed; ``reason`` is a sentence without its full stop."""

    reason: str
