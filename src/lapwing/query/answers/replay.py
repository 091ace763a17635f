"""The ± of an answer by drawing its noise again: what the answer could have been without, over and over.

The one idea: subtract fresh noise from what was released, compute the answer, and see where the bulk lies. For a sum of
noisy numbers, and for a quotient of two such sums, this is exact: with a positive denominator a replay is at most r
exactly when Z_a - r·Z_b >= a - r·b, which at the true quotient r is a p-value, so it is Fieller's interval. A replay
whose denominator is not positive counts at both ends, which keeps that true whatever the size of a group. What follows
without a turn (a root, a clip, a rounding) keeps it too. Where a function turns (ABS, squares, GREATEST of two noisy
numbers, a CASE) replays would miss the turning point: there intervals of the parts are computed, each at the confidence
that makes all of them hold together, and interval arithmetic does the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from lapwing.query.answers.answer_expressions import evaluate
from lapwing.query.answers.cells import Cells, Floats
from lapwing.query.expressions import Call, Column, Expression, Literal, Word, columns_of
from lapwing.query.plan import Answer, Statistic

#: How often noise is drawn again for few groups, and at least; more groups than the last are left to intervals.
MOST, LEAST, MANY = 4_000, 400, 20_000
#: So many numbers are held at a time; and about so many are computed for the groups of one column together.
_AT_ONCE = 40_000
_ALTOGETHER = 100_000
_ROUNDED = (
    *(Word.FLOOR, Word.CEIL, Word.ROUND, Word.SQRT, Word.TO_REAL, Word.TO_INTEGER),
    *(Word.LN, Word.LOG10, Word.EXP),
)
_LINEAR = (Statistic.COUNT, Statistic.SUM, Statistic.HISTOGRAM)

#: The columns of answers for measurements of these groups, each replayed so many times, one group after the other.
Answering = Callable[[Mapping[str, Floats], NDArray[np.intp], int], dict[str, Cells]]


class Shape(IntEnum):
    """What is known of an expression over answers, from the most to the least."""

    CERTAIN = 0  # no noise in it
    LINEAR = 1  # a sum of noisy numbers
    RATIONAL = 2  # a quotient of two of those, or what statistics make of them
    MONOTONE = 3  # something without a turn, of one of those
    TURNING = 4


@dataclass(frozen=True, slots=True)
class Noise:
    """Fresh noise for one release: ``draw(name, n)`` of a measurement, in its units; None where it is a choice."""

    confidence: Fraction
    draw: Callable[[str, int], Floats | None]


def shape(expression: Expression, answers: Mapping[str, Answer]) -> Shape:
    """How an expression follows from noisy numbers."""
    match expression:
        case Literal():
            return Shape.CERTAIN
        case Column(name):
            return _of_answer(answers[name].statistic)
        case Call(word, arguments):
            return _of_call(word, arguments, [shape(each, answers) for each in arguments], answers)


def _of_answer(statistic: Statistic) -> Shape:
    if statistic is Statistic.KEY:
        return Shape.CERTAIN
    if statistic is Statistic.QUANTILE:
        return Shape.TURNING  # a choice: there is no noise to draw again
    return Shape.LINEAR if statistic in _LINEAR else Shape.RATIONAL


def _of_call(
    word: Word, arguments: tuple[Expression, ...], shapes: list[Shape], answers: Mapping[str, Answer]
) -> Shape:
    worst = max(shapes, default=Shape.CERTAIN)
    noisy = [each for each in shapes if each is not Shape.CERTAIN]
    if not noisy or worst is Shape.TURNING:
        return worst
    match word:
        case Word.NEGATE:
            return worst
        case Word.ADD | Word.SUBTRACT:
            alike = len(set(noisy)) == 1 and worst is not Shape.MONOTONE
            if len(noisy) == 1 or alike or _apart(arguments, answers):
                return worst
            return Shape.TURNING
        case Word.MULTIPLY:
            return worst if len(noisy) == 1 else Shape.TURNING
        case Word.DIVIDE:
            if shapes[1] is Shape.CERTAIN:
                return worst
            return Shape.RATIONAL if worst is Shape.LINEAR else Shape.TURNING
        case Word.LEAST | Word.GREATEST | Word.CLIP:
            return (
                Shape.MONOTONE if len(noisy) == 1 and (word is not Word.CLIP or shapes[0] in noisy) else Shape.TURNING
            )
        case _ if word in _ROUNDED and len(noisy) == 1:
            return Shape.MONOTONE
        case _:
            return Shape.TURNING


def _apart(arguments: tuple[Expression, ...], answers: Mapping[str, Answer]) -> bool:
    """Whether no noisy number is in two of the arguments."""
    parts = [{part for name in columns_of(each) for part in answers[name].parts} for each in arguments]
    return sum(map(len, parts)) == len(set().union(*parts))


def leaves(expression: Expression, answers: Mapping[str, Answer]) -> Iterator[Expression]:
    """The largest parts of an expression that noise is drawn again for."""
    found = shape(expression, answers)
    if found is Shape.CERTAIN or (found is Shape.TURNING and not isinstance(expression, Call)):
        return
    if found is not Shape.TURNING:
        yield expression
    elif isinstance(expression, Call):
        for argument in expression.arguments:
            yield from leaves(argument, answers)


def replaced(expression: Expression, names: Mapping[Expression, str]) -> Expression:
    """The expression with each of these parts as a column."""
    if expression in names:
        return Column(names[expression])
    if isinstance(expression, Call):
        return Call(expression.word, tuple(replaced(each, names) for each in expression.arguments))
    return expression


def without_nullif(expression: Expression) -> Expression:
    """NULLIF(x, c) as x: where there is a value it is that of x."""
    match expression:
        case Call(Word.CASE, (Call(Word.EQUAL, (tested, Literal())), Literal(None), value)) if tested == value:
            return without_nullif(value)
        case Call(word, arguments):
            return Call(word, tuple(without_nullif(each) for each in arguments))
    return expression


def times(rows: int) -> int:
    """How often noise is drawn again for each of so many groups."""
    return max(LEAST, min(MOST, _ALTOGETHER // max(rows, 1)))


def replayed(
    leaf: Expression,
    values: Mapping[str, Floats],
    answering: Answering,
    noise: Noise,
    share: int,
) -> tuple[Floats, Floats] | None:
    """The ends of the interval of one part, at 1 - (1 - confidence)/share; None where noise cannot be drawn again."""
    rows = len(next(iter(values.values())))
    many = times(rows)
    from_end = math.floor((1 - noise.confidence) / share / 2 * (many + 1))
    draws = {name: noise.draw(name, many) for name in values}
    if from_end < 1 or any(drawn is None for drawn in draws.values()):
        return None
    low, high = np.empty(rows), np.empty(rows)
    chunk = max(1, _AT_ONCE // many)
    for first in range(0, rows, chunk):
        last = min(first + chunk, rows)
        moved = {name: (each[first:last, None] - draws[name][None, :]).ravel() for name, each in values.items()}  # type: ignore[index]  # seen above
        found = evaluate(leaf, answering(moved, np.arange(first, last), many), (last - first) * many)
        low[first:last], high[first:last] = _from_both_ends(found, (last - first, many), from_end)
    return low, high


def _from_both_ends(found: Cells, table: tuple[int, int], place: int) -> tuple[Floats, Floats]:
    """The numbers at this place from below and from above in each row; what has no value lies beyond all others."""
    nothing = found.missing | np.isnan(found.lows) | np.isnan(found.highs)
    if found.pointed and not nothing.any():
        sorted_there = np.partition(found.lows.reshape(table), (place - 1, table[1] - place), axis=1)
        return sorted_there[:, place - 1], sorted_there[:, -place]
    lows, highs = (
        np.where(nothing, beyond, each).reshape(table)
        for beyond, each in ((-np.inf, found.lows), (np.inf, found.highs))
    )
    return np.partition(lows, place - 1, axis=1)[:, place - 1], np.partition(highs, -place, axis=1)[:, -place]
