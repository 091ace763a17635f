"""Whole numbers at which a question about records may fail, so that the solver need not look for them among all.

Nothing rests on them: an example only ever says that a goal does not follow.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from math import prod

from lapwing.kernel.folds.signs import Comparison
from lapwing.kernel.folds.symbols import is_length
from lapwing.kernel.prices.polynomials import Polynomial
from lapwing.kernel.program.comparisons import COMPARED

TRIES, NUMBERS = 400, (0, 1, 2, 3, 4, 10, 50, -1)


def whole_numbers(comparisons: Sequence[Comparison], names: Collection[str]) -> dict[str, int]:
    """Numbers for which all comparisons about nothing else hold; none where a few tries find none."""
    about = [each for each in comparisons if each.polynomial.names <= set(names)]
    about += [Comparison(">=", Polynomial.unknown(name)) for name in filter(is_length, names)]
    for attempt in range(TRIES if names else 0):
        tried = {name: NUMBERS[zlib.crc32(f"{name} {attempt}".encode()) // 7 % len(NUMBERS)] for name in sorted(names)}
        if all(COMPARED[each.symbol](_at(each.polynomial, tried), 0) for each in about):
            return tried
    return {}


def _at(polynomial: Polynomial, values: Mapping[str, int]) -> Fraction:
    products = (
        factor * prod(values[name] ** power for name, power in monomial)
        for monomial, factor in polynomial.terms.items()
    )
    return sum(products, start=Fraction(0))
