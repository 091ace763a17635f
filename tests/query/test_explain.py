"""The tree that ``lapwing explain`` prints: every node, its rule, and what one person can change."""

from dataclasses import replace

from lapwing.algebra.neighbours import Neighbours
from lapwing.policy import Column
from lapwing.query.explain import tree
from lapwing.query.prepare import prepare
from tests.query.tables import CENSUS, CLINIC

SQL = """
    SELECT sex, AVG(cost) AS m, COUNT(DISTINCT patient) AS n
    FROM visits v JOIN patients p ON v.patient = p.id LEFT JOIN wards w ON v.ward = w.ward
    WHERE floor < 3 GROUP BY sex HAVING n > 5 ORDER BY m DESC LIMIT 2"""


def lines(node, depth=0):
    yield depth, node.label
    for fact in node.facts:
        yield depth, fact
    for child in node.children:
        yield from lines(child, depth + 1)


def texts(sql, policy, notion=Neighbours.ADDED):
    return [text for _, text in lines(tree(prepare(sql, policy), notion))]


def test_every_rule_of_a_query_is_named():
    shown = "\n".join(texts(SQL, CLINIC))
    for rule in (
        "scan",
        "unit_join",
        "public_join",
        "where",
        "keys",
        "total",
        "count",
        "count_distinct",
        "post_processing",
    ):
        assert f"(rule {rule}" in shown, rule


def test_sensitivities_are_in_the_units_of_the_data():
    shown = texts(SQL, CLINIC)
    assert "one person moves it by at most 5000 in all groups together" in shown  # 10 rows, 500 from the middle
    assert "one person moves it by at most 10 in all groups together" in shown


def test_the_neighbours_matter():
    added, replaced = (texts("SELECT SUM(balance) FROM people", CENSUS, notion) for notion in Neighbours)
    assert "one person moves it by at most 3000 in all groups together" in added
    assert "one person moves it by at most 4000 in all groups together" in replaced


def test_people_and_ranges_are_shown():
    shown = texts(
        "SELECT COUNT(*) FROM (SELECT patient, SUM(pain) AS s FROM visits GROUP BY patient) t WHERE s < 9", CLINIC
    )
    assert "unit patient; rows per person at most 1" in shown
    assert "unit patient; rows per person not bounded" in shown
    assert "pain: integer in [0, 10]" in shown
    assert "s: integer in [0, 8]" in shown


def test_keys_that_are_many_are_counted():
    shown = texts("SELECT age, city, sex, COUNT(*) FROM people GROUP BY age, city, sex", CENSUS)
    assert "121 known keys" in shown
    assert "keys f, m" in shown
    assert "unknown keys, chosen privately (costs delta)" in shown


def test_what_is_made_of_answers_is_shown_from_the_last_step_to_the_first():
    text = (
        "SELECT sex, n / SUM(n) OVER () AS share FROM (SELECT sex, COUNT(*) AS n FROM people GROUP BY sex) "
        "UNION ALL SELECT 'all', AVG(age) FROM people"
    )
    shown = str(tree(prepare(text, CENSUS), Neighbours.ADDED))
    for line in ("put answers below one another", "window 1 = sum over other answers", "answers of aggregate 2"):
        assert line in shown
    assert shown.count("aggregate by sex") == shown.count("aggregate of all rows") == 1


def test_a_key_cannot_speak_to_the_terminal():
    people = replace(CENSUS.tables[0], columns=(Column("k", "text", keys=("a", "\x1b[31mred")),))
    shown = "\n".join(texts("SELECT k, COUNT(*) FROM people GROUP BY k", replace(CENSUS, tables=(people,))))
    assert "[31mred" in shown
    assert "\x1b" not in shown
