"""A few points at which conditions are looked at, so that the solver is not asked whether an ordinary cell can be.

Nothing rests on them: a cell in which some point lies is looked at, and so is one of which the solver cannot say that
it is empty. So the numbers here are rough ones.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from lapwing.kernel.prices.polynomials import Polynomial, Quotient

COUNT = 300
VALUES = (-2.0, -1.0, -0.25, 0.3, 0.6, 1.0, 2.0, 7.0)
EVERY = (1 << COUNT) - 1


@dataclass(frozen=True)
class Condition:
    """``value symbol 0``, or that a truth value (``name``) is ``symbol``."""

    symbol: str
    value: Quotient | None = None
    name: str = ""

    @cached_property
    def key(self) -> tuple[object, ...]:
        """Equal for equal conditions."""
        return self.symbol, self.name, () if self.value is None else parts(self.value)


def parts(value: Quotient) -> tuple[object, ...]:
    """Equal for equal quotients."""
    return frozenset(value.above.terms.items()), frozenset(value.below.terms.items())


@dataclass(slots=True)
class Points:
    """Some values of every unknown, and at which of them a condition holds: a bit for each point."""

    _values: dict[str, list[float]] = field(default_factory=dict)
    _holding: dict[tuple[object, ...], int] = field(default_factory=dict)

    def some(self, conditions: Iterable[Condition]) -> bool:
        """Whether all of these hold at some point."""
        points = EVERY
        for each in conditions:
            key = each.key
            if key not in self._holding:
                try:
                    self._holding[key] = self._holds(each)
                except OverflowError:  # no rough number is so large
                    self._holding[key] = 0
            points &= self._holding[key]
            if not points:
                return False
        return True

    def _holds(self, condition: Condition) -> int:
        if condition.value is None:
            wanted = condition.symbol == "True"
            numbers = [value if wanted else -value for value in self._of(condition.name)]
            return _bits(number > 0 for number in numbers)
        above, below = (self._polynomial(each) for each in (condition.value.above, condition.value.below))
        signs = [a * b for a, b in zip(above, below, strict=True)]
        match condition.symbol:
            case "<":
                return _bits(sign < 0 for sign in signs)
            case "<=":
                return _bits(sign <= 0 for sign in signs)
            case ">":
                return _bits(sign > 0 for sign in signs)
            case ">=":
                return _bits(sign >= 0 for sign in signs)
            case "!=":
                return _bits(sign != 0 for sign in signs)
        return _bits(sign == 0 for sign in signs)

    def _polynomial(self, polynomial: Polynomial) -> list[float]:
        total = [0.0] * COUNT
        for monomial, factor in polynomial.terms.items():
            product = [float(factor)] * COUNT
            for name, power in monomial:
                product = [p * v**power for p, v in zip(product, self._of(name), strict=True)]
            total = [t + p for t, p in zip(total, product, strict=True)]
        return total

    def _of(self, name: str) -> list[float]:
        if name not in self._values:
            places = (zlib.crc32(f"{name} {point}".encode()) // 7 for point in range(COUNT))
            self._values[name] = [VALUES[place % len(VALUES)] for place in places]
        return self._values[name]


def _bits(truths: Iterable[bool]) -> int:
    return sum(1 << place for place, truth in enumerate(truths) if truth)
