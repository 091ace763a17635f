"""PostgreSQL: what is refused, one snapshot under writers, time-outs and kills, names that somebody shadowed."""

import _thread
import threading
import time

import pyarrow as pa
import pytest

from lapwing.algebra.neighbours import Neighbours
from lapwing.engines import describe, kinds
from lapwing.errors import LapwingError
from lapwing.policy import Analyst, Budget, Column, Policy, Table
from lapwing.query.expressions import Kind
from tests.contracts import postgresql
from tests.contracts.engines import receipt

ROWS = pa.table({"person": pa.array([1, 1, 2, 3], pa.int64()), "town": ["secretville", "a", "b", "a"]})
COLUMNS = (Column("person", "integer"), Column("town", "text"))
COUNT = 'SELECT count(*) AS n FROM "people"'


@pytest.fixture(scope="module")
def database():
    made = postgresql.Database()
    yield made
    made.drop()


@pytest.fixture
def tables(database):
    """A fresh schema with the table people."""
    database.run("DROP SCHEMA IF EXISTS clinic CASCADE")
    database.load("clinic", people=ROWS)
    return database


def policy(url, relation="clinic.people", data="fixed", timeout=60, columns=COLUMNS, unit="person", **more):
    table = Table("people", url, "private", unit, 2 if unit else None, columns, relation, **more)
    return Policy("people", (table,), Budget(1), Neighbours.ADDED, (Analyst("ana", 1),), data, timeout)


def opened(tables, **options):
    from lapwing.engines.postgresql import PostgreSQL

    return PostgreSQL(policy(options.pop("url", tables.url), **options))


def count(engine):
    return engine.fetch(receipt(), [COUNT])[0].to_pylist()[0]["n"]


def refusal(tables, **options):
    with pytest.raises(LapwingError) as refused:
        opened(tables, **options).close()
    assert refused.value.__cause__ is None
    return refused.value.code


# --- what is refused ---------------------------------------------------------------------------------------


def test_roles_that_can_do_more_than_read_are_refused(tables):
    assert refusal(tables, url=postgresql.address_of(tables.name, None)) == "E121"  # a superuser
    for right in ("INSERT", "UPDATE", "DELETE", "TRUNCATE"):
        tables.run(f"GRANT {right} ON clinic.people TO {postgresql.READER}")
        assert refusal(tables) == "E121"
        tables.run(f"REVOKE {right} ON clinic.people FROM {postgresql.READER}")
    tables.run("CREATE TABLE clinic.other (a int)", f"GRANT INSERT ON clinic.other TO {postgresql.READER}")
    assert refusal(tables) == "E121"  # of any table
    tables.run("DROP TABLE clinic.other", f"GRANT CREATE ON SCHEMA clinic TO {postgresql.READER}")
    assert refusal(tables) == "E121"
    tables.run(f"REVOKE CREATE ON SCHEMA clinic FROM {postgresql.READER}")
    tables.run(f"GRANT UPDATE (town) ON clinic.people TO {postgresql.READER}")
    assert refusal(tables) == "E121"  # of one column
    tables.run(f"REVOKE UPDATE (town) ON clinic.people FROM {postgresql.READER}")
    tables.run(f"GRANT CREATE ON DATABASE {tables.name} TO {postgresql.READER}")
    assert refusal(tables) == "E121"  # schemas of its own
    tables.run(f"REVOKE CREATE ON DATABASE {tables.name} FROM {postgresql.READER}")
    tables.run(f"GRANT pg_read_server_files TO {postgresql.READER}")
    assert refusal(tables) == "E121"  # it can become that role
    tables.run(f"REVOKE pg_read_server_files FROM {postgresql.READER}")
    opened(tables).close()


def test_tables_that_are_not_whole_are_refused(tables):
    tables.run("ALTER TABLE clinic.people ENABLE ROW LEVEL SECURITY")
    assert refusal(tables) == "E120"
    tables.run("ALTER TABLE clinic.people DISABLE ROW LEVEL SECURITY")
    tables.run(f"REVOKE SELECT ON clinic.people FROM {postgresql.READER}")
    assert refusal(tables) == "E103"
    assert refusal(tables, relation="clinic.nobody") == "E103"


