"""The recomputation of a finding: exact, rounded down, and not fooled by changes."""

import json
import math
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapwing.audit.finding import NOT_REFUTED, REFUTED, TOO_FEW, Chunk, Finding, Watched, digest
from lapwing.audit.recheck import STEP, Bets, Recounted, could_reach, likelihood, recheck, recheck_json, recompute
from lapwing.errors import InvalidInput
from lapwing.kernel.rejected import Rejected

THOUSANDTH = Fraction(1, 1000)


def wealth(bets, odds):
    """The most that the accounts hold after any chunk, in exact arithmetic, for rational odds."""
    accounts = [Fraction(weight) for weight in bets.accounts]
    most = Fraction(1)
    for chunk in bets.chunks:
        for place, stake in enumerate(chunk.stakes):
            if stake and 1 - stake * (odds + bets.delta) <= 0:
                accounts[place] = Fraction(0)
            accounts[place] *= (
                (1 + stake * (1 - odds - bets.delta)) ** chunk.both
                * (1 + stake * (1 - bets.delta)) ** chunk.likelier
                * (1 - stake * (odds + bets.delta)) ** chunk.other
                * (1 - stake * bets.delta) ** chunk.neither
            )
        most = max(most, sum(accounts))
    return most


counts = st.integers(0, 12)
stakes = st.fractions(0, Fraction(2, 3), max_denominator=50)
chunks = st.lists(st.builds(Chunk, st.just(0), counts, counts, counts, counts, st.tuples(stakes, stakes)), max_size=6)
bets = st.builds(
    Bets,
    st.sampled_from([Fraction(0), Fraction(1, 100)]),
    st.sampled_from([Fraction(1, 3), Fraction(1, 20)]),
    st.just((Fraction(1, 2), Fraction(1, 3))),
    chunks.map(tuple),
)


@given(bets, st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1)]))
def test_wealth_and_bound_are_those_of_exact_arithmetic_rounded_down(made, epsilon):
    again = recompute(made, epsilon)
    true = wealth(made, likelihood(epsilon))
    assert again.refuted == (true >= 1 / made.alpha)
    assert math.isclose(float(again.log_wealth), math.log(true), rel_tol=1e-9, abs_tol=1e-9)
    if again.at_least > 0:
        assert wealth(made, likelihood(again.at_least)) >= 1 / made.alpha
    if again.at_least != epsilon:
        assert wealth(made, likelihood(again.at_least + STEP)) < 1 / made.alpha


@given(bets, st.fractions(0, 3), st.fractions(0, 3))
def test_what_is_held_falls_as_the_level_rises(made, one, two):
    low, high = sorted((one, two))
    assert wealth(made, likelihood(low)) >= wealth(made, likelihood(high))


@given(st.fractions(0, 20))
def test_the_odds_are_never_below_the_exponential(level):
    odds = likelihood(level)
    assert float(odds) >= math.exp(float(level)) * (1 - 1e-12)
    assert math.isclose(float(odds), math.exp(float(level)), rel_tol=1e-12)


def made_finding(**changes):
    """A finding that holds: an event in 80 of 80 runs on the left and none on the right."""
    chunks = (
        Chunk(0, 1, 30, 2, 47, (Fraction(1, 4), Fraction(1, 20))),
        Chunk(0, 0, 60, 0, 20, (Fraction(3, 10), Fraction(0))),
    )
    accounts = (Fraction(3, 4), Fraction(1, 4))
    again = recompute(Bets(Fraction(0), THOUSANDTH, accounts, chunks), Fraction(1))
    assert again.refuted
    whole = Finding(
        "wards:noisy_mean", Fraction(1), Fraction(0), 1 - THOUSANDTH, Fraction(1), "one row more", "[0.0]", "[0.0, 1]",
        REFUTED, again.at_least, again.log_wealth, could_reach(160, Fraction(0), THOUSANDTH, accounts[0]), 500,
        (Watched("the answer is at most 2", "left", 91, 3, 160),), accounts, chunks, 1.5,
    )  # fmt: skip
    return replace(whole, **changes)


def test_a_finding_holds_and_survives_being_written():
    finding = made_finding()
    assert isinstance(recheck(finding), Recounted)
    again, verdict = recheck_json(json.loads(json.dumps(finding.to_json())))
    assert again == finding
    assert isinstance(verdict, Recounted)
    assert "at least 1." in verdict.statement


def swapped(finding):
    return replace(finding, events=(replace(finding.events[0], likelier="right"),))


def restaked(finding, stake):
    first = replace(finding.chunks[0], stakes=(stake, finding.chunks[0].stakes[1]))
    return replace(finding, chunks=(first, *finding.chunks[1:]))


