"""Sums of terms with coefficients other than 0, added and multiplied: what formulas of every kind are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TypeVar

T = TypeVar("T")


def added(left: Mapping[T, Fraction], right: Mapping[T, Fraction]) -> dict[T, Fraction]:
    """The terms of the sum."""
    found = dict(left)
    for term, factor in right.items():
        found[term] = found.get(term, Fraction(0)) + factor
    return {term: factor for term, factor in found.items() if factor}


def multiplied(
    left: Mapping[T, Fraction], right: Mapping[T, Fraction], times: Callable[[T, T], T]
) -> dict[T, Fraction]:
    """The terms of the product, where two terms have a product that is one."""
    found: dict[T, Fraction] = {}
    for one, factor in left.items():
        for other, by in right.items():
            term = times(one, other)
            found[term] = found[term] + factor * by if term in found else factor * by
    return {term: factor for term, factor in found.items() if factor}
