"""Coarse lattices: where they stand for a run's, and what is shown again on the lattice of a run."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from lapwing.check import Accepted, Rejected, check_witness
from lapwing.program.parse import parse_text
from lapwing.program.printer import fingerprint
from lapwing.refute.claims import claim_value
from lapwing.refute.distribution import Subject
from lapwing.refute.findings import Finding, to_witness
from lapwing.refute.lattices import RUN, coarsest, fitted
from lapwing.refute.neighbouring import Pair
from lapwing.refute.noises import _WideGaussian, lattice_noise
from lapwing.refute.search import refute

HEAD = "from lapwing import clip, exponential, gaussian, laplace, mechanism, within, zcdp\n"


def subject_of(body, claim='"epsilon"', parameters="x: float, epsilon: float", returns="float", step=1):
    text = f"{HEAD}@mechanism(x=within(1), claim={claim})\ndef f({parameters}) -> {returns}:\n    return {body}\n"
    module = parse_text(text)
    return text, Subject(module, module["f"], Fraction(step))


@pytest.mark.parametrize(
    "body",
    [
        "clip(x, 0, 0.5) + laplace(0.5 / epsilon)",
        "clip(x, 0, 1 / 2) + laplace(1 / (2 * epsilon))",
        "(0.25 if x > 0 else 0) + laplace(1 / (4 * epsilon))",
        "0.5 * (0.5 if x > 0 else 0) + laplace(1 / (4 * epsilon))",
        "(1 if x > 0 else 0) / 2 + laplace(1 / (2 * epsilon))",
    ],
)
def test_numbers_between_the_points_of_a_coarse_lattice_are_no_violation(body):
    _, subject = subject_of(body)
    assert refute(subject, settings={"epsilon": 1}).violation is None


def test_a_public_number_between_the_points_is_no_violation_either():
    _, subject = subject_of(
        "(t if x > 0 else 0) + laplace(t / epsilon)", parameters="x: float, t: float, epsilon: float"
    )
    for t in ("1/2", "3/8", "1"):
        assert refute(subject, settings={"epsilon": 1, "t": t}).violation is None


def test_the_lattice_follows_powers_of_two_up_to_that_of_a_run():
    assert coarsest([Fraction(1, 2), Fraction(1, 12), Fraction(3)]) == Fraction(1, 4)
    assert coarsest([Fraction(1, 2**30)]) == 1  # on no lattice of a run
    _, subject = subject_of("clip(x, 0, 0.5) + laplace(epsilon)")
    assert fitted(subject, {"epsilon": Fraction(1, 8)}).step == Fraction(1, 8)
    assert fitted(replace(subject, step=RUN), {"epsilon": Fraction(1)}).step == RUN


@pytest.mark.parametrize(
    ("body", "claim", "true"),
    [
        # on whole numbers the distance of two Laplace answers is 0.46, on a run's lattice 0.3935
        ("x + laplace(1)", '("0", "0.4")', True),
        ("x + laplace(1)", '("0", "0.39")', False),
        ("x + gaussian(0.5)", '("1", "0.511")', True),
        ("x + gaussian(0.5)", '("1", "0.5")', False),
        ("x + exponential(1)", '("1/2", "0.64")', True),
        ("x + exponential(1)", '("1/2", "0.6")', False),
        ("x + laplace(1)", 'zcdp("0.41")', True),
        ("x + gaussian(1)", 'zcdp("0.25")', False),
    ],
)
def test_claims_of_delta_and_rho_are_refuted_on_the_lattice_of_a_run_or_not_at_all(body, claim, true):
    text, subject = subject_of(body, claim, parameters="x: float")
    outcome = refute(subject)
    if true:
        assert outcome.violation is None
        return
    witness = outcome.witness(subject, "f.py")
    assert witness.lattice == RUN
    assert isinstance(check_witness(witness, text), Accepted)


def test_what_is_not_confirmed_on_the_lattice_of_a_run_is_kept_apart():
    _, subject = subject_of("x + laplace(1)", '("0", "0.4")', parameters="x: float")
    outcome = refute(subject)
    assert outcome.violation is None
    assert outcome.unconfirmed.lattice == 1


def test_leaving_the_lattice_by_a_division_is_shown_on_the_lattice_of_a_run():
    text, subject = subject_of("x / 2 + laplace(1 / (2 * epsilon))")
    outcome = refute(subject)
    witness = outcome.witness(subject, "f.py")
    assert witness.lattice == RUN
    assert {witness.left["x"], witness.right["x"]} == {0, RUN}
    assert isinstance(check_witness(witness, text), Accepted)


@pytest.mark.parametrize(
    ("body", "claim", "reason"),
    [
        ("clip(x, 0, 0.5) + laplace(0.5 / epsilon)", '"epsilon"', "1/2 lies between multiples of 1"),
        ("clip(x, 0, 1 / 2) + laplace(1 / epsilon)", '"epsilon"', "1/2 lies between multiples of 1"),
        ("x / 2 + laplace(1 / epsilon)", '"epsilon"', "'/' at 4:12 can leave the multiples of 1"),
        ("x + laplace(1 / epsilon)", '("epsilon", "0.1")', "a claim of δ or ρ depends on the lattice"),
        ("x + laplace(1 / epsilon)", 'zcdp("0.1")', "a claim of δ or ρ depends on the lattice"),
    ],
)
def test_the_checker_refuses_a_coarse_lattice_that_cannot_stand_for_a_run(body, claim, reason):
    """Built without the search, so that only the checker stands in the way."""
    text, subject = subject_of(body, claim)
    finder_text, finder = subject_of("x + laplace(1 / (4 * epsilon))")
    witness = refute(finder, settings={"epsilon": 1}).witness(finder, "f.py")
    assert isinstance(check_witness(witness, finder_text), Accepted)
    moved = replace(witness, source=fingerprint(subject.module, "f"))
    verdict = check_witness(moved, text)
    assert isinstance(verdict, Rejected)
    assert reason in verdict.reason


def above(claim, threshold="1"):
    """Whether a bit, doubled, and noise are above 1: on whole numbers the loss is 1, in a run 0.8318."""
    text = f"""from lapwing import laplace, mechanism, replaced
