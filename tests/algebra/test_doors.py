"""Types at the door: a notion, a split, a budget or a measure of the wrong type is refused, not misread."""

from dataclasses import replace

import pytest

from lapwing.algebra import claims, sensitivity
from lapwing.algebra.claims import Claim, Split
from lapwing.algebra.exact import shown
from lapwing.algebra.filters import Filter
from lapwing.algebra.measures import PureDP, RenyiDP
from lapwing.algebra.metrics import L1
from lapwing.algebra.neighbours import Neighbours, Unit
from lapwing.algebra.odometers import PureOdometer
from lapwing.algebra.subsampling import FixedSize
from lapwing.errors import BudgetExceeded, InvalidInput
from lapwing.noise.randomized_response import Odds, RandomizedResponse


@pytest.mark.parametrize(
    "ask",
    [
        lambda: sensitivity.bounded_sum(10, 11, "added"),
        lambda: sensitivity.mean(0, 1, 10, "added"),
        lambda: sensitivity.histogram("added", L1),
        lambda: sensitivity.count(None),
        lambda: sensitivity.Sensitivity(L1(1), "replaced"),
        lambda: Claim(PureDP(1), "added"),
        lambda: Claim("1", Neighbours.ADDED),
        lambda: claims.parallel([Claim(PureDP(1), Neighbours.REPLACED)] * 2, "by value"),
        lambda: Filter(None),
        lambda: Filter("1"),
        lambda: RenyiDP([2, 3]),
        lambda: RenyiDP({"-1e4500": 1}),
        lambda: FixedSize(10**5000, 5),
        lambda: Unit(5),
        lambda: Odds(-1),
    ],
    ids=range(15),
)
def test_a_wrong_type_is_refused_in_one_short_line(ask):
    with pytest.raises(InvalidInput) as refusal:
        ask()
    assert len(str(refusal.value)) < 250
    assert "\n" not in str(refusal.value)


def test_a_split_as_enum_is_still_taken():
    claim = Claim(PureDP(1), Neighbours.ADDED)
    assert claims.parallel([claim] * 2, Split.BY_VALUE) == claim


def test_a_filter_does_not_forget_under_replace():
    spent = Filter(PureDP(1)).charge(PureDP(1))
    assert replace(spent, budget=PureDP(1)).remaining == PureDP(0)
    assert replace(spent, budget=PureDP(2)).remaining == PureDP(1)
    with pytest.raises(BudgetExceeded):
        replace(spent, budget=PureDP("0.5"))


def test_a_filter_goes_on_where_another_was():
    assert Filter(PureDP(1), PureDP("0.75")).remaining == PureDP("0.25")


def test_an_odometer_does_not_forget_either():
    assert replace(PureOdometer().charge(PureDP(1))).reading() == PureDP(1)


def test_the_odds_that_run_are_the_odds_that_are_claimed():
    assert RandomizedResponse(Odds(0.1)) == RandomizedResponse.for_epsilon("0.1")


def test_long_numbers_are_shown_short():
    assert shown(3) == "3"
    assert len(shown(10**5000)) < 20