def recounted(finding, **changes):
    """Counts changed in a chunk, and the event's totals with them."""
    first = replace(finding.chunks[0], **changes)
    chunks = (first, *finding.chunks[1:])
    here, there = sum(c.both + c.likelier for c in chunks), sum(c.both + c.other for c in chunks)
    event = replace(finding.events[0], left=here, right=there, pairs=sum(c.pairs for c in chunks))
    return replace(finding, chunks=chunks, events=(event,))


MUTATIONS = {
    "a count": lambda f: recounted(f, likelier=31),
    "a count, moved": lambda f: recounted(f, other=1, neither=48),
    "a count that no total tells": lambda f: replace(f, chunks=(replace(f.chunks[0], likelier=31), *f.chunks[1:])),
    "a larger stake": lambda f: restaked(f, Fraction(26, 100)),
    "a smaller stake": lambda f: restaked(f, Fraction(24, 100)),
    "a stake below 0": lambda f: restaked(f, Fraction(-1, 4)),
    "the claim, up": lambda f: replace(f, epsilon=Fraction(11, 10)),
    "the claim, down": lambda f: replace(f, epsilon=Fraction(9, 10)),
    "delta": lambda f: replace(f, delta=Fraction(1, 10**6)),
    "the direction": swapped,
    "the bound": lambda f: replace(f, at_least=f.at_least + STEP),
    "the bound, down": lambda f: replace(f, at_least=f.at_least - STEP),
    "the confidence": lambda f: replace(f, confidence=1 - Fraction(1, 10**9)),
    "the share": lambda f: replace(f, share=Fraction(1, 10**30)),
    "more money": lambda f: replace(f, accounts=(Fraction(3, 4), Fraction(1, 2))),
    "other money": lambda f: replace(f, accounts=(Fraction(7, 8), Fraction(1, 8))),
    "money below 0": lambda f: replace(f, accounts=(Fraction(3, 4), Fraction(-1, 4))),
    "the wealth": lambda f: replace(f, log_wealth=f.log_wealth + 1),
    "the verdict": lambda f: replace(f, verdict=NOT_REFUTED),
    "the verdict, gently": lambda f: replace(f, verdict=TOO_FEW),
    "what could have been shown": lambda f: replace(f, could_reach=f.could_reach + 1),
    "what could have been shown, nothing": lambda f: replace(f, could_reach=Fraction(0)),
    "fewer pairs": lambda f: replace(f, pairs=10),
    "no such event": lambda f: replace(f, chunks=(replace(f.chunks[0], event=7), *f.chunks[1:])),
    "a share of nothing": lambda f: replace(f, share=Fraction(0)),
    "an exact verdict of its own": lambda f: replace(f, exact="certainly leaks"),
    "certainty": lambda f: replace(f, confidence=Fraction(1)),
}


@pytest.mark.parametrize("change", MUTATIONS.values(), ids=MUTATIONS)
def test_a_changed_finding_is_rejected(change):
    assert isinstance(recheck(change(made_finding())), Rejected)


@pytest.mark.parametrize(
    "name", ["target", "relation", "left", "right", "verdict", "pairs", "seconds", "notes", "exact"]
)
def test_whatever_else_is_changed_is_noticed_by_the_digest(name):
    data = made_finding().to_json()
    data[name] = {"verdict": NOT_REFUTED, "pairs": 600, "seconds": 2.5, "notes": ["all is well"]}.get(name, "proved")
    assert isinstance(recheck_json(data)[1], Rejected)


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "witness"}, {"epsilon": 1}, {"epsilon": "nan"}, {"pairs": True}, {"pairs": -1}, {"events": "x"},
        {"chunks": [{"event": 0, "counts": [1, 2, 3], "stakes": ["0", "0"]}]}, {"verdict": "private"},
        {"seconds": "long"}, {"accounts": ["1"]}, {"more": 1}, {"chunks": [{}]}, {"left": 3},
    ],
)  # fmt: skip
def test_what_is_no_finding_is_refused(change):
    data = {**made_finding().to_json(), **change}
    with pytest.raises(InvalidInput) as refused:
        recheck_json(data)
    assert refused.value.code in ("C120", "C121", "C103", "A001")


def test_what_is_said_of_the_source_is_not_taken_for_shown():
    said = recheck(replace(made_finding(), exact="refuted"))
    assert isinstance(said, Recounted)
    assert "that its source is refuted is not shown here" in said.statement


def test_nothing_bet_shows_nothing():
    again = recompute(Bets(Fraction(0), THOUSANDTH, (), ()), Fraction(1))
    assert (again.log_wealth, again.refuted, again.at_least) == (0, False, 0)


def test_the_digest_is_of_the_content_alone():
    data = made_finding().to_json()
    assert digest({k: v for k, v in reversed(data.items()) if k != "digest"}) == data["digest"]


