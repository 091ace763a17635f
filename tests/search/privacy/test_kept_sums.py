"""Sums are searched once for each mechanism, and again only with the time to get further."""

import time

import pytest

from lapwing.search.privacy import kept_sums
from lapwing.search.privacy.kept_sums import Sums
from lapwing.source.parse import parse_text

COUNT = """from lapwing import laplace, mechanism, replaced

@mechanism(data=replaced(), claim="{claim}")
def count(data: list[float], epsilon: float) -> float:
    assert epsilon > 0
    return sum(clip(x, 0, 1) for x in data) + laplace(1 / epsilon)
"""


def counting(claim="epsilon"):
    return parse_text(COUNT.format(claim=claim))["count"]


@pytest.fixture
def asked(monkeypatch):
    """Which mechanisms were searched, and for how long; the search takes as long as ``takes`` says."""
    calls = []

    def slow(mechanism, seconds):
        calls.append((mechanism.claim, seconds))
        until = time.thread_time() + min(slow.takes, seconds)
        while time.thread_time() < until:
            pass
        yield len(calls)

    slow.takes = 0.0
    monkeypatch.setattr(kept_sums, "by_folds", slow)
    return slow, calls


def test_the_same_mechanism_is_searched_once(asked):
    _, calls = asked
    sums = Sums()
    assert sums.of(counting(), 1) == sums.of(counting(), 5) == (1,)
    assert sums.of(counting("2 * epsilon"), 1) == (2,)
    assert len(calls) == 2


def test_what_was_given_up_is_tried_again_with_more_than_twice_the_time(asked):
    slow, calls = asked
    slow.takes = 10.0
    sums = Sums()
    assert sums.of(counting(), 0.01) == (1,)
    assert sums.of(counting(), 0.02) == (1,)
    slow.takes = 0.0
    assert sums.of(counting(), 0.03) == sums.of(counting(), 9) == (2,)
    assert len(calls) == 2
