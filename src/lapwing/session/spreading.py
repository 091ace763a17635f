"""What is measured for a query: as little as tells all its sums and counts, each row divided instead of the price.

The one idea: with t = (x - low)/(high - low), the sums of t and of 1 - t tell the number of rows, the sum and the mean,
and a row adds 1 to the two together: each may have the whole price, where a count and a sum would have a half each. For
variances t², 2t(1 - t) and (1 - t)² do the same. Filters that exclude each other share a price in the same way. What is
believed of this is derived again by the kernel (``kernel.release.families``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from lapwing import watching
from lapwing.algebra.neighbours import Neighbours
from lapwing.kernel.evidence.expressions import Call, Column, Expression, Kind, Literal, Word
from lapwing.kernel.release.families import is_family
from lapwing.query.plan import Aggregate, Bounding, Function, Measurement, Query
from lapwing.query.sensitivity import change, whole_row
from lapwing.session.public_row_counts import all_rows, is_known, without
from lapwing.session.shown_units import unit_of

#: A count of all rows is told by a family of at most so many measurements: each adds its noise.
_MOST_CELLS = 8
#: The shares of a row of degree 2 are so many bits at most, so that they can be added; fewer with weights.
_ROOM, _ROOM_WEIGHTED = 30, 20
#: More steps than this are not divided.
_MOST_STEPS = 2**30
_AS_NULL_AS_ITS_ARGUMENT = {Word.CLIP, Word.ABS, Word.NEGATE, Word.FLOOR, Word.CEIL, Word.ROUND}
_SUMS = (Function.TOTAL, Function.SQUARES)
_ONE, _NOTHING = Literal(1, Kind.INTEGER), Literal(None, None)

#: A measurement as a sum of others: how often each counts, in the units of both.
Sum = tuple[tuple[Fraction, str], ...]


@dataclass(frozen=True, slots=True)
class Arranged:
    """What is measured, which of it one price pays for, and how the measurements of the query are told by it."""

    aggregate: Aggregate
    together: tuple[tuple[str, ...], ...]
    told: Mapping[str, Sum]
    #: the count of all rows, where it is no secret and costs nothing
    known: str | None = None

    @property
    def shares(self) -> int:
        """Among how many the price is shared; where all is known, nothing is paid, and nobody asks."""
        inside = sum(len(family) for family in self.together)
        alone = len(self.aggregate.measurements) - inside - (self.known is not None)
        return max(1, len(self.together) + alone + (self.aggregate.selection is not None))


def arranged(query: Query, neighbours: Neighbours, *, pure: bool) -> Arranged:
    """The best of four ways to measure a query, whatever the data: no noise is larger than in those before it.

    Each measurement by itself; with families of filters; with rows divided; with all rows counted for nothing. For
    COUNT and AVG dividing halves all variances in ε, and leaves them as they are in ρ; of three means each by itself is
    better than divided.
    """
    aggregate = query.aggregate
    best = Arranged(aggregate, (), {each.name: ((Fraction(1), each.name),) for each in aggregate.measurements})
    for other in (_plain(aggregate), _divided(query), _of_everybody(query, neighbours)):
        if other is None or other == best:
            continue
        before, after = (_variances(each, neighbours, pure=pure) for each in (best, other))
        if all(after[name] <= before[name] for name in before):
            best = other
    return best


def _variances(way: Arranged, neighbours: Neighbours, *, pure: bool) -> dict[str, Fraction]:
    """The variance of the noise in each measurement of the query, up to a factor: shares and distances enter squared.

    For ρ the square of a distance and the shares themselves do.
    """
    found: dict[str, Fraction] = {}
    within = {name for family in way.together for name in family}
    for each in way.aggregate.measurements:
        if each.name == way.known:
            found[each.name] = Fraction(0)
            continue
        moved = change(each, bool(way.aggregate.keys) or each.name in within, neighbours)
        scale = unit_of(each) / each.weight_steps
        found[each.name] = scale**2 * (moved.l1**2 * way.shares**2 if pure else moved.l2_squared * way.shares)
    return {name: sum((w**2 * found[of] for w, of in parts), Fraction(0)) for name, parts in way.told.items()}


def _plain(aggregate: Aggregate) -> Arranged:
    """Everything by itself, and filters that exclude each other together."""
    families = _families([(each,) for each in aggregate.measurements])
    return Arranged(
        aggregate, _named(families), {each.name: ((Fraction(1), each.name),) for each in aggregate.measurements}
    )


def _of_everybody(query: Query, neighbours: Neighbours) -> Arranged | None:
    """With the number of all rows for nothing, and counts of values told by it and by the rows without one."""
    wanted = query.aggregate.measurements
    taken = {each.name for each in wanted}
    everything = all_rows(wanted, next(_fresh(taken, "rows")))
    if not is_known(query, neighbours):
        return None
    names, free = _fresh(taken, "rest"), [each for each in wanted if each.function in _SUMS]
    told: dict[str, Sum] = {}
    families: list[list[Measurement]] = []
    for each in wanted:
        if each.function is not Function.ROWS or each.argument is None:
            continue
        outside = without(each.argument, next(names))
        shared = next((sums for sums in free if is_family([sums, outside])), None)  # it adds nothing to the sum
        if shared is not None:
            free.remove(shared)
            families.append([shared, outside])
            told[each.name] = (Fraction(1), everything.name), (Fraction(-1), outside.name)
    if not told and everything not in wanted:
        return None  # nobody asks how many there are
    inside = [everything, *(family[0] for family in families)]
    families += [[each] for each in wanted if each.name not in told and each not in inside]
    measured = (*(each for family in families for each in family), everything)
    told = {each.name: told.get(each.name, ((Fraction(1), each.name),)) for each in wanted}
    return Arranged(replace(query.aggregate, measurements=measured), _named(families), told, everything.name)


# --- rows divided ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Division:
    """Rows that are divided by one argument: the places, and the measurements of the query that they tell."""

    places: tuple[Measurement, ...]
    told: tuple[Measurement, ...]
    #: whether every row has a value
    always: bool


def _divided(query: Query) -> Arranged | None:
    """Sums and counts told by the places of their rows, and the count of all by those of some and of the others."""
    aggregate, wanted = query.aggregate, query.aggregate.measurements
    everything = next((each for each in wanted if each.function is Function.ROWS and each.argument is None), None)
    taken = {each.name for each in wanted} | {key.name for key in aggregate.keys}
    divisions = list(_divisions(query, everything, _fresh(taken)))
    if not divisions and everything is None:
        return None
    told: dict[str, Sum] = {}
    for each in divisions:
        told |= {wish.name: _sum_of(wish, each.places) for wish in each.told}
    rest = [each for each in wanted if each.name not in told and each is not everything]
    families = _families([*(each.places for each in divisions), *((each,) for each in rest)])
    told |= {each.name: ((Fraction(1), each.name),) for each in rest}
    if everything is not None:
        families, told = _counted(everything, divisions, families, told, _fresh(taken, "rest"))
    measured = tuple(each for family in families for each in family)
    return Arranged(replace(aggregate, measurements=measured), _named(families), told)


def _divisions(query: Query, everything: Measurement | None, names: Iterator[str]) -> Iterator[_Division]:
    wanted = query.aggregate.measurements
    arguments = dict.fromkeys(each.argument for each in wanted if each.function in _SUMS)
    for argument in arguments:
        assert argument is not None  # noqa: S101  # sums have an argument
        sums = [each for each in wanted if each.argument == argument and each.function in _SUMS]
        if not _fine(sums[0]):
            sums = [each for each in sums if each.function is Function.TOTAL]
        counts = [each for each in wanted if each.function is Function.ROWS and each.argument == _named_by(argument)]
        many = len(sums) + len(counts) + (everything is not None)
        if not sums or many < 2 or len({_weights(each) for each in (*sums, *counts)}) > 1:
            continue
        degree = 2 if any(each.function is Function.SQUARES for each in sums) else 1
        places = _places(min(sums, key=lambda each: each.step), degree, names)
        if places:
            yield _Division(places, (*sums, *counts), everything is not None and _always(query, sums, everything))


def _places(finest: Measurement, degree: int, names: Iterator[str]) -> tuple[Measurement, ...]:
    """The places of a row's range, on the lattice of a sum; none where the range has no width or too many steps."""
    assert finest.low is not None  # noqa: S101  # sums have a range
    assert finest.high is not None  # noqa: S101  # as above
    bottom, top = finest.low / finest.step, finest.high / finest.step
    if bottom.denominator != 1 or top.denominator != 1 or not 0 < top - bottom < _MOST_STEPS:
        return ()
    shift = _shift(finest) if degree == 2 else 0
    share = replace(finest, function=Function.SHARE, centre=int(bottom), shift=shift, degree=degree)
    return tuple(replace(share, name=next(names), place=place) for place in range(degree + 1))


