"""Plans in detail: names, sharing, notes, and where a refusal points."""

import pytest

from lapwing.errors import InvalidInput, Unbounded
from lapwing.query.expressions import Column
from lapwing.query.plan import Bounding, Function, PerUnit, Project, PublicJoin, Scan, Statistic, UnitJoin, Where
from lapwing.query.prepare import prepare
from tests.query.tables import CENSUS, CLINIC


def functions(sql, policy=CENSUS):
    return [each.function for each in prepare(sql, policy).aggregate.measurements]


def test_the_place_is_underlined():
    with pytest.raises(Unbounded) as refusal:
        prepare("SELECT sex,\n\tSUM(income) AS s FROM people GROUP BY sex", CENSUS)
    first, line, carets = str(refusal.value).split("\n")
    assert first == (
        "Q104 unbounded sum: nothing bounds 'income' (2:6). "
        "Declare it in the policy, or write SUM(CLIP(income, 0, 200000))."
    )
    assert line == "    \tSUM(income) AS s FROM people GROUP BY sex"
    assert carets == "    \t    ^^^^^^"
    assert refusal.value.underlined == f"{line}\n{carets}"


def test_a_very_long_line_is_shown_around_the_place():
    with pytest.raises(InvalidInput) as refusal:
        prepare(f"SELECT COUNT(*) FROM people WHERE {'age > 1 AND ' * 20} agee > 1 AND age > 2", CENSUS)
    _, line, carets = str(refusal.value).split("\n")
    assert line[carets.index("^") :].startswith("agee")
    assert len(line) < 130


def test_a_text_that_is_not_text_is_refused():
    with pytest.raises(InvalidInput):
        prepare(3, CENSUS)


def test_measurements_are_shared():
    assert functions("SELECT COUNT(*), COUNT(*) + 1, SUM(1) / COUNT(*) FROM people") == [Function.ROWS, Function.TOTAL]
    assert functions("SELECT SUM(pay), AVG(pay), COUNT(pay) FROM people") == [Function.TOTAL, Function.ROWS]
    assert functions("SELECT AVG(age), VARIANCE(age), STDDEV(age) FROM people") == [
        Function.TOTAL,
        Function.ROWS,
        Function.SQUARES,
    ]
    assert functions("SELECT COUNT(*), AVG(age) FROM people WHERE age > 3") == [Function.ROWS, Function.TOTAL]
    assert functions("SELECT COUNT(*), AVG(age) FROM people") == [Function.ROWS, Function.TOTAL, Function.ROWS]


def test_a_variance_and_its_mean_deviate_from_one_number():
    query = prepare("SELECT VARIANCE(balance), AVG(balance), SUM(balance) FROM people", CENSUS)
    by_name = {each.name: each for each in query.aggregate.measurements}
    spread, mean, total = query.answers
    squares, deviations, _ = (by_name[part] for part in spread.parts)
    assert squares.centre * squares.step == deviations.centre * deviations.step != 0
    assert mean.parts[0] == deviations.name
    assert by_name[total.parts[0]].centre == 0


def test_parts_are_in_the_order_that_answers_are_computed_from():
    query = prepare("SELECT sex, AVG(pay), STDDEV(pay) FROM people GROUP BY sex", CENSUS)
    by_name = {each.name: each.function for each in query.aggregate.measurements}
    kinds = {each.statistic: [by_name.get(part, part) for part in each.parts] for each in query.answers}
    assert kinds == {
        Statistic.KEY: ["sex"],
        Statistic.MEAN: [Function.TOTAL, Function.ROWS],
        Statistic.STDDEV: [Function.SQUARES, Function.TOTAL, Function.ROWS],
    }


def test_names_of_outputs_and_keys_do_not_clash_with_names_of_answers():
    query = prepare("SELECT sex AS count_1, COUNT(*) AS rows_1, COUNT(pay) FROM people GROUP BY count_1", CENSUS)
    names = [answer.name for answer in query.answers] + [each.name for each in query.aggregate.measurements]
    assert len(set(names)) == len(names)
    assert [name for name, _ in query.outputs] == ["count_1", "rows_1", "count(pay)"]


def test_relations_of_a_query():
    sql = """
        WITH dear AS (SELECT patient, SUM(cost) AS total FROM visits WHERE pain > 3 GROUP BY patient)
        SELECT p.sex, AVG(CLIP(d.total, 0, 500)) FROM dear d JOIN patients p ON d.patient = p.id GROUP BY p.sex"""
    join = prepare(sql, CLINIC).aggregate.source
    assert isinstance(join, UnitJoin)
    assert isinstance(join.first, Project)
    assert isinstance(join.first.source, PerUnit)
    assert isinstance(join.first.source.source, Where)
    assert isinstance(join.first.source.source.source, Scan)
    assert join.first.type.rows_per_unit == 1
    assert join.type.rows_per_unit is None  # the table of patients may hold anyone twice
    assert join.type.unit == "patient"


