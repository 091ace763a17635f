"""The check every composition theorem begins with: several bounds, all of the same measure."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TypeVar

from lapwing.algebra.exact import decimal_down
from lapwing.algebra.measures import ApproxDP, Measure
from lapwing.errors import InvalidInput, NotComparable, Unbounded

M = TypeVar("M", bound=Measure)


def alike(measures: Iterable[M]) -> list[M]:
    """The measures as a list; refuses an empty one, and one that mixes definitions of privacy."""
    found = list(measures)
    if not found:
        raise InvalidInput("A304", "there is nothing to compose", "Give at least one bound")
    kinds = sorted({type(measure).__name__ for measure in found})
    if len(kinds) > 1:
        raise NotComparable(
            "A301",
            f"bounds of {' and '.join(kinds)} cannot be composed with each other",
            "Convert them to one measure first (lapwing.algebra.conversion)",
        )
    return found


def approx(epsilon: Fraction, delta: Fraction) -> ApproxDP:
    """(ε, δ), refused when δ has reached 1: such a bound holds for publishing the whole table."""
    if delta >= 1:
        raise Unbounded(
            "A302",
            f"delta comes to {decimal_down(delta)}, and a bound with delta of 1 or more says nothing",
            "Compose fewer mechanisms, or give each a smaller delta",
        )
    return ApproxDP(epsilon, delta)
