"""Tails that are counted together: of two that no two neighbours meet both, the dearer one is paid."""

from dataclasses import replace
from fractions import Fraction
from math import exp

import pytest

from lapwing.decide.texts import check_certificate
from lapwing.kernel.distribution.probability import probability
from lapwing.kernel.evidence.event import Between
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.relational.certificate import Proved
from lapwing.kernel.relational.setting import Setting
from lapwing.source.parse import parse_text
from tests.kernel.approximate_proofs import (
    ALONE,
    COUNT,
    FIRST,
    HALF,
    HEAD,
    HISTOGRAM,
    PLACE,
    SECOND,
    certified,
    coupled,
)  # fmt: skip

#: of neighbours that differ in both, the first run alone may have the one, and the second alone the other
BOTH = f"""
@mechanism(c=within(1), d=within(1), claim=("2 * epsilon", "{HALF}"))
def f(c: int, d: int, threshold: float, epsilon: float) -> tuple[float, float]:
    assert threshold >= 1 and epsilon > 0
    one = 0.0
    if c > 0:
        noisy = c + laplace(1 / epsilon)
        if noisy > threshold:
            one = noisy
    two = 0.0
    if d > 0:
        other_noisy = d + laplace(1 / epsilon)
        if other_noisy > threshold:
            two = other_noisy
    return one, two
"""


def checked(text, bad, sites=(("-hat(c)", "1"),), bound="epsilon", delta=HALF, invariants=()):
    return check_certificate(certified(HEAD + text, coupled(sites, invariants, bad=bad), bound, delta), HEAD + text)


def test_of_a_count_that_one_run_alone_has_half_is_paid():
    assert isinstance(checked(COUNT, [FIRST, SECOND]), Proved)
    apart = checked(COUNT, [FIRST, replace(SECOND, beside=None)])
    assert isinstance(apart, Rejected)
    assert "what is bad may pass" in apart.reason


def test_that_is_what_it_loses():
    module = parse_text(HEAD + COUNT)
    given = {"threshold": Fraction(4), "epsilon": Fraction(1)}
    above = Between(Fraction(4), None)
    one, none = (probability(module, "stable", {"c": Fraction(c), **given}, above) for c in (1, 0))
    assert none.upper == 0
    assert float(one.lower) == pytest.approx(exp(-3) / 2)


@pytest.mark.parametrize(
    "beside",
    [
        [replace(FIRST, beside=1), SECOND],  # itself
        [replace(FIRST, beside=2), replace(SECOND, beside=None)],
        [replace(FIRST, beside=2), SECOND],  # each other
        [FIRST, replace(SECOND, beside=2)],
        [FIRST, replace(SECOND, beside=3)],
        [FIRST, replace(SECOND, count="2")],
        [replace(FIRST, count="2"), SECOND],
        [replace(FIRST, count="0"), replace(SECOND, count="0")],
        [replace(FIRST, count="-1"), replace(SECOND, count="-1")],
        [FIRST, replace(SECOND, least="threshold - 2")],  # the dearer one is paid
        [replace(FIRST, least="threshold - 2"), SECOND],
    ],
)
def test_others_are_rejected(beside):
    # an entry may count for one that stands before it: whoever counts for itself may stand anywhere
    expected = Proved if beside[0].beside == 2 and beside[1].beside is None else Rejected
    assert isinstance(checked(COUNT, beside), expected)


def four(counted):
    two = [replace(each, site=2, given=each.given.replace("c", "d"), start=each.start.replace("(c)", "(d)").replace(
        "- c", "- d")) for each in (FIRST, SECOND)]  # fmt: skip
    return [replace(each, beside=by) for each, by in zip((FIRST, SECOND, *two), counted, strict=True)]


@pytest.mark.parametrize("counted", [(None, 1, 1, 1), (None, 1, None, 3), (None, None, 2, 1), (None, 1, None, 1)])
def test_what_neighbours_may_meet_both_is_paid_twice(counted, monkeypatch):
    sites = (("-hat(c)", "1"), ("-hat(d)", "1"))
    assert isinstance(checked(BOTH, four(counted), sites, "2 * epsilon"), Rejected)
    if counted == (None, 1, None, 3):  # each of the two counts for itself: so much is lost, and shown
        twice = HALF.removesuffix(" / 2")
        assert isinstance(checked(BOTH.replace(HALF, twice), four(counted), sites, "2 * epsilon", twice), Proved)
        return
    asked = Setting.ask

    def ask(self, state, goal, node, reason):
        if "draws that might be bad" not in reason:
            asked(self, state, goal, node, reason)

    monkeypatch.setattr(Setting, "ask", ask)
    if counted == (None, 1, 1, 1):
        assert isinstance(checked(BOTH, four(counted), sites, "2 * epsilon"), Proved), "the condition is not needed"