def test_views_are_refused_unless_trusted_and_materialized_ones_are_read(tables):
    tables.run(
        "CREATE VIEW clinic.seen AS SELECT * FROM clinic.people",
        "CREATE MATERIALIZED VIEW clinic.kept AS SELECT * FROM clinic.people",
        f"GRANT SELECT ON clinic.seen, clinic.kept TO {postgresql.READER}",
    )
    assert refusal(tables, relation="clinic.seen") == "E122"
    with opened(tables, relation="clinic.seen", trusted=True) as engine:
        assert count(engine) == 4
    with opened(tables, relation="clinic.kept") as engine:
        before = engine.fingerprint(b"secret")
        tables.run("INSERT INTO clinic.people VALUES (9, 'new')", "REFRESH MATERIALIZED VIEW clinic.kept")
        with pytest.raises(LapwingError) as refused:
            count(engine)
        assert refused.value.code == "E109"
        assert engine.fingerprint(b"secret", before) != before


@pytest.mark.parametrize("column", ["char(4)", 'text COLLATE "clinic".blind'])
def test_units_of_which_two_can_be_one_are_refused(tables, column):
    blind = "CREATE COLLATION clinic.blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
    if "blind" in column:
        import psycopg

        try:
            tables.run(blind)
        except psycopg.errors.FeatureNotSupported:
            pytest.skip("this PostgreSQL was built without ICU, and has no collation that is not deterministic")
    tables.run(
        f"CREATE TABLE clinic.odd (person {column}, town text)",
        f"GRANT SELECT ON clinic.odd TO {postgresql.READER}",
    )
    text = (Column("person", "text"), Column("town", "text"))
    assert refusal(tables, relation="clinic.odd", columns=text) == "E110"
    with pytest.raises(LapwingError, match="E110"):
        describe(tables.url, "clinic.odd", "person")


def test_a_public_table_that_is_the_private_one_is_refused(tables):
    from lapwing.engines.postgresql import PostgreSQL

    tables.run(
        "CREATE MATERIALIZED VIEW clinic.copy AS SELECT * FROM clinic.people",
        "CREATE TABLE clinic.part () INHERITS (clinic.people)",
        "CREATE TABLE clinic.towns AS SELECT 'a' AS town",
        "CREATE VIEW clinic.both AS SELECT p.person FROM clinic.people AS p JOIN clinic.towns USING (town)",
        f"GRANT SELECT ON ALL TABLES IN SCHEMA clinic TO {postgresql.READER}",
    )
    main = policy(tables.url).tables[0]
    for name in ("people", "copy", "part"):
        public = Table("other", tables.url, "public", None, None, COLUMNS, f"clinic.{name}")
        both = Policy("people", (main, public), Budget(1), Neighbours.ADDED, (Analyst("ana", 1),))
        with pytest.raises(LapwingError) as refused:
            PostgreSQL(both)
        assert refused.value.code == "E112"
    # that some view joins the two says nothing of a table
    public = Table("other", tables.url, "public", None, None, (Column("town", "text"),), "clinic.towns")
    PostgreSQL(Policy("people", (main, public), Budget(1), Neighbours.ADDED, (Analyst("ana", 1),))).close()


def test_tables_in_two_places_are_refused(tables):
    from lapwing.engines import open_engine

    main = policy(tables.url).tables[0]
    public = Table("towns", "towns.parquet", "public", None, None, (Column("name", "text"),))
    with pytest.raises(LapwingError) as refused:
        open_engine(Policy("people", (main, public), Budget(1), Neighbours.ADDED, (Analyst("ana", 1),)), ".")
    assert refused.value.code == "E124"


def test_a_server_that_is_not_there_is_one_line(tables):
    for url in ("postgresql://nobody@127.0.0.1:1/nothing", tables.url.replace(tables.name, "no_such_database")):
        assert refusal(tables, url=url) == "E123"


