"""A first look at the smallest inputs, before any proof is looked for."""

from lapwing.decide import privacy as verdicts
from lapwing.decide.privacy import decide_text
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
