"""Coupling proofs with a δ: what is accepted, and that every part of a certificate is needed."""

import json
from dataclasses import replace

import pytest

from lapwing.decide.texts import check_certificate
from lapwing.kernel.evidence.approximate import Spread, Subset
from lapwing.kernel.evidence.certificate import Branch, Certificate, Joint
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.relational.certificate import Proved
from tests.kernel.approximate_proofs import CLAMPED, HEAD, INSIDE, PROOFS, START, certified, coupled

#: The pure one, whose draws are bounded together.
TOGETHER = Joint(((1, 1), (2, 1)), "1")


def proof_of(name):
    text, proof, bound, delta = PROOFS[name]
    if name == "clamped":
        proof = replace(proof, sites=tuple(replace(each, total="joint") for each in proof.sites), joint=(TOGETHER,))
        bound = "epsilon"
    return text, proof, bound, delta


def verdict(name, change=lambda proof: proof, **bounds):
    text, proof, bound, delta = proof_of(name)
    bound, delta = bounds.get("bound", bound), bounds.get("delta", delta)
    return check_certificate(certified(text, change(proof), bound, delta), text)


@pytest.mark.parametrize("name", PROOFS)
def test_it_is_accepted_and_survives_being_written(name):
    text, proof, bound, delta = proof_of(name)
    certificate = certified(text, proof, bound, delta)
    found = check_certificate(certificate, text)
    assert isinstance(found, Proved), found
    assert Certificate.from_json(json.loads(json.dumps(certificate.to_json()))) == certificate
    if delta is not None:
        assert found.bound.startswith(f"({bound}, ")
        assert "(ε, δ)-differentially private" in found.statement


def bad(number=0, **changes):
    def change(proof):
        entries = list(proof.bad)
        entries[number] = replace(entries[number], **changes)
        return replace(proof, bad=tuple(entries))

    return change


def interval(**changes):
    return lambda proof: replace(proof, intervals=(replace(proof.intervals[0], **changes),))


def site(number, alignment):
    return lambda proof: replace(
        proof,
        sites=tuple(replace(each, alignment=alignment) if each.site == number else each for each in proof.sites),
    )


def onto(inside, onto):
    return site(2, Branch(INSIDE.guard, Subset(inside, onto), "0"))


IN, ON = INSIDE.then.inside, INSIDE.then.onto
MUTATIONS = [
    ("between", lambda proof: replace(proof, bad=()), "the second run's interval may be narrower"),
    ("between", bad(side="above"), "the second run's interval may be narrower"),
    ("between", bad(start=f"{START} + 1", least=f"{START} + 1"), "the second run's interval may be narrower"),
    ("between", bad(least=f"{START} + 1"), "the tail may begin before"),
    ("between", bad(count="0"), "there may be more than 0 draws"),
    ("between", bad(count="0 - 1"), "may be below 0"),
    ("between", bad(site=2), "the probability of what is bad"),
    ("between", bad(site=3), "not about the mechanism's draws"),
    ("between", interval(extra="1"), "may differ by more than is stated"),
    ("between", interval(extra="2 - 1 / 1000"), "larger powers than are decided"),
    ("between", interval(uses="0"), "do not add up|more often than is stated"),
    ("between", interval(price="epsilon / 3"), "do not add up|may cost more than"),
    ("between", interval(width="5.5 * ln(3) / epsilon"), "may cost more than"),
    ("between", interval(width="5.9 * ln(3) / epsilon"), "larger powers than are decided"),
    ("between", interval(width="6 * ln(2.9) / epsilon"), "may cost more than"),
    ("between", interval(width="7 * ln(3) / epsilon"), "the probability of what is bad may pass"),
    ("between", interval(width="0"), "may not be above 0"),
    ("between", interval(width="-6 * ln(3) / epsilon"), "may not be above 0"),
    ("between", interval(width="6 * ln(3) / epsilon * high"), "may not be above 0"),
    ("between", interval(site=1), "may cost more than"),
    ("between", lambda proof: replace(proof, intervals=()), "do not add up|width"),
    ("between", onto(ON, IN), "the noise may lie below the interval"),
    ("between", onto(IN, tuple(reversed(ON))), "may differ by more than is stated"),
    ("between", onto(IN, IN), "may pass|differently|may be narrower|may not lie|moved to one"),
    ("between", site(1, "0"), "moved to one|do not add up"),
    ("between", site(1, "1"), "moved to one"),
    ("between", site(2, Branch("True", INSIDE.then, "0")), "the noise may lie below"),
    ("between", site(2, INSIDE.then), "the noise may lie below"),
    ("between", site(2, Branch(INSIDE.guard, Subset(("draw()", IN[1]), ON), "0")), "depends on the noise itself"),
    ("release", lambda proof: replace(proof, bad=()), "the shifts at site 2 may pass bound"),
    ("release", bad(given="gap <= 0 - 1"), "the shifts at site 2 may pass bound"),
    ("release", bad(given="True"), "the tail may begin before"),
    ("release", bad(least="threshold + 1"), "the tail may begin before"),
    ("release", bad(start="threshold - gap + 1"), "the shifts at site 2 may pass bound"),
    ("release", bad(side="below"), "the shifts at site 2 may pass bound"),
    ("release", bad(run=2), "the shifts at site 2 may pass bound"),
    ("release", bad(count="0"), "there may be more than 0 draws"),
    ("release", bad(given="other(value) <= 0"), "the shifts at site 2 may pass bound|the tail may begin before"),
    ("histogram", bad(0, count="0"), "there may be more than 0 draws"),
    ("histogram", bad(1, count="0"), "there may be more than 0 draws"),
    ("histogram", bad(0, least="threshold"), "the tail may begin before"),
    ("histogram", bad(1, least="threshold"), "the tail may begin before"),
    ("histogram", bad(0, given="c > 0"), "there may be more than|the tail may begin|the invariant of loop 1"),
    ("histogram", bad(0, given="c > 0 and other(c) <= 0"), "depends on more than the first run and the inputs"),
    ("histogram", bad(0, given="other(noisy) > 0"), "depends on more than the first run and the inputs"),
    ("histogram", bad(0, given="other(counts[len(out)]) <= 0"), "depends on more than the first run and the inputs"),
    ("histogram", bad(0, given="cost(1) <= 0"), "depends on more than the first run and the inputs"),
    ("histogram", bad(0, given="tries(1) <= 0"), "depends on more than the first run and the inputs"),
    ("histogram", bad(0, given="draw() > 0"), "depends on more than the first run and the inputs"),
    ("histogram", bad(0, start="threshold - other(c)"), "depends on more than the first run and the inputs"),
    ("histogram", lambda proof: replace(proof, bad=proof.bad[:1]), "tries|'out' may differ"),
    ("histogram", lambda proof: replace(proof, bad=proof.bad[1:]), "tries|'out' may differ"),
    ("clamped", lambda proof: replace(proof, pairs=()), "the second run may answer differently"),
    ("clamped", lambda proof: replace(proof, pairs=proof.pairs[:1]), "the second run may answer differently"),
    ("clamped", lambda proof: replace(proof, pairs=(*proof.pairs, proof.pairs[0])), "each in one at most"),
    ("clamped", lambda proof: replace(proof, pairs=(replace(proof.pairs[0], second=3),)), "each in one at most"),
    ("clamped", lambda proof: replace(proof, pairs=(replace(proof.pairs[0], alignment="0"),)), "answer differently"),
    ("clamped", lambda proof: replace(proof, pairs=(replace(proof.pairs[0], second=1),)), "is paired, and may not"),
]