# --- kinds and values --------------------------------------------------------------------------------------


def test_every_stored_type_is_read_whatever_it_holds(tables):
    tables.run(
        "CREATE TYPE clinic.mood AS ENUM ('well', 'ill')",
        "CREATE DOMAIN clinic.code AS varchar(9)",
        """CREATE TABLE clinic.types (person uuid, small smallint, exact numeric(9, 2), whole numeric(20),
           loose numeric, real4 real, zone timestamptz(0), feel clinic.mood, blank char(3), code clinic.code, day date,
           list int[], raw bytea, twice int GENERATED ALWAYS AS (2) STORED)""",
        """INSERT INTO clinic.types VALUES (gen_random_uuid(), 1, 'NaN', 'NaN', 'NaN', 'NaN', 'infinity', 'ill', 'a',
           'x', 'infinity', '{1}', '\\x00'), (gen_random_uuid(), NULL, 1.25, 12345678901234567890, 1e400, '-inf',
           '-infinity', NULL, NULL, NULL, '5874897-01-01', NULL, NULL), (gen_random_uuid(), 2, -3, 7, 1e-400, 1e-45,
           'epoch', 'well',
           ' b', '', '4714-11-24 BC', NULL, NULL), (gen_random_uuid(), 2, -3, 7, 7.00, 1e-45, 'epoch', 'well', ' b', '',
           '4714-11-24 BC', NULL, NULL)""",
        f"GRANT SELECT ON clinic.types TO {postgresql.READER}",
    )
    found = kinds(tables.url, "clinic.types")
    assert found["list"] is found["raw"] is None
    assert found["exact"] is found["loose"] is found["real4"] is Kind.REAL
    assert found["whole"] is found["feel"] is found["blank"] is found["code"] is found["person"] is Kind.TEXT
    assert found["zone"] is Kind.TIMESTAMP
    columns = describe(tables.url, "clinic.types", "person")
    with opened(tables, relation="clinic.types", columns=columns) as engine:
        engine.examine()
        names = ", ".join(
            f'"{column.name} {column.kind}"' for column in columns if column.kind not in ("date", "timestamp")
        )
        rows = engine.fetch(receipt(), [f'SELECT {names} FROM "people" ORDER BY "loose real" NULLS FIRST'])[
            0
        ].to_pylist()
    assert [row["loose real"] for row in rows] == [None, 0.0, 7.0, float("inf")]
    assert rows[0]["whole text"] == "NaN"
    assert [row["blank text"] for row in rows[:2]] == ["a", " b"]


def test_a_number_has_one_text(tables):
    tables.run(
        "CREATE TABLE clinic.loose (person numeric, town text)",
        "INSERT INTO clinic.loose VALUES (7, 'a'), (7.00, 'b'), (7.5, 'c'), (7.50, 'c')",
        f"GRANT SELECT ON clinic.loose TO {postgresql.READER}",
    )
    columns = describe(tables.url, "clinic.loose", "person")
    assert columns[0].kind == "text"
    with opened(tables, relation="clinic.loose", columns=columns) as engine:
        found = engine.fetch(receipt(), ['SELECT count(DISTINCT "person text") AS n FROM "people"'])[0]
    assert found.to_pylist() == [{"n": 2}]


def test_a_partitioned_table_is_read_whole_and_computed_columns_are_left_out(tables):
    tables.run(
        "CREATE TABLE clinic.split (person bigint, town text, twice bigint GENERATED ALWAYS AS (person * 2) STORED)"
        " PARTITION BY LIST (town)",
        "CREATE TABLE clinic.split_a PARTITION OF clinic.split FOR VALUES IN ('a')",
        "CREATE TABLE clinic.split_rest PARTITION OF clinic.split DEFAULT",
        "INSERT INTO clinic.split VALUES (1, 'a'), (2, 'a'), (3, 'b')",
        f"GRANT SELECT ON clinic.split TO {postgresql.READER}",  # and not on its parts
    )
    with opened(tables, relation="clinic.split") as engine:
        assert count(engine) == 3
        first = engine.fingerprint(b"secret")
        tables.run("UPDATE clinic.split_a SET person = 9 WHERE person = 1")
        assert engine.fingerprint(b"secret", first) != first
    if engine.release.startswith("postgresql 18"):
        tables.run("ALTER TABLE clinic.people ADD risky bigint GENERATED ALWAYS AS (1 / (person - 1)) VIRTUAL")
        assert kinds(tables.url, "clinic.people")["risky"] is None  # to read it would fail on person 1
        with opened(tables) as engine:
            assert count(engine) == 4


