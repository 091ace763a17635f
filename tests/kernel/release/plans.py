"""Small plans to derive from."""

from fractions import Fraction

from lapwing.algebra.measures import PureDP
from lapwing.kernel.evidence.expressions import Call, Column, ColumnType, Kind, Literal, Word
from lapwing.kernel.evidence.plan import (
    Bounding,
    Foremost,
    Function,
    Measurement,
    PerUnit,
    Project,
    PublicJoin,
    RelationType,
    Sampled,
    Scan,
    UnitColumn,
    UnitFunction,
    UnitJoin,
    Where,
)
from lapwing.kernel.evidence.release import Change, NoisyMeasurement
from lapwing.noise import Laplace

WHOLE = ColumnType(Kind.INTEGER, low=Fraction(0), high=Fraction(100))
REAL = ColumnType(Kind.REAL, keys=(Fraction(1, 2), 1, None))


def columns(*names):
    return dict.fromkeys(names, WHOLE)


def people():
    """A table in which each row is a person."""
    return Scan("people", RelationType(columns("age", "pay"), None, 1))


def visits(name="visits"):
    """A table in which a person may have many rows."""
    return Scan(name, RelationType(columns("person", "cost"), "person", None))


def condition():
    return Call(Word.LESS, (Column("cost"), Literal(Fraction(1, 2), Kind.REAL)))


def kept(source=None):
    source = visits() if source is None else source
    return Where(source, condition(), source.type)


def projected(*names, unit="person", source=None):
    """Columns, each copied from the column of the same name or (name, of)."""
    pairs = tuple((name, Column(name)) if isinstance(name, str) else (name[0], Column(name[1])) for name in names)
    return Project(source or visits(), pairs, RelationType(columns(*(name for name, _ in pairs)), unit, None))


def met(*, unique=False, source=None, table="places", names=("town",)):
    source = visits() if source is None else source
    pairs = tuple((name, name) for name in names)
    known = RelationType({**source.type.columns, **columns(*names)}, source.type.unit, None)
    return PublicJoin(source, table, (("cost", "cost"),), pairs, left=False, unique=unique, type=known)


def both(first=None, second=None, names=("person_2", "cost_2")):
    first, second = first or visits(), second or visits("stays")
    pairs = tuple(zip(names, second.type.columns, strict=True))
    known = RelationType({**first.type.columns, **columns(*names)}, first.type.unit, None)
    return UnitJoin(first, second, (("cost", "cost"),), pairs, left=True, type=known)


def sampled(most=3, source=None):
    source = visits() if source is None else source
    return Sampled(source, most, RelationType(source.type.columns, source.type.unit, most))


def foremost(most=3, within=(), source=None):
    source = visits() if source is None else source
    return Foremost(source, most, within, (("cost", True),), RelationType(source.type.columns, source.type.unit, most))


def per_person(*keys, unit="person", source=None):
    total = UnitColumn("total", UnitFunction.SUM, Column("cost"), Fraction(0), Fraction(9), Fraction(1, 2))
    known = RelationType(columns(*([unit] if unit else []), *keys, "total"), unit, 1)
    return PerUnit(source or visits(), keys, (total,), known)


def plan_of_every_node():
    inside = met(source=foremost(source=sampled(), within=("cost",)))
    inside = both(per_person(), projected("person", "cost", source=inside), names=("p", "c"))
    typed = RelationType({**inside.type.columns, "half": REAL}, "person", None)
    condition = Call(Word.AND, (Literal(value=True, kind=Kind.BOOLEAN), Literal("x", Kind.TEXT), Literal(None, None)))
    return Where(Where(inside, condition, typed), condition, typed)


def measurement(function=Function.ROWS, bounding=Bounding.NONE, rows=1, steps=1, **more):
    return Measurement("n", function, more.pop("argument", None), bounding, rows, steps, **more)


def counted():
    """Rows are counted with noise of scale 1."""
    return NoisyMeasurement(measurement(), Change(1, 1), Laplace(1), PureDP(1))
