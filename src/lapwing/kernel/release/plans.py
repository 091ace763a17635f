"""What follows from a plan about one person, derived by the kernel alone: whose rows there are, and how many.

The one idea: what one person can change follows from facts that can be read off a plan: whose a row is, how many rows
of one person reach the aggregate, and how far a row's number is clipped. This file derives them by itself, from the
nodes that an engine's SQL is printed from, and believes no number that it has not derived.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lapwing.algebra.neighbours import Neighbours
from lapwing.kernel.boundary import Doubt
from lapwing.kernel.evidence.expressions import Column, Word
from lapwing.kernel.evidence.plan import (
    Aggregate,
    Bounding,
    Foremost,
    Function,
    Match,
    Measurement,
    Meeting,
    PerUnit,
    Project,
    PublicJoin,
    Relation,
    Sampled,
    Scan,
    UnitJoin,
    Where,
)
from lapwing.kernel.evidence.release import Change, Price
from lapwing.noise.categorical import MOST_COPIES

_COMPARING = {Word.EQUAL, Word.NOT_EQUAL, Word.LESS, Word.AT_MOST, Word.GREATER, Word.AT_LEAST}


@dataclass(frozen=True, slots=True)
class Derived:
    """The certificate holds: this is what the answers cost, derived again from these plans."""

    statement: str
    price: Price
    measurements: int
    plans: tuple[Aggregate, ...]


@dataclass(frozen=True, slots=True)
class Protection:
    """Whom a policy protects: what neighbours are, the unit of each private table, and which tables are public."""

    neighbours: Neighbours
    units: Mapping[str, str | None]
    public: frozenset[str]


@dataclass(frozen=True, slots=True)
class Ownership:
    """Whose rows these are (None: each is a person), and how many one person can own (None: nothing bounds it)."""

    unit: str | None
    most: int | None


# --- whose rows, and how many ----------------------------------------------------------------------------


def rows_of(node: Relation, policy: Protection | None) -> Ownership:
    """What is known of a relation; the rules are those of a person's own rows, and of nothing else.

    Without a policy, what a plan says of the tables themselves is taken from it.
    """
    rows = _rows(node, policy)
    if node.type.unit != rows.unit:
        raise Doubt("a plan says that rows are somebody else's")
    return rows


def _rows(node: Relation, policy: Protection | None) -> Ownership:
    match node:
        case Scan(table, known):
            if policy is not None and (table not in policy.units or policy.units[table] != known.unit):
                raise Doubt("a table is read that the policy does not protect in this way")
            return Ownership(known.unit, 1 if known.unit is None else None)
        case Where():
            return rows_of(node.source, policy)
        case Project():
            return _projected(node, rows_of(node.source, policy))
        case PublicJoin():
            return _met(node, rows_of(node.source, policy), policy)
        case UnitJoin():
            return _joined(node, rows_of(node.first, policy), rows_of(node.second, policy))
        case Match():
            return _matched(node, rows_of(node.source, policy), policy)
        case Sampled():
            rows = rows_of(node.source, policy)
            if rows.unit is None:
                raise Doubt("rows are sampled for a person that no column names")
            return Ownership(rows.unit, limit(node.most))
        case Foremost():
            rows = rows_of(node.source, policy)
            if rows.unit is None:
                raise Doubt("rows are put in order for a person that no column names")
            most = limit(node.most)
            if node.within:
                return rows
            return Ownership(rows.unit, most if rows.most is None else min(most, rows.most))
        case PerUnit():
            rows = rows_of(node.source, policy)
            if rows.unit is None or node.type.unit is None:
                raise Doubt("rows are grouped by a person that no column names")
            _all_different([node.type.unit, *node.keys, *(each.name for each in node.columns)])
            # the person's column may get another name
            return Ownership(node.type.unit, 1 if not node.keys else None)
    raise Doubt("no rule is known for a step of the plan")


def has_everybody(node: Relation) -> bool:
    """Whether each row of the table, a person of its own, is here exactly once, whatever is in it."""
    match node:
        case Scan():
            return node.type.unit is None
        case Project():
            return has_everybody(node.source)
    return False


def _projected(node: Project, rows: Ownership) -> Ownership:
    """The unit stays what it was: a column that copies the unit's column."""
    _all_different(name for name, _ in node.columns)
    unit = node.type.unit
    if rows.unit is None:
        if unit is not None:
            raise Doubt("a computed column was made the unit")
        return rows
    if unit not in [name for name, value in node.columns if value == Column(rows.unit)]:
        raise Doubt("the unit was lost, or replaced by another column")
    return Ownership(unit, rows.most)