# --- one snapshot ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "write", ["INSERT INTO clinic.people VALUES (4, 'x')", "DELETE FROM clinic.people", "TRUNCATE clinic.people"]
)
def test_statements_of_one_fetch_see_one_state(tables, write):
    """The writer comes between two statements; a TRUNCATE has to wait for both."""
    with opened(tables, data="live") as engine:
        slow = 'SELECT count(*) AS n FROM "people" CROSS JOIN (SELECT pg_catalog.pg_sleep(1)) AS s'
        writer = threading.Timer(0.4, tables.run, [write])
        writer.start()
        found = engine.fetch(receipt(), [COUNT, slow, COUNT])
        writer.join()
        assert [table.to_pylist()[0]["n"] for table in found] == [4, 4, 4]
        assert count(engine) != 4


@pytest.mark.parametrize(
    ("split", "attached"),
    [
        (" PARTITION BY LIST (town)", "ALTER TABLE clinic.split ATTACH PARTITION clinic.later FOR VALUES IN ('z')"),
        ("", "ALTER TABLE clinic.later INHERIT clinic.split"),
    ],
)
def test_a_part_that_is_attached_between_statements_is_not_answered_from(tables, split, attached):
    """Its rows are older than the snapshot, and the next statement would show them."""
    tables.run(
        f"CREATE TABLE clinic.split (person bigint, town text){split}",
        f"GRANT SELECT ON clinic.split TO {postgresql.READER}",
        *(["CREATE TABLE clinic.split_a PARTITION OF clinic.split FOR VALUES IN ('a')"] if split else []),
        "INSERT INTO clinic.split VALUES (1, 'a')",
        "CREATE TABLE clinic.later (person bigint, town text)",
        "INSERT INTO clinic.later VALUES (7, 'z'), (8, 'z')",
    )
    slow = 'SELECT count(*) AS n FROM "people" CROSS JOIN (SELECT pg_catalog.pg_sleep(1)) AS s'
    with opened(tables, relation="clinic.split", data="live") as engine:
        assert count(engine) == 1
        writer = threading.Timer(0.4, tables.run, [attached])
        writer.start()
        with pytest.raises(LapwingError, match="E109"):
            engine.fetch(receipt(), [COUNT, slow, COUNT])
        writer.join()
        assert count(engine) == 3  # a new part of a live table is part of it from now on


def test_a_truncate_before_the_first_touch_is_not_taken_for_an_empty_table(tables):
    """The trap of snapshots: without the lock, a table that is truncated after the snapshot shows no rows."""
    tables.load("clinic", other=ROWS)
    both = policy(tables.url, data="live")
    main = both.tables[0]
    other = Table("other", tables.url, "private", "person", 2, COLUMNS, "clinic.other")
    from lapwing.engines.postgresql import PostgreSQL

    with PostgreSQL(
        Policy("people", (main, other), Budget(1), Neighbours.ADDED, (Analyst("ana", 1),), "live")
    ) as engine:
        slow = 'SELECT count(*) AS n FROM "people" CROSS JOIN (SELECT pg_catalog.pg_sleep(1)) AS s'
        writer = threading.Timer(0.4, tables.run, ["TRUNCATE clinic.other"])
        writer.start()
        found = engine.fetch(receipt(), [slow, 'SELECT count(*) AS n FROM "other"'])
        writer.join()
    assert [table.to_pylist()[0]["n"] for table in found] == [4, 4]


