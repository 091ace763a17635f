"""A sum over a column without bounds got no noise at all; here nothing is answered without a finite sensitivity."""

import pyarrow as pa
import pytest

from lapwing.errors import InvalidInput
from lapwing.query.builder import mean, table
from tests.bugs.before_noise import assert_refused_for_free, session_on

TABLE = pa.table({"x": [1.0, 2.0, 1e300], "n": [1, 2, 2**62], "half": [1, 2, 3], "zero": [1, 2, 3]})


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    folder = tmp_path_factory.mktemp("people")
    with session_on(folder, TABLE, bounds={"zero": (0, 0), "half": (0, 5)}):
        pass
    policy = folder / "people.lapwing.toml"
    text = policy.read_text()
    assert 'low = "0", high = "5"' in text
    policy.write_text(text.replace('low = "0", high = "5"', 'high = "5"'))  # a range with one end
    from lapwing.session import open_session

    with open_session(folder / "people.parquet") as opened:
        yield opened


@pytest.mark.parametrize("column", ["x", "n", "half", "x + 1", "ABS(x)", "n * 2", "GREATEST(x, 0)", "LEAST(n, 5)"])
@pytest.mark.parametrize("aggregate", ["SUM", "AVG", "VARIANCE", "STDDEV", "MEDIAN", "MIN", "MAX"])
def test_an_unbounded_column_is_refused(session, aggregate, column):
    assert assert_refused_for_free(session, f"SELECT {aggregate}({column}) FROM people").startswith("Q")


@pytest.mark.parametrize(
    "column",
    [
        "CLIP(x, NULL, 5)",
        "CLIP(x, 0, NULL)",
        "CLIP(x, 0, n)",
        "CLIP(x, 5, 0)",
        "CLIP(x, 0, 1e400)",
        "CLIP(x, 0, 1/0)",
        "LEAST(GREATEST(x, 0), n)",
        "CASE WHEN x > 0 THEN CLIP(x, 0, 1) ELSE x END",
        "COALESCE(CLIP(x, 0, 1), x)",
        "CAST(CLIP(x, 0, 1) AS TEXT)",
        "CLIP(x, 0, 1) / x",
        "CLIP(x, 0, 1) + x",
    ],
)
def test_a_clip_that_does_not_bound_is_refused(session, column):
    assert assert_refused_for_free(session, f"SELECT SUM({column}) FROM people").startswith("Q")


def test_a_range_of_zero_alone_is_not_answered_exactly(session):
    assert assert_refused_for_free(session, "SELECT SUM(zero) FROM people") == "S140"


def test_a_range_beyond_all_noise_is_refused_not_answered_without(session):
    code = assert_refused_for_free(session, "SELECT SUM(CLIP(x, 0, 1e300)) FROM people", epsilon="1e-9")
    assert code[0] in "QNS"


def test_the_builder_refuses_half_a_range():
    with pytest.raises(InvalidInput, match="Q140"):
        table("people").agg(pay=mean("x", 0))


def test_with_bounds_the_same_queries_are_answered(session):
    release = session.sql("SELECT SUM(CLIP(x, 0, 5)) AS s, SUM(CLIP(half, 0, 5)) AS h FROM people", epsilon=1)
    assert all(release.margins[name][0].as_py() > 1 for name in ("s", "h"))
