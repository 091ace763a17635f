"""Any answer as a tag, numbers and marks: what an observer sees, in a form that can be counted and compared.

The one idea: real leaks hide in what is no number. The *tag* is everything discrete: the kind of answer, lengths,
keys, None, NaN, infinities, text, and the kind of exception where there is no answer at all. The *numbers* are the
values. *Marks* are what else can be pointed at: this key is there, this word. Time is left out: it is another claim.

Nothing is rounded: the low bits of a float are part of the answer. And an answer is encoded in one way, whatever other
answers stand beside it: the short way below must give what the long way (``one_answer.py``) gives.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lapwing.audit.one_answer import EXACT, WIDEST, Glance

#: Types whose arrays take the short way: what NumPy calls them, and what we do.
_KINDS: dict[type, tuple[str, str]] = {
    float: ("f", "float"), np.float64: ("f", "float"), int: ("i", "int"), np.int64: ("i", "int"), bool: ("b", "bool"),
    np.bool_: ("b", "bool"),
}  # fmt: skip
_NO_MARKS: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Batch:
    """Encoded answers: a tag each, a row of numbers each (NaN where an answer has none), and marks, if any has some."""

    tags: NDArray[np.int64]
    values: NDArray[np.float64]
    #: a set of codes for each answer; None where no answer has any
    marks: NDArray[np.object_] | None = None

    def __len__(self) -> int:
        return len(self.tags)

    def take(self, rows: slice | NDArray[np.int64] | NDArray[np.bool_]) -> Batch:
        """Some of the answers."""
        return Batch(self.tags[rows], self.values[rows], None if self.marks is None else self.marks[rows])


def joined(batches: Sequence[Batch]) -> Batch:
    """Several batches as one."""
    width = max(batch.values.shape[1] for batch in batches)
    values = [
        np.hstack([batch.values, np.full((len(batch), width - batch.values.shape[1]), np.nan)]) for batch in batches
    ]
    marks = None
    if any(batch.marks is not None for batch in batches):
        marks = np.concatenate([_no_marks(len(batch)) if batch.marks is None else batch.marks for batch in batches])
    return Batch(np.concatenate([batch.tags for batch in batches]), np.vstack(values), marks)


@dataclass(slots=True)
class Encoder:
    """Turns answers into batches; tags and marks are numbered as they are first met."""

    names: list[str] = field(default_factory=list)
    #: kinds of answers that could not be looked into
    opaque: set[str] = field(default_factory=set)
    mark_names: list[str] = field(default_factory=list)
    _codes: dict[str, int] = field(default_factory=dict)
    _mark_codes: dict[str, int] = field(default_factory=dict)

    def encode(self, answers: Sequence[object] | NDArray[np.generic]) -> Batch:
        """The batch of some answers; numbers and equally long lists of numbers take a short way."""
        if isinstance(answers, np.ndarray) and _is_large(answers):
            answers = _softened(answers.tolist())
        found = self._at_once(answers)
        return found if found is not None else self.of_looks([Glance.at(answer) for answer in answers])

    def of_looks(self, looks: Sequence[Glance]) -> Batch:
        """The batch of answers that were looked at already."""
        width = min(WIDEST, max((len(look.values) for look in looks), default=0))
        table = np.full((len(looks), width), np.nan)
        marks = _no_marks(len(looks))
        for row, look in enumerate(looks):
            kept = _kept(look.values)
            table[row, : len(kept)] = kept
            self.opaque |= look.opaque
            if look.marks:
                marks[row] = frozenset(self._mark(mark) for mark in look.marks)
        tags = np.array([self._code(look.tag) for look in looks], dtype=np.int64)
        return Batch(tags, table, marks if any(look.marks for look in looks) else None)

    def name(self, code: int) -> str:
        """The tag of this number, in words."""
        return self.names[code]

    def _code(self, tag: str) -> int:
        code = self._codes.get(tag)
        if code is None:
            code = self._codes[tag] = len(self.names)
            self.names.append(tag)
        return code

    def _mark(self, mark: str) -> int:
        code = self._mark_codes.get(mark)
        if code is None:
            code = self._mark_codes[mark] = len(self.mark_names)
            self.mark_names.append(mark)
        return code

    def _at_once(self, answers: Sequence[object] | NDArray[np.generic]) -> Batch | None:
        """The short way."""
        table = _as_table(answers)
        if table is None:
            return None
        raw, length, kind = table
        values = np.asarray(raw, dtype=np.float64).reshape(len(raw), -1)
        tag = kind if length is None else f"{length} of {kind}"
        tags = np.full(len(raw), self._code(tag), dtype=np.int64)
        if raw.dtype.kind == "f":
            odd = ~np.isfinite(values) | ((values == 0) & np.signbit(values))
            for row in np.flatnonzero(odd.any(axis=1)):
                answer = values[row].tolist()
                tags[row] = self._code(Glance.at(answer[0] if length is None else answer).tag)
        if values.shape[1] > WIDEST:
            self.opaque.add(f"more than {WIDEST:,} numbers")
            values = np.array([_kept(row) for row in values.tolist()])
        return Batch(tags, values)


_Table = tuple[NDArray[np.generic], int | None, str]


def _as_table(answers: Sequence[object] | NDArray[np.generic]) -> _Table | None:
    """Numbers, or rows of equally many, all of one kind: as an array, a row's length, the kind; None for others."""
    if isinstance(answers, np.ndarray):  # a batch has one type for all its numbers, so that says nothing about one
        plain = answers.dtype.kind in "biuf" and answers.dtype.itemsize <= 8 and answers.ndim in (1, 2)
        if not plain or not answers.size:
            return None
        return answers, None if answers.ndim == 1 else answers.shape[1], "float"
    kinds = set(map(type, answers))
    if len(kinds) == 1 and kinds <= set(_KINDS):
        return _array(answers, None, kinds.pop())
    if kinds in ({list}, {tuple}) or (kinds == {np.ndarray} and all(map(_is_row, answers))):
        rows: list[Sequence[object]] = list(answers)  # type: ignore[arg-type]  # each has a length, as was seen
        lengths, elements = set(map(len, rows)), set(map(type, chain.from_iterable(rows)))
        if len(lengths) == 1 and len(elements) == 1 and elements <= set(_KINDS):
            return _array(rows, lengths.pop(), elements.pop())
    return None