def test_fixed_data_that_change_before_the_look_are_not_answered_from(tables):
    with opened(tables) as engine:
        engine.fingerprint(b"secret")
        tables.run("CREATE TABLE clinic.unrelated (a int)")  # the server was written to, and the table was not
        assert count(engine) == 4
        tables.run("UPDATE clinic.people SET town = 'c' WHERE person = 3")
        with pytest.raises(LapwingError) as refused:
            count(engine)
        assert refused.value.code == "E109"


def test_a_table_that_a_crash_would_empty_is_compared_whatever_the_stamp(tables, monkeypatch):
    """A server that crashes empties unlogged tables, and no transaction did it: the stamp is as before."""
    from lapwing.engines.postgresql import PostgreSQL

    monkeypatch.setattr(PostgreSQL, "_stamp", lambda *_: "as before")
    for kind, answered in (("LOGGED", True), ("UNLOGGED", False)):
        tables.load("clinic", people=ROWS)
        tables.run(f"ALTER TABLE clinic.people SET {kind}")
        with opened(tables) as engine:
            first = engine.fingerprint(b"secret")
            tables.run("DELETE FROM clinic.people")
            if answered:  # a stamp that lies is believed, so that this test can tell
                assert count(engine) == 0
                continue
            with pytest.raises(LapwingError, match="E109"):
                count(engine)
            assert engine.fingerprint(b"secret", first) != first


def test_the_fingerprint_follows_the_content(tables):
    with opened(tables) as engine:
        first = engine.fingerprint(b"secret")
        assert engine.fingerprint(b"secret", first) == first
        tables.run("INSERT INTO clinic.people VALUES (1, 'a')")  # a row that is there already
        second = engine.fingerprint(b"secret", first)
        assert second.partition(".")[0] != first.partition(".")[0]
        tables.run("DELETE FROM clinic.people WHERE ctid = (SELECT max(ctid) FROM clinic.people)")
        assert engine.fingerprint(b"secret", first) == first
    with opened(tables) as again:
        assert again.fingerprint(b"secret", first) == first


def test_of_live_data_only_the_moment_counts(tables):
    with opened(tables, data="live") as engine:
        first = engine.fingerprint(b"secret")
        assert engine.fingerprint(b"secret") == first
        tables.run("INSERT INTO clinic.people VALUES (1, 'a')")
        assert engine.fingerprint(b"secret") != first


def test_a_column_of_another_type_is_not_read_by_the_old_cast(tables):
    with opened(tables, data="live") as engine:
        tables.run("ALTER TABLE clinic.people ALTER person TYPE text")
        with pytest.raises(LapwingError) as refused:
            count(engine)
        assert refused.value.code == "E109"
    with opened(tables, columns=(Column("person", "text"), Column("town", "text"))) as engine:
        assert count(engine) == 4


# --- ends --------------------------------------------------------------------------------------------------

FOREVER = "SELECT count(*) AS n FROM pg_catalog.generate_series(1, 100000000000) AS g(i)"


def test_a_statement_that_takes_too_long_ends_and_the_engine_goes_on(tables):
    with opened(tables, timeout=1) as engine:
        start = time.monotonic()
        with pytest.raises(LapwingError) as failed:
            engine.fetch(receipt(), [FOREVER])
        assert failed.value.code == "E106"
        assert time.monotonic() - start < 300  # and it would take hours
        assert count(engine) == 4


def test_ctrl_c_ends_what_the_server_does(tables):
    with opened(tables, timeout=600) as engine:
        threading.Timer(1, _thread.interrupt_main).start()
        with pytest.raises(KeyboardInterrupt):
            engine.fetch(receipt(), [FOREVER])
        assert count(engine) == 4
    with postgresql.connect() as admin:
        running = (
            "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%100000000000%' AND state = 'active'"
            " AND pid <> pg_backend_pid()"
        )
        assert admin.execute(running).fetchone() == (0,)


