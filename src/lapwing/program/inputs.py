"""Values at the door of a run: public ones checked, private ones made total, answers turned into plain Python.

The one idea: nothing a private value can be makes a run fail. A private number goes to the lattice by floor, which is
monotone and commutes with lattice shifts, so two numbers within a lattice multiple d stay within d. What is not a
number counts as 0, and what lies beyond ±``BOUND`` is moved there, which brings no two values further apart.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from fractions import Fraction

from lapwing.algebra.exact import exact
from lapwing.errors import InvalidInput
from lapwing.program import types
from lapwing.program.evaluate import Value, zero
from lapwing.program.ir import Boolean, Integer, List, Real, Tuple, Type

#: Private numbers lie in [-BOUND, BOUND].
BOUND = 2**53


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
        return tuple(_inside(each, kind.element, bits) for each in value) if isinstance(value, Sequence) else ()
    if isinstance(kind, Tuple):
        parts = tuple(value) if isinstance(value, Sequence) else ()
        if len(parts) != len(kind.elements):
            return zero(kind)
        return tuple(_inside(each, part, bits) for each, part in zip(parts, kind.elements, strict=True))
    number = _number(value)
    if isinstance(kind, Boolean):
        return number != 0
    steps = 1 if isinstance(kind, Integer) else 2**bits
    floor = (number * steps).__floor__()
    return floor if steps == 1 else _plain(Fraction(floor, steps))


def _number(value: object) -> Fraction:
    """The number a private value stands for, between the bounds; 0 if it is none."""
    if type(value).__module__ == "numpy" and getattr(value, "size", 0) == 1:
        value = value.item()  # type: ignore[attr-defined]  # a NumPy scalar
    if isinstance(value, float) and not math.isfinite(value):
        return Fraction(0) if math.isnan(value) else Fraction(BOUND if value > 0 else -BOUND)
    if isinstance(value, bool):
        return Fraction(value)
    try:
        number = Fraction(operator.index(value)) if hasattr(value, "__index__") else exact(value)  # type: ignore[arg-type]  # exact() refuses what it cannot read
    except Exception:  # whatever it was, the run must not show it
        return Fraction(0)
    return max(Fraction(-BOUND), min(number, Fraction(BOUND)))


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
    plain: object = value.tolist() if hasattr(value, "tolist") else value  # NumPy arrays
    if not isinstance(plain, Sequence) or isinstance(plain, str | bytes):
        raise _misfit(name, kind)
    return plain


def _misfit(name: str, kind: Type) -> InvalidInput:
    return InvalidInput("P205", f"'{name}' does not fit its type", f"Give a value of type {types.show(kind)}")