def _fine(measurement: Measurement) -> bool:
    """Whether squares are fine enough where they have to be halved: weights take the room that this would need."""
    return measurement.weight_steps == 1 or _shift(measurement) == 0


def _shift(measurement: Measurement) -> int:
    """How often the square of the range is halved, so that it can be added."""
    steps = (_end(measurement.high) - _end(measurement.low)) / measurement.step
    room = _ROOM if measurement.weight_steps == 1 else _ROOM_WEIGHTED
    return max(0, (int(steps) ** 2).bit_length() - room)


def _sum_of(wish: Measurement, places: Sequence[Measurement]) -> Sum:
    """A count, a sum or a sum of squares from the places of rows.

    x - c is h·t + l·(1 - t) with h = high - c and l = low - c. Of degree 2, t is t² + t(1 - t), and squares are
    h²·t² + h·l·2t(1 - t) + l²·(1 - t)².
    """
    low, high = _end(places[0].low) - wish.centre * wish.step, _end(places[0].high) - wish.centre * wish.step
    if wish.function is Function.ROWS:
        weights = [Fraction(1)] * len(places)
    elif wish.function is Function.TOTAL:
        weights = [low, high] if len(places) == 2 else [low, (low + high) / 2, high]
    else:
        weights = [low**2, low * high, high**2]
    if len(places) == 3:
        weights = _rounded(weights, places[0])
    return tuple((weight, place.name) for weight, place in zip(weights, places, strict=True))


