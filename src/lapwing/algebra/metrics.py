"""How far apart two answers can be: a distance that knows its own metric.

A mechanism asks for the metric its proof needs (Laplace: L1, Gaussian: L2) and is given nothing else. Each
distance is an upper bound, kept exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from lapwing.algebra.exact import Number
from lapwing.algebra.parameters import nonnegative


@dataclass(frozen=True, slots=True, init=False)
class L1:
    """Sum of the absolute differences is at most ``bound``."""

    bound: Fraction

    def __init__(self, bound: Number) -> None:
        object.__setattr__(self, "bound", nonnegative(bound, "L1 sensitivity"))


@dataclass(frozen=True, slots=True, init=False)
class L2:
    """Sum of the squared differences is at most ``squared``: kept squared, because roots are irrational.

    ``L2(3)`` is a distance of 3; ``L2(squared=2)`` is √2, exactly.
    """

    squared: Fraction

    def __init__(self, bound: Number | None = None, *, squared: Number | None = None) -> None:
        if (bound is None) == (squared is None):
            raise TypeError("give either a bound or its square")
        if bound is not None:
            value = nonnegative(bound, "L2 sensitivity") ** 2
        else:
            assert squared is not None  # noqa: S101  # narrows the type after the check above
            value = nonnegative(squared, "squared L2 sensitivity")
        object.__setattr__(self, "squared", value)


@dataclass(frozen=True, slots=True, init=False)
class Linf:
    """Every single difference is at most ``bound``."""

    bound: Fraction

    def __init__(self, bound: Number) -> None:
        object.__setattr__(self, "bound", nonnegative(bound, "L∞ sensitivity"))


Distance = L1 | L2 | Linf
