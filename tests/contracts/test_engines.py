"""What every engine must do, whatever database is behind it."""

from fractions import Fraction

import pytest

from lapwing.errors import LapwingError
from lapwing.query.expressions import Call, Column, Kind, Literal, Word
from lapwing.query.lowering import lower
from lapwing.query.plan import Aggregate, Bounding, Function, Key, Measurement, Query, Scan, Where
from lapwing.query.types import ColumnType, RelationType
from tests.contracts.engines import ENGINES, receipt

_COLUMNS = {"person": ColumnType(Kind.INTEGER), "town": ColumnType(Kind.TEXT), "pay": ColumnType(Kind.REAL)}
_PEOPLE = Scan("people", RelationType(_COLUMNS, "person", None))
_WEIGHTS = {"bounding": Bounding.WEIGHTS, "rows_per_unit": 2, "weight_steps": 3}
_SAMPLE = {"bounding": Bounding.SAMPLE, "rows_per_unit": 2, "weight_steps": 1}
_RANGE = {"low": Fraction(-4), "high": Fraction(4)}
_MEASUREMENTS = (
    Measurement("rows", Function.ROWS, None, **_WEIGHTS),
    Measurement("paid", Function.ROWS, Column("pay"), **_WEIGHTS),
    Measurement("total", Function.TOTAL, Column("pay"), **_WEIGHTS, **_RANGE, step=Fraction(1, 2), centre=-8),
    Measurement("units", Function.UNITS, None, **_WEIGHTS),
    Measurement("different", Function.DISTINCT, Column("town"), **_SAMPLE),
    Measurement("middle", Function.QUANTILE, Column("pay"), **_WEIGHTS, **_RANGE, fraction=Fraction(1, 2), buckets=4),
)


@pytest.fixture(params=ENGINES, scope="module")
def engine(request, tmp_path_factory):
    with ENGINES[request.param](tmp_path_factory.mktemp("data")) as opened:
        yield opened


def asked(source, *keys):
    return Query("", Aggregate(source, keys, _MEASUREMENTS, None), (), (), None, (), None, 0, ())


def answers(engine, query):
    """{measurement: {keys: value}}."""
    statements = lower(query.aggregate, engine.dialect, 1).statements
    tables = engine.fetch(receipt(), [statement.sql for statement in statements])
    found = {}
    for statement, table in zip(statements, tables, strict=True):
        columns = [column.to_pylist() for column in table.columns]
        width = len(statement.keys) + statement.bucketed
        for at, name in enumerate(statement.values, start=width):
            assert table.column(at).type == "int64"
            found[name] = {row[:width]: row[at] for row in zip(*columns, strict=True)}
    return found


def test_measurements_are_exact_whole_numbers(engine):
    town = Key("town", Column("town"), ColumnType(Kind.TEXT), ("a", "b", "c"))
    found = answers(engine, asked(_PEOPLE, town))
    # person 1 has three rows in listed towns and weight 2/3 each in thirds; the row of nobody and of no town is out
    assert found["rows"] == {("a",): 4, ("b",): 2 + 6}
    assert found["paid"] == {("a",): 2, ("b",): 2 + 6}
    assert found["total"] == {("a",): 2 * (3 + 8), ("b",): 2 * (8 + 8) + 3 * (-8 + 8) + 3 * (4 + 8)}
    assert found["units"] == {("a",): 3, ("b",): 3 + 3}
    assert sum(found["different"].values()) in (2, 3)
    assert found["middle"] == {("a", 2): 2, ("b", 3): 2 + 3, ("b", 0): 3}


def test_without_rows_there_is_one_answer_of_zeros(engine):
    nobody = Where(_PEOPLE, Call(Word.LESS, (Column("person"), Literal(-5, Kind.INTEGER))), _PEOPLE.type)
    found = answers(engine, asked(nobody))
    assert found.pop("middle") == {}
    assert all(values == {(): 0} for values in found.values())


def test_nothing_is_read_without_a_receipt(engine):
    for receipt_like in (None, object(), "receipt", True):
        with pytest.raises(LapwingError) as refused:
            engine.fetch(receipt_like, ["SELECT count(*) FROM people"])
        assert refused.value.code == "E105"


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE people",
        "INSERT INTO people VALUES (1, 'a', 2)",
        "CREATE TABLE copy AS SELECT * FROM people",
        "SELECT 1; SELECT 2",
        "",
        "COPY people TO 'stolen.csv'",
        "SET threads = 1",
    ],
)
def test_only_single_selects_are_run(engine, statement):
    with pytest.raises(LapwingError) as refused:
        engine.fetch(receipt(), [statement])
    assert refused.value.code in ("E106", "E107")


_FAILS = {  # columns of a scan are named for the kind they are read as
    "duckdb": "SELECT CAST(town AS BIGINT) FROM people",
    "postgresql": 'SELECT CAST("town text" AS BIGINT) FROM people',
    "spark": "SELECT CAST(`town text` AS BIGINT) FROM people",
}


def test_errors_never_carry_data(engine, capfd, caplog):
    with pytest.raises(LapwingError) as failed:
        engine.fetch(receipt(), [_FAILS[engine.dialect.partition("-")[0]]])
    assert str(failed.value).startswith("E106 ")
    assert failed.value.__cause__ is None
    assert failed.value.__context__ is None
    assert not caplog.records
    assert capfd.readouterr() == ("", "")
    # and the engine goes on
    assert engine.fetch(receipt(), ["SELECT count(*) AS n FROM people"])[0].to_pylist() == [{"n": 7}]


def test_multiplicity_is_answered_for_public_tables_only(engine):
    assert engine.multiplicity("towns", [("code", Kind.INTEGER)]) == 1
    assert engine.multiplicity("towns", [("name", Kind.TEXT), ("code", Kind.INTEGER)]) == 1
    assert engine.multiplicity("towns", [("name", Kind.TEXT)]) == 2
    # as a join would compare them: no name is a number
    assert engine.multiplicity("towns", [("name", Kind.INTEGER)]) == 0
    with pytest.raises(LapwingError) as refused:
        engine.multiplicity("people", [("person", Kind.INTEGER)])
    assert refused.value.code == "E108"


def test_the_fingerprint_is_stable_and_keyed(engine):
    one = engine.fingerprint(b"secret")
    assert engine.fingerprint(b"secret").partition(".")[0] == one.partition(".")[0]
    assert engine.fingerprint(b"secret", known=one) == one
    assert engine.fingerprint(b"another").partition(".")[0] != one.partition(".")[0]


@pytest.mark.parametrize("name", ENGINES)
def test_an_engine_knows_that_it_is_closed(name, tmp_path):
    with ENGINES[name](tmp_path) as opened:
        assert not opened.closed
    assert opened.closed
    with pytest.raises(LapwingError):
        opened.fetch(receipt(), ["SELECT 1"])
    opened.close()  # again, which changes nothing
