"""Neighbouring inputs worth trying: patterns of differences crossed with patterns of levels, and small moves.

The one idea: the patterns (`patterns`) are where a search starts; from there it moves on: copy an
element, leave one out, change a level or a difference, stretch all levels. Every pair given out is one of neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice, product
from typing import cast

from lapwing.algebra.exact import shown
from lapwing.errors import InvalidInput, LapwingError
from lapwing.kernel.boundary import Doubt
from lapwing.kernel.distribution.inputs import plain
from lapwing.kernel.distribution.speaking import check_neighbours
from lapwing.kernel.evidence.values import Value
from lapwing.kernel.program import ir
from lapwing.kernel.run import interpret
from lapwing.kernel.run.evaluate import Meter, evaluate
from lapwing.search.violation.marks import landmarks
from lapwing.search.violation.patterns import Difference, differences, filled, levels, recorded
from lapwing.search.violation.subject import Subject

#: Levels of the first search, in multiples of the neighbours' distance.
LEVELS = (0, 6)
#: Numbers in tests of the program around which neighbours are tried.
MARKS = 4
#: Pairs with a record at such a number.
RECORDS = 60
#: What public lists are filled with that are as long as the private ones.
FILLS = (0, 3)
#: By what part of its distance from the other a record is moved, to where its part may be larger.
FINER = (Fraction(1, 8), Fraction(1, 32))
#: Steps of a run that shows whether inputs are refused.
STEPS = 100_000


@dataclass(frozen=True, slots=True)
class Pair:
    """Two neighbouring inputs, all parameters included."""

    left: Mapping[str, Value]
    right: Mapping[str, Value]

    def swapped(self) -> Pair:
        """The same two inputs, the other way round."""
        return Pair(self.right, self.left)

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for equal pairs."""
        return (*self.left.items(), *self.right.items())


