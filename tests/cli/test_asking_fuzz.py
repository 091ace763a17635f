"""Anything at all as SQL, price or flag: an answer or a one-line refusal, never a traceback or a charge for nothing."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cli.invoke import lapwing
from tests.cli.tables import charges, protected, unprotected

few = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
letters = st.characters(exclude_categories=["Cs"])
#: Words that get past the first look of every reader.
words = st.sampled_from([
    "SELECT", "COUNT(*)", "SUM(age)", "AVG(", "FROM", "people", "WHERE", "age", "region", "GROUP BY", "(", ")", ",",
    "*", "1", "'x'", "NULL", "CASE", "WHEN", "THEN", "END", "AS", "n", "OR", "=", "/", "--", ";", "/*", '"', "ON",
    "WITH", "UNION", "OVER", "CLIP(age, 0, 9)", "HAVING", "ORDER BY", "LIMIT", "DISTINCT", "[1]", "{", "$1", "?",
])  # fmt: skip
texts = st.one_of(
    st.text(letters, max_size=40),
    st.lists(words, max_size=12).map(" ".join),
    st.lists(words, max_size=6).map(lambda rest: "SELECT COUNT(*) FROM people " + " ".join(rest)),
)
numbers = st.one_of(
    st.text(letters, max_size=8),
    st.sampled_from(
        ["", "0", "-0", "1e-9", "1e9", "1e-999", "1e999", "1/3", "0/0", "1/0", "nan", "inf", "-inf", "0x1"]
    ),
    st.sampled_from(
        ["½", "٣", "1_000", " 1 ", "1e", ".", "-", "+1", "--1", "1e1e1", "0.95", "1,5", "9" * 3000, "True"]
    ),
    st.floats(allow_nan=True).map(str),
    st.fractions().map(str),
)


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """Its budget is never spent: what the tests below pay is little."""
    return protected(tmp_path_factory.mktemp("asked"))


def ends_well(*words):
    """Runs a command that may be refused, and nothing worse."""
    run = lapwing(*words)
    assert run.exit_code in (0, 2), (words, run.output)
    assert "Traceback" not in run.output
    assert "F099" not in run.output
    if run.exit_code == 2:
        assert run.stdout == ""
        assert run.stderr.startswith(("error ", "Usage: ")), run.stderr
    return run.exit_code == 0


def paid_only_if_answered(asked, *options):
    before = len(charges(asked))
    answered = ends_well("run", asked, *options)
    assert len(charges(asked)) <= before + answered


@few
@given(texts)
def test_any_sql(asked, text):
    paid_only_if_answered(asked, "--epsilon", "1e-6", "--", text)
    ends_well("explain", asked, "--", text)


@few
@given(numbers)
def test_any_price(asked, number):
    for name in ("epsilon", "rho"):
        paid_only_if_answered(asked, "SELECT COUNT(*) FROM people", f"--{name}={number}")


@few
@given(numbers, numbers, st.integers(0, 2))
def test_any_confidence_delta_and_accuracy(asked, one, other, which):
    text = "SELECT COUNT(*) FROM people"
    if which == 0:
        paid_only_if_answered(asked, text, "--epsilon=1e-6", f"--confidence={one}", f"--delta={other}")
    elif which == 1:
        ends_well("quote", asked, text, f"--within={one}", f"--confidence={other}")
    else:
        ends_well("quote", asked, "SELECT age, COUNT(*) FROM people GROUP BY age", "--epsilon=1", f"--delta={one}")


flags = st.one_of(
    st.builds("--bounds=age={}:{}".format, numbers, numbers),
    st.builds("--keys=region={},{}".format, st.text(letters, max_size=8), numbers),
    st.builds("--keys=age={},{}".format, numbers, numbers),
    st.builds("--epsilon={}".format, numbers),
    st.builds("--delta={}".format, numbers),
    st.builds("--analyst={}={}".format, st.text(letters, max_size=8), numbers),
    st.builds(
        "--{}={}".format, st.sampled_from(["unit", "bounds", "keys", "analyst", "also"]), st.text(letters, max_size=8)
    ),
)


@few
@given(flags)
def test_any_flag_of_protect(tmp_path, flag):
    path = unprotected(tmp_path)
    made = [tmp_path / "people.lapwing.toml", tmp_path / "people.lapwing.ledger"]
    if ends_well("protect", path, "--epsilon=1", flag):
        assert lapwing("ledger", path).exit_code == 0
    else:
        assert not any(file.exists() for file in made)
    for file in made:
        file.unlink(missing_ok=True)
