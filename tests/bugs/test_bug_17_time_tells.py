"""The time of an answer told the noise, or the count under it, which is as good as the answer without noise.

Single draws are timed in tests/statistics/test_timing.py; here, what a session does after the engine has counted.
"""

import time

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import mannwhitneyu

from lapwing.algebra.measures import PureDP
from lapwing.noise.laplace import Laplace
from lapwing.session.certificate import certificate
from lapwing.session.groups import Fetched, public_groups
from lapwing.session.noising import private_measurements
from lapwing.session.pricing import price
from tests.bugs.before_noise import session_on

ROUNDS = 500
#: With 500 calls of each kind, the chance that one takes longer than the other has a standard deviation of 0.018.
TOLERANCE = 0.1
TABLE = pa.table({"x": [1.0, 2.0], "region": ["north", "south"]})
SETTINGS = {"bounds": {"x": (0, 10)}, "keys": {"region": [f"place {i}" for i in range(20)]}}
QUERIES = [
    "SELECT COUNT(*) FROM people",
    "SELECT region, COUNT(*), SUM(x) FROM people GROUP BY region",
]


def slower(work, one, other):
    """The chance that ``work(one)`` takes longer than ``work(other)``: 1/2 if the time tells nothing.

    The two take turns, in random order, so that a busy machine is equally unkind to both.
    """
    clock = time.perf_counter_ns
    times = {False: [], True: []}
    for first in np.random.default_rng(17).random(ROUNDS) < 0.5:
        for large in (first, not first):
            given = other if large else one
            start = clock()
            work(given)
            times[bool(large)].append(clock() - start)
    return mannwhitneyu(times[False], times[True]).statistic / ROUNDS**2


@pytest.mark.parametrize("text", QUERIES)
def test_a_session_adds_noise_to_few_as_fast_as_to_many(tmp_path, text):
    with session_on(tmp_path, TABLE, **SETTINGS) as session:
        query = session._prepared(text)
        priced = price(query, session.policy.neighbours, PureDP(1), None)
        proof = certificate(priced, session.policy.neighbours)
        statements = session.road.lowered(priced.asked.aggregate, session.ledger).statements
    groups = public_groups(query.aggregate.keys)

    def counted(value):
        rows = groups.count
        keys = [*groups.columns]
        return [
            Fetched(each, pa.table([*keys, *[pa.array([value] * rows, pa.int64())] * len(each.values)], _names(each)))
            for each in statements
        ]

    def work(fetched):
        private_measurements(proof, fetched, groups)

    few, many = counted(0), counted(2**50)
    work(few)  # the first call fills caches
    assert abs(slower(work, few, many) - 0.5) < TOLERANCE


def _names(statement):
    return [f"column {i}" for i in range(len(statement.keys) + len(statement.values))]


@pytest.mark.parametrize("scale", [1, 1000])
def test_a_release_takes_as_long_for_few_as_for_many(scale):
    noise = Laplace(scale)
    few, many = np.zeros(50, np.int64), np.full(50, 2**50)
    assert abs(slower(noise.release, few, many) - 0.5) < TOLERANCE


def test_the_test_can_fail():
    """A count in steps of a loop, as a naive implementation has it."""

    def counting(rows):
        for _ in range(rows):
            pass

    assert abs(slower(counting, 20, 200) - 0.5) > 3 * TOLERANCE
