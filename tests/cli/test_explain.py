"""``lapwing explain``: the plan as a tree, with what one person can change."""

import pytest

from tests.cli.invoke import lapwing, objects
from tests.cli.tables import BY_REGION, charges, protected, refused


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    return protected(tmp_path_factory.mktemp("asked"))


def nodes(tree):
    yield tree
    for child in tree["children"]:
        yield from nodes(child)


def test_json_is_the_tree(asked):
    run = lapwing("explain", asked, BY_REGION, "--json")
    [found] = objects(run)
    assert all(set(node) == {"node", "facts", "children"} for node in nodes(found))
    labels = [node["node"] for node in nodes(found)]
    assert any(label.startswith("scan people") for label in labels)
    assert any(label.startswith("aggregate by region") for label in labels)
    facts = [fact for node in nodes(found) for fact in node["facts"]]
    assert any("one person moves it by at most" in fact for fact in facts)
    assert "scan people" in run.stderr


def test_people_get_a_tree_and_nothing_is_charged(asked):
    run = lapwing("explain", asked, BY_REGION)
    assert run.exit_code == 0
    assert run.stderr == ""
    assert "└──" in run.stdout
    assert charges(asked) == []


def test_markup_in_a_query_stays_text(asked):
    run = lapwing("explain", asked, "SELECT COUNT(*) AS \"[red]n[/]\" FROM people WHERE region = '[bold]x'")
    assert run.exit_code == 0, run.stderr
    assert "[red]n[/]" in run.stdout


@pytest.mark.parametrize(
    ("text", "code"),
    [("SELECT", "Q110"), ("SELECT wages FROM people", "Q114"), ("SELECT SUM(person) FROM people", "Q104")],
)
def test_bad_queries_are_refused(asked, text, code):
    assert refused(lapwing("explain", asked, text, "--json"), code)
