"""Longer lists of rows alike, beside one row that is there or not, or is another.

The one idea: what a program does beyond some number of rows, it does to a crowd of that number. How many rows it takes
to reach a number is that number over what a row may add; where a row's place matters, a row more in front of others
moves them all.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice, permutations, product
from math import ceil

from lapwing.kernel.evidence.values import Value
from lapwing.kernel.program import ir, walk
from lapwing.search.violation.marks import landmarks
from lapwing.search.violation.neighbouring import Neighbourhood, Pair
from lapwing.search.violation.patterns import FAR, filled

#: Rows of the largest crowd, numbers of rows, kinds of rows, and pairs that are tried.
LARGEST, SIZES, KINDS, PAIRS = 60, 8, 7, 430
#: Rows of which every second or third is another, or the one in the middle.
ALTERNATING = 6
#: Kinds of rows of which two are a half each, and a third is the one that is there or not; and rows of such a half.
APART, HALVES = 4, (1, 3, 2)
#: Elements of a half that lies at one of two numbers.
OPPOSED = (2, 4)

_Lists = tuple[tuple[Value, ...], tuple[Value, ...]]


def crowds(neighbourhood: Neighbourhood) -> Iterator[Pair]:
    """Neighbours of many rows that the mechanism runs on."""
    return islice(filter(neighbourhood.valid, _crowds(neighbourhood)), PAIRS)


def _crowds(neighbourhood: Neighbourhood) -> Iterator[Pair]:
    if len(neighbourhood.private) != 1 or (relation := neighbourhood.private[0].relation) is None:
        return
    (parameter,) = neighbourhood.private
    if not isinstance(parameter.type, ir.List) or relation.kind not in ("added", "replaced"):
        return
    marks = landmarks(neighbourhood.subject.mechanism, neighbourhood.public)
    kinds = list(dict.fromkeys(filled(parameter.type.element, 1, each) for each in _numbers(marks)))[:KINDS]
    pairs = _with_one_more if relation.kind == "added" else _with_another
    for left, right in pairs(kinds, _sizes(neighbourhood.subject.mechanism, marks)):
        yield neighbourhood.with_rows(parameter, left, right)


def opposed(neighbourhood: Neighbourhood) -> Iterator[Pair]:
    """Lists of which one half lies at a number that the program names and the other at another, and both move apart.

    What such a list loses, no noise that all its elements share makes up for.
    """
    if len(neighbourhood.private) != 1 or (relation := neighbourhood.private[0].relation) is None:
        return
    (parameter,) = neighbourhood.private
    if isinstance(parameter.type, ir.List) and relation.kind == "each":
        apart = neighbourhood.distance(parameter)
        for (low, high), size in product(_far_apart(neighbourhood), OPPOSED):
            left = (*(low,) * size, *(high,) * size)
            right = (*(low - apart,) * size, *(high + apart,) * size)
            pair = neighbourhood.with_rows(parameter, left, right)
            if neighbourhood.valid(pair):
                yield pair


def width(neighbourhood: Neighbourhood) -> Fraction:
    """How far apart the numbers are that the program names, for these public parameters."""
    return max((high - low for low, high in _far_apart(neighbourhood)), default=Fraction(0))


def _far_apart(neighbourhood: Neighbourhood) -> list[tuple[Fraction, Fraction]]:
    """Two numbers that the program names, the ones furthest apart."""
    marks = landmarks(neighbourhood.subject.mechanism, neighbourhood.public, noisy=True)
    return [(min(marks), max(marks))] if len(marks) > 1 else []


def _numbers(marks: list[Fraction]) -> list[Fraction]:
    """What rows are made of: numbers beyond all that the program names, and those."""
    ends = [max(marks) + 1, min(marks) - 1] if marks else [Fraction(1)]
    return [*ends, Fraction(0), *sorted(marks, reverse=True), Fraction(FAR), Fraction(-FAR)]


def _with_one_more(kinds: list[Value], sizes: list[int]) -> Iterator[_Lists]:
    for one, size in product(kinds, sizes):
        yield (one,) * size, (one,) * (size + 1)
    for one, two in permutations(kinds, 2):
        half = (two,) * (ALTERNATING // 2)
        yield half + half, (*half, one, *half)
        for period in (2, 3):
            mixed = (one, *(two,) * (period - 1)) * (ALTERNATING // period)
            yield mixed, (two, *mixed)
    for halves, _, three in _halves(kinds):
        yield halves, (three, *halves)
    for (one, two), size in product(permutations(kinds, 2), sizes):
        yield (one,) * size, (two, *(one,) * size)


def _with_another(kinds: list[Value], sizes: list[int]) -> Iterator[_Lists]:
    for one, two in permutations(kinds, 2):
        half = (two,) * (ALTERNATING // 2)
        yield (*half, one, *half), (*half, two, *half)
    for one, two, three in permutations(kinds[:APART], 3):
        yield (one, three), (two, three)
    for halves, one, three in _halves(kinds):
        yield (one, *halves), (three, *halves)
    for (one, two), size in product(permutations(kinds, 2), sizes):
        yield (one, *(one,) * size), (two, *(one,) * size)


def _halves(kinds: list[Value]) -> Iterator[tuple[tuple[Value, ...], Value, Value]]:
    """A crowd of two kinds of rows, one of them, and a row of a third kind."""
    for (one, two, three), size in product(permutations(kinds[:APART], 3), HALVES):
        yield (*(one,) * size, *(two,) * size), one, three


def _sizes(mechanism: ir.Mechanism, marks: list[Fraction]) -> list[int]:
    """Numbers of rows that just do not pass a number which the program names, the least last."""
    named = [part.value for part in walk.parts(mechanism.body) if isinstance(part, ir.Number)]
    numbers = {abs(each) for each in (*marks, *named) if each}
    added = {Fraction(1), *(abs(each) for each in marks if each)}
    found = {
        size
        for number, step in product(numbers, added | {each * each for each in added})
        for size in (number // step, ceil(number / step) - 1)
        if 1 <= size <= LARGEST
    }
    return sorted(found, reverse=True)[:SIZES]