class Neighbourhood:
    """The neighbouring inputs of one mechanism at fixed public parameters."""

    def __init__(self, subject: Subject, public: Mapping[str, Value]) -> None:
        self.subject = subject
        self.public = public
        self.private = [p for p in subject.mechanism.parameters if p.private]
        self.running: dict[tuple[int, ...], bool] = {}
        self.has_size = any(isinstance(p.type, ir.List) for p in subject.mechanism.parameters)

    def distance(self, parameter: ir.Parameter) -> Fraction:
        """How far neighbours may be apart in a parameter; 1 where any distance is allowed."""
        return distance_in(parameter, self.public)

    def valid(self, pair: Pair) -> bool:
        """Whether the two inputs are neighbours, in one order or the other, and the mechanism runs on them."""
        sides = (pair.left, pair.right)
        try:
            check_neighbours(self.subject.mechanism, *sides)
            return all(self.subject.inputs(side) == dict(side) and self._runs(side) for side in sides)
        except (Doubt, LapwingError, KeyError):
            return False

    def _runs(self, side: Mapping[str, Value]) -> bool:
        """Whether a run refuses inputs of this shape: it looks at lengths and at what is public alone."""
        shape = tuple(len(value) if isinstance(value, tuple) else 0 for value in side.values())
        if shape not in self.running:
            try:
                execute = interpret.program(self.subject.module, self.subject.mechanism.name)
                execute({name: plain(value) for name, value in side.items()}, Meter(STEPS))
                self.running[shape] = True
            except InvalidInput as error:
                self.running[shape] = error.code == "P206"  # out of patience is not a refusal
        return self.running[shape]

    def size(self, pair: Pair) -> int:
        """The length of the longer private list."""
        lists = [v for p in self.private for side in (pair.left, pair.right) if isinstance(v := side[p.name], tuple)]
        return max((len(items) for items in lists), default=0)

    # --- first tries ---

    def starts(self, n: int) -> Iterator[Pair]:
        """Pairs with lists of length n, level 0 first."""
        seen = set()
        options = [list(differences(p, n)) for p in self.private]
        for level, fill in product(LEVELS, self._fills):
            for chosen in product(*options):
                shapes = [levels(values, level) for values in chosen]
                for bases in product(*shapes) if len(shapes) == 1 else zip(*shapes, strict=False):
                    pair = self._assembled(chosen, bases, n, fill)
                    if pair.key not in seen and self.valid(pair):
                        seen.add(pair.key)
                        yield pair

    def edges(self, n: int) -> Iterator[Pair]:
        """Pairs on one side of a number that the program compares something with, and across it."""
        marks = landmarks(self.subject.mechanism, self.public)
        yield from islice(self._records(n, marks), RECORDS)
        for mark in [each for each in marks if each][:MARKS]:
            for pair in self._level(n):
                left, right = dict(pair.left), dict(pair.right)
                for parameter in self.private:
                    for side in (left, right):
                        side[parameter.name] = _mapped(side[parameter.name], mark.__add__)
                moved = Pair(left, right)
                if self.valid(moved):
                    yield moved

    def _records(self, n: int, marks: list[Fraction]) -> Iterator[Pair]:
        """Pairs whose one record lies at a number that the program names, or beyond all of them; or moves between two.

        A record may be anything, so what it adds is at its most there.
        """
        for parameter in self.private:
            if parameter.relation is None or parameter.relation.kind not in ("added", "replaced"):
                continue
            start = next((pair for pair in self.starts(n)), None)
            if start is None:
                return
            for one, two in recorded(parameter, start.left[parameter.name], marks):
                pair = Pair({**start.left, parameter.name: one}, {**start.left, parameter.name: two})
                if self.valid(pair):
                    yield pair

    def _level(self, n: int) -> Iterator[Pair]:
        """Pairs at level 0 in which everything rises that may, or falls."""
        for sign in (1, -1):
            options = [next((d for d in differences(p, n) if min(d.signs, default=0) >= 0), None) for p in self.private]
            if all(option is not None and option.extra is None for option in options):
                chosen = tuple(replace(d, signs=tuple(sign * s for s in d.signs)) for d in options if d is not None)
                yield self._assembled(chosen, tuple((0,) * len(d.signs) for d in chosen), n)

    @property
    def _fills(self) -> tuple[int, ...]:
        sized = (not self.public[each.name] for each in self.subject.mechanism.parameters if _is_public_list(each))
        return FILLS if any(sized) else FILLS[:1]

    def _assembled(
        self, chosen: tuple[Difference, ...], bases: tuple[tuple[int, ...], ...], n: int, fill: int = 0
    ) -> Pair:
        left: dict[str, Value] = {}
        right: dict[str, Value] = {}
        for parameter in self.subject.mechanism.parameters:
            if not parameter.private:
                left[parameter.name] = right[parameter.name] = self._public_value(parameter, n, fill)
        for parameter, difference, base in zip(self.private, chosen, bases, strict=True):
            left[parameter.name], right[parameter.name] = difference.applied(base, self.distance(parameter))
        names = [parameter.name for parameter in self.subject.mechanism.parameters]
        return Pair({name: left[name] for name in names}, {name: right[name] for name in names})

    def _public_value(self, parameter: ir.Parameter, n: int, fill: int) -> Value:
        value = self.public[parameter.name]
        return filled(parameter.type, n, fill) if _is_public_list(parameter) and not value else value

    def with_rows(self, parameter: ir.Parameter, left: tuple[Value, ...], right: tuple[Value, ...]) -> Pair:
        """The two lists of the one private parameter, with public lists as long as they are."""
        sides: list[dict[str, Value]] = [{}, {}]
        for each in self.subject.mechanism.parameters:
            for side, given in zip(sides, (left, right), strict=True):
                side[each.name] = given if each == parameter else self._public_value(each, len(left), 0)
        return Pair(*sides)

    # --- small moves ---

    def copies(self, pair: Pair) -> Iterator[Pair]:
        """Every pair with one element of the lists, and its partner, written twice."""
        yield from self._relisted(pair, lambda items, i: items[: i + 1] + items[i:])

    def deletions(self, pair: Pair) -> Iterator[Pair]:
        """Every pair with one element of the lists, and its partner, left out."""
        yield from self._relisted(pair, lambda items, i: items[:i] + items[i + 1 :])

    def _relisted(self, pair: Pair, change: Callable[[tuple[Value, ...], int], tuple[Value, ...]]) -> Iterator[Pair]:
        length = self.size(pair)
        for i in range(length):
            sides = [
                {
                    name: change(v, i) if isinstance(v, tuple) and len(v) in (length, length - 1) else v
                    for name, v in side.items()
                }
                for side in (pair.left, pair.right)
            ]
            moved = Pair(*sides)
            if self.valid(moved):
                yield moved

    def stretched(self, pair: Pair, factor: int) -> Pair | None:
        """All levels of the private numbers times a factor, the differences as they were."""
        left, right = dict(pair.left), dict(pair.right)
        for parameter in self.private:
            name = parameter.name
            left[name] = scaled = _mapped(pair.left[name], lambda x: x * factor)
            right[name] = _shifted(scaled, pair.left[name], pair.right[name])
        moved = Pair(left, right)
        return moved if moved != pair and self.valid(moved) else None

    def moves(self, pair: Pair, step: Fraction) -> Iterator[Pair]:
        """Pairs with one number moved by ``step`` on both sides, or one difference changed."""
        for parameter in self.private:
            left, right = pair.left[parameter.name], pair.right[parameter.name]
            distance = self.distance(parameter)
            if parameter.relation is not None and parameter.relation.kind in ("added", "replaced"):
                yield from filter(self.valid, self._elsewhere(pair, parameter.name))
            for a, b in _number_moves(left, right, step, distance):
                moved = Pair({**pair.left, parameter.name: a}, {**pair.right, parameter.name: b})
                if moved != pair and self.valid(moved):
                    yield moved

    def _elsewhere(self, pair: Pair, name: str) -> Iterator[Pair]:
        """The one number that is there, or is another, a little further up or down: a peak may lie between marks."""
        left, right = pair.left[name], pair.right[name]
        for a, b in _one_number_moved(left, right):
            yield Pair({**pair.left, name: a}, {**pair.right, name: b})


