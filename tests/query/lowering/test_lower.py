from dataclasses import replace
from fractions import Fraction

import duckdb
import pyarrow as pa
import pytest

from lapwing.engines import DuckDB
from lapwing.errors import InvalidInput
from lapwing.query.expressions import Call, Column, Kind, Literal, Word
from lapwing.query.lowering import PublicKeys, lower
from lapwing.query.plan import Aggregate, Bounding, Function, Key, Measurement, PublicJoin, Query, Scan, UnitJoin
from lapwing.query.types import ColumnType, RelationType
from tests.query.lowering.plans import receipt

COLUMNS = {
    "person": ColumnType(Kind.INTEGER),
    "age": ColumnType(Kind.INTEGER),
    "pay": ColumnType(Kind.REAL),
    "town": ColumnType(Kind.TEXT),
}
PEOPLE = Scan("people", RelationType(COLUMNS, "person", None))
ANYONE = Scan("people", RelationType(COLUMNS, None, 1))
WEIGHTS = {"bounding": Bounding.WEIGHTS, "rows_per_unit": 2, "weight_steps": 2**16}
NONE = {"bounding": Bounding.NONE, "rows_per_unit": 1, "weight_steps": 1}
ROWS = Measurement("n", Function.ROWS, None, **WEIGHTS)


def asked(*measurements, source=PEOPLE, keys=(), selection=None):
    return Query("", Aggregate(source, keys, measurements, selection), (), (), None, (), None, 0, ())


def run(query, **tables):
    with DuckDB.over(tables) as engine:
        lowered = lower(query.aggregate, "duckdb", 5)
        return engine.fetch(receipt(), [statement.sql for statement in lowered.statements])


def people(**columns):
    types = {"person": pa.int64(), "age": pa.int64(), "pay": pa.float64(), "town": pa.string()}
    size = len(next(iter(columns.values())))
    return pa.table({name: pa.array(columns.get(name, [None] * size), kind) for name, kind in types.items()})


def test_lowering_is_deterministic():
    query = asked(ROWS, Measurement("d", Function.DISTINCT, Column("town"), Bounding.SAMPLE, 2, 1))
    assert lower(query.aggregate, "duckdb", 5) == lower(query.aggregate, "duckdb", 5)
    assert lower(query.aggregate, "duckdb", 5) != lower(query.aggregate, "duckdb", 6)


def test_one_statement_for_all_that_counts_the_same_rows():
    mean = Measurement("t", Function.TOTAL, Column("pay"), **WEIGHTS, low=Fraction(0), high=Fraction(8))
    free = Measurement("all", Function.ROWS, None, **NONE)
    sampled = {"bounding": Bounding.SAMPLE, "rows_per_unit": 2, "weight_steps": 1}
    median = Measurement("q", Function.QUANTILE, Column("pay"), **WEIGHTS, low=Fraction(0), high=Fraction(8), buckets=8)
    different = Measurement("d", Function.DISTINCT, Column("town"), **sampled)
    selection = Measurement("u", Function.UNITS, None, **WEIGHTS)
    lowered = lower(asked(ROWS, median, mean, different, free, selection=selection).aggregate, "duckdb", 5)
    assert [statement.values for statement in lowered.statements] == [("n", "t", "all"), ("q",), ("d",), ("u",)]
    assert [statement.bucketed for statement in lowered.statements] == [False, True, False, False]


