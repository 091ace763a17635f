"""Awkward neighbours: the values and sizes at which code that is right on ordinary days goes wrong.

The one idea: most leaks need no statistics, they need the right input: nothing at all, one row, all rows equal but one,
a value on its bound or one step inside, NaN, a number so large or so small that arithmetic gives up. Which values
belong to the domain is the caller's word: with bounds, nothing outside them is tried, unless the mechanism is said to
clip (``outside``). Without bounds any number is: a claim about all numbers is one about NaN and infinities as well,
which are left out on request.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from lapwing.algebra import parameters
from lapwing.algebra.exact import Number, exact, shown
from lapwing.audit.neighbouring_inputs import Pair
from lapwing.errors import InvalidInput
from lapwing.noise.seeded import Seeded
from lapwing.noise.source import SECURE, Source
from lapwing.noise.uniform import uniform

ADDED, REPLACED = "added", "replaced"
RELATIONS = {ADDED: "one row more", REPLACED: "one row changed"}
SIZES = (0, 1, 2, 3, 10)
#: Pairs that are made up when nobody says how many.
PAIRS = 48


def numbers(
    low: Number | None = None,
    high: Number | None = None,
    *,
    whole: bool = False,
    nan: bool = True,
    outside: bool = False,
) -> list[float]:
    """Awkward numbers of a range, or of no range at all; ``outside`` adds what lies beyond the range, NaN included."""
    ends = [exact(end, "bounds") for end in (low, high) if end is not None]
    if ends and ends[0] > ends[-1]:
        raise InvalidInput("A106", "bounds have their low end above their high end", "Swap the two ends")
    beyond = outside or not ends
    found = [float(end) for end in ends]
    if len(ends) == 2:
        found.append(float((ends[0] + ends[1]) / 2))
    found += [0.0, 1.0, 0.5, 5e-324, -0.0] + ([] if ends and not outside else [1e308, -1e308, 2.0**53])
    for end in (float(end) for end in ends):
        found += [math.nextafter(end, -math.inf), math.nextafter(end, math.inf)]
    if whole:
        found = [float(math.floor(each)) for each in found if abs(each) < 2**63]
        found += [each + step for each in found[:2] for step in (-1.0, 1.0)] + [2.0**53, -(2.0**62)]
        kept = [each for each in found if beyond or _is_inside(each, low, high)]
        return list(dict.fromkeys(int(each) for each in kept)) or [math.ceil(ends[0])]
    found += [math.nan, math.inf, -math.inf] if nan and beyond else []
    return _distinct([each for each in found if beyond or _is_inside(each, low, high)])


def replaced(
    values: Sequence[object], sizes: Sequence[int] = SIZES, pairs: int = PAIRS, seed: int | None = None
) -> list[Pair]:
    """Lists of equal length that differ in one element, each of these values in turn."""
    return _several(REPLACED, values, [size for size in sizes if size > 0] or [1], pairs, seed)


def added(
    values: Sequence[object], sizes: Sequence[int] = SIZES, pairs: int = PAIRS, seed: int | None = None
) -> list[Pair]:
    """Lists of which the right one has one element more."""
    return _several(ADDED, values, sizes, pairs, seed)


def within(distance: Number, low: Number | None = None, high: Number | None = None) -> list[Pair]:
    """Numbers that differ by at most ``distance``: awkward ones, each with the number so far above and below it."""
    step = parameters.nonnegative(distance, "distance")
    if step == 0:
        raise InvalidInput("A107", "the distance is 0", "Give how far neighbouring numbers may be apart, such as 1")
    found = []
    for value in numbers(low, high, nan=False, outside=True):
        for far in (value + float(step), value - float(step)):
            other = far
            if math.isfinite(far) and abs(Fraction(far) - Fraction(value)) > step:
                other = math.nextafter(far, value)  # the float of a step may be above it, as that of 0.1 is
            apart = abs(Fraction(other) - Fraction(value)) if math.isfinite(other) else step + 1
            if 0 < apart <= step and _is_inside(value, low, high) and _is_inside(other, low, high):
                found.append(Pair(value, other, f"at most {shown(step)} apart", made_up=True))
    if not found:
        raise InvalidInput(
            "Y201", "no two numbers in the range are so close", "Give a wider range, or a smaller distance"
        )
    return found


def _is_inside(value: float, low: Number | None, high: Number | None) -> bool:
    above = low is None or Fraction(value) >= exact(low, "bounds")
    return above and (high is None or Fraction(value) <= exact(high, "bounds"))


def relation_named(name: str) -> str:
    """One of the two relations; refuses other words."""
    if name not in RELATIONS:
        raise InvalidInput(
            "Y207", f"neighbours are {name!r}", "Say added (one row more or fewer) or replaced (one row changed)"
        )
    return name


def _several(relation: str, values: Sequence[object], sizes: Sequence[int], pairs: int, seed: int | None) -> list[Pair]:
    if not values:
        raise InvalidInput("Y201", "there are no values to make inputs from", "Give values, such as numbers(0, 1)")
    source = source_of(seed)
    found: dict[str, Pair] = {}
    systematic = _one_by_one(relation, values, sizes)
    while len(found) < pairs:
        pair = next(systematic, None) or _at_random(relation, values, sizes, source)
        if repr((pair.left, pair.right)) in found and next(systematic, None) is None:
            break
        found[repr((pair.left, pair.right))] = pair
    return list(found.values())


def _one_by_one(relation: str, values: Sequence[object], sizes: Sequence[int]) -> Iterator[Pair]:
    """Every value once among rows that are all equal, for sizes in turn: what goes wrong most often comes first."""
    for place, value in enumerate(values):
        for turn in range(2):
            size = sizes[(place + turn) % len(sizes)]
            usual = values[(place + 1 + turn) % len(values)]
            rows = [usual] * size
            yield _pair(relation, rows, value, size // 2)


def _at_random(relation: str, values: Sequence[object], sizes: Sequence[int], source: Source) -> Pair:
    def pick(options: Sequence[object]) -> object:
        return options[uniform(len(options), source=source)]

    size = sizes[uniform(len(sizes), source=source)]
    rows = [pick(values)] * size if source.random_bits(1) else [pick(values) for _ in range(size)]
    return _pair(relation, rows, pick(values), uniform(size + 1, source=source))


def _pair(relation: str, rows: list[object], value: object, place: int) -> Pair:
    if relation == ADDED or not rows:
        return Pair(rows, [*rows[:place], value, *rows[place:]], RELATIONS[ADDED], made_up=True)
    place = min(place, len(rows) - 1)
    return Pair(rows, [*rows[:place], value, *rows[place + 1 :]], RELATIONS[REPLACED], made_up=True)


def source_of(seed: int | None) -> Source:
    """Where choices come from: the seed if there is one."""
    return SECURE if seed is None else Seeded(seed)


def _distinct(values: Sequence[float]) -> list[float]:
    """Each value once; 0.0 and -0.0 are two."""
    return list({repr(each): each for each in values}.values())
