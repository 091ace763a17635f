"""What a claim takes for granted of the number that coins are made of."""

import pytest

from lapwing import exp, flip, mechanism, replaced
from lapwing.decide.privacy import decide_text
from lapwing.errors import LapwingError
from lapwing.kernel.program.printer import show
from lapwing.source.parse import parse_text

COIN = """
@mechanism(x=replaced(), claim={claim!r})
def respond(x: bool, epsilon: float) -> bool:
    {first}
    return x if flip({chance}) else not x
"""
WARNER = "exp(epsilon) / (1 + exp(epsilon))"


def preconditions(first="", chance=WARNER, claim="epsilon"):
    text = COIN.format(first=first or "pass_ = 0", chance=chance, claim=claim)
    return [show(each) for each in parse_text(text)["respond"].preconditions]


def test_the_price_that_a_coin_is_made_of_is_above_zero():
    assert preconditions() == ["epsilon > 0"]
    assert preconditions(first="p = exp(epsilon)", chance="p / (1 + p)") == ["epsilon > 0"]
    assert preconditions(claim="2 * epsilon") == ["epsilon > 0"]


def test_whoever_says_something_of_it_is_taken_at_their_word():
    assert preconditions(first="assert epsilon >= 1") == ["epsilon >= 1"]


def test_nothing_is_granted_where_the_coin_is_another():
    assert preconditions(chance="3 / 4", claim="ln(3)") == []


def test_proved_and_refuted_without_an_assert():
    private = COIN.format(first="pass_ = 0", chance=WARNER, claim="epsilon")
    assert decide_text(private, "respond").bound == "epsilon"
    doubled = COIN.format(first="pass_ = 0", chance="exp(2 * epsilon) / (1 + exp(2 * epsilon))", claim="epsilon")
    found = decide_text(doubled, "respond")
    assert found.verdict == "refuted"
    assert float(found.witness.left["epsilon"]) > 0


def test_what_runs_is_what_is_proved():
    @mechanism(x=replaced(), claim="epsilon")
    def respond(x: bool, epsilon: float) -> bool:
        return x if flip(exp(epsilon) / (1 + exp(epsilon))) else not x

    assert respond(True, 2.0) in (True, False)
    with pytest.raises(LapwingError, match="epsilon > 0"):
        respond(True, -1.0)