def test_bins_are_counted_together_over_all_rounds():
    text = HISTOGRAM.replace("exp(-epsilon * (threshold - 1))", HALF)
    bad = [ALONE, replace(ALONE, run=2, given="c <= 0", start="threshold - other(c)", beside=1)]
    kept = [f"cost(1) <= {PLACE} and tries(1) <= {PLACE}"]
    assert isinstance(checked(text, bad, (("-hat(c)", "1"),), invariants=kept), Proved)
    every = text.replace("one(1)", "each(1)")
    rounds = ["cost(1) <= round(1) and tries(1) <= round(1)"]
    sites = (("-hat(c)", "len(counts)"),)
    assert isinstance(checked(every, bad, sites, "len(counts) * epsilon", invariants=rounds), Rejected)


def test_what_is_counted_with_another_has_no_count_of_its_own():
    text = HISTOGRAM.replace("exp(-epsilon * (threshold - 1))", HALF)
    bad = [ALONE, replace(ALONE, run=2, given="c <= 0", start="threshold - other(c)", beside=1)]
    kept = [f"cost(1) <= {PLACE} and tries(1) <= {PLACE} and tries(2) <= {PLACE}"]
    assert isinstance(checked(text, bad, (("-hat(c)", "1"),), invariants=kept), Rejected)


#: a count that is shown once before a loop and twice in it: as many draws are alone
OUTSIDE = f"""
@mechanism(c=within(1), claim=("3 * epsilon", "3 * {HALF}"))
def f(c: int, threshold: float, epsilon: float) -> int:
    assert threshold >= 1 and epsilon > 0
    code = 0
    if c > 0:
        x = c + laplace(1 / epsilon)
        if x > threshold:
            code += 1
    for _ in range(2):
        if c > 0:
            y = c + laplace(1 / epsilon)
            if y > threshold:
                code += 2
    return code
"""
ONCE, ROUNDS = OUTSIDE[OUTSIDE.index("    if c") : OUTSIDE.index("    return")].split("    for")
INSIDE = OUTSIDE.replace(f"{ONCE}    for{ROUNDS}", f"    for{ROUNDS}{ONCE}")


@pytest.mark.parametrize("text", [OUTSIDE, INSIDE], ids=["before", "behind"])
@pytest.mark.parametrize("head", [1, 3])
def test_a_loop_counts_for_an_entry_that_stands_outside_of_it_and_the_other_way_round(text, head):
    spent = "cost(1) <= 1 and cost(2) <= round(1)" if text == OUTSIDE else "cost(1) <= round(1) and cost(2) <= 0"
    sites = (("-hat(c)", "1"), ("-hat(c)", "2")) if text == OUTSIDE else (("-hat(c)", "2"), ("-hat(c)", "1"))

    def found(count, tries):
        bad = [replace(each, site=site, count=count) for site in (1, 2) for each in (FIRST, SECOND)]
        bad = [replace(each, beside=None if entry == head else head) for entry, each in enumerate(bad, 1)]
        delta = f"{count} * {HALF}"
        claimed = text.replace(f"3 * {HALF}", delta)
        kept = [f"hat(code) == 0 and {spent} and {tries}"]
        return checked(claimed, bad, sites, "3 * epsilon", delta, kept)

    before = "1 + round(1)" if text == OUTSIDE else "round(1)"
    assert isinstance(found("3", f"tries({head}) <= {before}"), Proved)
    for tries in (f"tries({head}) <= {before}", f"tries({head}) <= 1", "True"):
        assert isinstance(found("2", tries), Rejected)
        assert isinstance(found("1", tries), Rejected)


def test_too_many_sums_are_refused():
    never = [replace(SECOND, given="c > 0 and c <= 0", least=f"threshold - {each}") for each in range(2, 20)]
    found = checked(COUNT, [FIRST, SECOND, *never])
    assert isinstance(found, Rejected)
    assert "too many tails" in found.reason