@pytest.mark.parametrize(("name", "change", "reason"), MUTATIONS)
def test_every_part_is_needed(name, change, reason):
    found = verdict(name, change)
    assert isinstance(found, Rejected), found
    assert any(each in found.reason for each in reason.split("|")), found.reason


@pytest.mark.parametrize(
    ("name", "bounds", "reason"),
    [
        (
            "between",
            {"delta": "2.59 * exp(epsilon / 2 - epsilon * (high - low) / 4)"},
            "the probability of what is bad",
        ),
        ("between", {"delta": "30 * exp(epsilon - epsilon * (high - low) / 12)"}, "may pass the δ of the claim"),
        ("between", {"delta": "0"}, "the probability of what is bad"),
        ("between", {"delta": "0 - 1"}, "the probability of what is bad"),
        ("between", {"bound": "epsilon / 2"}, "the prices of the draws"),
        ("between", {"delta": None}, "with a δ only"),
        ("release", {"delta": "exp(-epsilon * threshold) / 2.1"}, "the probability of what is bad"),
        ("histogram", {"delta": "exp(-epsilon * threshold)"}, "the probability of what is bad"),
        ("release", {"delta": "exp(-epsilon * gap) / 2"}, "not a formula over public parameters"),
    ],
)
def test_no_smaller_bound_is_shown(name, bounds, reason):
    found = verdict(name, **bounds)
    assert isinstance(found, Rejected)
    assert reason in found.reason


def test_a_larger_bound_within_the_claim_is_shown():
    wide = "2.6 * exp(epsilon - epsilon * (high - low) / 4)"
    assert isinstance(verdict("between", delta=wide), Proved)


@pytest.mark.parametrize(
    ("then", "reason"),
    [
        ("y = laplace(2 / epsilon)", "different scales"),
        ("y = exponential(1 / epsilon)", "different kinds"),
        ("y = 0.0\n        if x < -5:\n            y = laplace(1 / epsilon)", "is paired, and may not"),
    ],
)
def test_draws_are_paired_with_their_like_only(then, reason):
    """Otherwise the log-ratio grows with the answer, or noise is drawn that the other run never sees."""
    text = HEAD + CLAMPED.replace("y = laplace(1 / epsilon)", then)
    _, proof, bound, _ = proof_of("clamped")
    found = check_certificate(certified(text, proof, bound), text)
    assert isinstance(found, Rejected)
    assert reason in found.reason


NOISY = """
@mechanism(x=within(1), claim=("epsilon - 1", "0"))
def noisy(x: float, epsilon: float) -> float:
    assert epsilon > 2
    return x + laplace(1 / epsilon)
"""


@pytest.mark.parametrize(
    "spread",
    [
        Spread(1, "0 - 2", "1 / epsilon", "1", "0 - 1"),
        Spread(1, "0", "1 / epsilon", "1", "0 - 1"),
        Spread(1, "0", "1 / epsilon", "0 - 1", "1"),
    ],
)
def test_an_interval_that_is_never_used_pays_for_nothing(spread):
    """A price below 0, or so many uses, would be taken off what shifts cost."""
    text = HEAD + NOISY
    sites = [(Branch("draw() > draw()", Subset(("0", "1"), ("0", "1")), "-hat(x)"), "1")]
    found = check_certificate(certified(text, coupled(sites, intervals=[spread]), "epsilon - 1", "0"), text)
    assert isinstance(found, Rejected), found
    assert "may be below 0" in found.reason
