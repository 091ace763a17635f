"""Statistics of two columns: correlation and lines with a ±, and a test of independence that knows the noise."""

import numpy as np
import pyarrow as pa
import pytest

from lapwing.errors import InvalidInput
from tests.session.tables import protected

N = 4000
LINE = (
    "SELECT CORR(y, x) AS r, REGR_SLOPE(y, x) AS slope, REGR_INTERCEPT(y, x) AS start, COVAR_POP(y, x) AS c FROM people"
)


def made(dependent):
    random = np.random.default_rng(5)
    x = random.uniform(0, 10, N)
    y = np.clip(3 + 1.5 * x + random.normal(0, 2, N), 0, 30)
    left = random.choice(["a", "b"], N)
    right = np.where(random.random(N) < (0.5 if not dependent else np.where(left == "a", 0.42, 0.58)), "u", "v")
    return pa.table({"person": np.arange(N), "x": x, "y": y, "l": left, "r": right})


@pytest.fixture(scope="module", params=[False, True])
def session(tmp_path_factory, request):
    keys, bounds = {"l": ["a", "b"], "r": ["u", "v"]}, {"x": (0, 10), "y": (0, 30)}
    folder = tmp_path_factory.mktemp("statistics")
    with protected(folder, made(request.param), epsilon=10_000, bounds=bounds, keys=keys, delta="1e-6") as opened:
        yield opened, request.param


def test_lines_are_found_and_their_margins_cover(session):
    opened, _ = session
    table = made(dependent=False)
    x, y = table["x"].to_numpy(), table["y"].to_numpy()
    slope, start = np.polyfit(x, y, 1)
    true = {"r": np.corrcoef(x, y)[0, 1], "slope": slope, "start": start, "c": np.cov(x, y, bias=True)[0, 1]}
    covered = dict.fromkeys(true, 0)
    for run in range(40):
        release = opened.sql(LINE + f" WHERE x >= {-run - 1}", epsilon=2)
        (low,), (high,) = release.low.to_pylist(), release.high.to_pylist()
        for name, value in true.items():
            covered[name] += low[name] is None or low[name] - 0.01 <= value <= high[name] + 0.01
        assert abs(next(iter(release))["r"] - true["r"]) < 0.2
    assert min(covered.values()) >= 34, covered


def test_a_line_through_nothing_is_not_known(session):
    opened, _ = session
    release = opened.sql("SELECT CORR(y, x) AS r, REGR_SLOPE(y, x) AS s FROM people WHERE x > 9.999999", epsilon=1)
    assert release.margins.column("s").null_count == 1 or release.table.column("s").null_count == 1


def test_independence_is_rejected_where_it_does_not_hold(session):
    opened, dependent = session
    text = "SELECT l, r, COUNT(*) AS n FROM people WHERE {} GROUP BY l, r"
    p_values = [opened.sql(text.format(f"x >= {-run - 1}"), epsilon=0.5).chi_square().p_value for run in range(60)]
    if dependent:
        assert np.median(p_values) < 0.01
    else:
        # at epsilon 0.02 noise alone is of the size of what is looked for, and is no reason to reject
        weak = [opened.sql(text.format(f"x >= {-run - 99}"), epsilon="0.02").chi_square().p_value for run in range(60)]
        assert np.mean(np.array(weak) < 0.05) < 0.2


@pytest.mark.parametrize(
    "text",
    [
        "SELECT l, COUNT(*) FROM people GROUP BY l",
        "SELECT l, r, AVG(x) FROM people GROUP BY l, r",
        "SELECT l, r, COUNT(*) FROM people GROUP BY l, r HAVING COUNT(*) > 1000000",
        "SELECT l, r, COUNT(*) FROM people GROUP BY ROLLUP (l, r)",
    ],
)
def test_what_is_no_two_way_table_is_refused(session, text):
    opened, _ = session
    with pytest.raises(InvalidInput, match="S190"):
        opened.sql(text, epsilon=1).chi_square()
