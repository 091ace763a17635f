"""PostgreSQL: roles that a setting made others, names of any length, and tables that change their shape."""

import pyarrow as pa
import pytest

import lapwing
from lapwing.errors import LapwingError
from lapwing.policy import Column
from lapwing.policy.addresses import database_address
from lapwing.session.protecting import Wishes, protect
from tests.contracts import postgresql
from tests.engines.test_postgresql import ROWS, opened, refusal

LONG = "a" * 62
WIDE = pa.table({"person": [1, 2, 3, 4], f"{LONG}1": [1, 2, 3, 4], f"{LONG}2": [5, 6, 7, 8], "town": list("abaa")})


@pytest.fixture(scope="module")
def clinic():
    database = postgresql.Database()
    yield database
    database.drop()


@pytest.fixture
def tables(clinic):
    """A fresh table people."""
    clinic.load("clinic", people=ROWS)
    return clinic


def protected(tables, monkeypatch, tmp_path, relation, **more):
    monkeypatch.chdir(tmp_path)
    source = database_address(tables.url).with_relation(relation)
    protect(source, Wishes("person", 10**6, rows_per_unit=1, **({"data": "fixed"} | more)))
    return lapwing.open(source)


def answers(session, *queries):
    return [[round(cell) for cell in session.sql(q, epsilon=10**4).to_arrow().to_pylist()[0].values()] for q in queries]


def test_a_role_that_a_setting_made_another_is_judged_by_what_it_was(tables):
    boss = f"{postgresql.READER}_boss"
    tables.run(f"CREATE ROLE {boss} LOGIN SUPERUSER", f"ALTER ROLE {boss} SET role = '{postgresql.READER}'")
    try:
        assert refusal(tables, url=postgresql.address_of(tables.name, boss)) == "E121"
    finally:
        tables.run(f"DROP ROLE {boss}")


def test_a_kind_that_a_column_cannot_be_read_as_is_refused_at_once(tables):
    tables.run("ALTER TABLE clinic.people ADD pay float8, ADD cost numeric(9, 2)")
    person = Column("person", "integer")
    assert refusal(tables, columns=(person, Column("pay", "text"))) == "E104"  # no engine prints reals like another
    opened(tables, columns=(person, Column("cost", "text"), Column("pay", "real"))).close()


def test_names_that_begin_alike_for_longer_than_the_server_reads_are_two(tables, monkeypatch, tmp_path):
    tables.load("clinic", visits=WIDE, towns=pa.table({"town": ["a", "b"], f"{LONG}1": [1, 2], f"{LONG}2": ["5", "6"]}))
    bounds = {f"{LONG}{n}": (0, 10) for n in (1, 2)}
    public = (database_address(tables.url).with_relation("clinic.towns"),)
    name = "b" * 70
    inner = f"SELECT person, {LONG}1 AS {name}x, {LONG}2 AS {name}y FROM visits"
    with protected(tables, monkeypatch, tmp_path, "clinic.visits", bounds=bounds, public=public) as session:
        assert answers(
            session,
            f"SELECT SUM({LONG}1) AS s, SUM({LONG}2) AS t FROM visits",
            f"SELECT SUM({name}x) AS {name}s, SUM({name}y) AS {name}t FROM ({inner}) AS {name}z",
            f"WITH {name}q AS ({inner}), {name}r AS (SELECT person, {name}y AS {name}x FROM {name}q) "
            f"SELECT SUM({name}x) AS s FROM {name}r",
            f"SELECT COUNT(*) AS n FROM visits AS v JOIN towns AS t ON v.{LONG}1 = t.{LONG}1",
            f"SELECT COUNT(*) AS n FROM visits AS v JOIN towns AS t ON v.town = t.town WHERE t.{LONG}2 = '6'",
        ) == [[10, 26], [10, 26], [26], [2], [1]]


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE clinic.people ALTER person TYPE text",
        "ALTER TABLE clinic.people ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE clinic.people ALTER town TYPE varchar(20)",
        "ALTER TABLE clinic.people DROP COLUMN town",
    ],
)
@pytest.mark.parametrize("data", ["fixed", "live"])
def test_a_table_of_another_shape_is_refused_before_anything_is_charged(tables, monkeypatch, tmp_path, data, change):
    query = "SELECT COUNT(*) AS n FROM people WHERE town = 'a'"
    with protected(tables, monkeypatch, tmp_path, "clinic.people", data=data) as session:
        session.sql(query, epsilon=1)
        before = session.ledger.head()
        tables.run(change)
        with pytest.raises(LapwingError, match="E109"):
            session.sql(query, epsilon=2)
        assert session.ledger.head() == before
