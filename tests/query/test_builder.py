"""The builder and Ibis make the same plan as SQL does."""

import sys
from dataclasses import replace
from datetime import date

import pytest

from lapwing.errors import InvalidInput, MissingExtra
from lapwing.query import builder
from lapwing.query.builder import as_sql, count, ibis_sql, mean, table
from lapwing.query.prepare import prepare
from tests.query.tables import CENSUS, CLINIC


def plan(text, policy=CENSUS):
    """A plan without the text and the names of its outputs, which are the writer's own."""
    query = prepare(text, policy)
    return replace(query, text="", outputs=tuple(expression for _, expression in query.outputs))


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            table("people").where("age > 30").group_by("sex").agg(n=count(), pay=mean("income", 0, 200_000)),
            "SELECT sex, COUNT(*), AVG(CLIP(income, 0, 200000)) FROM people WHERE age > 30 GROUP BY sex",
        ),
        (
            table("people").where("smoker OR age < 3").where("sex = 'f'").agg(n=count("income")),
            "SELECT COUNT(income) FROM people WHERE (smoker OR age < 3) AND sex = 'f'",
        ),
        (
            table("people").group_by("sex").agg(n=count()).having("n > 3").order_by("n", descending=True).limit(1),
            "SELECT sex, COUNT(*) AS n FROM people GROUP BY sex HAVING n > 3 ORDER BY n DESC LIMIT 1",
        ),
        (table("people").agg(d=builder.count_distinct("city")), "SELECT COUNT(DISTINCT city) FROM people"),
        (table("people").agg(s=builder.total("pay")), "SELECT SUM(pay) FROM people"),
        (table("people").agg(v=builder.variance("age")), "SELECT VAR_POP(age) FROM people"),
        (
            table("people").agg(v=builder.stddev("income", "-1/3", 0.1)),
            "SELECT STDDEV(CLIP(income, -1/3, 0.1)) FROM people",
        ),
        (table("people").agg(m=builder.median("age")), "SELECT MEDIAN(age) FROM people"),
        (table("people").agg(q=builder.quantile("age", 0.25)), "SELECT QUANTILE(age, 0.25) FROM people"),
        (
            table("people").agg(a=builder.minimum("age"), b=builder.maximum("age")),
            "SELECT MIN(age), MAX(age) FROM people",
        ),
        (table("people").agg(h=builder.histogram("age", 5)), "SELECT HISTOGRAM(age, 5) AS h FROM people"),
    ],
)
def test_the_builder_makes_the_plan_of_sql(question, sql):
    assert plan(as_sql(question)) == plan(sql)


@pytest.mark.parametrize(
    "fragment",
    [
        "age > 30 FROM other",
        "age > 30; DROP TABLE people",
        "age, sex",
        "age AS x",
        "1 UNION SELECT 2",
        "age > 30 GROUP BY sex",
        ") OR (1 = 1",
        "",
        "'open",
        3,
    ],
)
def test_a_fragment_is_one_expression(fragment):
    for use in (table("people").where, table("people").group_by, builder.mean, count):
        with pytest.raises(InvalidInput) as refusal:
            use(fragment)
        assert refusal.value.code == "Q140"


def test_a_comment_ends_with_its_fragment():
    question = table("people").where("age > 30 -- and nothing else").agg(n=count())
    assert plan(question.sql) == plan("SELECT COUNT(*) FROM people WHERE age > 30")


def test_a_name_cannot_leave_its_quotes():
    with pytest.raises(InvalidInput) as refusal:
        prepare(table('people" WHERE smoker --').agg(n=count()).sql, CENSUS)
    assert refusal.value.code == "Q110"


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: table(""),
        lambda: table("people").sql,
        lambda: table("people").agg(n="COUNT(*)"),
        lambda: table("people").limit(-1),
        lambda: mean("income", 0),
        lambda: as_sql(3),
    ],
)
def test_mistakes_are_refused(wrong):
    with pytest.raises(InvalidInput) as refusal:
        wrong()
    assert refusal.value.code == "Q140"


