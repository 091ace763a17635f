"""Any answer as a tag and numbers: what an observer sees, in a form that can be counted and compared.

The one idea: real leaks hide in what is no number. The *tag* is everything discrete: the kind of answer, lengths,
keys, None, NaN, infinities, text, and the kind of exception where there is no answer at all. The *numbers* are the
values. Time is left out: it is another claim.

Nothing is rounded: the low bits of a float are part of the answer. And an answer is encoded in one way, whatever other
answers stand beside it: the short ways below must give what the long way gives.
"""

from __future__ import annotations

import dataclasses
import math
import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import chain

import numpy as np
from numpy.typing import NDArray

#: More numbers than this in one answer: the last column is the sum of the rest.
WIDEST = 64
_LONGEST_TEXT = 60
_DEEPEST = 20
#: Types whose arrays take the short way: what NumPy calls them, and what we do.
_KINDS: dict[type, tuple[str, str]] = {
    float: ("f", "float"), np.float64: ("f", "float"), int: ("i", "int"), np.int64: ("i", "int"), bool: ("b", "bool"),
    np.bool_: ("b", "bool"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Raised:
    """What stands for an answer when the callable raised: the kind of exception, not its message."""

    kind: str


@dataclass(frozen=True, slots=True)
class Batch:
    """Encoded answers: a tag each, and a row of numbers each (NaN where an answer has none)."""

    tags: NDArray[np.int64]
    values: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.tags)

    def take(self, rows: slice | NDArray[np.int64] | NDArray[np.bool_]) -> Batch:
        """Some of the answers."""
        return Batch(self.tags[rows], self.values[rows])


@dataclass(slots=True)
class Encoder:
    """Turns answers into batches; tags are numbered as they are first met."""

    names: list[str] = field(default_factory=list)
    #: kinds of answers that could not be looked into
    opaque: set[str] = field(default_factory=set)
    _codes: dict[str, int] = field(default_factory=dict)

    def encode(self, answers: Sequence[object] | NDArray[np.generic]) -> Batch:
        """The batch of some answers; numbers and equally long lists of numbers take a short way."""
        found = self._at_once(answers)
        return found if found is not None else self._one_by_one(answers)

    def name(self, code: int) -> str:
        """The tag of this number, in words."""
        return self.names[code]

    def _code(self, tag: str) -> int:
        code = self._codes.get(tag)
        if code is None:
            code = self._codes[tag] = len(self.names)
            self.names.append(tag)
        return code

    # --- the short way ---------------------------------------------------------------------------------

    def _at_once(self, answers: Sequence[object] | NDArray[np.generic]) -> Batch | None:
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
                tags[row] = self._code(self._described(answer[0] if length is None else answer, 0)[0])
        return Batch(tags, _narrowed(values))

    # --- the long way ----------------------------------------------------------------------------------

    def _one_by_one(self, answers: Sequence[object] | NDArray[np.generic]) -> Batch:
        found = [self._described(answer, 0) for answer in answers]
        width = min(WIDEST, max((len(values) for _, values in found), default=0))
        table = np.full((len(found), width), np.nan)
        for row, (_, values) in enumerate(found):
            kept = values if len(values) <= WIDEST else [*values[: WIDEST - 1], _rest(values[WIDEST - 1 :])]
            table[row, : len(kept)] = kept
        return Batch(np.array([self._code(tag) for tag, _ in found], dtype=np.int64), table)

    def _described(self, answer: object, depth: int) -> tuple[str, list[float]]:
        """The tag and the numbers of one answer."""
        if isinstance(answer, Raised):
            return f"raises {answer.kind}", []
        plain = _plain(answer)
        if isinstance(plain, bool):
            return "bool", [float(plain)]
        if isinstance(plain, int):
            return "int", [_as_float(plain)]
        if isinstance(plain, float):
            return _float_tag(plain), [plain]
        if plain is None or isinstance(plain, str | bytes):
            return _discrete(plain)
        if depth < _DEEPEST and isinstance(plain, Mapping):
            return self._of_mapping(plain, depth)
        if depth < _DEEPEST and isinstance(plain, list | tuple):
            return self._of_list(plain, depth)
        self.opaque.add(type(plain).__name__)
        return f"a {type(plain).__name__}", []

    def _of_list(self, answer: Sequence[object], depth: int) -> tuple[str, list[float]]:
        parts = [self._described(each, depth + 1) for each in answer]
        return f"{len(parts)} of {_run([tag for tag, _ in parts])}", list(chain.from_iterable(v for _, v in parts))

    def _of_mapping(self, answer: Mapping[object, object], depth: int) -> tuple[str, list[float]]:
        entries = sorted(((repr(key), value) for key, value in answer.items()), key=lambda entry: entry[0])
        parts = [(key, *self._described(value, depth + 1)) for key, value in entries]
        inside = ", ".join(f"{key}: {tag}" for key, tag, _ in parts)
        return f"{{{inside}}}", list(chain.from_iterable(values for _, _, values in parts))


_Table = tuple[NDArray[np.generic], int | None, str]


def _as_table(answers: Sequence[object] | NDArray[np.generic]) -> _Table | None:
    """Numbers, or rows of equally many, all of one kind: as an array, a row's length, the kind; None for others."""
    if isinstance(answers, np.ndarray):  # a batch has one type for all its numbers, so that says nothing about one
        if answers.dtype.kind not in "biuf" or answers.ndim not in (1, 2) or not answers.size:
            return None
        return answers, None if answers.ndim == 1 else answers.shape[1], "float"
    kinds = set(map(type, answers))
    if len(kinds) == 1 and kinds <= set(_KINDS):
        return _array(answers, None, kinds.pop())
    if kinds in ({list}, {tuple}) or (kinds == {np.ndarray} and all(np.ndim(each) == 1 for each in answers)):  # type: ignore[arg-type]  # arrays all
        rows: list[Sequence[object]] = list(answers)  # type: ignore[arg-type]  # each has a length, as was seen
        lengths, elements = set(map(len, rows)), set(map(type, chain.from_iterable(rows)))
        if len(lengths) == 1 and len(elements) == 1 and elements <= set(_KINDS):
            return _array(rows, lengths.pop(), elements.pop())
    return None


def _array(answers: Sequence[object], length: int | None, kind: type) -> _Table | None:
    """The array, unless NumPy takes the numbers for another kind, as it does where integers are very large."""
    expected, name = _KINDS[kind]
    found = np.array(answers)
    if found.dtype.kind != expected or found.ndim != (1 if length is None else 2):
        return None
    return found, length, name


def _narrowed(values: NDArray[np.float64]) -> NDArray[np.float64]:
    if values.shape[1] <= WIDEST:
        return values
    rest = [_rest(row[WIDEST - 1 :]) for row in values]
    return np.column_stack([values[:, : WIDEST - 1], rest])


def _rest(values: Sequence[float] | NDArray[np.float64]) -> float:
    """The sum of the numbers that have no column of their own: added up in one way, to the last bit."""
    return math.fsum(_finite(np.asarray(values, dtype=np.float64).tolist()))


def _plain(answer: object) -> object:
    """Other libraries' numbers, arrays and tables as Python's own."""
    if answer is None or isinstance(answer, bool | int | float | str | bytes | list | tuple | dict):
        return answer
    if isinstance(answer, np.generic | np.ndarray):
        return answer.tolist()
    if isinstance(answer, complex):
        return (answer.real, answer.imag)
    if isinstance(answer, numbers.Real | Decimal):
        return float(answer)
    if isinstance(answer, set | frozenset):
        return sorted(answer, key=repr)
    if dataclasses.is_dataclass(answer) and not isinstance(answer, type):
        return {each.name: getattr(answer, each.name) for each in dataclasses.fields(answer)}
    return _from_library(answer)


def _from_library(answer: object) -> object:
    """Data frames and series by the methods that they have in common, without importing their libraries."""
    for method, words in (
        ("to_pydict", {}),
        ("to_dict", {"as_series": False}),
        ("to_dict", {"orient": "list"}),
        ("to_list", {}),
        ("tolist", {}),
    ):
        convert = getattr(answer, method, None)
        if callable(convert):
            try:
                return convert(**words)
            except (TypeError, ValueError):
                continue
    if isinstance(answer, Mapping):
        return answer
    return list(answer) if isinstance(answer, Iterable) and hasattr(answer, "__len__") else answer


def _as_float(number: int) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _float_tag(number: float) -> str:
    if math.isnan(number):
        return "nan"
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    return "-0.0" if number == 0 and math.copysign(1, number) < 0 else "float"


def _discrete(answer: str | bytes | None) -> tuple[str, list[float]]:
    if isinstance(answer, bytes):
        return f"{len(answer)} of byte", [float(each) for each in answer]
    if isinstance(answer, str) and len(answer) > _LONGEST_TEXT:
        return f"text of {len(answer)} characters beginning {answer[:_LONGEST_TEXT]!r}", []
    return repr(answer), []


def _run(tags: Sequence[str]) -> str:
    """Tags of a list, said once if they are all the same."""
    if len(set(tags)) == 1:
        return tags[0]
    return f"({', '.join(tags)})"


def _finite(values: Iterable[float]) -> list[float]:
    return [each for each in values if math.isfinite(each)]