def _met(node: PublicJoin, rows: Ownership, policy: Protection | None) -> Ownership:
    """With several matches a person's rows multiply: only a public key that is unique keeps their number."""
    if policy is not None and node.table not in policy.public:
        raise Doubt("a join with a table that is not public")
    _all_different([*node.source.type.columns, *(name for name, _ in node.columns)])
    if rows.unit is None and not node.unique:
        raise Doubt("a join could give a person without a unit several rows")
    return rows if node.unique else Ownership(rows.unit, None)


def _joined(node: UnitJoin, first: Ownership, second: Ownership) -> Ownership:
    """Two relations of the same people, joined on the person: a result row belongs to that person alone."""
    if first.unit is None or second.unit is None:
        raise Doubt("two private relations are joined, and one does not say whose rows it has")
    _all_different([*node.first.type.columns, *(name for name, _ in node.columns)])
    most = None if first.most is None or second.most is None else first.most * second.most
    return Ownership(first.unit, most)


def _matched(node: Match, rows: Ownership, policy: Protection | None) -> Ownership:
    """Rows meet public ones, or those of the same person: what comes of a row is its person's alone.

    A mark keeps every row and adds none. Otherwise a row may meet many: nothing bounds how many public ones, and of the
    same person's at most all; a row that meets none stays one.
    """
    kept = [node.mark] if node.how is Meeting.MARK else [name for name, _ in node.columns]
    if None in kept or (node.how is Meeting.MARK) != (node.mark is not None):
        raise Doubt("a row is marked without a name")
    _all_different([*node.source.type.columns, *map(str, kept)])
    if any(word not in _COMPARING for _, word, _ in node.on):
        raise Doubt("rows meet by something else than comparisons")
    if node.public:
        _check_public(node.other, policy)
        if node.how is Meeting.MARK:
            return rows
        if rows.unit is None:
            raise Doubt("a join could give a person without a unit several rows")
        return Ownership(rows.unit, None)
    others = rows_of(node.other, policy)
    if rows.unit is None or others.unit is None:
        raise Doubt("two private relations are joined, and one does not say whose rows it has")
    if node.how is Meeting.MARK:
        return rows
    most = None if rows.most is None or others.most is None else rows.most * others.most
    return Ownership(rows.unit, most)


def _check_public(node: Relation, policy: Protection | None) -> None:
    """Refuses a relation that reads anything but public tables."""
    match node:
        case Scan(table, known):
            if known.unit is not None or (policy is not None and table not in policy.public):
                raise Doubt("a join with a table that is not public")
        case Where() | Project():
            _check_public(node.source, policy)
        case Match(source, other) if node.public:
            _check_public(source, policy)
            _check_public(other, policy)
        case _:
            raise Doubt("no rule is known for a step of a public relation")


def _all_different(names: Iterable[str]) -> None:
    """Engines do not tell capitals apart: of two columns with one name, either could be taken for the person's."""
    known = [name.lower() for name in names]
    if len(set(known)) < len(known):
        raise Doubt("two columns of a plan have the same name")


# --- what one person can change --------------------------------------------------------------------------


