"""The attacks that have broken other systems, tried on this one: each is refused, or learns nothing."""

import subprocess
import sys
import textwrap
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import lapwing
from lapwing.errors import LapwingError
from lapwing.session import open_session
from lapwing.session.protecting import protect
from tests.session.tables import PEOPLE, people, protected, wishes


@pytest.fixture
def session(tmp_path):
    with protected(tmp_path, epsilon=100) as opened:
        yield opened


def exact_before_noise(session, text):
    """What an engine hands to the noise, for one query."""
    from lapwing.session.groups import Fetched, public_groups
    from lapwing.session.noising import exact_values

    query = session._prepared(text)
    lowered = session.road.lowered(query.aggregate, session.ledger)
    snapshot = session.road.snapshot(session.ledger)
    from lapwing.algebra.measures import PureDP

    receipt = session.ledger.charge(session.analyst, PureDP(1), query=text, snapshot=snapshot, text=text)
    found = session.engine.fetch(receipt, [each.sql for each in lowered.statements])
    fetched = [Fetched(statement, table) for statement, table in zip(lowered.statements, found, strict=True)]
    groups = public_groups(query.aggregate.keys)
    return {
        each.name: exact_values(each, next(f for f in fetched if each.name in f.statement.values), groups).tolist()
        for each in query.aggregate.measurements
    }


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM read_parquet('people.parquet')",
        "SELECT COUNT(*) FROM read_csv('/etc/passwd')",
        "SELECT COUNT(*) FROM '/etc/passwd'",
        "SELECT COUNT(*) FROM glob('/*')",
        "COPY people TO '/tmp/out.csv'",
        "ATTACH 'other.db'",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "PRAGMA database_list",
        "SELECT COUNT(*) FROM people; DROP TABLE people",
        "SELECT COUNT(*) FROM duckdb_settings()",
        "SELECT COUNT(*) FROM information_schema.tables",
        "SELECT COUNT(*) FROM sqlite_master",
        "SELECT getenv('HOME'), COUNT(*) FROM people",
        "SELECT COUNT(*) FROM people WHERE region = (SELECT region FROM people LIMIT 1)",
        "SELECT COUNT(*) FROM people WHERE error('x') IS NULL",
        "SELECT COUNT(*) FROM (SELECT * FROM people ORDER BY income LIMIT 1)",
        "SELECT COUNT(*) FROM people TABLESAMPLE 10%",
        "SELECT income, ROW_NUMBER() OVER (ORDER BY income) FROM people",
        "SELECT FIRST(income) FROM people",
        "SELECT STRING_AGG(region, ',') FROM people",
        "SELECT COUNT(*) FROM people a JOIN people b ON a.region = b.region",
        "SELECT COUNT(*) FROM people UNION ALL SELECT income FROM people",
        "SELECT random(), COUNT(*) FROM people",
        "SELECT COUNT(*) FROM people -- '\n; SELECT 1",
        "SELECT COUNT(*) AS \"n\" FROM people WHERE region = 'x' OR 1=1 --'; DROP TABLE people",
    ],
)
def test_reading_anything_else_is_refused_or_harmless(session, text):
    before = session.remaining.epsilon
    try:
        release = session.sql(text, epsilon=1)
    except LapwingError:
        assert session.remaining.epsilon == before
    else:  # comments and constants are harmless: then it is one private count
        assert release.table.num_rows == 1
        assert session.remaining.epsilon == before - 1


def test_averaging_the_same_question_learns_nothing_new(session):
    answers = {
        session.sql("SELECT COUNT(*) AS n FROM people WHERE age > 30", epsilon="0.5").table["n"][0].as_py()
        for _ in range(20)
    }
    assert len(answers) == 1
    assert session.remaining.epsilon == 100 - 0.5


def test_averaging_the_same_question_in_other_words_is_paid_for(session):
    for i in range(4):
        session.sql(f"SELECT COUNT(*) AS n FROM people WHERE age > 30 AND 1 < {i + 2}", epsilon="0.5")
    assert session.remaining.epsilon <= 100 - 0.5


def test_differencing_one_person_is_lost_in_the_noise(session):
    a = session.sql("SELECT COUNT(*) AS n FROM people", epsilon="0.1")
    b = session.sql("SELECT COUNT(*) AS n FROM people WHERE person <> 17", epsilon="0.1")
    assert a.margins["n"][0].as_py() > 10
    assert b.margins["n"][0].as_py() > 10


BAD = [None, float("nan"), float("inf"), float("-inf"), 1e308, -1e308, 5.0, -0.0, 1e-320]


def table_of(values, unit=None):
    columns = {"x": pa.array(values, pa.float64())}
    if unit is not None:
        columns["who"] = pa.array(unit, pa.int64())
    return pa.table(columns)


