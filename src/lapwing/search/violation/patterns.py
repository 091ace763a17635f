"""Patterns of differences and levels between neighbouring inputs.

The one idea: losses hide in few shapes: all queries up, one against the rest, half against half, alternating
([DWWZK18]'s patterns), at level 0 or far on one side of the threshold, where tails make ratios extreme.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product

from lapwing.kernel.evidence.values import Value
from lapwing.kernel.program import ir

#: A record that nothing clips: far beyond any noise.
FAR = 10**6
#: How long a record is that is a list itself: a program that reads fewer columns does not see the others.
COLUMNS = 3


@dataclass(frozen=True, slots=True)
class Difference:
    """How the right value differs from the left: ``signs`` times the distance, or an element more."""

    kind: ir.Type
    signs: tuple[int, ...]
    scalar: bool = False
    extra: int | None = None

    def applied(self, base: tuple[int, ...], distance: Fraction) -> tuple[Value, Value]:
        """Left and right values: levels ``base`` and differences, both in multiples of the distance."""
        left = tuple(filled(self.kind, COLUMNS, b * distance) for b in base)
        if self.extra is not None:
            return left, (*left, filled(self.kind, COLUMNS, self.extra * distance))
        right = tuple(filled(self.kind, COLUMNS, (b + s) * distance) for b, s in zip(base, self.signs, strict=True))
        if isinstance(self.kind, ir.Boolean):
            right = tuple(bool(a) != bool(s) for a, s in zip(left, self.signs, strict=True))
        return (left[0], right[0]) if self.scalar else (left, right)


def differences(parameter: ir.Parameter, n: int) -> Iterator[Difference]:
    """The differences that a parameter's relation allows, for lists of length n."""
    relation = parameter.relation
    kind = parameter.type.element if isinstance(parameter.type, ir.List) else parameter.type
    if relation is None:
        return
    if not isinstance(parameter.type, ir.List):
        sizes = (
            (1, 8, 64) if relation.kind in ("replaced", "conditional") and not isinstance(kind, ir.Boolean) else (1,)
        )
        yield from (Difference(kind, (size,), scalar=True) for size in sizes)
    elif relation.kind == "added":
        yield from (Difference(kind, (0,) * (n - 1), extra=extra) for extra in (1, 0, -1, 8, -8, FAR))
    else:
        alone = relation.kind in ("one", "replaced")
        for signs in dict.fromkeys(_sign_patterns(n)):
            if not any(signs) or (alone and sum(map(abs, signs)) != 1):
                continue
            if relation.kind in ("rises", "monotone", "falls") and min(signs) < 0:
                continue
            turn = -1 if relation.kind == "falls" else 1
            yield Difference(kind, tuple(turn * sign for sign in signs))
            if relation.kind == "replaced":
                yield from (Difference(kind, tuple(size * sign for sign in signs)) for size in (16, FAR))


def _sign_patterns(n: int) -> Iterator[tuple[int, ...]]:
    half = n // 2
    yield (1,) * n
    yield (1,) + (0,) * (n - 1)
    yield (0,) * (n - 1) + (1,)
    yield (1,) * (n - 1) + (-1,)
    yield (1,) + (-1,) * (n - 1)
    yield (1,) * half + (-1,) * (n - half)
    yield (1,) * (n - half) + (-1,) * half
    yield (1,) * half + (0,) * (n - half)
    yield (0,) * half + (1,) * (n - half)
    yield tuple(1 if i % 2 == 0 else -1 for i in range(n))
    yield (0,) * half + (1,) + (0,) * (n - half - 1)


def recorded(parameter: ir.Parameter, like: Value, marks: list[Fraction]) -> Iterator[tuple[Value, Value]]:
    """Values with one record at a mark or beyond all marks, and without it or with it elsewhere."""
    kind = parameter.type.element if isinstance(parameter.type, ir.List) else parameter.type
    ends = [min(marks) - 1, max(marks) + 1] if marks else []
    places = dict.fromkeys((*sorted(marks, reverse=True), *ends, Fraction(FAR), Fraction(-FAR), Fraction(0)))
    values = list(dict.fromkeys(at for place in places for at in _placed(kind, place, list(places))))
    if parameter.relation is not None and parameter.relation.kind == "added":
        rest = like[:-1] if isinstance(like, tuple) else ()
        yield from ((rest, (*rest, each)) for each in values)
        return
    apart = sorted(combinations(range(len(values)), 2), key=sum)
    for one, two in ((values[a], values[b]) for a, b in apart):
        if isinstance(parameter.type, ir.List) and isinstance(like, tuple):
            yield (*like[:-1], one), (*like[:-1], two)
        else:
            yield one, two


def _placed(kind: ir.Type, place: Fraction, places: list[Fraction]) -> Iterator[Value]:
    """Records with a number at a place: the same number in all fields, and in one field against the others."""
    yield filled(kind, COLUMNS, place)
    if isinstance(kind, ir.Tuple):
        for field, other in product(range(len(kind.elements)), places):
            numbers = (place if each == field else other for each in range(len(kind.elements)))
            yield tuple(filled(part, COLUMNS, number) for part, number in zip(kind.elements, numbers, strict=True))


def levels(difference: Difference, level: int) -> list[tuple[int, ...]]:
    """Levels of the elements worth trying with a difference, ``level`` away from 0."""
    n = len(difference.signs)
    zeros = (0,) * n
    if level == 0:
        return [zeros, (1,) * n] if isinstance(difference.kind, ir.Boolean) else [zeros]
    signs = difference.signs
    shapes = [
        tuple(level * s for s in signs),
        tuple(-level * s for s in signs),
        (level,) * n,
        (-level,) * n,
        (level,) * (n - 1) + (-level,),
        (-level,) * (n - 1) + (level,),
        tuple(level if i % 2 == 0 else -level for i in range(n)),
    ]
    return list(dict.fromkeys(shapes))


def filled(kind: ir.Type, length: int, number: Fraction | int) -> Value:
    """A value of a type made of one number: lists have ``length`` elements, truth values are ``number != 0``."""
    match kind:
        case ir.Boolean():
            return number != 0
        case ir.Integer():
            return Fraction(int(number))
        case ir.List(element):
            return (filled(element, length, number),) * length
        case ir.Tuple(elements):
            return tuple(filled(element, length, number) for element in elements)
        case _:
            return Fraction(number)