def _is_row(answer: object) -> bool:
    """Whether an array is a row of numbers of one type: one of objects says so, by the long way."""
    return isinstance(answer, np.ndarray) and answer.ndim == 1 and answer.dtype != object


def _array(answers: Sequence[object], length: int | None, kind: type) -> _Table | None:
    """The array, unless NumPy takes the numbers for another kind, or a float would round them."""
    expected, name = _KINDS[kind]
    found = np.array(answers)
    if found.dtype.kind != expected or found.ndim != (1 if length is None else 2) or _is_large(found):
        return None
    return found, length, name


def _softened(numbers: list[Any]) -> list[Any]:
    """Whole numbers of a batch: as in other batches all are floats, except those that a float would round."""
    if numbers and isinstance(numbers[0], list):
        return [_softened(each) for each in numbers]
    return [float(each) if -EXACT <= each <= EXACT else each for each in numbers]


def _is_large(numbers: NDArray[Any]) -> bool:
    """Whether there are whole numbers that a float would round."""
    return numbers.dtype.kind in "iu" and bool(((numbers > EXACT) | (numbers < -EXACT)).any())


def _kept(values: list[float]) -> list[float]:
    """The numbers that have a column: the last stands for all that have none, added up in one way, to the last bit."""
    if len(values) <= WIDEST:
        return values
    return [*values[: WIDEST - 1], math.fsum(_finite(values[WIDEST - 1 :]))]


def _finite(values: Iterable[float]) -> list[float]:
    return [each for each in values if math.isfinite(each)]


def _no_marks(count: int) -> NDArray[np.object_]:
    marks = np.empty(count, dtype=object)
    marks[:] = [_NO_MARKS] * count
    return marks