def _rounded(weights: list[Fraction], place: Measurement) -> list[Fraction]:
    """Both squares lost half a step on average where they were halved, and what they lost is in the middle.

    With d the part of a row that is lost, the true places are D + d·n, M - 2d·n and U + d·n of the n = D + M + U rows.
    """
    lost = Fraction(2**place.shift - 1, 2 * 2**place.shift) / whole_row(place)
    moved = lost * (weights[0] - 2 * weights[1] + weights[2])
    return [weight + moved for weight in weights]


def _counted(
    everything: Measurement,
    divisions: Sequence[_Division],
    families: list[list[Measurement]],
    told: dict[str, Sum],
    names: Iterator[str],
) -> tuple[list[list[Measurement]], dict[str, Sum]]:
    """The number of all rows: from divisions that every row is in (their mean), or a family and the rows outside."""
    sure = [each for each in divisions if each.always and _weights(each.places[0]) == _weights(everything)]
    if sure:
        part = Fraction(1, len(sure))
        return families, told | {everything.name: tuple((part, p.name) for each in sure for p in each.places)}
    for at, family in enumerate(families):
        whole = all(each.function in (Function.SHARE, Function.ROWS) for each in family)
        if not whole or len(family) >= _MOST_CELLS:  # a sum of values says nothing of how many there are
            continue
        arguments = dict.fromkeys(each.argument for each in family if each.argument is not None)
        unknown = [Call(Word.IS_NULL, (each,)) for each in arguments]
        condition = unknown[0] if len(unknown) == 1 else Call(Word.AND, tuple(unknown))
        outside = replace(everything, name=next(names), argument=Call(Word.CASE, (condition, _ONE, _NOTHING)))
        larger = [*family, outside]
        if is_family(larger):
            cells = tuple((Fraction(1), each.name) for each in larger)
            return [*families[:at], larger, *families[at + 1 :]], told | {everything.name: cells}
    return [*families, [everything]], told | {everything.name: ((Fraction(1), everything.name),)}


# --- small things ----------------------------------------------------------------------------------------


def _families(blocks: Sequence[Sequence[Measurement]]) -> list[list[Measurement]]:
    """Blocks put together where one price may pay for them, from the first on."""
    families: list[list[Measurement]] = []
    for block in blocks:
        watching.check()  # the work grows with the square of the blocks
        home = next((family for family in families if is_family([*family, *block])), None)
        if home is None:
            families.append(list(block))
        else:
            home.extend(block)
    return families


def _named(families: Sequence[Sequence[Measurement]]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(each.name for each in family) for family in families if len(family) > 1)


def _fresh(taken: set[str], word: str = "share") -> Iterator[str]:
    at = 0
    while True:
        at += 1
        if f"{word}_{at}" not in taken:
            yield f"{word}_{at}"


def _named_by(argument: Expression) -> Expression:
    """What a count of the rows with a value is a count of, as ``rules.count`` writes it."""
    while isinstance(argument, Call) and argument.word in _AS_NULL_AS_ITS_ARGUMENT:
        argument = argument.arguments[0]
    return argument


def _always(query: Query, sums: Sequence[Measurement], everything: Measurement) -> bool:
    """Whether every row has a value: a mean of these divides by the number of all rows, or the column is never NULL."""
    names = {each.name for each in sums}
    if any(each.parts[-1] == everything.name and names & set(each.parts) for each in query.answers):
        return True
    inner = _named_by(sums[0].argument) if sums[0].argument is not None else None
    known = query.aggregate.source.type.columns.get(inner.name) if isinstance(inner, Column) else None
    return known is not None and not known.nullable


def _weights(measurement: Measurement) -> tuple[Bounding, int, int]:
    return measurement.bounding, measurement.rows_per_unit, measurement.weight_steps


def _end(end: Fraction | None) -> Fraction:
    assert end is not None  # noqa: S101  # shares have a range
    return end
