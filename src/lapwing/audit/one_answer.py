"""One answer, looked into: a tag for its shape, its numbers, and marks for whatever else an observer could point at.

The one idea: what we do not look at must not pass for seen. Numbers are taken apart until nothing of them is rounded
away; a text is its skeleton, the numbers in it, its characters and its words; an object is its attributes. Whatever
remains is named in ``opaque``, and an audit of such answers says that it could not have refuted.
"""

from __future__ import annotations

import dataclasses
import enum
import hashlib
import inspect
import math
import numbers
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from itertools import chain, pairwise

import numpy as np

#: Numbers of one answer that get a column each.
WIDEST = 1000
#: Whole numbers below this are floats without loss; larger ones are taken apart into digits below the second.
EXACT, PART = 2**53, 10**15
#: A text longer than the first is not repeated in a tag, longer than the second it is looked at letter by letter.
_LONGEST_TEXT, _WORDY = 60, 16
#: Nested deeper, or with more parts, an answer is not looked into further.
_DEEPEST, _PARTS = 20, 20_000
_MARKS = 400
_USUAL = (np.dtype(np.float64), np.dtype(np.int64), np.dtype(np.bool_))
#: Where objects of other libraries state the types of their columns.
_STATING = ("schema", "dtypes", "dtype", "type")
#: Types of columns that show in their cells, if there are any.
_SHOWING = ("float64", "int64", "bool")
_NUMBER = re.compile(r"(?:(?<![\w.])[-+])?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Raised:
    """What stands for an answer when the callable raised: the kind of exception, not its message."""

    kind: str


@dataclass(slots=True)
class Glance:
    """One answer's tag, numbers and marks, and the kinds of its parts that could not be looked into."""

    tag: str = ""
    values: list[float] = field(default_factory=list)
    marks: set[str] = field(default_factory=set)
    opaque: set[str] = field(default_factory=set)
    parts: int = 0

    @classmethod
    def at(cls, answer: object) -> Glance:
        """A look at an answer."""
        look = cls()
        look.tag, look.values = look.into(answer, 0)
        if len(look.values) > WIDEST:
            look.opaque.add(f"more than {WIDEST:,} numbers")
        return look

    def into(self, answer: object, depth: int) -> tuple[str, list[float]]:
        """The tag and the numbers of a part."""
        if isinstance(answer, Raised):
            return f"raises {answer.kind}", []
        self.parts += 1
        try:
            prefix, plain = _plain(answer)
            tag, values = self._of(plain, depth)
        except Exception:  # an object of others may answer our look with anything; it is one that cannot be looked into
            return self._unseen(answer)
        return prefix + tag, values

    def _of(self, plain: object, depth: int) -> tuple[str, list[float]]:
        if isinstance(plain, bool):
            return "bool", [float(plain)]
        if isinstance(plain, int):
            return _whole(plain)
        if isinstance(plain, float):
            return _float_tag(plain), [float(plain)]
        if plain is None:
            return "None", []
        if isinstance(plain, str):
            return self._text(plain, depth)
        if isinstance(plain, bytes):
            return f"{len(plain)} of byte", [float(each) for each in plain]
        if depth < _DEEPEST and self.parts < _PARTS:
            if isinstance(plain, Mapping):
                return self._mapping(plain, depth)
            if isinstance(plain, list | tuple):
                return self._list(plain, depth)
        return self._unseen(plain)

    def _unseen(self, part: object) -> tuple[str, list[float]]:
        self.opaque.add(type(part).__name__)
        return f"a {type(part).__name__}", []

    def _list(self, answer: Sequence[object], depth: int) -> tuple[str, list[float]]:
        parts = [self.into(each, depth + 1) for each in answer]
        return f"{len(parts)} of {_run([tag for tag, _ in parts])}", list(chain.from_iterable(v for _, v in parts))

    def _mapping(self, answer: Mapping[object, object], depth: int) -> tuple[str, list[float]]:
        entries = [(repr(key), value) for key, value in answer.items()]
        ordered = sorted(entries, key=lambda entry: entry[0])
        parts = [(key, *self.into(value, depth + 1)) for key, value in ordered]
        inside = ", ".join(f"{key}: {tag}" for key, tag, _ in parts)
        for key, _ in entries:
            self._mark(f"has the key {key}")
        if ordered != entries:  # the order of the keys is seen, too
            for (one, _), (other, _) in pairwise(entries):
                self._mark(f"has the key {other} right after {one}")
        return f"{{{inside}}}", list(chain.from_iterable(values for _, _, values in parts))

    def _text(self, text: str, depth: int) -> tuple[str, list[float]]:
        """A text's skeleton (its numbers as #), its numbers, and, if it is no mere word, its length and letters."""
        found = _NUMBER.findall(text) if len(text) <= 100 * WIDEST else []
        skeleton = _NUMBER.sub("#", text) if found else text
        values = list(chain.from_iterable(_written(number) for number in found))
        if found or len(text) > _WORDY:
            values += [float(len(text)), float(ord(text[-1]))]
        if len(text) > _WORDY:
            values += [float(ord(letter)) for letter in text[:WIDEST]]
            for word in set(_WORD.findall(text)):
                self._mark(f"has the word {word!r}")
        if len(text) > WIDEST:
            self.opaque.add(f"text of more than {WIDEST:,} characters")
        if depth and len(text) <= _LONGEST_TEXT:
            self._mark(f"has the text {text!r}")
        if len(skeleton) <= _LONGEST_TEXT:
            return repr(skeleton), values
        digest = hashlib.sha256(skeleton.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        return f"text of {len(skeleton)} characters beginning {skeleton[:_LONGEST_TEXT]!r} ({digest})", values

    def _mark(self, mark: str) -> None:
        if len(self.marks) < _MARKS:
            self.marks.add(mark)


# --- numbers ------------------------------------------------------------------------------------------------


def _whole(number: int) -> tuple[str, list[float]]:
    """A whole number; one that a float would round, also in parts, the lowest first."""
    if -EXACT <= number <= EXACT:
        return "int", [float(number)]
    parts: list[float] = []
    rest = abs(number)
    while rest and len(parts) < WIDEST:
        rest, part = divmod(rest, PART)
        parts.append(float(part))
    return f"int of {len(parts)} parts", [_as_float(number), *parts]


def _written(number: str) -> Iterable[float]:
    """A number in a text, without loss: what a float would round is taken apart."""
    exact = Fraction(number) if len(number) <= 30 and "e" not in number.lower() else None
    if exact is not None and exact.denominator == 1:
        return _whole(int(exact))[1]
    value = float(number)
    return [value] if len(number) <= 16 else [value, *(float(ord(digit)) for digit in number[:WIDEST])]


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


# --- other people's types -------------------------------------------------------------------------------------


def _plain(answer: object) -> tuple[str, object]:
    """Other libraries' numbers, arrays, tables and objects as Python's own; and what that would not say of them."""
    if answer is None or isinstance(answer, bool | int | float | str | bytes | list | tuple | dict):
        if isinstance(answer, tuple) and hasattr(answer, "_fields"):
            return "", dict(zip(answer._fields, answer, strict=True))
        return ("", answer.name) if isinstance(answer, enum.Enum) else ("", answer)
    if isinstance(answer, np.generic | np.ndarray):
        return _of_numpy(answer)
    if isinstance(answer, Decimal):
        return "decimal ", _of_decimal(answer)
    if isinstance(answer, complex):
        return "", (answer.real, answer.imag)
    if isinstance(answer, numbers.Rational):
        return "fraction ", (_ratio(answer), int(answer.numerator), int(answer.denominator))
    if isinstance(answer, set | frozenset):
        return "", sorted(answer, key=repr)
    if isinstance(answer, bytearray | memoryview):
        return "", bytes(answer)
    if isinstance(answer, enum.Enum):
        return "", answer.name
    if dataclasses.is_dataclass(answer) and not isinstance(answer, type):
        return "", {each.name: getattr(answer, each.name) for each in dataclasses.fields(answer)}
    return _stated_types(answer), _from_library(answer)


def _stated_types(answer: object) -> str:
    """The types that a column or a table of another library states of itself, where its cells do not show them."""
    if not any(hasattr(answer, method) for method in ("to_pydict", "to_dict", "to_list", "tolist")):
        return ""
    stated = next((found for name in _STATING if (found := getattr(answer, name, None)) is not None), None)
    if stated is None or inspect.isroutine(stated):
        return ""
    names = [str(each) for each in stated] if isinstance(stated, Iterable) else [str(stated)]
    is_empty = hasattr(answer, "__len__") and len(answer) == 0
    return "".join(f"{name} " for name in names if is_empty or name not in _SHOWING)


def _of_numpy(answer: np.generic | np.ndarray) -> tuple[str, object]:
    usual = answer.dtype in _USUAL or answer.dtype.kind in "SUMmVc"
    shape = f"{answer.shape} " if answer.size == 0 and answer.ndim > 1 else ""
    found: object = answer.tolist()
    if isinstance(found, np.generic):  # longer than Python's floats
        ratio = found.as_integer_ratio() if isinstance(found, np.floating) and np.isfinite(found) else None
        found = float(found) if ratio is None else [float(found), *(int(each) for each in ratio)]
    return f"{'' if usual else f'{answer.dtype} '}{shape}", found


def _of_decimal(answer: Decimal) -> object:
    if not answer.is_finite():
        return str(answer)
    sign, digits, exponent = answer.as_tuple()
    coefficient = int("".join(map(str, digits)) or "0")
    return (float(answer), -coefficient if sign else coefficient, exponent)


def _ratio(answer: numbers.Rational) -> float:
    try:
        return int(answer.numerator) / int(answer.denominator)
    except OverflowError:
        return math.inf


def _from_library(answer: object) -> object:
    """Data frames, series, dates and objects by what they have in common, without importing their libraries."""
    if hasattr(answer, "index") and not callable(answer.index) and hasattr(answer, "to_dict"):
        return _labelled(answer)
    for method, words in (
        ("to_pydict", {}),
        ("to_dict", {"as_series": False}),
        ("to_list", {}),
        ("tolist", {}),
        ("isoformat", {}),
    ):
        convert = getattr(answer, method, None)
        if callable(convert) and not isinstance(answer, type):
            try:
                return convert(**words)
            except (TypeError, ValueError):
                continue
    if isinstance(answer, Mapping):
        return answer
    if isinstance(answer, Iterable) and hasattr(answer, "__len__"):
        return list(answer)
    if isinstance(answer, numbers.Real):
        return float(answer)
    return _attributes(answer)


def _labelled(answer: object) -> object:
    """A data frame or series of pandas: its labels are seen, too."""
    index = answer.index.tolist()  # type: ignore[attr-defined]  # as was seen
    columns = getattr(answer, "columns", None)
    labels = {"": {"index": index, "name": str(answer.index.names)}}  # type: ignore[attr-defined]  # as above
    if list(range(len(index))) == index and list(answer.index.names) == [None]:  # type: ignore[attr-defined]  # as above
        labels = {}
    if columns is None:
        return {**labels, repr(getattr(answer, "name", None)): answer.tolist()}  # type: ignore[attr-defined]  # as above
    cells = [answer.iloc[:, place].tolist() for place in range(len(columns))]  # type: ignore[attr-defined]  # as above
    names = columns.tolist()
    twice = len(set(names)) < len(names)
    return {**labels, **({"": [names, cells]} if twice else dict(zip(names, cells, strict=True)))}


def _attributes(answer: object) -> object:
    """An object as its attributes; as itself where there is nothing that we could see."""
    if callable(answer) or isinstance(answer, type):
        return answer
    found: dict[str, object] = dict(getattr(answer, "__dict__", {}))
    for each in type(answer).__mro__:
        slots = each.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if hasattr(answer, name):
                found[name] = getattr(answer, name)
    if isinstance(answer, BaseException):
        found["args"] = answer.args
    if type(answer).__str__ is not object.__str__ or type(answer).__repr__ is not object.__repr__:
        text = str(answer)
        if not re.search(r"0x[0-9a-fA-F]{6,}", text):  # an address is no part of an answer
            found[""] = text
    return {f"a {type(answer).__name__}": found} if found else answer


def _run(tags: Sequence[str]) -> str:
    """Tags of a list, said once if they are all the same."""
    if len(set(tags)) == 1:
        return tags[0]
    return f"({', '.join(tags)})"