@pytest.fixture
def odd(tmp_path):
    path = tmp_path / "odd.parquet"
    pa.parquet.write_table(table_of(BAD * 3), path)
    protect(path, wishes(bounds={"x": (0, 10)}, keys={}, epsilon=1000))
    with open_session(path) as opened:
        yield opened


def test_strange_values_cannot_void_the_noise_nor_fail_the_query(odd):
    release = odd.sql("SELECT SUM(x) AS s, AVG(x) AS m, COUNT(x) AS n, MEDIAN(x) AS q FROM odd", epsilon=50)
    values = {name: release.table[name][0].as_py() for name in release.columns}
    assert abs(values["n"] - 21) < 5  # NaN counts as NULL
    assert abs(values["s"] - 3 * (10 + 10 + 5)) < 20  # infinities are clipped
    assert 0 <= values["m"] <= 10
    assert 0 <= values["q"] <= 10


@pytest.mark.parametrize(
    "expression",
    [
        "x * 1e37 * 1e37 * 1e37 * 1e37 * 1e37 * 1e37 * 1e37 * 1e37 * 1e37",
        "x / (x - x)",
        "x % (x - x)",
        "SQRT(x - 1e9)",
        "x - x",
        "CAST(x AS INTEGER)",
        "ABS(x) * -1 + 5",
        "x / (x - 5)",
    ],
)
def test_arithmetic_never_fails_on_values(odd, expression):
    release = odd.sql(f"SELECT SUM(CLIP({expression}, 0, 10)) AS s FROM odd", epsilon=5)
    assert abs(release.table["s"][0].as_py()) < 300


def test_integer_overflow_never_fails(tmp_path):
    path = tmp_path / "big.parquet"
    pa.parquet.write_table(pa.table({"x": pa.array([2**63 - 1, -(2**63), 2**62, 0, 7], pa.int64())}), path)
    protect(path, wishes(bounds={}, keys={}, epsilon=100))
    with open_session(path) as session:
        for expression in ("x + x", "x * x", "x - 1", "ABS(x)", "-x", "x * x * x"):
            session.sql(f"SELECT SUM(CLIP({expression}, -10, 10)) AS s FROM big", epsilon=1)


def grown_by_replacing(text, levels=9):
    for _ in range(levels):
        text = f"REPLACE({text}, 'a', '{'a' * 20}')"
    return f"SELECT COUNT(*) AS n FROM frame WHERE LENGTH({text}) > 3"


def grown_by_doubling(levels=25):
    rows = "frame"
    for _ in range(levels):
        rows = f"(SELECT who, t || t AS t FROM {rows})"
    return f"SELECT COUNT(t) AS n FROM {rows}"


@pytest.mark.parametrize("text", [grown_by_replacing("t"), grown_by_replacing("t || t"), grown_by_doubling()])
@pytest.mark.parametrize("letters", ["a", "b", "a" * 3_999])
def test_no_text_grows_until_the_engine_fails(text, letters):
    """One 'a' became 20^9 letters, for which no engine has room: whether it failed told of one person's text."""
    with lapwing.protect(pa.table({"who": [1, 2], "t": [letters, "b"]}), unit="who", epsilon=10) as session:
        session.sql(text, epsilon=1)


def test_texts_that_are_put_together_have_up_to_4000_letters():
    table = pa.table({"t": ["x" * 1000, "x" * 1001, "x" * 2000, "x" * 2001, "y" * 9000, "", None]})
    found = {
        "COUNT(t || t)": 4,
        "COUNT(REPLACE(t, 'x', 'zzzz'))": 2,  # the first, and the empty one
        "COUNT(REPLACE(t, 'xx', 'zzz'))": 5,
        "COUNT(REPLACE(t, 'y', ''))": 6,
        "COUNT(LEFT(t, 1990) || LEFT(t, 2010))": 6,
        "COUNT_IF(LENGTH(REPLACE(t, 'x', 'zzzz')) = 4000)": 1,
    }
    with lapwing.protect(table, epsilon=10**6) as session:
        for text, wanted in found.items():
            assert session.sql(f"SELECT {text} AS n FROM frame", epsilon=1000).table["n"][0].as_py() == wanted, text


def test_rows_without_a_person_are_left_out(tmp_path):
    path = tmp_path / "odd.parquet"
    pa.parquet.write_table(table_of([1.0] * 1000, [None] * 990 + list(range(10))), path)
    protect(path, wishes(unit="who", rows_per_unit=1, bounds={"x": (0, 10)}, keys={}, epsilon=100))
    with open_session(path) as session:
        assert exact_before_noise(session, "SELECT COUNT(*) FROM odd") == {"rows_1": [10 * 2**16]}


