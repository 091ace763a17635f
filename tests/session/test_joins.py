"""Joins may not make much work of one person: refused from public data alone, before anything is charged."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lapwing.errors import LapwingError
from lapwing.query.expressions import Kind
from lapwing.session.joins import MOST_COPIES
from tests.session.tables import protected

ONCE, TWICE = "JOIN w a ON people.region = a.region", "JOIN w b ON people.region = b.region"


@pytest.fixture
def session(tmp_path):
    floors = pa.table(
        {"region": ["north"] * 40 + ["south"] * 3 + [None] * 5000, "number": [i / 8 for i in range(5043)]}
    )
    pq.write_table(floors, tmp_path / "w.parquet")
    with protected(tmp_path, unit="person", rows_per_unit=1, public=[tmp_path / "w.parquet"]) as opened:
        yield opened


def refused(ask, *arguments, **price):
    with pytest.raises(LapwingError) as error:
        ask(*arguments, **price)
    return error.value.code


def test_joins_that_make_many_rows_of_one_are_refused_before_the_charge(session):
    before = session.remaining
    assert 40 < MOST_COPIES < 40 * 40
    assert refused(session.sql, f"SELECT COUNT(*) FROM people {ONCE} {TWICE}", epsilon=1) == "S145"
    assert session.remaining == before
    assert session.sql(f"SELECT COUNT(*) FROM people {ONCE}", epsilon=1).table.num_rows == 1


def test_a_sub_query_does_not_hide_joins(session):
    inner = f"SELECT person, people.region AS region FROM people {ONCE}"
    text = f"SELECT COUNT(*) FROM ({inner}) people {TWICE}"
    assert refused(session.sql, text, epsilon=1) == "S145"
    both = f"SELECT COUNT(*) FROM ({inner}) x JOIN ({inner}) y ON x.person = y.person"
    assert refused(session.sql, both, epsilon=1) == "S145"


def test_keys_are_counted_as_the_join_compares_them(session):
    # no two of the numbers are the same, and eight or nine of them are one whole number to a join with integers
    assert session.engine.multiplicity("w", [("number", Kind.REAL)]) == 1
    assert session.engine.multiplicity("w", [("number", Kind.INTEGER)]) in (8, 9)
    joins = " ".join(f"JOIN w {name} ON people.age = {name}.number" for name in "abcd")
    assert refused(session.sql, f"SELECT COUNT(*) FROM people {joins}", epsilon=1) == "S145"


def test_private_rows_meet_at_most_twice(session):
    text = "SELECT COUNT(*) FROM people a JOIN people b USING (person) JOIN people c USING (person)"
    assert session.explain(text)
    assert refused(session.explain, f"{text} JOIN people d USING (person)") == "Q105"
    pair = "(SELECT a.person AS person FROM people a JOIN people b ON a.person = b.person)"
    nested = f"SELECT COUNT(*) FROM {pair} x JOIN {pair} y ON x.person = y.person"
    assert refused(session.explain, nested) == "Q105"
    late = f"(SELECT e.person AS person FROM people e JOIN {pair} x ON e.person = x.person)"
    assert session.explain(f"SELECT COUNT(*) FROM {late} y")
    assert refused(session.explain, f"SELECT COUNT(*) FROM people z JOIN {late} y ON z.person = y.person") == "Q105"


def test_joins_by_comparisons_are_counted_too(session):
    before = session.remaining
    assert refused(session.sql, "SELECT COUNT(*) FROM people JOIN w ON age > number", epsilon=1) == "S145"
    assert refused(session.sql, "SELECT COUNT(*) FROM people, w", epsilon=1) == "S145"
    marked = "SELECT COUNT(*) FROM people WHERE EXISTS (SELECT 1 FROM w WHERE number > age)"
    assert refused(session.sql, marked, epsilon=1) == "S145"
    assert session.remaining == before
    few = "(SELECT * FROM w WHERE number < 2) q"
    assert refused(session.sql, f"SELECT COUNT(*) FROM people JOIN {few} ON age > number", epsilon=1) == "S145"
    equal = "SELECT COUNT(*) FROM people WHERE region IN (SELECT region FROM w)"
    assert session.sql(equal, epsilon=1).table.num_rows == 1
    several = "SELECT COUNT(*) FROM people JOIN w ON people.region = w.region AND age > number"
    assert session.sql(several, epsilon=1).table.num_rows == 1


def test_private_rows_are_marked_by_their_own_at_most_four_times(session):
    one = "EXISTS (SELECT 1 FROM people {0} WHERE {0}.person = p.person AND {0}.age > p.age)"
    text = "SELECT COUNT(*) FROM people p WHERE " + " AND ".join(one.format(name) for name in "abcd")
    assert session.explain(text)
    assert refused(session.explain, f"{text} AND {one.format('e')}") == "Q105"
