"""Code of the analyst ran inside the pipeline, on exact data, and could keep, send or act on what it saw.

Here there is none: a question is SQL, and a mechanism is a program that was proved. What is called back hears nothing.
"""

import pyarrow as pa
import pytest

from lapwing import library
from lapwing.algebra.measures import PureDP
from lapwing.errors import LapwingError
from lapwing.kernel.program.neighbours import Relation
from lapwing.library import Certified
from lapwing.query.builder import count, table
from tests.bugs.before_noise import assert_refused_for_free
from tests.session.tables import protected

COUNT = "SELECT COUNT(*) FROM people"
seen: list[object] = []


@pytest.fixture
def session(tmp_path):
    seen.clear()
    with protected(tmp_path) as opened:
        yield opened
    assert seen == []


def spy(*arguments, **keywords):
    seen.append((arguments, keywords))
    return 0


def test_a_function_is_not_a_mechanism(session):
    with pytest.raises(LapwingError, match="S150"):
        session.apply(spy, [COUNT])
    assert session.remaining.epsilon == 10


class Pretending:
    """Looks like a certified mechanism in everything that is read of one."""

    def __init__(self):
        self.private = {"q": Relation("each", 1)}
        self.certificate = self.guarantee = self

    def at(self, **_):
        return PureDP(0)

    __call__ = to_json = staticmethod(spy)


def test_an_object_that_looks_like_a_mechanism_is_not_one(session):
    with pytest.raises(LapwingError, match="S150"):
        session.apply(Pretending(), [COUNT])
    assert session.remaining.epsilon == 10


def test_a_mechanism_that_was_given_another_call_is_not_one(session):
    class Patched(Certified):
        __call__ = staticmethod(spy)

    honest = library.sparse_vector
    public = {"threshold": 0, "limit": 1, "epsilon": 1, "sensitivity": 1}
    with pytest.raises(LapwingError, match="S150"):
        session.apply(Patched(honest.runnable, honest.certificate_file), [COUNT], **public)
    assert session.remaining.epsilon == 10


@pytest.mark.parametrize(
    "text",
    [
        "SELECT SUM(spy(age)) FROM people",
        "SELECT COUNT(*) FROM people WHERE spy(income) > 0",
        "SELECT spy(COUNT(*)) FROM people",
        "SELECT COUNT(*) FROM spy(people)",
        "SELECT SUM(list_transform([age], x -> x)[1]) FROM people",
        "SELECT COUNT(*) FROM people WHERE list_filter([age], lambda x: x > 1) IS NULL",
        "CREATE MACRO spy(x) AS x",
        "CREATE FUNCTION spy(x) AS x",
        "PREPARE spy AS SELECT COUNT(*) FROM people",
    ],
)
def test_sql_calls_no_functions_but_its_own(session, text):
    assert_refused_for_free(session, text)


def test_variables_of_the_caller_are_no_tables(session):
    frame = pa.table({"age": [1]})
    assert frame.num_rows == 1
    assert_refused_for_free(session, "SELECT COUNT(*) FROM frame")
    assert_refused_for_free(session, "SELECT COUNT(*) FROM people JOIN frame ON people.age = frame.age")


@pytest.mark.parametrize("fragment", [spy, Pretending(), None, 5, b"age > 1"])
def test_the_builder_takes_text_only(session, fragment):
    with pytest.raises(LapwingError, match="Q140"):
        session.sql(table("people").where(fragment).agg(n=count()), epsilon=1)
    with pytest.raises(LapwingError):
        session.sql(fragment, epsilon=1)
    assert session.remaining.epsilon == 10


def test_progress_hears_how_far_the_engine_is_and_nothing_else(session):
    heard = []
    session.sql("SELECT region, COUNT(*), AVG(income), MEDIAN(age) FROM people GROUP BY region", epsilon=1,
                progress=lambda *what: heard.append(what))  # fmt: skip
    assert all(len(what) == 1 and isinstance(what[0], float) and 0 <= what[0] <= 1 for what in heard)


def test_the_errors_of_an_engine_are_not_shown(session):
    """A driver's message may quote a value; what leaves is fixed text without a cause."""
    from lapwing.ledger import Receipt

    snapshot = session.road.snapshot(session.ledger)
    receipt = session.ledger.charge(session.analyst, PureDP(1), query="q", snapshot=snapshot, text="t")
    assert isinstance(receipt, Receipt)
    with pytest.raises(LapwingError) as failed:
        session.engine.fetch(receipt, ["SELECT CAST(region AS INTEGER) FROM people"])
    assert failed.value.code == "E106"
    assert "north" not in str(failed.value)
    assert failed.value.__cause__ is None
    assert failed.value.__context__ is None
