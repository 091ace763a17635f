"""Words without their arguments, and numbers without room: refused in one line, never a traceback."""

from dataclasses import replace

import pytest

from lapwing.errors import LapwingError
from lapwing.policy import Column
from lapwing.query.lowering import lower
from lapwing.query.prepare import prepare
from tests.query.tables import CENSUS

PEOPLE = CENSUS.tables[0]
#: The same, where it is known between which days people came.
POLICY = replace(
    CENSUS,
    tables=(
        replace(PEOPLE, columns=(*PEOPLE.columns, Column("came", "date", "2020-01-01", "2020-12-31"))),
        *CENSUS.tables[1:],
    ),
)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("SELECT COUNT(*) FROM people GROUP BY CAST(1e30 AS BIGINT)", "Q138"),
        ("SELECT COUNT(*) FROM people GROUP BY age + 99999999999999999999", "Q133"),
        ("SELECT SUM(CLIP(age, people.0, 5)) FROM people", "Q101"),
        ("SELECT COUNT.(*) FROM people", "Q101"),
        ("SELECT SUM(age) FROM (SELECT * REPLACE (age) FROM people)", "Q118"),
        ("SELECT *, SUM(n) OVER () AS n FROM (SELECT sex, COUNT(*) AS n FROM people GROUP BY sex)", "Q126"),
        ("SELECT *, n / 2 AS Sex FROM (SELECT sex, COUNT(*) AS n FROM people GROUP BY sex)", "Q126"),
        ("SELECT *, * FROM (SELECT sex, COUNT(*) AS n FROM people GROUP BY sex)", "Q126"),
        ("SELECT * RENAME (n AS sex) FROM (SELECT sex, COUNT(*) AS n FROM people GROUP BY sex)", "Q126"),
        ("SELECT sex AS h_low, HISTOGRAM(age, 4) AS h FROM people GROUP BY 1", "Q126"),
        ("SELECT FLOOR() FROM people", "Q137"),
        ("SELECT COUNT(FLOOR()) FROM people", "Q137"),
        ("SELECT COUNT(CEIL()) FROM people", "Q137"),
        ("SELECT COUNT(MAKE_DATE(2020)) FROM people", "Q137"),
        ("SELECT QUANTILE() FROM people", "Q137"),
        ("SELECT APPROX_QUANTILE() FROM people", "Q137"),
        ("SELECT PERCENTILE_CONT(0.5) FROM people", "Q137"),
        ("SELECT MEDIAN() FROM people", "Q101"),
        ("SELECT NONSENSE(age) FILTER (WHERE age > 3) FROM people", "Q111"),
        ("SELECT sex, NONSENSE(COUNT(*)) OVER () FROM people GROUP BY sex", "Q111"),
        ("SELECT sex, FILL(COUNT(*)) OVER (ORDER BY sex) FROM people GROUP BY sex", "Q111"),
        ("SELECT COUNT(*) FROM people WHERE TRIM(sex, 'n') = 'orth'", "Q106"),
        ("SELECT COUNT(*) FROM people WHERE TRIM('n', sex) = ''", "Q106"),
        ("SELECT COUNT(*) FROM people WHERE CONTAINS(sex, 'n', 'o')", "Q106"),
        ("SELECT COUNT(*) FROM people WHERE CONCAT_WS(sex, 'n', 'o') = 'n'", "Q122"),
        ("SELECT COUNT(*) FROM people WHERE sex LIKE '!n' ESCAPE '!'", "Q122"),
    ],
)
def test_what_lacks_an_argument_or_has_one_too_many_is_refused(text, code):
    with pytest.raises(LapwingError) as refusal:
        prepare(text, CENSUS)
    assert refusal.value.code == code


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("PIVOT people ON sex USING COUNT(*)", "FILTER (WHERE"),
        ("SELECT * FROM people PIVOT (COUNT(*) FOR sex IN ('f', 'm'))", "FILTER (WHERE"),
        ("SELECT * FROM (SELECT sex FROM people) PIVOT (COUNT(*) FOR sex IN ('f', 'm'))", "FILTER (WHERE"),
        ("SELECT COUNT(*) FROM people TABLESAMPLE 10%", "all rows"),
        ("SELECT COUNT(*) FROM people USING SAMPLE 10", "all rows"),
        ("SELECT COUNT(*) FROM people WHERE age > (SELECT 40)", "write the number it stands for"),
        ("SUMMARIZE people", "lapwing advise"),
        ("DESCRIBE people", "policy"),
        ("show tables", "policy"),
        ("DELETE FROM people", "one SELECT"),
        ("SELECT COUNT(*) FROM (SELECT age FROM people INTERSECT SELECT age FROM people)", "NOT IN"),
        ("SELECT COUNT(*) FROM people EXCEPT SELECT COUNT(*) FROM people", "UNION ALL"),
    ],
)
def test_statements_that_mean_well_are_told_what_to_write(text, instead):
    with pytest.raises(LapwingError) as refusal:
        prepare(text, CENSUS)
    assert instead in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("SELECT sex, COUNT(*) FROM people GROUP BY sex LIMIT 0", "Q135"),
        ("SELECT sex, COUNT(*) FROM people GROUP BY sex ORDER BY 2 DESC FETCH FIRST 0 ROWS ONLY", "Q135"),
        ("SELECT * FROM (SELECT sex, COUNT(*) AS n FROM people GROUP BY sex) LIMIT 0", "Q135"),
        ("SELECT n FROM (SELECT sex, COUNT(*) AS n FROM people GROUP BY sex LIMIT 0)", "Q135"),
        ("SELECT sex, COUNT(*) FROM people GROUP BY sex OFFSET 10", "Q135"),
        ("SELECT COUNT(*) FROM people OFFSET 1", "Q135"),
        ("SELECT sex, COUNT(*) FROM people GROUP BY sex LIMIT 9223372036854775807 OFFSET 1000000000000000000", "Q135"),
        ("SELECT COUNT(*) FROM people HAVING FALSE", "Q135"),
        ("SELECT COUNT(*) FROM people HAVING NULL", "Q135"),
        ("SELECT sex, COUNT(*) FROM people GROUP BY sex HAVING 1 = 0", "Q135"),
        ("SELECT sex, COUNT(*) FROM people GROUP BY sex HAVING sex = 'male'", "Q135"),
        ("SELECT MONTH(born) AS m, COUNT(*) FROM people GROUP BY m HAVING m > 12", "Q135"),
        ("SELECT smoker, COUNT(*) FROM people GROUP BY smoker HAVING smoker AND NOT smoker", "Q135"),
        ("SELECT sex, COUNT(*) FROM people WHERE sex = 'male' GROUP BY sex", "Q139"),
        ("SELECT UPPER(sex), COUNT(*) FROM people WHERE sex IN ('F', 'M') GROUP BY 1", "Q139"),
        ("SELECT sex, COUNT(*) FROM people WHERE sex <> 'f' AND sex <> 'm' GROUP BY sex", "Q139"),
        ("SELECT age, COUNT(*) FROM people WHERE age > 120 GROUP BY age", "Q139"),
        ("SELECT came, COUNT(*) FROM people WHERE came > '2030-01-01' GROUP BY came", "Q139"),
        ("SELECT MONTH(came), COUNT(*) FROM people WHERE came > '2030-01-01' GROUP BY 1", "Q139"),
        ("SELECT DATE_TRUNC('month', came), COUNT(*) FROM people WHERE came < '1990-01-01' GROUP BY 1", "Q139"),
    ],
)
def test_nobody_pays_for_an_answer_that_must_be_empty(text, code):
    with pytest.raises(LapwingError) as refusal:
        prepare(text, POLICY)
    assert refusal.value.code == code


