"""Values at the door of a run: public ones checked, private ones made total, answers turned into plain Python.

The one idea: nothing a private value can be makes a run fail. A private number goes to the lattice by floor, which is
monotone and commutes with lattice shifts, so two numbers within a lattice multiple d stay within d. What is not a
number counts as 0, and what lies beyond ±``BOUND`` is moved there, which brings no two values further apart.
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
from lapwing.program import types
from lapwing.program.evaluate import Value, zero
from lapwing.program.ir import Boolean, Integer, List, Real, Tuple, Type

#: Private numbers lie in [-BOUND, BOUND].
BOUND = 2**53
#: Decimals of 10^_LARGE or more are beyond the bound; those below 10^-_SMALL lie between 0 and the next lattice point.
_LARGE, _SMALL = 20, 5000
_DIGITS = re.compile(r"\s*[+-]?\d+\s*/\s*\d+\s*", re.ASCII)


def private(value: object, kind: Type, name: str, bits: int) -> Value:
    """A private input on the lattice. Fails only for a list given as no list: the shape of an input is public."""
    if isinstance(kind, List):
        return tuple(_inside(each, kind.element, bits) for each in _sequence(value, kind, name))
    if isinstance(kind, Tuple):
        parts = tuple(_sequence(value, kind, name))
        if len(parts) != len(kind.elements):
            raise _misfit(name, kind)
        return tuple(_inside(each, part, bits) for each, part in zip(parts, kind.elements, strict=True))
    return _inside(value, kind, bits)


def _inside(value: object, kind: Type, bits: int) -> Value:
    """A value inside a private one, or a private number: total."""
    if isinstance(kind, List):
        return tuple(_inside(each, kind.element, bits) for each in _parts(value))
    if isinstance(kind, Tuple):
        parts = _parts(value)
        if len(parts) != len(kind.elements):
            return zero(kind)
        return tuple(_inside(each, part, bits) for each, part in zip(parts, kind.elements, strict=True))
    number = _number(value)
    if isinstance(kind, Boolean):
        return number != 0
    steps = 1 if isinstance(kind, Integer) else 2**bits
    floor = (number * steps).__floor__()
    return floor if steps == 1 else _plain(Fraction(floor, steps))


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
    return max(Fraction(-BOUND), min(number, Fraction(BOUND)))


def _read(value: object) -> Fraction:
    """The number itself, or one on the same side of every bound and lattice point; raises if it is none.

    Unlike :func:`~lapwing.algebra.exact.exact` this refuses no size: of two close numbers both must be read.
    """
    if isinstance(value, Fraction):
        return plain_fraction(value)
    if isinstance(value, SupportsIndex):
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


def answer(value: Value, kind: Type) -> object:
    """A value as plain Python: the one conversion to float, at the very end."""
    match kind:
        case Boolean():
            return bool(value)
        case Integer():
            return int(value)
        case Real():
            try:
                return float(value)
            except OverflowError:
                return math.inf if value > 0 else -math.inf
        case List(element):
            return [answer(each, element) for each in value]
        case Tuple(elements):
            return tuple(answer(each, part) for each, part in zip(value, elements, strict=True))
    raise AssertionError(kind)


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
    return InvalidInput("P205", f"'{name}' does not fit its type", f"Give a value of type {types.show(kind)}")
