"""What a refusal tells to do can be done, and is what helps: remedies that once pointed elsewhere."""

import pytest

from tests.cli.invoke import ROOT, lapwing
from tests.cli.tables import protected, unprotected

PIN = ROOT / "corpus" / "flow" / "pin_check.py"
COUNT = "SELECT COUNT(*) FROM people"


@pytest.mark.parametrize(
    ("words", "helps", "misleads"),
    [
        (("check", "missing.json"), "there is no file missing.json. Correct its path", "::"),
        (("check", ROOT / "corpus"), "is a folder. Give a file in it", "Python"),
        (("compose", "gaussian(0)"), "Give the standard deviation of the noise, a number above 0", "epsilon"),
        (("compose", "laplace(0)"), "Give a number above 0", "0 or more"),
        (("feasible", PIN, "--domain", "pin=0:999999999999"), "too large to count. Give ends of at most 9", "no range"),
        (("feasible", PIN, "--domain", "pin=9:1"), "is empty: its low end is not below its high end", "no range"),
        (("feasible", PIN, "--domain", "pin=a:b"), "is no range of whole numbers. Write LOW:HIGH", "large"),
    ],
)
def test_a_remedy_fits_the_problem(words, helps, misleads):
    result = lapwing(*words)
    assert result.exit_code == 2
    assert helps in result.stderr
    assert misleads not in result.stderr.replace(str(PIN), "")


def test_too_small_a_price_is_answered_with_pay_more(tmp_path):
    result = lapwing("run", protected(tmp_path), COUNT, "--epsilon", "1e-30")
    assert "N103" in result.stderr
    assert "pay more" in result.stderr


def test_a_price_below_zero_is_not_sent_to_zero(tmp_path):
    result = lapwing("run", protected(tmp_path), COUNT, "--epsilon", "-1")
    assert "Give a positive number" in result.stderr


def test_a_table_without_an_extension_is_to_be_renamed(tmp_path):
    path = unprotected(tmp_path)
    bare = path.rename(path.with_suffix(""))
    result = lapwing("protect", bare, "--epsilon", "1")
    assert result.stderr.startswith("error E102 ")
    assert "Rename it by its kind, such as people.parquet" in result.stderr


def test_a_name_that_is_refused_is_shown_as_it_is_written(tmp_path):
    path = unprotected(tmp_path)
    result = lapwing("protect", path.rename(path.with_stem("ünïcode")), "--epsilon", "1")
    assert "error S110 a table is named 'ünïcode'" in result.stderr
    assert "Rename it in the source with the letters a to z" in result.stderr
