"""What a loop keeps true, in certificates of privacy and of accuracy."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Invariant:
    """What holds at the head of a loop, whenever control is there: before each test for another round."""

    loop: int
    formula: str
