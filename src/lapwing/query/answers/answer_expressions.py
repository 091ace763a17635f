"""Expressions over answers, on whole columns at once; intervals go along by interval arithmetic."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lapwing.errors import InvalidInput
from lapwing.query.answers.cells import Bools, Cells, Floats
from lapwing.query.answers.wording import WORDS, worded
from lapwing.query.expressions import Call, Column, Expression, Literal, Word

Compare = Callable[[Any, Any], Any]
_COMPARISONS: dict[Word, Compare] = {
    Word.EQUAL: lambda a, b: a == b,
    Word.NOT_EQUAL: lambda a, b: a != b,
    Word.LESS: lambda a, b: a < b,
    Word.AT_MOST: lambda a, b: a <= b,
    Word.GREATER: lambda a, b: a > b,
    Word.AT_LEAST: lambda a, b: a >= b,
}
_INCREASING: dict[Word, Callable[[Floats], Floats]] = {
    Word.FLOOR: np.floor,
    Word.CEIL: np.ceil,
    Word.ROUND: lambda numbers: _nearest(numbers, 0),
}


def evaluate(expression: Expression, columns: Mapping[str, Cells], rows: int) -> Cells:
    """The expression on every row; NULL where SQL has no value."""
    with np.errstate(all="ignore"):
        return _evaluate(expression, columns, rows)


def truth(condition: Expression, columns: Mapping[str, Cells], rows: int) -> Bools:
    """Where a condition is true: not false, not NULL."""
    cells = evaluate(condition, columns, rows)
    return is_true(cells)


def _evaluate(expression: Expression, columns: Mapping[str, Cells], rows: int) -> Cells:
    match expression:
        case Column(name):
            return columns[name]
        case Literal(value):
            constant = float(value) if isinstance(value, Fraction) else value
            return Cells.known([constant] * rows)
        case Call(word, arguments):
            return _call(word, [_evaluate(each, columns, rows) for each in arguments])


def _call(word: Word, given: Sequence[Cells]) -> Cells:
    match word:
        case Word.ADD | Word.SUBTRACT | Word.MULTIPLY | Word.DIVIDE:
            return _arithmetic(word, *given)
        case Word.NEGATE:
            return _settled(-_numeric(given[0]), given, -given[0].highs, -given[0].lows)
        case Word.ABS:
            return _absolute(given[0])
        case Word.FLOOR | Word.CEIL | Word.ROUND:
            return _rounded(word, given)
        case Word.SQRT:
            return _root(given[0])
        case Word.LN | Word.LOG10 | Word.EXP:
            return _rising(word, given[0])
        case Word.LEAST | Word.GREATEST | Word.CLIP:
            return _limited(word, given)
        case Word.AND | Word.OR | Word.NOT:
            return _logic(word, given)
        case Word.IS_NULL:
            return Cells.known(given[0].missing.copy())
        case Word.IN:
            return _among(given)
        case Word.CASE:
            return _case(given)
        case Word.COALESCE:
            return _coalesce(given)
        case Word.TO_INTEGER | Word.TO_REAL | Word.TO_TEXT:
            return _cast(word, given[0])
        case Word.LOWER | Word.UPPER | Word.LENGTH | Word.LIKE | Word.ILIKE:
            return _text(word, given)
        case _ if word in WORDS:
            return worded(word, given)
        case _ if word in _COMPARISONS:
            return _compared(_COMPARISONS[word], given)
        case _:
            raise InvalidInput("Q301", f"{word.value} cannot be computed from answers", "Use it on rows instead")


# --- numbers ---------------------------------------------------------------------------------------------


def _numeric(cells: Cells) -> NDArray[Any]:
    return cells.values if cells.values.dtype.kind == "i" else cells.numbers


def _missing(given: Sequence[Cells]) -> Bools:
    found: Bools = np.logical_or.reduce([each.missing for each in given])
    return found


def _settled(values: NDArray[Any], given: Sequence[Cells], low: Floats, high: Floats) -> Cells:
    """A column of computed numbers; what is no number is NULL, and a column made of certain ones is certain."""
    missing = _missing(given) | (~np.isfinite(values) if values.dtype.kind == "f" else False)
    if all(each.certain for each in given):
        return Cells(values, missing)
    # where infinity met infinity or zero, nothing is known of that end
    return Cells(values, missing, np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high))


def _arithmetic(word: Word, left: Cells, right: Cells) -> Cells:
    a, b = _numeric(left), _numeric(right)
    if a.dtype.kind == "i" and b.dtype.kind == "i" and word is not Word.DIVIDE and not _small(a, b, word):
        a, b = left.numbers, right.numbers
    match word:
        case Word.ADD:
            return _settled(a + b, (left, right), left.lows + right.lows, left.highs + right.highs)
        case Word.SUBTRACT:
            return _settled(a - b, (left, right), left.lows - right.highs, left.highs - right.lows)
        case Word.MULTIPLY:
            return _settled(a * b, (left, right), *_corners(np.multiply, left, right))
        case _:
            quotient = np.where(right.numbers == 0, np.nan, left.numbers / right.numbers)
            low, high = _corners(np.divide, left, right)
            # a noisy denominator that may not be positive leaves nothing known of a quotient
            unknown = right.lows <= 0 if not right.certain else right.numbers == 0
            return _settled(quotient, (left, right), np.where(unknown, -np.inf, low), np.where(unknown, np.inf, high))


def _small(a: NDArray[Any], b: NDArray[Any], word: Word) -> bool:
    """Whether whole numbers stay whole numbers of 64 bits."""
    most = 2**30 if word is Word.MULTIPLY else 2**61
    return bool(np.all(np.abs(a) < most) and np.all(np.abs(b) < most))


def _corners(operation: Callable[[Floats, Floats], Floats], left: Cells, right: Cells) -> tuple[Floats, Floats]:
    ends = [operation(a, b) for a in (left.lows, left.highs) for b in (right.lows, right.highs)]
    unknown = np.logical_or.reduce([np.isnan(end) for end in ends])
    low, high = np.minimum.reduce(ends), np.maximum.reduce(ends)
    return np.where(unknown, -np.inf, low), np.where(unknown, np.inf, high)


def _absolute(cells: Cells) -> Cells:
    crosses = (cells.lows <= 0) & (cells.highs >= 0)
    ends = np.abs(cells.lows), np.abs(cells.highs)
    low = np.where(crosses, 0.0, np.minimum(*ends))
    return _settled(np.abs(_numeric(cells)), (cells,), low, np.maximum(*ends))


def _rounded(word: Word, given: Sequence[Cells]) -> Cells:
    cells = given[0]
    if len(given) == 2:
        digits = given[1].numbers
        values, low, high = (_nearest(each, digits) for each in (cells.numbers, cells.lows, cells.highs))
        return _settled(values, given, low, high)
    step = _INCREASING[word]
    values = cells.values if cells.values.dtype.kind == "i" else step(cells.numbers)
    return _settled(values, (cells,), step(cells.lows), step(cells.highs))


def _nearest(numbers: Floats, digits: Floats | int) -> Floats:
    """So many digits behind the point, and halves away from 0, as SQL rounds; divided, so that 11.1 is 11.1."""
    scale = 10.0 ** np.abs(digits)
    behind = np.asarray(digits) >= 0
    steps = np.abs(np.where(behind, numbers * scale, numbers / scale))
    whole = np.copysign(np.where(steps < 2.0**52, np.floor(steps + 0.5), steps), numbers)
    return np.where(behind, whole / scale, whole * scale)


def _root(cells: Cells) -> Cells:
    root = np.sqrt(np.maximum(cells.highs, 0))
    return _settled(np.sqrt(cells.numbers), (cells,), np.sqrt(np.maximum(cells.lows, 0)), root)


def _rising(word: Word, cells: Cells) -> Cells:
    """Logarithms, of what is above 0, and EXP, of what is within ±700."""
    if word is Word.EXP:
        ends = [np.exp(np.clip(each, -700, 700)) for each in (cells.numbers, cells.lows, cells.highs)]
        return _settled(ends[0], (cells,), ends[1], ends[2])
    function = np.log if word is Word.LN else np.log10
    low, high = (function(np.maximum(each, 0.0)) for each in (cells.lows, cells.highs))
    return _settled(np.where(cells.numbers > 0, function(cells.numbers), np.nan), (cells,), low, high)


def _limited(word: Word, given: Sequence[Cells]) -> Cells:
    """LEAST and GREATEST of what is not NULL, and CLIP(x, low, high)."""
    if word is Word.CLIP:
        return _limited(Word.GREATEST, (_limited(Word.LEAST, (given[0], given[2])), given[1]))
    pick = np.fmin if word is Word.LEAST else np.fmax

    def over(ends: Sequence[Floats]) -> Floats:
        held = [np.where(cells.missing, np.nan, end) for cells, end in zip(given, ends, strict=True)]
        result: Floats = pick.reduce(held)
        return result

    values = over([each.numbers for each in given])
    missing: Bools = np.logical_and.reduce([each.missing for each in given])
    if all(each.certain for each in given):
        return Cells(values, missing)
    return Cells(values, missing, over([each.lows for each in given]), over([each.highs for each in given]))


# --- conditions ------------------------------------------------------------------------------------------


def is_true(cells: Cells) -> Bools:
    """Where a condition is true: not false, not NULL."""
    if cells.values.dtype == object:
        return np.zeros(len(cells.values), bool)
    found: Bools = cells.values.astype(bool) & ~cells.missing
    return found


def _compared(compare: Compare, given: Sequence[Cells]) -> Cells:
    left, right = given
    missing = left.missing | right.missing
    if left.values.dtype == object or right.values.dtype == object:
        pairs = zip(left.values, right.values, missing, strict=True)
        values = np.array([not gone and type(a) is type(b) and bool(compare(a, b)) for a, b, gone in pairs], bool)
        return Cells(values, missing)
    values = np.asarray(compare(left.values, right.values), bool)
    if left.certain and right.certain:
        return Cells(values, missing)
    return Cells(values, missing, *_decided(compare, left, right))


def _decided(compare: Compare, left: Cells, right: Cells) -> tuple[Floats, Floats]:
    """Whether a comparison holds at all ends, and whether it holds at some: 1 and 1, 0 and 1, or 0 and 0."""
    ends = [compare(a, b) for a in (left.lows, left.highs) for b in (right.lows, right.highs)]
    always, ever = np.logical_and.reduce(ends), np.logical_or.reduce(ends)
    apart = (left.highs < right.lows) | (right.highs < left.lows)
    if bool(compare(0, 0)) != bool(compare(0, 1)) and bool(compare(0, 1)) == bool(compare(1, 0)):  # = and <>
        same = bool(compare(0, 0))
        always, ever = (np.zeros_like(apart), ~apart) if same else (apart, np.ones_like(apart))
    return always.astype(np.float64), ever.astype(np.float64)


def _logic(word: Word, given: Sequence[Cells]) -> Cells:
    if word is Word.NOT:
        cells = given[0]
        if cells.certain:
            return Cells(~is_true(cells), cells.missing)
        return Cells(~is_true(cells), cells.missing, 1 - cells.highs, 1 - cells.lows)
    true = [is_true(each) for each in given]
    false = [~each.values.astype(bool) & ~each.missing for each in given]
    if word is Word.AND:
        yes, no = np.logical_and.reduce(true), np.logical_or.reduce(false)
    else:
        yes, no = np.logical_or.reduce(true), np.logical_and.reduce(false)
    values, missing = np.asarray(yes, bool), ~(yes | no)
    if all(each.certain for each in given):
        return Cells(values, missing)
    reduce = np.minimum.reduce if word is Word.AND else np.maximum.reduce
    return Cells(values, missing, reduce([each.lows for each in given]), reduce([each.highs for each in given]))


def _among(given: Sequence[Cells]) -> Cells:
    subject, *members = given
    matches = [_compared(_COMPARISONS[Word.EQUAL], (subject, member)) for member in members]
    return _logic(Word.OR, matches) if matches else Cells(np.zeros(len(subject.values), bool), subject.missing)


# --- choices ---------------------------------------------------------------------------------------------


def _case(given: Sequence[Cells]) -> Cells:
    """The first value whose condition is true; where that is undecided, the interval is that of both values."""
    *pairs, otherwise = given
    result = otherwise
    for condition, value in reversed(list(zip(pairs[::2], pairs[1::2], strict=True))):
        result = _chosen(is_true(condition), value, result, _undecided(condition))
    return result


def _undecided(condition: Cells) -> Bools | None:
    """Where a condition on noisy numbers could as well be the other way round; None where it could nowhere."""
    return None if condition.certain else (condition.lows < 1) & (condition.highs > 0)


def _coalesce(given: Sequence[Cells]) -> Cells:
    result = given[-1]
    for cells in reversed(given[:-1]):
        result = _chosen(~cells.missing, cells, result)
    return result


def _chosen(first: Bools, yes: Cells, no: Cells, undecided: Bools | None = None) -> Cells:
    if yes.nothing or no.nothing:  # NULL beside numbers leaves them numbers
        values = no.values if yes.nothing else yes.values
    elif yes.values.dtype == object or no.values.dtype == object:
        values = np.where(first, yes.values.astype(object), no.values.astype(object))
    else:
        values = np.where(first, yes.values, no.values)
    missing = np.where(first, yes.missing, no.missing)
    if yes.certain and no.certain and undecided is None:
        return Cells(values, missing)
    low, high = np.where(first, yes.lows, no.lows), np.where(first, yes.highs, no.highs)
    if undecided is not None and values.dtype != object:  # a branch that is NULL says nothing of how large a value is
        low = np.where(undecided, np.fmin(_known(yes, yes.lows), _known(no, no.lows)), low)
        high = np.where(undecided, np.fmax(_known(yes, yes.highs), _known(no, no.highs)), high)
    return Cells(values, missing, low, high)


def _known(cells: Cells, ends: Floats) -> Floats:
    return np.where(cells.missing, np.nan, ends)


# --- text and casts --------------------------------------------------------------------------------------


def _cast(word: Word, cells: Cells) -> Cells:
    if word is Word.TO_TEXT:
        texts = [None if gone else str(value) for value, gone in zip(cells.values, cells.missing, strict=True)]
        return Cells.known([text.lower() if text and cells.values.dtype.kind == "b" else text for text in texts])
    if cells.values.dtype == object:
        return Cells.known([_number(value) for value in cells.values])
    if word is Word.TO_REAL or cells.values.dtype.kind == "i":
        return Cells(cells.numbers if word is Word.TO_REAL else cells.values, cells.missing, cells.low, cells.high)
    return _rounded(Word.ROUND, (cells,))


def _number(value: object) -> float | None:
    try:
        return float(str(value))
    except ValueError:
        return None


def _text(word: Word, given: Sequence[Cells]) -> Cells:
    subject = given[0]
    texts = [None if gone else str(value) for value, gone in zip(subject.values, subject.missing, strict=True)]
    match word:
        case Word.LOWER:
            return Cells.known([None if text is None else text.lower() for text in texts])
        case Word.UPPER:
            return Cells.known([None if text is None else text.upper() for text in texts])
        case Word.LENGTH:
            return Cells.known([None if text is None else len(text) for text in texts])
        case _:
            pattern = _like(str(given[1].values[0]) if len(given[1].values) else "", in_any_case=word is Word.ILIKE)
            return Cells.known([None if text is None else pattern.fullmatch(text) is not None for text in texts])


def _like(pattern: str, *, in_any_case: bool) -> re.Pattern[str]:
    parts = (".*" if mark == "%" else "." if mark == "_" else re.escape(mark) for mark in pattern)
    return re.compile("".join(parts), re.DOTALL | (re.IGNORECASE if in_any_case else 0))