def change_of(measurement: Measurement, rows: Ownership, *, grouped: bool, neighbours: Neighbours) -> Change:
    """How far one person can move the numbers of all groups together: in sum, and in the sum of squares.

    A person's weights add up to at most K. A row's number lies in [least, largest], and is 0 where it is left out; so
    with p = max(largest, 0), q = max(-least, 0) and m = max(p, q), one person adds at most K·m in all. A changed person
    adds that twice in two groups, or goes from -K·q to K·p in one.
    """
    weight = _weight(measurement, rows, grouped=grouped)
    least, largest = _numbers(measurement)
    p, q = max(largest, 0), max(-least, 0)
    most = weight * max(p, q)
    if neighbours is Neighbours.ADDED:
        return Change(most, most**2)
    across = weight * (p + q)
    if not grouped:
        return Change(across, across**2)
    return Change(2 * most, max(across**2, 2 * most**2))


def _weight(measurement: Measurement, rows: Ownership, *, grouped: bool) -> int:
    """k·S, where the plan or the bounding makes it true."""
    k, steps = limit(measurement.rows_per_unit), limit(measurement.weight_steps)
    bounding, function = measurement.bounding, measurement.function
    if bounding is Bounding.NONE:
        once = function is Function.UNITS and not grouped  # a person is one person, however many rows there are
        if not once and (rows.most is None or rows.most > k):
            raise Doubt("nothing keeps the rows of one person to the limit")
        if steps != 1:
            raise Doubt("rows without weights count in whole ones")
        return k
    if rows.unit is None:
        raise Doubt("rows are bounded for a person that no column names")
    sampled = bounding is Bounding.SAMPLE
    if sampled and steps != 1:
        raise Doubt("sampled rows count in whole ones")
    if sampled and function not in (Function.DISTINCT, Function.UNITS):
        raise Doubt("only different values and people are counted in a sample")
    if not sampled and function is Function.DISTINCT:
        raise Doubt("different values cannot be counted with weights")
    return k * steps


def _numbers(measurement: Measurement) -> tuple[int, int]:
    """The least and the largest number a row can have, in steps."""
    function, fraction, low, high = measurement.function, measurement.fraction, measurement.low, measurement.high
    if function in (Function.ROWS, Function.UNITS, Function.DISTINCT):
        return 1, 1
    if function is Function.QUANTILE:  # what a row adds to a score: it lies below the bucket, or not
        if fraction is None or not 0 <= fraction <= 1:
            raise Doubt("a quantile is outside [0, 1]")
        if not 1 <= measurement.buckets < MOST_COPIES:  # a choice among more would fail, by how the data lie
            raise Doubt("a quantile is chosen among no buckets, or too many")
        return -fraction.numerator, fraction.denominator - fraction.numerator
    if low is None or high is None or low > high or measurement.step <= 0:
        raise Doubt("the range of a row's number is not a range")
    least, largest = (int(end // measurement.step) - measurement.centre for end in (low, high))
    if function is Function.TOTAL:
        return least, largest
    if not 0 <= measurement.shift <= 200:
        raise Doubt("squares are halved a strange number of times")
    if function is Function.SHARE:
        return _shares(measurement, least, largest)
    inside, part = least <= 0 <= largest, 2**measurement.shift
    return (0 if inside else min(least**2, largest**2) // part), max(least**2, largest**2) // part


def _shares(measurement: Measurement, least: int, largest: int) -> tuple[int, int]:
    """What a row counts at one place at most: X^d and (N - X)^d are at most N^d for X from 0 to N."""
    degree, place = measurement.degree, measurement.place
    if least != 0 or largest < 1 or degree not in (1, 2) or not 0 <= place <= degree:
        raise Doubt("a row is not divided among the places of its range")
    if degree == 1 and measurement.shift:
        raise Doubt("only squares are halved")
    return 0, largest**degree >> measurement.shift


def limit(value: int) -> int:
    """A limit; refuses one below 1."""
    if value < 1:
        raise Doubt("a limit is not a whole number from 1")
    return value