def test_a_backend_that_is_killed_is_one_error_and_the_next_question_is_answered(tables):
    with opened(tables) as engine:
        engine.fingerprint(b"secret")
        kill = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{postgresql.READER}'"
        threading.Timer(0.7, tables.run, [kill]).start()
        with pytest.raises(LapwingError) as failed:
            engine.fetch(receipt(), [FOREVER])
        assert failed.value.code == "E106"
        assert failed.value.__context__ is None
        engine.fingerprint(b"secret")  # what a session does before it charges
        assert count(engine) == 4


def test_errors_hold_no_cell(tables, caplog, capfd):
    with opened(tables) as engine, pytest.raises(LapwingError) as failed:
        engine.fetch(receipt(), ['SELECT CAST("town text" AS bigint) FROM "people"'])
    told = f"{failed.value!s}{failed.value!r}{failed.value.__cause__!r}{failed.value.__context__!r}{caplog.text}"
    seen = capfd.readouterr()
    assert "secretville" not in told + seen.out + seen.err
    assert "secretville" not in repr(engine)


# --- names that somebody else gave --------------------------------------------------------------------------


def test_functions_and_tables_of_others_are_never_called(tables):
    tables.run(
        "CREATE FUNCTION public.floor(float8) RETURNS float8 LANGUAGE sql AS 'SELECT 42::float8'",
        "CREATE FUNCTION public.md5(text) RETURNS text LANGUAGE sql AS $$SELECT 'same'$$",
        "CREATE TABLE public.people (person bigint, town text)",
        f"GRANT SELECT ON public.people TO {postgresql.READER}",
        f"ALTER ROLE {postgresql.READER} SET search_path = public, pg_catalog",
    )
    try:
        with opened(tables) as engine:
            found = engine.fetch(receipt(), ["SELECT floor(CAST(1.5 AS double precision)) AS f, md5('a') AS m"])
            assert found[0].to_pylist() == [{"f": 1.0, "m": "0cc175b9c0f1b6a831c399e269772661"}]
            assert count(engine) == 4
    finally:
        tables.run(f"ALTER ROLE {postgresql.READER} RESET search_path", "DROP TABLE public.people")
        tables.run("DROP FUNCTION public.floor(float8)", "DROP FUNCTION public.md5(text)")


def test_casts_of_others_are_never_called(tables):
    tables.run(
        "CREATE TYPE clinic.mood AS ENUM ('sad', 'happy')",
        "CREATE FUNCTION clinic.told(clinic.mood) RETURNS text LANGUAGE plpgsql AS"
        " $$BEGIN IF $1 = 'happy' THEN RAISE EXCEPTION 'seen: %', $1; END IF; RETURN 'glad'; END$$",
        "CREATE CAST (clinic.mood AS text) WITH FUNCTION clinic.told(clinic.mood)",
        "ALTER TABLE clinic.people ADD mood clinic.mood",
        "UPDATE clinic.people SET mood = CASE person WHEN 1 THEN 'sad' WHEN 2 THEN 'happy' END::clinic.mood",
    )
    with opened(tables, columns=(*COLUMNS, Column("mood", "text"))) as engine:
        engine.examine()
        (found,) = engine.fetch(receipt(), ['SELECT DISTINCT "mood text" AS m FROM people ORDER BY m'])
        assert found.to_pydict() == {"m": ["happy", "sad", None]}


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT 1) AS x; DROP TABLE clinic.people; --",
        "SELECT 1 AS a; SELECT 2 AS a",
        "WITH gone AS (DELETE FROM clinic.people RETURNING 1) SELECT count(*) AS n FROM gone",
        "TABLE clinic.people; COMMIT",
        "SELECT pg_catalog.set_config('transaction_read_only', 'off', true), pg_catalog.lo_create(0)",
        "SELECT * FROM pg_catalog.pg_read_file('/etc/passwd')",
    ],
)
def test_a_statement_can_only_read(tables, statement):
    with opened(tables) as engine:
        with pytest.raises(LapwingError) as failed:
            engine.fetch(receipt(), [statement])
        assert failed.value.code == "E106"
        assert count(engine) == 4
