"""The same question as SQL, with the builder and as an Ibis expression: one plan, one price, one certificate."""

import ibis
import pytest

from lapwing.decide.texts import check_release
from lapwing.errors import InvalidInput
from lapwing.kernel.release.plans import Derived
from lapwing.query.builder import count, histogram, mean, median, table, total
from tests.session.tables import PEOPLE, protected

PAY = "SELECT region, COUNT(*) AS n, AVG(CLIP(income, 0, 200000)) AS pay FROM people WHERE age > 30 GROUP BY region"
QUESTION = table("people").where("age > 30").group_by("region").agg(n=count(), pay=mean("income", 0, 200_000))


@pytest.fixture
def session(tmp_path):
    with protected(tmp_path) as opened:
        yield opened


def proof(release):
    """The certificate without the words of the question."""
    assert isinstance(check_release(release.certificate), Derived)
    return {name: part for name, part in release.certificate.items() if name != "query"}


def test_the_builder_and_sql_have_the_same_certificate(session):
    built, written = (session.sql(question, epsilon=1) for question in (QUESTION, PAY))
    assert proof(built) == proof(written)
    assert built.spent == written.spent
    assert built.columns == written.columns == ["region", "n", "pay"]
    assert session.remaining.epsilon == 8


def test_the_builders_question_is_the_same_question_again(session):
    session.sql(QUESTION, epsilon=1)
    assert session.sql(QUESTION, epsilon=1).repeated
    assert session.remaining.epsilon == 9


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (table("people").agg(n=count()), "SELECT COUNT(*) AS n FROM people"),
        (table("people").agg(s=total("income")), "SELECT SUM(income) AS s FROM people"),
        (table("people").where("ill").agg(m=median("age")), "SELECT MEDIAN(age) AS m FROM people WHERE ill"),
        (
            table("people").agg(h=histogram("age", 4)),
            "SELECT HISTOGRAM(age, 4) AS h FROM people",
        ),
        (
            table("people").group_by("region").agg(n=count()).having("n > 10").order_by("n", descending=True).limit(2),
            "SELECT region, COUNT(*) AS n FROM people GROUP BY region HAVING n > 10 ORDER BY n DESC LIMIT 2",
        ),
    ],
)
def test_quotes_and_plans_are_the_same_too(session, question, text):
    built, written = (session.quote(each, epsilon=1) for each in (question, text))
    assert (built.price, built.margins, built.measurements) == (written.price, written.margins, written.measurements)
    assert session.explain(question) == session.explain(text)


def test_an_ibis_expression_is_the_same_question(session):
    people = ibis.table({"person": "int64", "age": "int64", "region": "string", "income": "int64"}, name="people")
    asked = people.filter(people.age > 30).group_by("region").aggregate(n=ibis._.count(), pay=ibis._.income.mean())
    written = "SELECT region, COUNT(*) AS n, AVG(income) AS pay FROM people WHERE age > 30 GROUP BY region"
    found, expected = (session.sql(question, epsilon=1) for question in (asked, written))
    assert found.spent == expected.spent
    assert found.columns == expected.columns
    bounds = [[part["change"] for part in proof(release)["measurements"]] for release in (found, expected)]
    assert bounds[0] == bounds[1]
    mechanisms = [[part["mechanism"] for part in proof(release)["measurements"]] for release in (found, expected)]
    assert mechanisms[0] == mechanisms[1]


def test_a_plain_ibis_count(session):
    people = ibis.table({"age": "int64"}, name="people")
    release = session.sql(people.count().name("n"), epsilon=5)
    assert abs(release.table["n"][0].as_py() - PEOPLE) < 20


def test_an_ibis_expression_that_looks_at_rows_is_refused(session):
    people = ibis.table({"age": "int64", "income": "int64"}, name="people")
    for expression in (people, people.order_by("age").limit(3), people.age.max() - people.income, people.age.collect()):
        with pytest.raises(InvalidInput):
            session.sql(expression, epsilon=1)
    assert session.remaining.epsilon == 10
