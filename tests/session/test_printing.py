"""What a session gives prints well: the text of the command line, and no dataclasses."""

import json

import pytest
from rich.console import Console

from lapwing import library
from lapwing.cli.explain import _tree
from tests.cli.invoke import lapwing
from tests.session.tables import protected

TEXT = "SELECT region, AVG(income) AS pay, COUNT(*) AS n, MEDIAN(age) AS middle FROM people GROUP BY region"


@pytest.fixture
def session(tmp_path):
    with protected(tmp_path) as opened:
        yield opened


def test_a_session_says_whose_it_is_and_about_what(session):
    assert repr(session) == "Session of people as analyst"
    parts = session.partition("region")
    assert repr(parts["north"]) == "Session of people as analyst, part region = 'north'"
    assert "policy" not in repr(parts).lower()
    session.close()
    assert repr(session) == "Session of people as analyst, closed"


def test_a_quote_reads_as_the_command_prints_it(session, tmp_path):
    quote = session.quote(TEXT, epsilon=20, rows=500, expect={"income": 30_000})
    options = ["--epsilon", 20, "--rows", 500, "--expect", "income=30000"]
    run = lapwing("quote", tmp_path / "people.parquet", TEXT, *options)
    assert str(quote) == repr(quote) == run.stdout.rstrip("\n")
    assert "more than is left" in str(quote)


def test_a_plan_reads_as_the_command_prints_it(session):
    plan = session.explain(TEXT)
    wide = Console(width=500, color_system=None)
    with wide.capture() as printed:
        wide.print(_tree(plan))
    assert str(plan) == repr(plan) == "\n".join(line.rstrip() for line in printed.get().splitlines())


def test_a_release_reads_alike_at_the_prompt(session):
    release = session.sql(TEXT, epsilon=1)
    assert repr(release) == str(release)
    assert "certificate" not in repr(release)


def test_what_a_mechanism_answered_is_two_lines(session):
    counts = [f"SELECT COUNT(*) FROM people WHERE age >= {age}" for age in range(100)]
    applied = session.apply(library.noisy_sums, counts, epsilon=1, sensitivity=1)
    first, second = repr(applied).splitlines()
    assert first.startswith("noisy_sums of 100 queries: [")
    assert first.endswith("… 40 more]")
    assert second == "spent ε 1; ε 9 left"
    assert json.loads(json.dumps(applied.to_json()))["value"] == applied.value
