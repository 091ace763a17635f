"""A first look at the smallest inputs, before any proof is looked for."""

from lapwing.decide import privacy as verdicts
from lapwing.decide.privacy import decide_text
from lapwing.search.violation import landscape
from tests.corpus import ROOT
from tests.strangers import strangers

SHELF = {each.name: each for each in strangers() if each.shelf == "wrong_neighbours"}


def test_what_shows_at_once_is_refuted_before_any_proof_is_looked_for(monkeypatch):
    def proving(*_):
        raise AssertionError("a proof is looked for")

    monkeypatch.setattr(verdicts, "attempts", lambda *_: iter([]))
    monkeypatch.setattr(verdicts, "search_proof", proving)
    assert decide_text(SHELF["sampled_squared"].text, "sampled_squared").verdict == "refuted"


def test_a_bound_that_has_no_value_somewhere_contradicts_nothing():
    """Of a coin that is no coin at epsilon 1, ln((1 + epsilon) / (1 - epsilon)) has no value there."""
    decision = decide_text(SHELF["warner_linear"].text, "warner_linear")
    assert decision.bound is not None
    assert decision.witness.log_ratio.lower is None


def test_the_look_after_a_proof_walks_nothing_again(monkeypatch):
    seen = []

    def walked(subject, inputs):
        side = real(subject, inputs)
        seen.append(tuple(inputs.items()))  # not where time was up in the middle
        return side

    real = landscape.Side
    monkeypatch.setattr(landscape, "Side", walked)
    assert decide_text((ROOT / "proved/coin_toss.py").read_text(), "coin_toss").verdict == "proved"
    assert seen
    assert len(seen) == len(set(seen))
