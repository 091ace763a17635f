"""``lapwing quote``: prices and margins before paying; nothing is charged."""

import pytest

from tests.cli.invoke import lapwing, objects
from tests.cli.tables import BY_REGION, COUNT, charges, protected, refused


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    return protected(tmp_path_factory.mktemp("asked"))


def test_json_is_the_offers(asked):
    run = lapwing("quote", asked, BY_REGION, "--epsilon", "0.5", "--rows", 200, "--json")
    [found] = objects(run)
    [offer] = found["offers"]
    assert offer["price"] == {"epsilon": "1/2"}
    assert set(offer["margins"]) == {"n", "age"}
    assert offer["affordable"]
    assert (found["rows"], found["confidence"]) == (200, 0.95)
    assert "nothing was charged" in run.stderr
    assert charges(asked) == []


def test_the_price_quoted_is_the_price_paid(tmp_path):
    path = protected(tmp_path)
    [offer] = objects(lapwing("quote", path, BY_REGION, "--epsilon", "0.7", "--json"))[0]["offers"]
    paid = objects(lapwing("run", path, BY_REGION, "--epsilon", "0.7", "--json"))[0]
    assert paid["price"] == offer["price"]
    assert paid["margins"][0]["n"] <= offer["margins"]["n"] + 1  # counts are shown as whole numbers


def test_a_price_for_an_accuracy(asked):
    [found] = objects(lapwing("quote", asked, COUNT, "--within", "2%", "--rows", 500, "--json"))
    [offer] = found["offers"]
    assert offer["margins"]["n"] <= 10


def test_people_get_a_table(asked):
    run = lapwing("quote", asked, COUNT)
    assert run.exit_code == 0
    assert run.stderr == ""
    assert run.stdout.count("ε") >= 5
    dear = lapwing("quote", asked, COUNT, "--epsilon", 11)
    assert "more than is left" in dear.stdout


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--epsilon", "x"], "A001"),
        (["--epsilon", "0"], "S131"),
        (["--epsilon", "1", "--rho", "1"], "S130"),
        (["--epsilon", "1", "--within", "5"], "S139"),
        (["--within", "x"], "A001"),
        (["--within", "0"], "S139"),
        (["--within", "-1%"], "S139"),
        (["--within", "1e-300"], "A001"),
        (["--within", "%"], "A001"),
        (["--confidence", "1"], "S137"),
        (["--delta", "x"], "A001"),
        (["--analyst", "eve"], "S122"),
        (["--expect", "n"], "S143"),
        (["--expect", "=3"], "S143"),
        (["--expect", "n=x"], "A001"),
        (["--expect", "age=30"], "S143"),
    ],
)
def test_bad_wishes_are_refused(asked, options, code):
    assert refused(lapwing("quote", asked, COUNT, *options, "--json"), code)


def test_bad_queries_are_refused(asked):
    assert refused(lapwing("quote", asked, "SELECT wages FROM people"), "Q114")
    assert refused(lapwing("quote", asked, "SELECT age, COUNT(*) FROM people GROUP BY CAST(age AS TEXT)"), "Q127")


def test_an_expectation_makes_a_mean_exact_enough(asked):
    text = "SELECT AVG(age) AS age FROM people"
    assert refused(lapwing("quote", asked, text, "--within", "2%", "--json"), "S144")
    run = lapwing("quote", asked, text, "--within", "2%", "--expect", "age=40", "--json")
    [found] = objects(run)
    assert found["offers"][0]["margins"]["age"] <= 0.8
    assert (found["expected"], found["at_worst"]) == ({"age": 40.0}, [])
    assert "if age is about 40" in run.stderr
    assert "at worst" in lapwing("quote", asked, text, "--epsilon", 1).stdout