class TestIbis:
    ibis = pytest.importorskip("ibis")
    people = ibis.table(
        {"sex": "string", "age": "int64", "income": "float64", "pay": "float64", "city": "string", "zip": "int64"}
        | {"born": "date", "smoker": "boolean"},
        name="people",
    )
    places = ibis.table({"zip": "int64", "region": "string", "size": "int64"}, name="places")
    visits = ibis.table({"patient": "int64", "cost": "float64", "ward": "string"}, name="visits")
    patients = ibis.table({"id": "int64", "sex": "string"}, name="patients")
    this = ibis._

    def cases(self):
        people, this = self.people, self.this
        yield people.count(), "SELECT COUNT(*) FROM people"
        yield people.pay.sum(), "SELECT SUM(pay) FROM people"
        yield people.smoker.mean(), "SELECT AVG(CAST(smoker AS INT)) FROM people"
        yield people.count() / 2, "SELECT COUNT(*) / 2 FROM people"
        yield (
            people.aggregate(s=this.pay.std(), q=this.pay.quantile(0.25), m=this.age.min(), d=this.city.nunique()),
            "SELECT STDDEV(pay), QUANTILE(pay, 0.25), MIN(age), COUNT(DISTINCT city) FROM people",
        )

    def test_simple_expressions_make_the_plan_of_sql(self):
        for expression, sql in self.cases():
            assert plan(as_sql(expression)) == plan(sql)

    def test_nested_expressions_are_understood(self):
        people, this = self.people, self.this
        grouped = people.filter(people.age > 30).group_by("sex").agg(n=this.count(), m=this.pay.mean())
        query = prepare(ibis_sql(grouped.order_by(self.ibis.desc("n")).limit(3)), CENSUS)
        assert [name for name, _ in query.outputs] == ["sex", "n", "m"]
        assert query.limit == 3
        assert query.order[0].descending

    def test_clipped_values_are_bounded(self):
        query = prepare(ibis_sql(self.people.income.clip(0, 1000).mean()), CENSUS)
        assert (query.aggregate.measurements[0].low, query.aggregate.measurements[0].high) == (0, 1000)

    def test_keys_are_derived(self):
        decade = self.people.group_by(decade=self.people.age // 10).agg(n=self.this.count())
        assert len(prepare(ibis_sql(decade), CENSUS).aggregate.keys[0].values) == 13
        stage = self.ibis.cases((self.people.age < 18, "child"), else_="adult")
        staged = self.people.group_by(stage=stage).agg(n=self.this.count()).filter(self.this.n > 3)
        assert prepare(ibis_sql(staged), CENSUS).aggregate.keys[0].values == ("child", "adult")

    def test_filters_joins_and_dates(self):
        this = self.this
        late = self.people.filter(self.people.born > date(2000, 1, 1))
        joined = (
            late.join(self.places, "zip").group_by("region").agg(m=this.age.median(), n=this.count(where=this.age > 3))
        )
        assert len(prepare(ibis_sql(joined), CENSUS).aggregate.measurements) == 2

    def test_people_are_joined_and_grouped(self):
        this = self.this
        joined = self.visits.join(self.patients, self.visits.patient == self.patients.id)
        people = prepare(ibis_sql(joined.group_by("sex").agg(n=this.patient.nunique())), CLINIC)
        assert people.aggregate.measurements[0].function.value == "units"
        each = self.visits.group_by("patient").agg(total=this.cost.sum())
        per_person = prepare(ibis_sql(each.agg(m=this.total.clip(0, 100).mean())), CLINIC)
        assert per_person.aggregate.source.type.rows_per_unit == 1

    def test_what_ibis_cannot_write_is_refused(self):
        with pytest.raises(InvalidInput) as refusal:
            ibis_sql(3)
        assert refusal.value.code == "Q140"

    def test_without_ibis_the_extra_is_named(self, monkeypatch):
        expression = self.people.count()
        monkeypatch.setitem(sys.modules, "ibis", None)
        with pytest.raises(MissingExtra) as refusal:
            ibis_sql(expression)
        assert refusal.value.code == "Q141"