def test_a_unit_of_both_zeros_is_one_person():
    columns = {"who": ColumnType(Kind.REAL)}
    source = Scan("people", RelationType(columns, "who", None))
    units = Measurement("u", Function.UNITS, None, **WEIGHTS)
    rows, people = run(
        asked(ROWS, units, source=source), people=pa.table({"who": [0.0, -0.0] * 4 + [float("nan"), None]})
    )
    assert rows.to_pylist() == [{"value_0": 8 * (2**17 // 8)}]
    assert people.to_pylist() == [{"value_0": 2**16}]


def test_two_limits_in_one_statement():
    more = Measurement("more", Function.ROWS, None, Bounding.WEIGHTS, 3, 10)
    (table,) = run(asked(ROWS, more), people=people(person=[1, 1, 1, 1, 2, 2, 2, 3]))
    assert table.to_pylist() == [{"value_0": 4 * 2**15 + 3 * (2**17 // 3) + 2**16, "value_1": 4 * 7 + 3 * 10 + 10}]


@pytest.mark.parametrize("words", ["x'; DROP TABLE people; --", 'a"b', "\\", "%", "ünï", "\n", "{0}"])
def test_constants_and_names_are_quoted(words):
    columns = {'we"ird; name': ColumnType(Kind.TEXT)}
    source = Scan("people", RelationType(columns, None, 1))
    same = Call(Word.EQUAL, (Column('we"ird; name'), Literal(words, Kind.TEXT)))
    key = Key("k", Call(Word.CASE, (same, Literal(1, Kind.INTEGER), Literal(0, Kind.INTEGER))), COLUMNS["age"], (1,))
    table = pa.table({'we"ird; name': [words, "other"]})
    (found,) = run(asked(Measurement("n", Function.ROWS, None, **NONE), source=source, keys=(key,)), people=table)
    assert found.to_pylist() == [{"key_0": 1, "value_0": 1}]


def test_a_table_may_have_the_name_of_anything_inside_a_statement():
    for name in ("rows", "heavy", "a", "b", "kept", "many", "listed"):
        query = asked(ROWS, Measurement("u", Function.UNITS, None, **WEIGHTS), source=Scan(name, PEOPLE.type))
        rows, units = run(query, **{name: people(person=[1, 1, 1, 2])})
        assert rows.to_pylist() == [{"value_0": 3 * (2**17 // 3) + 2**16}]
        assert units.to_pylist() == [{"value_0": 2 * 2**16}]


def test_columns_may_have_the_names_used_inside():
    names = ("unit", "key_0", "x_0", "place", "weight_0", "bucket", "on_0", "got_0")
    known = {name: ColumnType(Kind.INTEGER) for name in names}
    source = Scan("people", RelationType(known, "unit", None))
    key = Key("k", Column("x_0"), ColumnType(Kind.INTEGER), (5,))
    total = Measurement("t", Function.TOTAL, Column("key_0"), **WEIGHTS, low=Fraction(0), high=Fraction(9))
    table = pa.table({name: [at, at] for at, name in enumerate(names, start=3)})
    (found,) = run(asked(total, source=source, keys=(key,)), people=table)
    assert found.to_pylist() == [{"key_0": 5, "value_0": 2 * 4 * 2**16}]


def test_sums_beyond_61_bits_are_clamped_and_never_fail():
    edge = Fraction(2**61)
    total = Measurement("t", Function.TOTAL, Column("age"), **NONE, low=-edge, high=edge)
    for sign in (1, -1):
        (found,) = run(asked(total, source=ANYONE), people=people(age=[sign * 2**62] * 5))
        assert found.to_pylist() == [{"value_0": sign * 2**61}]


def test_integers_that_overflow_are_null_and_never_fail():
    age = Column("age")
    square = Call(Word.MULTIPLY, (age, age))
    for expression in (
        square,
        Call(Word.MULTIPLY, (square, square)),
        Call(Word.ADD, (age, age)),
        Call(Word.SUBTRACT, (Call(Word.NEGATE, (age,)), Literal(2, Kind.INTEGER))),
        Call(Word.ABS, (Call(Word.SUBTRACT, (Literal(-1, Kind.INTEGER), age)),)),
    ):
        known = Measurement("n", Function.ROWS, expression, **NONE)
        (found,) = run(asked(known, source=ANYONE), people=people(age=[2**63 - 1, 2]))
        assert found.to_pylist()[0]["value_0"] in (1, 2)
    lowest = Call(Word.MODULO, (age, Literal(-1, Kind.INTEGER)))
    total = Measurement("t", Function.TOTAL, lowest, **NONE, low=Fraction(-5), high=Fraction(5))
    (found,) = run(asked(total, source=ANYONE), people=people(age=[-(2**63)]))
    assert found.to_pylist() == [{"value_0": 0}]


def test_text_that_is_no_number_compares_without_failing():
    for word in (Word.EQUAL, Word.LESS):
        key = Key("k", Call(word, (Column("town"), Literal(5, Kind.INTEGER))), ColumnType(Kind.BOOLEAN), None)
        (found,) = run(asked(ROWS, keys=(key,)), people=people(person=[1, 2, 3], town=["5", "abc", None]))
        assert {row["key_0"] for row in found.to_pylist()} == {word is Word.EQUAL, None}


@pytest.mark.parametrize("size", [3, 500])
def test_only_listed_keys_are_kept(size):
    for kind, values in ((Kind.TEXT, [f"t{i}" for i in range(size)]), (Kind.INTEGER, [7 * i for i in range(size)])):
        name = "town" if kind is Kind.TEXT else "age"
        rows = people(person=range(4), **{name: [values[0], values[-1], None, "zz" if kind is Kind.TEXT else 1]})
        for listed, wanted in (
            (tuple(values), {values[0], values[-1]}),
            ((*values, None), {values[0], values[-1], None}),
        ):
            key = Key("k", Column(name), ColumnType(kind), listed)
            (found,) = run(asked(ROWS, keys=(key,)), people=rows)
            assert {row["key_0"] for row in found.to_pylist()} == wanted


def test_a_public_key_that_is_there_twice_joins_nothing_where_it_must_be_unique():
    known = RelationType({**COLUMNS, "size": ColumnType(Kind.INTEGER)}, None, 1)
    join = PublicJoin(ANYONE, "towns", (("town", "name"),), (("size", "size"),), False, True, known)
    query = asked(Measurement("n", Function.ROWS, None, **NONE), source=join)
    towns = pa.table({"name": ["a", "b", "b"], "size": [1, 2, 3]})
    (found,) = run(query, people=people(town=["a", "b", "c"]), towns=towns)
    assert found.to_pylist() == [{"value_0": 1}]
    assert lower(query.aggregate, "duckdb", 1).joins == (PublicKeys("towns", (("name", Kind.TEXT),), unique=True),)


def test_what_has_no_meaning_is_refused():
    texts = Scan("visits", RelationType({"guest": ColumnType(Kind.TEXT)}, "guest", None))
    total = Measurement("t", Function.TOTAL, Column("age"), **WEIGHTS)
    for query, expected in (
        (asked(total), "Q351"),  # no range
        (asked(replace(total, argument=None)), "Q351"),
        (asked(replace(total, low=Fraction(0), high=Fraction(2**70))), "Q351"),
        (asked(Measurement("d", Function.DISTINCT, Column("age"), **WEIGHTS)), "Q351"),
        (asked(ROWS, source=UnitJoin(PEOPLE, texts, (), (), False, PEOPLE.type)), "Q351"),  # units of two kinds
        (asked(replace(ROWS, argument=Literal("a\0b", Kind.TEXT))), "Q351"),
        (asked(replace(ROWS, rows_per_unit=0)), "Q351"),
    ):
        with pytest.raises(InvalidInput) as refused:
            lower(query.aggregate, "duckdb", 1)
        assert refused.value.code == expected
    with pytest.raises(InvalidInput) as refused:
        lower(asked(ROWS).aggregate, "postgres", 1)
    assert refused.value.code == "Q352"


@pytest.mark.parametrize("stored", [pa.date32(), pa.string(), pa.timestamp("us")])
@pytest.mark.parametrize("kind", [Kind.DATE, Kind.TIMESTAMP])
def test_infinite_dates_are_null(kind, stored):
    day = ColumnType(kind)
    source = Scan("people", RelationType({"day": day}, None, 1))
    text = ["infinity", "-infinity", "2024-02-29"]
    with duckdb.connect() as made:
        cast = {"date32[day]": "DATE", "string": "VARCHAR", "timestamp[us]": "TIMESTAMP"}[str(stored)]
        rows = made.sql(f"SELECT unnest({text})::{cast} AS day").to_arrow_table()
    query = asked(
        Measurement("n", Function.ROWS, None, **NONE), source=source, keys=(Key("k", Column("day"), day, None),)
    )
    (found,) = run(query, people=rows)
    shown = sorted((str(row["key_0"])[:10], row["value_0"]) for row in found.to_pylist())
    assert shown == [("2024-02-29", 1), ("None", 2)]


def test_a_text_cast_to_an_infinite_date_is_null():
    day = ColumnType(Kind.DATE)
    key = Key("k", Call(Word.TO_DATE, (Column("town"),)), day, None)
    (found,) = run(
        asked(Measurement("n", Function.ROWS, None, **NONE), source=ANYONE, keys=(key,)),
        people=people(town=["infinity", "x"]),
    )
    assert found.to_pylist() == [{"key_0": None, "value_0": 2}]
