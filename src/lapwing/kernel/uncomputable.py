"""Probabilities that are not computed: nothing is said then, and nothing guessed."""

from __future__ import annotations

from lapwing.errors import InvalidInput


class Uncomputable(InvalidInput):
    """The probability is beyond what the kernel computes."""

    def __init__(self, problem: str) -> None:
        super().__init__("C115", f"the probability cannot be computed: {problem}", "Give a simpler program or event")


class TooMuch(Uncomputable):
    """The computation takes more states, rounds, digits or seconds than it may."""

    def __init__(self, problem: str, remedy: str = "Give smaller inputs") -> None:
        InvalidInput.__init__(self, "C110", problem, remedy)