def _one_number_moved(left: Value, right: Value) -> Iterator[tuple[Value, Value]]:
    if isinstance(left, tuple) and isinstance(right, tuple):
        if len(left) < len(right):
            yield from ((b, a) for a, b in _one_number_moved(right, left))
            return
        place = next((i for i, each in enumerate(right) if each != left[i]), len(right))
        if len(left) > len(right):
            for moved, _ in _one_number_moved(left[place], False):
                yield (*left[:place], moved, *left[place + 1 :]), right
        elif place < len(left):
            for a, b in _one_number_moved(left[place], right[place]):
                yield (*left[:place], a, *left[place + 1 :]), (*right[:place], b, *right[place + 1 :])
    elif isinstance(left, Fraction):
        apart = abs(left - right) if isinstance(right, Fraction) else abs(left)
        for by in (sign * share * apart for share in FINER for sign in (1, -1)):
            yield left + by, right
            if isinstance(right, Fraction):
                yield left, right + by


def _is_public_list(parameter: ir.Parameter) -> bool:
    return not parameter.private and isinstance(parameter.type, ir.List)


def distance_in(parameter: ir.Parameter, public: Mapping[str, Value]) -> Fraction:
    """How far neighbours may be apart in a parameter for these public values; 1 where any distance is allowed."""
    if parameter.distance is None:
        return Fraction(1)
    distance = Fraction(evaluate(parameter.distance, cast("dict[str, object]", dict(public))))
    if distance < 0:
        problem = f"neighbours in '{parameter.name}' are {shown(distance)} apart, and no distance is below 0"
        raise InvalidInput("R111", problem, "Set public parameters that make it 0 or more")
    return distance


def _mapped(value: Value, change: Callable[[Fraction], Fraction]) -> Value:
    if isinstance(value, tuple):
        return tuple(_mapped(item, change) for item in value)
    return value if isinstance(value, bool) else change(value)


def _shifted(base: Value, left: Value, right: Value) -> Value:
    """``base`` plus what ``right`` has over ``left``, as far as the three have one shape."""
    if isinstance(base, tuple) and isinstance(left, tuple) and isinstance(right, tuple):
        together = tuple(_shifted(a, b, c) for a, b, c in zip(base, left, right, strict=False))
        return together + right[len(together) :]
    if isinstance(base, Fraction) and isinstance(left, Fraction) and isinstance(right, Fraction):
        return base + right - left
    return right


def _number_moves(left: Value, right: Value, step: Fraction, distance: Fraction) -> Iterator[tuple[Value, Value]]:
    if isinstance(left, bool) or isinstance(right, bool):
        yield not left, right
        yield left, not right
    elif isinstance(left, Fraction) and isinstance(right, Fraction):
        yield left + step, right + step
        yield left - step, right - step
        yield from ((left, left + sign * distance) for sign in (-1, 0, 1))
    elif isinstance(left, tuple) and isinstance(right, tuple) and len(left) == len(right):
        for i, (a, b) in enumerate(zip(left, right, strict=True)):
            for c, d in _number_moves(a, b, step, distance):
                yield (*left[:i], c, *left[i + 1 :]), (*right[:i], d, *right[i + 1 :])
