"""A ± of 95 % holds the answer without noise in 95 % of releases: in the middle, at edges, and where things turn."""

import numpy as np
import pytest

from tests.session.covering import ZCDP, PureDP, covered, released, rows_of

PRICES = [PureDP(1), ZCDP("0.2")]
#: Values all over their range, near an end, all alike, and at the end.
TRUTHS = {
    "all over": lambda n: rows_of(n, lambda p: 100 * p),
    "near an end": lambda n: rows_of(n, lambda p: p),
    "alike": lambda n: rows_of(n, lambda _: 40),
    "at the end": lambda n: rows_of(n, lambda _: 100, yes=lambda _: True),
    "none": lambda n: rows_of(n, lambda _: 0, yes=lambda _: False),
}
SMOOTH = ("SUM(x)", "AVG(x)", "VARIANCE(x)", "STDDEV(x)", "SUM(x) / COUNT(*)", "COUNT_IF(yes) / COUNT(*)")


def coverages(text, n, runs):
    for price in PRICES:
        for name, rows in TRUTHS.items():
            _, lows, highs, truth = released(text, rows(n), wanted=price, runs=runs)
            yield f"{name} {price}", covered(lows, highs, truth)


@pytest.mark.parametrize("text", SMOOTH)
@pytest.mark.parametrize("n", [30])
def test_coverage(text, n):
    found = dict(coverages(text, n, runs=300))
    assert min(found.values()) > 0.89, found
    assert 0.93 <= np.mean(list(found.values())) <= 0.98, found


@pytest.mark.parametrize("text", ["AVG(x)", "COUNT_IF(yes) / COUNT(*)", "VARIANCE(x)"])
def test_groups_of_three_are_covered_or_not_known(text):
    found = dict(coverages(text, 3, runs=100))
    assert min(found.values()) > 0.89, found


@pytest.mark.parametrize("text", ["AVG(x)", "STDDEV(x)", "SUM(x) / COUNT(*)"])
@pytest.mark.parametrize("price", PRICES)
def test_intervals_are_as_narrow_as_they_can_be(text, price):
    """At most a tenth wider than that of somebody who knows how far off answers are."""
    values, lows, highs, truth = released(text, TRUTHS["all over"](400), wanted=price)
    assert np.median(highs - lows) <= 1.1 * 2 * np.quantile(np.abs(values - truth), 0.95)


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("ABS(COUNT(*) - 20)", 20),
        ("(COUNT(*) - 20) * (COUNT(*) - 20)", 20),
        ("GREATEST(COUNT_IF(yes), COUNT_IF(NOT yes))", 40),
        ("LEAST(COUNT_IF(yes), COUNT_IF(NOT yes), COUNT_IF(x > 50), COUNT_IF(x <= 50))", 40),
        ("CASE WHEN COUNT(*) > 35 THEN COUNT(*) ELSE 0 END", 35),
        ("CASE WHEN COUNT(*) > 35 THEN 0 ELSE COUNT(*) END", 36),
        ("CASE WHEN COUNT_IF(yes) = 20 THEN 100 ELSE COUNT(*) END", 40),
        ("COUNT(*) - FLOOR(COUNT(*) / 10) * 10", 30),
    ],
)
@pytest.mark.parametrize("price", PRICES)
def test_where_an_answer_turns_the_interval_holds_it_too(text, n, price):
    _, lows, highs, truth = released(text, rows_of(n, lambda p: 100 * p), wanted=price, runs=600)
    assert covered(lows, highs, truth) >= 0.92