def test_a_public_key_must_be_unique_only_where_a_row_is_a_person():
    alone = prepare("SELECT COUNT(*) FROM people JOIN places USING (zip)", CENSUS).aggregate.source
    owned = prepare("SELECT COUNT(*) FROM visits JOIN wards USING (ward)", CLINIC).aggregate.source
    assert isinstance(alone, PublicJoin)
    assert isinstance(owned, PublicJoin)
    assert (alone.unique, alone.type.rows_per_unit) == (True, 1)
    assert (owned.unique, owned.type.rows_per_unit) == (False, None)


def test_a_person_known_to_have_one_row_may_have_many_after_a_public_join():
    people = "SELECT patient, MAX(ward) AS ward FROM visits GROUP BY patient"
    sql = f"SELECT COUNT(*) FROM ({people}) t JOIN wards w USING (ward)"
    assert prepare(sql, CLINIC).aggregate.measurements[0].bounding is Bounding.WEIGHTS


def test_the_person_goes_along_under_a_name_of_its_own():
    query = prepare("SELECT COUNT(*) FROM (SELECT cost AS patient FROM visits) t", CLINIC)
    source = query.aggregate.source
    assert source.type.unit != "patient"
    assert dict(source.columns)[source.type.unit] == Column("patient")
    with pytest.raises(InvalidInput):
        prepare(f'SELECT COUNT("{source.type.unit}") FROM (SELECT cost AS patient FROM visits) t', CLINIC)


def test_unknown_keys_count_people_once_in_a_bounded_number_of_groups():
    """With weights a person of 1,000 groups would be in all of them a little, and any could be shown by chance."""
    owned = prepare("SELECT drug, COUNT(*) FROM visits GROUP BY drug", CLINIC).aggregate.selection
    assert (owned.function, owned.bounding, owned.rows_per_unit) == (Function.UNITS, Bounding.SAMPLE, 10)
    alone = prepare("SELECT city, COUNT(*) FROM people GROUP BY city", CENSUS).aggregate.selection
    assert (alone.function, alone.bounding, alone.rows_per_unit) == (Function.ROWS, Bounding.NONE, 1)
    assert owned.weight_steps == alone.weight_steps == 1


@pytest.mark.parametrize(
    ("sql", "policy", "words"),
    [
        ("SELECT SUM(pay) FROM people", CENSUS, "clipped to [0, 200000]"),
        ("SELECT MIN(age) FROM people", CENSUS, "MIN is the value below which 1 %"),
        ("SELECT MEDIAN(age) FROM people", CENSUS, "Quantiles of age are whole numbers from 0 to 120."),
        ("SELECT sex, COUNT(*) FROM people GROUP BY sex", CENSUS, "or NULL, are in no group"),
        ("SELECT city, COUNT(*) FROM people GROUP BY city", CENSUS, "costs delta"),
        ("SELECT COUNT(*) FROM visits", CLINIC, "more than 10 rows counts as 10"),
        ("SELECT COUNT(*) FROM visits", CLINIC, "Rows whose patient is NULL do not count."),
        ("SELECT ward, pain, COUNT(DISTINCT patient) FROM visits GROUP BY ward, pain", CLINIC, "more than 10 groups"),
        ("SELECT COUNT(DISTINCT drug) FROM visits", CLINIC, "at most 10 rows of each person"),
        ("SELECT VARIANCE(age) FROM people", CENSUS, "divides by the number of rows"),
        ("SELECT HISTOGRAM(age, 5) FROM people", CENSUS, "first or last bucket"),
    ],
)
def test_notes(sql, policy, words):
    assert any(words in note for note in prepare(sql, policy).notes)


def test_nobody_is_in_more_groups_than_there_are():
    asked = prepare("SELECT ward, COUNT(DISTINCT patient) FROM visits GROUP BY ward", CLINIC)
    assert [each.rows_per_unit for each in asked.aggregate.measurements] == [3]
    assert not any("groups counts" in note for note in asked.notes)


def test_a_plain_count_needs_no_note():
    assert prepare("SELECT COUNT(*) FROM people", CENSUS).notes == ()


def test_a_histogram_has_edges_and_counts():
    query = prepare("SELECT HISTOGRAM(age, 5) AS ages FROM people", CENSUS)
    assert [name for name, _ in query.outputs] == ["ages_low", "ages_high", "ages_count"]
    assert query.aggregate.keys[0].values == (0, 1, 2, 3, 4)


def test_the_same_text_makes_the_same_plan():
    sql = "SELECT sex, AVG(pay), COUNT(*) FROM people WHERE age > 3 GROUP BY sex ORDER BY 2"
    assert prepare(sql, CENSUS) == prepare(sql, CENSUS)
