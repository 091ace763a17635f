"""Security labels: a finite lattice of them."""

from __future__ import annotations

import functools
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lattice:
    """Labels under an order in which any two have a least upper and a greatest lower bound.

    ``order`` holds (lower, higher) pairs as written; the order is what follows from them.
    """

    order: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return ", ".join(f"{low} < {high}" for low, high in self.order)

    @property
    def labels(self) -> tuple[str, ...]:
        """Every label once, in the order of writing."""
        return tuple(dict.fromkeys(label for pair in self.order for label in pair))

    @property
    def bottom(self) -> str:
        """The label below all others: what anybody may see."""
        return _bottom(self)

    @property
    def top(self) -> str:
        """The label above all others."""
        return next(label for label in self.labels if all(self.below(other, label) for other in self.labels))

    def below(self, low: str, high: str) -> bool:
        """Whether ``low`` ⊑ ``high``: what is labelled ``low`` may flow to ``high``."""
        return low == high or (low, high) in closure(self.order)

    def join(self, *labels: str) -> str:
        """The least label above all of ``labels``."""
        found = self.bottom
        for label in labels:
            found = (
                label if self.below(found, label) else found if self.below(label, found) else self._join(found, label)
            )
        return found

    def meet(self, left: str, right: str) -> str:
        """The greatest label below both."""
        lower = [each for each in self.labels if self.below(each, left) and self.below(each, right)]
        return next(each for each in lower if all(self.below(other, each) for other in lower))

    def _join(self, left: str, right: str) -> str:
        upper = [each for each in self.labels if self.below(left, each) and self.below(right, each)]
        return next(each for each in upper if all(self.below(each, other) for other in upper))


#: The lattice of a program that names none.
TWO_LABELS = Lattice((("public", "secret"),))


@functools.cache
def _bottom(lattice: Lattice) -> str:
    labels = lattice.labels
    return next(label for label in labels if all(lattice.below(label, other) for other in labels))


@functools.cache
def closure(order: tuple[tuple[str, str], ...]) -> frozenset[tuple[str, str]]:
    """Every (lower, higher) pair that follows from ``order``."""
    found = set(order)
    while more := {(a, d) for a, b in found for c, d in found if b == c} - found:
        found |= more
    return frozenset(found)
