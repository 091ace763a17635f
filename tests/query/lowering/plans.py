"""Random tables with every kind of awkward cell, and random plans over them, from a seed."""

from __future__ import annotations

import datetime
import math
from dataclasses import replace
from fractions import Fraction

import pyarrow as pa

from lapwing.ledger import Receipt
from lapwing.query.expressions import Call, Column, Kind, Literal, Word
from lapwing.query.plan import (
    Aggregate,
    Bounding,
    Foremost,
    Function,
    Key,
    Match,
    Measurement,
    Meeting,
    PerUnit,
    Project,
    PublicJoin,
    Query,
    Scan,
    UnitColumn,
    UnitFunction,
    UnitJoin,
    Where,
)
from lapwing.query.types import ColumnType, RelationType

_ARROW = {
    Kind.INTEGER: pa.int64(),
    Kind.REAL: pa.float64(),
    Kind.TEXT: pa.string(),
    Kind.BOOLEAN: pa.bool_(),
    Kind.DATE: pa.date32(),
}
PEOPLE = {
    "person": Kind.INTEGER,
    "age": Kind.INTEGER,
    "big": Kind.INTEGER,
    "pay": Kind.REAL,
    "town": Kind.TEXT,
    "member": Kind.BOOLEAN,
    "born": Kind.DATE,
}
VISITS = {"guest": Kind.INTEGER, "room": Kind.TEXT, "cost": Kind.REAL, "nights": Kind.INTEGER}
TOWNS = {"name": Kind.TEXT, "size": Kind.INTEGER}
_INTEGERS = (0, 1, -1, 2, 3, 5, 17, 40, -60, 99, 1000)
_EXTREMES = (2**63 - 1, -(2**63), 2**62, -(2**40), 2**31, 0, 7, None)
_REALS = (
    0.0,
    -0.0,
    0.5,
    -0.25,
    1.0,
    2.75,
    17.5,
    -3.5,
    100.125,
    1e6,
    1e308,
    -1e308,
    math.inf,
    -math.inf,
    math.nan,
    5e-324,
)
_ADDED = (Function.TOTAL, Function.SQUARES, Function.SHARE)
_TEXTS = ("a", "b", "ab", "Ba", "7", "-3", "nan", "", "it's")
_DAYS = (datetime.date(1970, 1, 1), datetime.date(2024, 2, 29), datetime.date(1, 1, 1), datetime.date(9999, 12, 31))
SAMPLING_KEY = 2**40 + 3


def person_rows(r, person, most=5):
    """The rows of one person in each private table, exact duplicates among them."""
    rows = _drawn(r, person, most)
    return {name: theirs + theirs[: r.randint(0, 1)] for name, theirs in rows.items()} if most > 1 else rows


def _drawn(r, person, most):
    return {
        "people": [
            {
                "person": person,
                "age": r.choice([*_INTEGERS, None]),
                "big": r.choice(_EXTREMES),
                "pay": r.choice([*_REALS, None]),
                "town": r.choice([*_TEXTS, None]),
                "member": r.choice([True, False, None]),
                "born": r.choice([*_DAYS, None]),
            }
            for _ in range(r.randint(0, most))
        ],
        "visits": [
            {
                "guest": person,
                "room": r.choice([*_TEXTS, None]),
                "cost": r.choice([*_REALS, None]),
                "nights": r.choice([*_INTEGERS, None]),
            }
            for _ in range(r.randint(0, 3))
        ],
    }


def tables(r, people):
    """The rows of all people in any order."""
    found = {name: [row for rows in people for row in rows[name]] for name in ("people", "visits")}
    for rows in found.values():
        r.shuffle(rows)
    return found


def towns(r):
    """The public table, in which some names are there twice."""
    names = [*_TEXTS[:6], *r.choices(_TEXTS, k=2)]
    return [{"name": name, "size": r.choice(_INTEGERS)} for name in names]