@pytest.mark.parametrize(
    "text",
    [
        "SELECT sex, COUNT(*) FROM people GROUP BY sex LIMIT 1 OFFSET 1",
        "SELECT city, COUNT(*) FROM people GROUP BY city OFFSET 1000",  # nobody knows how many
        "SELECT city, COUNT(*) FROM people GROUP BY city HAVING city = 'x'",
        "SELECT sex, COUNT(*) FROM people GROUP BY sex HAVING COUNT(*) < -5",  # noise decides
        "SELECT sex, COUNT(*) FROM people GROUP BY sex HAVING sex = 'm'",
        "SELECT COUNT(*) FROM people WHERE sex = 'male'",  # rows may hold what is not listed
        "SELECT COUNT(*) FROM people WHERE age > 120",
        "SELECT COUNT(*) FROM people WHERE FALSE",
        "SELECT COUNT(*) FROM people UNION ALL SELECT COUNT(*) FROM people LIMIT 1",
    ],
)
def test_an_answer_that_may_have_rows_is_given(text):
    prepare(text, POLICY)


def test_names_of_names_are_kept_to_a_size():
    doubled = ", ".join(f"n{at} + n{at} AS n{at + 1}" for at in range(40))
    with pytest.raises(LapwingError) as refusal:
        prepare(f"SELECT COUNT(*) AS n0, {doubled} FROM people", CENSUS)
    assert refusal.value.code == "Q105"


@pytest.mark.parametrize(
    "text",
    [
        "(city, sex) IN (" + ", ".join(f"('{at}', 'f')" for at in range(900)) + ")",
        "CONCAT(" + ", ".join(["city"] * 900) + ") = 'x'",
        "STRFTIME(born, '" + "%Y-" * 300 + "') = 'x'",
    ],
)
def test_long_lists_are_no_deep_trees(text):
    lower(prepare(f"SELECT COUNT(*) FROM people WHERE {text}", CENSUS).aggregate, "duckdb", 1)


def test_a_comment_behind_the_end_is_no_second_statement():
    prepare("SELECT COUNT(*) FROM people;  -- all of them", CENSUS)


def test_nested_subjects_are_kept_to_a_size():
    value = "age"
    for i in range(40):
        value = f"NULLIF({value}, {i})"
    with pytest.raises(LapwingError) as refusal:
        prepare(f"SELECT COUNT({value}) FROM people", CENSUS)
    assert refusal.value.code == "Q105"
