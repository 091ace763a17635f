"""Values at the door of a run: public ones checked, private ones made total, answers turned into plain Python.

The one idea: nothing a private value can be makes a run fail, and nothing brings two private numbers further apart. A
private number is taken as it is; what lies beyond ±``BOUND`` is moved there; what is no number counts as 0. Only a
parameter of whole numbers is given by floor, which keeps whole distances.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import SupportsIndex

from lapwing.algebra.exact import exact, plain_fraction, plain_whole
from lapwing.errors import InvalidInput
from lapwing.kernel.program import written_types
from lapwing.kernel.program.ir import Boolean, Integer, List, Real, Tuple, Type
from lapwing.kernel.run.evaluate import Value, zero
from lapwing.kernel.run.extent import BOUND

#: Decimals of 10^_LARGE or more are beyond the bound; those nearer to 0 than 10^-_SMALL are
#: moved there: no memory would hold their digits, nor those of a number that is just so much larger.
_LARGE, _SMALL = 310, 5000
_DIGITS = re.compile(r"\s*[+-]?\d+\s*/\s*\d+\s*", re.ASCII)


def private(value: object, kind: Type, name: str) -> Value:
    """A private input. Fails only for a list given as no list: the shape of an input is public."""
    if isinstance(kind, List):
        return tuple(_inside(each, kind.element) for each in _sequence(value, kind, name))
    if isinstance(kind, Tuple):
        parts = tuple(_sequence(value, kind, name))
        if len(parts) != len(kind.elements):
            raise _misfit(name, kind)
        return tuple(_inside(each, part) for each, part in zip(parts, kind.elements, strict=True))
    return _inside(value, kind)


def _inside(value: object, kind: Type) -> Value:
    """A value inside a private one, or a private number: total."""
    if isinstance(kind, List):
        return tuple(_inside(each, kind.element) for each in _parts(value))
    if isinstance(kind, Tuple):
        parts = _parts(value)
        if len(parts) != len(kind.elements):
            return zero(kind)
        return tuple(_inside(each, part) for each, part in zip(parts, kind.elements, strict=True))
    number = _number(value)
    if isinstance(kind, Boolean):
        return number != 0
    return number.__floor__() if isinstance(kind, Integer) else _plain(number)


def _parts(value: object) -> tuple[object, ...]:
    """The elements of a list inside a private one; none if it is no list."""
    try:
        plain = _listed(value)
        return tuple(plain) if isinstance(plain, Sequence) else ()
    except Exception:  # whatever it was, the run must not show it
        return ()


def _number(value: object) -> Fraction:
    """The number a private value stands for, between the bounds; 0 if it is none."""
    try:
        if type(value).__module__ == "numpy" and getattr(value, "size", 0) == 1:
            value = value.item()  # type: ignore[attr-defined]  # a NumPy scalar
        number = _read(value)
    except Exception:  # whatever it was, the run must not show it
        return Fraction(0)
    if abs(number.numerator) <= BOUND * number.denominator:
        return number
    return Fraction(BOUND if number > 0 else -BOUND)


def _read(value: object) -> Fraction:
    """The number itself, or one on the same side of every bound and of 0; raises if it is none.

    Unlike :func:`~lapwing.algebra.exact.exact` this refuses no size: of two close numbers both must be read.
    """
    if isinstance(value, Fraction):
        return plain_fraction(value)
    if not isinstance(value, float | str) and isinstance(value, SupportsIndex):  # the second question is a slow one
        return Fraction(plain_whole(value))
    text = _numeral(value)
    top, slash, bottom = text.partition("/")
    if slash:
        return Fraction(int(Decimal(top)), int(Decimal(bottom))) if _DIGITS.fullmatch(text) else Fraction(0)
    decimal = Decimal(text.strip())
    if decimal.is_nan() or decimal == 0:
        return Fraction(0)
    if decimal.is_infinite() or decimal.adjusted() > _LARGE:
        return Fraction(-BOUND if decimal < 0 else BOUND)
    if decimal.adjusted() < -_SMALL:
        return Fraction(-1 if decimal < 0 else 1, 10**_SMALL)
    return Fraction(decimal)


def _numeral(value: object) -> str:
    match value:  # a subclass is asked for nothing: what it holds is what it is
        case float():
            return float.__repr__(value)
        case Decimal():
            return Decimal.__str__(value)
        case str():
            return str.__str__(value)
    if type(value).__module__ != "numpy":
        raise TypeError
    return str.__str__(str(value))


def public(value: object, kind: Type, name: str) -> Value:
    """A public input, exactly; refuses what does not have the parameter's type."""
    if isinstance(kind, List):
        return tuple(public(each, kind.element, f"an element of {name}") for each in _sequence(value, kind, name))
    if isinstance(kind, Tuple):
        parts = tuple(_sequence(value, kind, name))
        if len(parts) != len(kind.elements):
            raise _misfit(name, kind)
        return tuple(public(each, part, f"a part of {name}") for each, part in zip(parts, kind.elements, strict=True))
    if isinstance(kind, Boolean):
        if not isinstance(value, bool) and type(value).__name__ not in ("bool", "bool_"):
            raise _misfit(name, kind)
        return bool(value)
    number = exact(value, name)  # type: ignore[arg-type]  # exact() refuses what it cannot read
    if isinstance(kind, Integer) and number.denominator != 1:
        raise _misfit(name, kind)
    return _plain(number)


def answer(value: Value, kind: Type, bits: int) -> object:
    """A value as plain Python: real numbers as their floor on multiples of 2^-bits, then the one conversion to float.

    Both are post-processing: what is proved of the real number holds of the float.
    """
    match kind:
        case Boolean():
            return bool(value)
        case Integer():
            return int(value)
        case Real():
            floor = _floor(value, bits)
            try:
                return float(floor)
            except OverflowError:
                return math.inf if floor > 0 else -math.inf
        case List(element):
            return [answer(each, element, bits) for each in value]
        case Tuple(elements):
            return tuple(answer(each, part, bits) for each, part in zip(value, elements, strict=True))
    raise AssertionError(kind)


def _floor(value: Value, bits: int) -> Fraction:
    """The floor of a number, or of a form, which knows how."""
    if isinstance(value, int | Fraction):
        return Fraction((value * 2**bits).__floor__(), 2**bits)
    floor: Fraction = value.floor_to(bits)
    return floor


def _plain(number: Fraction) -> Value:
    return number.numerator if number.denominator == 1 else number


def _sequence(value: object, kind: Type, name: str) -> Sequence[object]:
    plain = _listed(value)
    if not isinstance(plain, Sequence) or isinstance(plain, str | bytes):
        raise _misfit(name, kind)
    return plain


def _listed(value: object) -> object:
    """The elements themselves: a subclass of list or tuple is not asked for them."""
    match value:
        case list():
            return list.copy(value)
        case tuple():
            return tuple.__getitem__(value, slice(None))
    listed: object = value.tolist() if hasattr(value, "tolist") else value  # NumPy arrays
    return listed


def _misfit(name: str, kind: Type) -> InvalidInput:
    return InvalidInput("P205", f"'{name}' does not fit its type", f"Give a value of type {written_types.show(kind)}")
