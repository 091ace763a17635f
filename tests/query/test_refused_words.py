"""Words without their arguments, and numbers without room: refused in one line, never a traceback."""

import pytest

from lapwing.errors import LapwingError
from lapwing.query.lowering import lower
from lapwing.query.prepare import prepare
from tests.query.tables import CENSUS


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("SELECT COUNT(*) FROM people GROUP BY CAST(1e30 AS BIGINT)", "Q138"),
        ("SELECT COUNT(*) FROM people GROUP BY age + 99999999999999999999", "Q138"),
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
    lower(prepare(f"SELECT COUNT(*) FROM people WHERE {text}", CENSUS), "duckdb", 1)


def test_a_comment_behind_the_end_is_no_second_statement():
    prepare("SELECT COUNT(*) FROM people;  -- all of them", CENSUS)


def test_nested_subjects_are_kept_to_a_size():
    value = "age"
    for i in range(40):
        value = f"NULLIF({value}, {i})"
    with pytest.raises(LapwingError) as refusal:
        prepare(f"SELECT COUNT({value}) FROM people", CENSUS)
    assert refusal.value.code == "Q105"