def test_a_join_that_multiplies_a_persons_rows_does_not_multiply_the_person(tmp_path):
    path = tmp_path / "people.parquet"
    pa.parquet.write_table(people(), path)
    pa.parquet.write_table(pa.table({"region": ["north"] * 1000 + ["south"]}), tmp_path / "places.parquet")
    protect(path, wishes(unit="person", epsilon=100, public=[tmp_path / "places.parquet"]))
    with open_session(path) as session:
        text = "SELECT COUNT(*) FROM people JOIN places ON people.region = places.region WHERE person = 3"
        (steps,) = exact_before_noise(session, text)["rows_1"]
        assert steps <= 2**16


def test_without_a_unit_such_a_join_is_refused(tmp_path):
    path = tmp_path / "people.parquet"
    pa.parquet.write_table(people(), path)
    pa.parquet.write_table(pa.table({"region": ["north", "north"]}), tmp_path / "places.parquet")
    protect(path, wishes(epsilon=100, public=[tmp_path / "places.parquet"]))
    with open_session(path) as session:
        with pytest.raises(LapwingError, match="S135"):
            session.sql("SELECT COUNT(*) FROM people JOIN places ON people.region = places.region", epsilon=1)
        assert session.remaining.epsilon == 100


def test_refusals_are_the_same_whatever_the_data(tmp_path):
    messages = []
    for name, table in {"few": people().slice(0, 1), "many": people()}.items():
        folder = tmp_path / name
        folder.mkdir()
        with protected(folder, table, epsilon=1) as session:
            said = []
            for text, epsilon in [
                ("SELECT COUNT(*) FROM people", 2),
                ("SELECT SUM(person) FROM people", 1),
                ("SELECT age, COUNT(*) FROM people WHERE nothing GROUP BY 1", 1),
            ]:
                with pytest.raises(LapwingError) as refused:
                    session.sql(text, epsilon=epsilon)
                said.append(str(refused.value))
            messages.append(said)
    assert messages[0] == messages[1]


def test_two_processes_cannot_spend_the_last_epsilon_twice(tmp_path):
    with protected(tmp_path, epsilon=1):
        pass
    script = textwrap.dedent(
        """
        import sys
        from lapwing.errors import BudgetExceeded
        from lapwing.session import open_session
        spent = 0
        with open_session(sys.argv[1]) as session:
            for i in range(4):
                try:
                    session.sql(f"SELECT COUNT(*) FROM people WHERE age > {i} + {sys.argv[2]}", epsilon="0.2")
                    spent += 1
                except BudgetExceeded:
                    pass
        print(spent)
        """
    )
    path = str(tmp_path / "people.parquet")
    running = [
        subprocess.Popen([sys.executable, "-c", script, path, str(10 * i)], stdout=subprocess.PIPE, text=True)
        for i in range(3)
    ]
    answered = sum(int(process.communicate(timeout=120)[0]) for process in running)
    assert answered == 5
    with open_session(path) as session:
        assert session.remaining.epsilon == 0
        assert session.ledger.verify().intact


def test_adding_one_person_moves_what_is_measured_by_no_more_than_the_plan_says(tmp_path):
    from lapwing.algebra.neighbours import Neighbours
    from lapwing.query.sensitivity import change

    text = "SELECT region, COUNT(*), SUM(income) FROM people GROUP BY region"
    found = []
    for name, table in {"with": people(), "without": people().slice(1)}.items():
        folder = tmp_path / name
        folder.mkdir()
        with protected(folder, table) as session:
            found.append(exact_before_noise(session, text))
            measurements = session._prepared(text).aggregate.measurements
    for each in measurements:
        moved = np.abs(np.subtract(*(values[each.name] for values in found))).sum()
        assert 0 < moved <= change(each, grouped=True, neighbours=Neighbours.ADDED).l1


def test_the_number_of_people_is_not_in_any_file_beside_the_data(session, tmp_path):
    session.sql("SELECT COUNT(*) FROM people", epsilon=1)
    policy = (tmp_path / "people.lapwing.toml").read_text()
    assert str(PEOPLE) not in policy


@pytest.mark.parametrize("many", [60, 300])
@pytest.mark.parametrize(
    "step", ["person, age + age AS age FROM {}", "person, SUM(age) AS age FROM {} GROUP BY person"]
)
def test_steps_upon_steps_are_refused_in_words(session, step, many):
    """Each is short to write; together they are one statement, and one certificate, that nests without end."""
    names = ["people", *(f"t{number}" for number in range(many))]
    steps = ", ".join(f"{new} AS (SELECT {step.format(old)})" for old, new in pairwise(names))
    text = f"WITH {steps} SELECT SUM(CLIP(age, 0, 100)) AS s FROM {names[-1]}"
    spent = len(session.ledger.entries())
    for ask in (session.sql, session.quote, session.rehearse):
        with pytest.raises(LapwingError, match="Q105"):
            ask(text, epsilon="1/10")
    with pytest.raises(LapwingError, match="Q105"):
        session.plan([{"sql": text, "epsilon": "1/10"}]).run()
    assert len(session.ledger.entries()) == spent
