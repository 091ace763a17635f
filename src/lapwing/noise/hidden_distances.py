"""The distance a mechanism's proof is about, and no other: Laplace noise hides L1 distances, Gaussian noise L2."""

from __future__ import annotations

from fractions import Fraction

from lapwing.algebra.metrics import L1, L2, Distance
from lapwing.errors import InvalidInput


def l1_bound(distance: Distance, mechanism: str) -> Fraction:
    """The bound of an L1 distance; other distances are refused."""
    if not isinstance(distance, L1):
        raise _wrong(distance, mechanism, "L1(...): the most that all numbers together can change")
    return distance.bound


def l2_squared(distance: Distance, mechanism: str) -> Fraction:
    """The squared bound of an L2 distance; other distances are refused."""
    if not isinstance(distance, L2):
        raise _wrong(distance, mechanism, "L2(...): the root of the most that the squared changes can sum to")
    return distance.squared


def to_hide(size: Fraction) -> Fraction:
    """The size of a distance that noise is being chosen for: above 0."""
    if size == 0:
        raise InvalidInput(
            "N204", "noise was asked for a distance of 0, where there is nothing to hide", "Give a positive distance"
        )
    return size


def _wrong(distance: Distance, mechanism: str, remedy: str) -> InvalidInput:
    return InvalidInput(
        "N203", f"{mechanism} noise was given a distance of type {type(distance).__name__}", f"Give {remedy}"
    )