def green(pairs, verdict=NOT_REFUTED, reach=None, epsilon=Fraction(1)):
    """A finding of an audit that showed nothing: so many pairs, all alike on both sides."""
    accounts, chunks = (Fraction(3, 4),), (Chunk(0, pairs, 0, 0, 0, (Fraction(0),)),)
    reach = could_reach(pairs, Fraction(0), THOUSANDTH, accounts[0]) if reach is None else reach
    return Finding(
        "f", epsilon, Fraction(0), 1 - THOUSANDTH, Fraction(1), "", "0", "1", verdict, Fraction(0), Fraction(0), reach,
        pairs, (Watched("there is an answer", "left", pairs, pairs, pairs),), accounts, chunks,
    )  # fmt: skip


def test_what_could_have_been_shown_is_computed_again_and_not_believed():
    assert isinstance(recheck(green(1000)), Recounted)
    assert isinstance(recheck(green(1000, reach=Fraction(9))), Rejected)
    assert isinstance(recheck(green(10, reach=Fraction(9))), Rejected)
    assert isinstance(recheck(green(10)), Rejected)  # ten pairs could not have refuted 1
    assert isinstance(recheck(green(10, TOO_FEW)), Recounted)
    assert isinstance(recheck(green(1000, TOO_FEW)), Rejected)
    assert isinstance(recheck(green(1000, TOO_FEW, Fraction(0))), Recounted)  # answers that could not be looked into


@given(st.integers(1, 10**7), st.sampled_from([Fraction(0), Fraction(1, 100)]))
def test_what_could_have_been_shown_is_what_a_total_leak_would_show(pairs, delta):
    reach = could_reach(pairs, delta, THOUSANDTH, Fraction(3, 4))
    if reach > 0:
        odds = math.exp(float(reach))
        stake = 0.95 / (odds + float(delta))
        assert pairs * math.log1p(stake * (1 - float(delta))) + math.log(0.75) >= math.log(1000) * (1 - 1e-9)
        odds = math.exp(float(reach) * 1.002)
        assert pairs * math.log1p(0.95 / (odds + float(delta)) * (1 - float(delta))) + math.log(0.75) < math.log(1000)


def many_bets(chunks, accounts):
    stakes = tuple(Fraction(1 + place, 200) for place in range(accounts))
    return Bets(
        Fraction(0),
        THOUSANDTH,
        (Fraction(1, accounts),) * accounts,
        tuple(Chunk(0, 3, 60 + number % 7, 4, 5, stakes) for number in range(chunks)),
    )


def test_three_levels_are_computed_exactly_however_many_bets_there_are(monkeypatch):
    """The rest of the search is in floats, so that a finding with thousands of bets is checked in seconds."""
    from lapwing.audit import recheck as room

    levels, exact = [], room._peak
    monkeypatch.setattr(room, "_peak", lambda bets, level, top: levels.append(level) or exact(bets, level, top))
    again = recompute(many_bets(40, 20), Fraction(1))
    assert again.at_least in levels
    assert len(levels) == 3


def test_a_wrong_guess_in_floats_changes_nothing(monkeypatch):
    from lapwing.audit import recheck as room

    made = many_bets(4, 3)
    true = recompute(made, Fraction(1))
    for guess in (0.0, math.inf):
        monkeypatch.setattr(room, "_roughly", lambda *_, guess=guess: guess)
        assert recompute(made, Fraction(1)) == true


def test_more_bets_than_an_audit_makes_are_refused():
    data = made_finding().to_json()
    data["accounts"] = ["1/1000"] * 500
    data["chunks"] = [{"event": 0, "counts": [0, 0, 0, 0], "stakes": ["0"] * 500}] * 100
    with pytest.raises(InvalidInput, match="bets"):
        recheck_json(data)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10**300), Fraction(1000), Fraction(10**9), Fraction(10**400)])
def test_claims_of_any_size_can_be_checked(epsilon):
    stated = recompute(Bets(Fraction(0), THOUSANDTH, (Fraction(1),), made_finding().chunks[:0]), epsilon)
    assert stated.at_least == 0
    verdict = NOT_REFUTED if epsilon < 1 else TOO_FEW
    assert isinstance(recheck(green(1000, verdict, epsilon=epsilon)), Recounted)


@pytest.mark.parametrize("seconds", [-1, math.nan, math.inf, 10**400, True, "1"])
def test_a_time_that_is_none_is_refused(seconds):
    with pytest.raises(InvalidInput) as refused:
        recheck_json({**made_finding().to_json(), "seconds": seconds})
    assert refused.value.code == "C121"


def test_a_name_cannot_look_like_another_verdict():
    _, verdict = recheck_json(made_finding(target="a\naccepted b:\r\x1b[1A all is well").to_json())
    assert verdict.statement.startswith("a accepted b: [1A all is well has a privacy loss of at least 1.")
