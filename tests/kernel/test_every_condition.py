"""Every rule with a δ, each of its conditions, and the test that drops it: the table of docs/explanation.

Each test named there takes a program that is not private, sees its proof rejected, forgets one condition, and sees the
same proof accepted.
"""

import re
from pathlib import Path

import pytest

from tests.kernel import test_approximate_conditions, test_deferral, test_parting_conditions
from tests.kernel.composition import test_conditions, test_sampling

PAGE = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "proofs-with-a-delta.md"
RULES = ("up to bad", "subset", "pieces", "one-sided", "case", "advanced", "filter", "gaussian loop", "sample", "last")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.read_text().split("## What each condition is for")[1].splitlines()
    if line.startswith("|") and "`" in line
]
#: what is parametrized by conditions, by the file that holds it
CASES = {
    "test_approximate_conditions": set(test_approximate_conditions.CASES),
    "test_parting_conditions": set(test_parting_conditions.CASES),
    "test_conditions": set(test_conditions.CONDITIONS),
    "test_sampling": {
        name
        for mark in test_sampling.test_what_dropping_a_condition_would_prove_is_false.pytestmark
        for name, *_ in mark.args[1]
    },
}
FILES = (test_approximate_conditions, test_deferral, test_conditions)


def test_every_rule_has_its_rows():
    assert {rule for rule, _, _ in ROWS} == set(RULES)


@pytest.mark.parametrize(("rule", "condition", "where"), ROWS, ids=[row[1] for row in ROWS])
def test_every_row_names_a_test(rule, condition, where):
    file, name = re.fullmatch(r"`(\w+)`: (.*)", where).groups()
    named = {each for module in FILES if module.__name__.endswith(file) for each in dir(module)}
    assert name in CASES.get(file, set()) | named, (rule, condition)


def test_every_test_has_its_row():
    listed = {where.split(": ", 1)[1] for _, _, where in ROWS}
    assert not {name for names in CASES.values() for name in names} - listed
