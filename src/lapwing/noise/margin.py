"""How far noise goes: the margin that a mechanism stays within, with the confidence asked."""

from __future__ import annotations

from collections.abc import Callable

from lapwing.algebra import parameters
from lapwing.algebra.accounting.smallest_passing import smallest_whole
from lapwing.algebra.balls import Interval
from lapwing.algebra.exact import Number
from lapwing.errors import InvalidInput


def smallest_margin(tail: Callable[[int], Interval], confidence: Number, guess: int) -> int:
    """The smallest t >= 0 with P(|X| <= t) >= confidence, where ``tail(t)`` encloses P(|X| >= t).

    Certified: P(|X| >= t + 1) is *proved* to be at most 1 - confidence.
    """
    wanted = parameters.probability(confidence, "confidence")
    if wanted == 1:
        raise InvalidInput("N202", "the confidence is 1, and noise has no largest value", "Give less, such as 0.95")
    return smallest_whole(lambda beyond: tail(beyond).upper <= 1 - wanted, guess, "margin") - 1
