"""Joins and sub-queries in other spellings: those that would reach other people, or nobody, stay refused."""

import pytest

from lapwing.errors import LapwingError
from lapwing.query.prepare import prepare
from tests.query.plain import POLICY


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("SELECT COUNT(*) FROM people SEMI JOIN visits ON age = nights", "Q108"),
        ("SELECT COUNT(*) FROM people ANTI JOIN visits ON age = nights", "Q108"),
        ("SELECT COUNT(*) FROM people SEMI JOIN visits", "Q108"),
        ("SELECT COUNT(*) FROM people SEMI JOIN visits USING (person)", "Q109"),
        ("SELECT COUNT(*) FROM people JOIN towns ON city = town SEMI JOIN visits USING (person)", "Q125"),
        ("SELECT COUNT(*) FROM people NATURAL JOIN towns", "Q125"),
        ("SELECT COUNT(*) FROM people NATURAL JOIN (SELECT guest, nights AS age FROM visits)", "Q108"),
        ("SELECT COUNT(*) FROM people RIGHT JOIN towns ON town = city", "Q125"),
        ("SELECT COUNT(*) FROM people FULL JOIN visits ON person = guest", "Q125"),
        ("SELECT COUNT(*) FROM people WHERE age = ANY (SELECT nights FROM visits)", "Q108"),
        ("SELECT COUNT(*) FROM people WHERE age <> ALL (SELECT nights FROM visits)", "Q108"),
        ("SELECT COUNT(*) FROM people p WHERE (SELECT COUNT(*) FROM visits v WHERE v.nights = p.age) > 1", "Q109"),
        ("SELECT COUNT(*) FROM people p WHERE (SELECT COUNT(*) FROM visits v WHERE v.nights = p.age) < 1", "Q109"),
        ("SELECT COUNT(*) FROM people p WHERE (SELECT COUNT(*) FROM visits) > 1", "Q109"),
        ("SELECT COUNT(*) FROM people WHERE person IN (SELECT guest FROM visits INTERSECT SELECT 1)", "Q109"),
        ("SELECT COUNT(*) FROM people WHERE age IN (SELECT nights FROM visits UNION SELECT size FROM towns)", "Q108"),
        ("SELECT SUM(age) FROM (SELECT * EXCLUDE (nothing) FROM people)", "Q114"),
        ("SELECT SUM(age) FROM (SELECT * REPLACE (1 AS nothing) FROM people)", "Q114"),
        ("SELECT SUM(age) FROM (SELECT * RENAME (nothing AS age) FROM people)", "Q114"),
        ("SELECT SUM(age) FROM (SELECT * RENAME (pay AS age) FROM people)", "Q126"),
        ("SELECT * EXCLUDE (name) FROM people", "Q100"),
    ],
)
def test_what_is_refused(text, code):
    with pytest.raises(LapwingError) as refusal:
        prepare(text, POLICY)
    assert refusal.value.code == code, str(refusal.value)
