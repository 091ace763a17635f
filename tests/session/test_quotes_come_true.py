"""The ± that was quoted is the ± that comes: never more at worst, and close to it where the expectation is true."""

import numpy as np
import pyarrow as pa
import pytest

from tests.session.tables import protected

#: So seldom is noise further off that no run of these tests will see it.
SURE = "0.9999999"
STATISTICS = ["AVG(x)", "VARIANCE(x)", "STDDEV(x)", "SUM(x)", "COUNT(*)", "SUM(x) / COUNT(*)", "AVG(x) - AVG(y)"]
TABLES = {
    # where values lie in [low, high]: the range, the least and the largest value
    "at the bottom": (0, 1000, 0, 40),
    "at the top": (0, 1000, 960, 1000),
    "in the middle": (0, 1000, 480, 520),
    "at both ends": (-150_000, 150_000, None, None),
    "about zero": (-150_000, 150_000, -2000, 2000),
    "everywhere": (10, 20, 10, 20),
    "all alike": (0, 100, 99, 99),
}


@pytest.fixture(params=TABLES, scope="module")
def asked(request, tmp_path_factory):
    low, high, least, largest = TABLES[request.param]
    random = np.random.default_rng(len(request.param))
    rows = int(random.integers(3000, 20_000))
    x = random.choice([low, high], rows) if least is None else random.integers(least, largest + 1, rows)
    table = pa.table({"x": x, "y": random.integers(0, 50, rows)})
    bounds = {"x": (low, high), "y": (0, 50)}
    with protected(tmp_path_factory.mktemp("asked"), table, bounds=bounds, keys={}, epsilon=10**6) as session:
        yield session, rows, x


def run(session, statistic, epsilon):
    release = session.sql(f"SELECT {statistic} AS answer FROM people", epsilon=epsilon, confidence=SURE)
    return release.margins.column("answer")[0].as_py()


@pytest.mark.parametrize("statistic", STATISTICS)
def test_at_worst_means_that_it_is_not_worse(asked, statistic):
    session, rows, _ = asked
    for epsilon in ("0.3", "3"):
        text = f"SELECT {statistic} AS answer FROM people"
        quoted = session.quote(text, epsilon=epsilon, rows=rows, confidence=SURE).margins["answer"]
        assert run(session, statistic, epsilon) <= quoted * 1.02


@pytest.mark.parametrize("statistic", ["AVG(x)", "VARIANCE(x)", "STDDEV(x)", "SUM(x)", "SUM(x) / COUNT(*)"])
def test_what_is_expected_and_true_is_what_comes(asked, statistic):
    session, rows, x = asked
    truth = {"AVG(x)": x.mean(), "VARIANCE(x)": x.var(), "STDDEV(x)": x.std(), "SUM(x)": x.sum()}
    expect = {"answer": float(truth[statistic])} if statistic in truth else {}
    text = f"SELECT {statistic} AS answer FROM people"
    wish = {"epsilon": 20, "rows": rows, "confidence": SURE}
    quote = session.quote(text, **wish, expect=expect | {"x": float(x.mean())})
    assert quote.at_worst == ()
    worst = session.quote(text, **wish).margins["answer"]
    found, quoted = run(session, statistic, 20), quote.margins["answer"]
    assert quoted <= worst * 1.05
    assert found <= session.quote(text, **wish, expect={"x": float(x.mean())}).margins["answer"] * 1.05
    # a spread that is not far above its ± comes out anywhere around it, and its ± with it
    spread = statistic in ("STDDEV(x)", "VARIANCE(x)")
    slack = 3 if spread and truth[statistic] <= 20 * quoted else 1.05
    assert quoted / slack <= found <= quoted * slack


def test_the_worst_is_not_much_worse_than_some_table_is(asked):
    """Not a bound out of the air: for a mean and a sum, values at an end of their range come close to it."""
    session, rows, _ = asked
    bounds = session.policy.tables[0].column("x")
    for statistic in ("AVG(x)", "SUM(x)", "VARIANCE(x)"):
        text = f"SELECT {statistic} AS answer FROM people"
        near_end = float(bounds.low) + 0.002 * float(bounds.high - bounds.low)
        extreme = session.quote(text, epsilon=20, rows=rows, expect={"x": near_end}).margins["answer"]
        assert extreme <= session.quote(text, epsilon=20, rows=rows).margins["answer"] * 1.05 <= extreme * 1.3