@mechanism(b=replaced(), claim="{claim}")
def f(b: bool) -> bool:
    other = laplace(2)
    return (2 if b else 0) + laplace(2) > {threshold}
"""
    module = parse_text(text)
    return text, Subject(module, module["f"])


@pytest.mark.parametrize(
    ("claim", "threshold", "true"),
    [
        ("0.9", "1", True),
        ("0.8319", "1", True),
        ("0.8317", "1", False),
        # too many states for the lattice of a run: 0.5684, 0.5264, 0.5090, 0.5010, 0.4972, … with halved steps
        ("0.55", "1 + other", True),
        ("0.5", "1 + other", True),
        ("0.495", "1 + other", True),
        ("0.48", "1 + other", False),
    ],
)
def test_what_only_ties_on_a_coarse_lattice_lose_is_no_violation(claim, threshold, true):
    text, subject = above(claim, threshold)
    outcome = refute(subject)
    if true:
        assert outcome.violation is None
        assert outcome.unconfirmed.lattice == 1
    else:
        assert isinstance(check_witness(outcome.witness(subject, "f.py"), text), Accepted)


@pytest.mark.parametrize(("claim", "accepted"), [("0.9", False), ("0.8319", False), ("0.8317", True)])
def test_the_checker_looks_again_on_the_lattice_of_a_run(claim, accepted):
    text, subject = above(claim)
    pair = Pair({"b": True}, {"b": False})
    chances = [subject.probability(side, output=True) for side in (pair.left, pair.right)]
    finding = Finding(pair, True, *chances, 0, Fraction(1))
    verdict = check_witness(to_witness(subject, "f.py", finding, claim_value(subject.mechanism, pair.left)), text)
    assert isinstance(verdict, Accepted) == accepted
    if not accepted:
        assert "breaks the claim on multiples of 1 and not on multiples of 1/1048576" in verdict.reason


def test_a_wide_gaussian_has_the_masses_of_a_narrow_one_summed():
    """The table of a Gaussian of 1,000 steps against the closed form of the same."""
    narrow, wide = lattice_noise("gaussian", Fraction(1000)), _WideGaussian(Fraction(1000) ** 2)
    for k in (-1500, -1, 0, 1, 700, 5000):
        for side, one in (("pmf", wide.pmf(k)), ("at_least", wide.at_least(k))):
            assert float(one.mid()) == pytest.approx(float(getattr(narrow, side)(np.array([k]))[0]), rel=1e-12)