def arrow(rows, kinds):
    """Rows as an Arrow table."""
    columns = {n: pa.array([row[n] for row in rows], _ARROW[k], from_pandas=False) for n, k in kinds.items()}
    return pa.table(columns)


def _compare(a, b):
    """Whether two kinds compare without a cast of text."""
    numbers = (Kind.INTEGER, Kind.REAL)
    return a is b or (a in numbers and b in numbers)


def _literal(value, kind):
    return Literal(Fraction(value) if kind is Kind.REAL else value, kind)


class Plans:
    """Draws plans over tables whose names end in ``suffix``; with ``matches``, rows also meet by comparisons."""

    matches = False

    def __init__(self, r, suffix=""):
        self.r = r
        self.suffix = suffix

    # --- expressions -----------------------------------------------------------------------------------------

    def leaf(self, kind, columns):
        names = [name for name, known in columns.items() if known is kind]
        if names and self.r.random() < 0.75:
            return Column(self.r.choice(names))
        if self.r.random() < 0.1:
            return Literal(None, None)
        pool = {
            Kind.INTEGER: _INTEGERS,
            Kind.REAL: [Fraction(x) for x in (0, 0.5, -2, 17.5, 1000)],
            Kind.TEXT: _TEXTS,
            Kind.BOOLEAN: (True, False),
        }
        if kind is Kind.DATE:
            return Column(self.r.choice(names)) if names else Literal(None, None)
        return _literal(self.r.choice(pool[kind]), kind)

    def expression(self, kind, columns, depth=2):
        r = self.r
        if depth == 0 or r.random() < 0.2 or kind is Kind.DATE:
            return self.leaf(kind, columns)

        def sub(other=kind):
            return self.expression(other, columns, depth - 1)

        if r.random() < 0.2:
            return r.choice(
                [
                    lambda: Call(Word.CASE, (sub(Kind.BOOLEAN), sub(), sub(Kind.BOOLEAN), sub(), sub())),
                    lambda: Call(Word.COALESCE, (sub(), sub())),
                ]
            )()
        return self._own(kind, sub, columns)

    def _own(self, kind, sub, columns):
        r = self.r
        if kind in (Kind.INTEGER, Kind.REAL):
            word = r.choice([Word.ADD, Word.SUBTRACT, Word.MULTIPLY, Word.MODULO, Word.LEAST, Word.GREATEST])
            ends = sorted(r.sample(range(-50, 200), 2))
            low, high = (_literal(end, kind) for end in ends)
            choices = [
                lambda: Call(word, (sub(), sub())),
                lambda: Call(word, (sub(), sub())),
                lambda: Call(r.choice([Word.NEGATE, Word.ABS]), (sub(),)),
                lambda: Call(Word.CLIP, (sub(), low, high)),
            ]
            if kind is Kind.INTEGER:
                choices += [
                    lambda: Call(Word.TO_INTEGER, (sub(r.choice([Kind.REAL, Kind.TEXT, Kind.BOOLEAN])),)),
                    lambda: Call(Word.LENGTH, (sub(Kind.TEXT),)),
                    lambda: Call(r.choice([Word.YEAR, Word.MONTH, Word.DAY]), (self.leaf(Kind.DATE, columns),)),
                ]
            else:
                choices += [
                    lambda: Call(word, (sub(Kind.INTEGER), sub())),
                    lambda: Call(Word.DIVIDE, (sub(), sub(Kind.INTEGER))),
                    lambda: Call(r.choice([Word.FLOOR, Word.CEIL, Word.ROUND, Word.SQRT]), (sub(),)),
                    lambda: Call(Word.TO_REAL, (sub(r.choice([Kind.INTEGER, Kind.TEXT])),)),
                ]
            return r.choice(choices)()
        if kind is Kind.TEXT:
            return r.choice(
                [
                    lambda: Call(r.choice([Word.LOWER, Word.UPPER]), (sub(),)),
                    lambda: Call(Word.TO_TEXT, (sub(Kind.INTEGER),)),
                ]
            )()
        compare = r.choice([Word.EQUAL, Word.NOT_EQUAL, Word.LESS, Word.AT_MOST, Word.GREATER, Word.AT_LEAST])
        number = r.choice([Kind.INTEGER, Kind.REAL])
        members = tuple(_literal(v, Kind.TEXT) for v in r.sample(_TEXTS, 3))
        return r.choice(
            [
                lambda: Call(compare, (sub(number), sub(r.choice([Kind.INTEGER, Kind.REAL])))),
                lambda: Call(compare, (sub(Kind.TEXT), sub(Kind.TEXT))),
                lambda: Call(r.choice([Word.AND, Word.OR]), (sub(), sub())),
                lambda: Call(Word.NOT, (sub(),)),
                lambda: Call(Word.IS_NULL, (sub(r.choice([Kind.INTEGER, Kind.REAL, Kind.TEXT])),)),
                lambda: Call(Word.IN, (sub(Kind.TEXT), *members)),
                lambda: Call(Word.LIKE, (sub(Kind.TEXT), Literal(r.choice(["a%", "%b%", "_", "%'s"]), Kind.TEXT))),
            ]
        )()

    # --- relations -------------------------------------------------------------------------------------------

    def relation(self, *, owned=True):
        node = self._scan("people", PEOPLE, "person" if owned else None)
        for _ in range(self.r.randint(0, 2)):
            node = self._above(node, owned)
        return node

    def _scan(self, name, kinds, unit):
        known = RelationType({n: ColumnType(k) for n, k in kinds.items()}, unit, None if unit else 1)
        return Scan(name + self.suffix, known)

    def _above(self, node, owned):
        kinds = {name: known.kind for name, known in node.type.columns.items()}
        choices = [self._where, self._project]
        if "town" in kinds and "size" not in kinds:
            choices.append(self._public_join)
        if owned and "room" not in kinds:
            choices += [self._unit_join, self._per_unit, self._foremost]
        if self.matches and "room" not in kinds and "size" not in kinds:
            choices += [self._match] * 4
        return self.r.choice(choices)(node, kinds)

    def _where(self, node, kinds):
        return Where(node, self.expression(Kind.BOOLEAN, kinds), node.type)

    def _project(self, node, kinds):
        columns = {name: Column(name) for name in kinds}
        added = {f"new_{len(kinds)}": self.r.choice([Kind.INTEGER, Kind.REAL, Kind.TEXT])}
        for name, kind in added.items():
            columns[name] = self.expression(kind, kinds)
        known = dict(node.type.columns) | {name: ColumnType(kind) for name, kind in added.items()}
        return Project(node, tuple(columns.items()), RelationType(known, node.type.unit, node.type.rows_per_unit))

    def _public_join(self, node, _):
        known = dict(node.type.columns) | {"size": ColumnType(Kind.INTEGER)}
        unique = node.type.rows_per_unit is not None or self.r.random() < 0.5
        result = RelationType(known, node.type.unit, node.type.rows_per_unit)
        left = self.r.random() < 0.5
        return PublicJoin(node, "towns", (("town", "name"),), (("size", "size"),), left, unique, result)

    def _unit_join(self, node, kinds):
        second = self._scan("visits", VISITS, "guest")
        known = dict(node.type.columns) | {name: ColumnType(VISITS[name]) for name in ("room", "cost", "nights")}
        on = (("town", "room"),) if "town" in kinds and self.r.random() < 0.3 else ()
        pairs = tuple((name, name) for name in ("room", "cost", "nights"))
        return UnitJoin(node, second, on, pairs, self.r.random() < 0.5, RelationType(known, node.type.unit, None))

    def _match(self, node, kinds):
        """Rows that meet public ones, or others of the same person, by any comparisons."""
        r, owned = self.r, node.type.unit is not None
        public = not owned or r.random() < 0.5
        how = r.choice(list(Meeting)) if owned else Meeting.MARK
        if public:
            table = RelationType({name: ColumnType(kind) for name, kind in TOWNS.items()}, None, None)
            other, theirs = Scan("towns", table), TOWNS
        else:
            other, theirs = self._scan("visits", VISITS, "guest"), VISITS
        if r.random() < 0.4:
            other = Where(other, self.expression(Kind.BOOLEAN, theirs, 1), other.type)
        words = [Word.EQUAL, Word.EQUAL, Word.LESS, Word.AT_LEAST, Word.NOT_EQUAL, Word.GREATER, Word.AT_MOST]
        pairs = [(a, b) for a, kind in kinds.items() for b, known in theirs.items() if _compare(kind, known)]
        on = [(a, r.choice(words), b) for a, b in r.sample(pairs, min(len(pairs), r.randint(0, 2)))]
        known = dict(node.type.columns)
        if how is Meeting.MARK:
            name = f"mark {len(known)}"
            known[name] = ColumnType(Kind.BOOLEAN)
            result = RelationType(known, node.type.unit, node.type.rows_per_unit)
            return Match(node, other, tuple(on), (), how, name, public, result)
        kept = tuple((name, name) for name in theirs if name != other.type.unit)
        known |= {name: ColumnType(theirs[name]) for name, _ in kept}
        return Match(node, other, tuple(on), kept, how, None, public, RelationType(known, node.type.unit, None))

    def _foremost(self, node, kinds):
        r = self.r
        order = tuple((name, r.random() < 0.5) for name in r.sample(list(kinds), r.randint(0, min(2, len(kinds)))))
        within = tuple(name for name in ("town",) if name in kinds and r.random() < 0.3)
        most = r.randint(1, 3)
        kept = node.type.rows_per_unit
        rows = kept if within else most if kept is None else min(kept, most)
        return Foremost(node, most, within, order, replace(node.type, rows_per_unit=rows))

    def _per_unit(self, node, kinds):
        keys = tuple(name for name in ("town",) if name in kinds and self.r.random() < 0.5)
        low, high, step = Fraction(-8), Fraction(64), Fraction(1, 4)
        columns = (
            UnitColumn("many", UnitFunction.COUNT, None),
            UnitColumn("few", UnitFunction.COUNT, self.expression(Kind.REAL, kinds, 1)),
            UnitColumn("total", UnitFunction.SUM, self.expression(Kind.REAL, kinds, 1), low, high, step),
            UnitColumn("units", UnitFunction.SUM, self.expression(Kind.INTEGER, kinds, 1), low, high, Fraction(4)),
            # NULL + 1 has no kind for an engine: only a cast makes it a whole number, which needs no range
            UnitColumn("all", UnitFunction.SUM, Call(Word.TO_INTEGER, (self.expression(Kind.INTEGER, kinds, 1),))),
            UnitColumn("least", UnitFunction.MIN, self.expression(Kind.REAL, kinds, 1)),
            UnitColumn("most", UnitFunction.MAX, self.expression(Kind.INTEGER, kinds, 1)),
            UnitColumn("middle", UnitFunction.LOWER_MEDIAN, self.expression(Kind.REAL, kinds, 1)),
            UnitColumn("upper", UnitFunction.UPPER_MEDIAN, self.expression(Kind.INTEGER, kinds, 1)),
        )
        if self.r.random() < 0.5:
            columns = columns[:-2]  # Spark has no medians of a person
        reals = {"total", "least", "middle"}
        known = {"person": ColumnType(Kind.INTEGER)} | {key: ColumnType(kinds[key]) for key in keys}
        known |= {c.name: ColumnType(Kind.REAL if c.name in reals else Kind.INTEGER) for c in columns}
        return PerUnit(node, keys, columns, RelationType(known, "person", None if keys else 1))

    # --- aggregates ------------------------------------------------------------------------------------------

    def keys(self, kinds):
        r = self.r
        chosen = []
        if r.random() < 0.6:
            kind = r.choice([k for k in (Kind.INTEGER, Kind.TEXT, Kind.BOOLEAN) if k in kinds.values()])
            pool = {Kind.INTEGER: tuple(range(-1, 6)), Kind.TEXT: _TEXTS[:5], Kind.BOOLEAN: (True, False)}[kind]
            listed = r.choice([pool, (*pool, None), tuple(r.sample(pool, 2)), None])
            chosen.append(Key("first", self.expression(kind, kinds, 1), ColumnType(kind), listed))
        if r.random() < 0.3:
            listed = r.choice([(True, False), None])
            chosen.append(Key("second", self.expression(Kind.BOOLEAN, kinds, 1), ColumnType(Kind.BOOLEAN), listed))
        return tuple(chosen)

    def measurement(self, function, node, kinds, *, sound, name="m"):
        """With ``sound`` the bounding is one that the relation allows; otherwise any that has a meaning."""
        r = self.r
        kind = r.choice([Kind.INTEGER, Kind.REAL])
        free = node.type.rows_per_unit is not None
        bounding = r.choice([Bounding.WEIGHTS, Bounding.SAMPLE] + [Bounding.NONE] * (free or not sound))
        if function is Function.DISTINCT:
            kind = r.choice([Kind.INTEGER, Kind.TEXT])
            bounding = Bounding.SAMPLE if bounding is Bounding.WEIGHTS else bounding
        if bounding is Bounding.SAMPLE and function in _ADDED:
            bounding = Bounding.WEIGHTS
        argument = self.expression(kind, kinds)
        if function in (Function.ROWS, Function.UNITS) and r.random() < 0.6:
            argument = None
        limit = node.type.rows_per_unit if bounding is Bounding.NONE and free else r.randint(1, 3)
        full = r.choice([4, 7, 2**16]) if bounding is Bounding.WEIGHTS else 1
        step = r.choice([Fraction(1), Fraction(1, 8), Fraction(4), Fraction(1, 2)])
        low = step * r.randint(-20, 5)
        high = low + step * 2 ** r.randint(0, 6)
        if function is Function.SHARE:
            degree = r.choice([1, 2])
            ends, place = (low, high, step, math.floor(low / step)), r.randint(0, degree)
            shift = r.choice([0, 1, 3]) * (degree == 2 and high - low >= 4 * step)
            share = Measurement(name, function, argument, bounding, limit, full, *ends, shift=shift)
            return replace(share, degree=degree, place=place)
        if function not in (Function.TOTAL, Function.SQUARES, Function.QUANTILE):
            return Measurement(name, function, argument, bounding, limit, full)
        centre = r.choice([0, math.floor((low + high) / (2 * step))])
        buckets = r.choice([1, 2, 4]) if function is Function.QUANTILE else 0
        if function is Function.QUANTILE:
            low, high, centre = step * 4 * r.randint(-3, 2), Fraction(0), 0
            high = low + step * 4 * buckets
        fraction = Fraction(r.choice([1, 1, 3]), 4) if buckets else None
        return Measurement(name, function, argument, bounding, limit, full, low, high, step, centre, fraction, buckets)

    def query(self, *, sound=False, owned=None):
        """A query of one measurement, so that a sample hashes only its columns; not ``owned``: a row is a person."""
        owned = self.r.random() < 0.85 if owned is None else owned
        node = self.relation(owned=owned)
        kinds = {name: known.kind for name, known in node.type.columns.items()}
        function = self.r.choice(list(Function))
        keys = self.keys(kinds)
        found = self.measurement(function, node, kinds, sound=sound)
        if sound and function is Function.UNITS and found.bounding is Bounding.NONE and keys and owned:
            keys = ()
        return Query("", Aggregate(node, keys, (found,), None), (), (), None, (), None, 0, ())


def receipt():
    """A receipt, so that an engine runs; sessions get theirs from a ledger."""
    return Receipt(1, "now", "ana", (), "query", "snapshot", None, None, "hash")


class MatchingPlans(Plans):
    """Plans in which rows meet public ones, and others of the same person, by comparisons."""

    matches = True
