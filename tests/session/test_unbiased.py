"""At a price that buys almost no noise every aggregate is the exact one, on columns of every kind and any spread."""

import numpy as np
import pyarrow as pa
import pytest

import lapwing
from lapwing.algebra.neighbours import Neighbours
from tests.session.tables import protected

ROWS = 40_000


def values(kind):
    """Values that lie in a small part of their range, where a coarse lattice shows most."""
    random = np.random.default_rng(3)
    match kind:
        case "real":
            return random.gamma(2.0, 440.0, ROWS)
        case "alike":
            return np.full(ROWS, 3.7)
        case "whole":
            return random.integers(-5, 900, ROWS)
        case "large":
            return random.integers(150_000, 155_000, ROWS)
    raise AssertionError(kind)


@pytest.mark.parametrize("neighbours", list(Neighbours))
@pytest.mark.parametrize("unit", [None, "person"])
@pytest.mark.parametrize("kind", ["real", "alike", "whole", "large"])
def test_exact_values_at_a_high_price(tmp_path, kind, unit, neighbours):
    given = values(kind)
    table = pa.table({"person": np.arange(ROWS), "x": given})
    wishes = {"unit": unit, "rows_per_unit": 1 if unit else None, "neighbours": neighbours}
    with protected(tmp_path, table, **wishes, epsilon=10**9, bounds={"x": (-1000, 200_000)}, keys={}) as session:
        text = "SELECT COUNT(*) AS n, SUM(x) AS s, AVG(x) AS m, VARIANCE(x) AS v, STDDEV(x) AS d FROM people"
        found = session.sql(text, epsilon=10**6).table.to_pylist()[0]
    kept = np.asarray(given, np.float64)
    assert found["n"] == ROWS
    # far below a tenth of the noise that a price of 1 buys, also where all values lose the same on the lattice
    assert found["s"] == pytest.approx(kept.sum(), abs=2_500)
    assert found["m"] == pytest.approx(kept.mean(), abs=0.1)
    assert found["v"] == pytest.approx(kept.var(), abs=250)
    if kind != "alike":
        assert found["d"] == pytest.approx(kept.std(), rel=1e-3)


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        ("SUM(x * 4)", 4 * 3 * 2**61),
        ("AVG(x * 4)", 4 * 2**61),
        ("SUM(x * x)", 3 * 2**122),
        ("SUM(x + x + x + x)", 12 * 2**61),
        ("SUM(x - (-x) * 3)", 12 * 2**61),
        ("COUNT_IF(x * 8 > 0)", 3),
    ],
)
def test_whole_numbers_that_leave_64_bits_are_no_less_for_it(text, truth):
    """Such products were NULL: a sum without them, and a ± that said nothing of it."""
    frame = pa.table({"x": [2**61] * 3})
    with lapwing.protect(frame, epsilon=10**9, bounds={"x": (-(2**62), 2**62)}) as session:
        row = next(iter(session.sql(f"SELECT {text} AS found FROM frame", epsilon=10**8)))
    assert row["found"] == pytest.approx(truth, rel=1e-4)
