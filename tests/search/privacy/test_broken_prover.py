"""A broken prover cannot produce a proof: the checker stops wrong alignments, invariants, totals and prices."""

from dataclasses import replace
from pathlib import Path

import pytest

from lapwing.decide.texts import check_certificate
from lapwing.kernel.evidence.certificate import Branch
from lapwing.kernel.relational.certificate import Proved
from lapwing.search.privacy import coupling, invariants
from lapwing.search.privacy.linear import number
from lapwing.search.privacy.synthesis import Choice
from tests.search.privacy.proving import IN_VAIN, certificates, proved

CORPUS = Path(__file__).resolve().parents[3] / "corpus"
SPARSE = (CORPUS / "proved" / "sparse_vector.py").read_text()
WRONG = sorted((CORPUS / "refuted").glob("*.py"))


def stops_all(text):
    """Whether the broken prover claims something, and the checker stops all of it."""
    claims = list(certificates(text, seconds=IN_VAIN))
    return bool(claims) and not any(isinstance(check_certificate(each, text), Proved) for each in claims)


def test_invariants_that_were_never_proved_are_stopped(monkeypatch):
    monkeypatch.setattr(coupling, "prove_every_size", lambda *_: {1: ()})
    assert stops_all(SPARSE)


@pytest.mark.parametrize(
    "formula",
    [
        "cost(2) <= 0",  # true at first and not after a round
        "above >= 1",  # not true at first
        "hat(above) == 0 and above <= limit and cost(2) <= above",  # pays half
        "hat(above) == 1 and cost(2) <= 2 * above",  # the runs differ
        "1 == 2",  # from which everything follows
    ],
)
def test_invariants_that_are_wrong_are_stopped(formula, monkeypatch):
    monkeypatch.setattr(coupling, "prove_every_size", lambda *_: {1: (formula,)})
    monkeypatch.setattr(coupling, "_conjunction", lambda facts: facts[0])
    assert stops_all(SPARSE)


@pytest.mark.parametrize(
    ("threshold", "above", "below"),
    [("1", "1", "0"), ("0", "0", "0"), ("1", "0 - hat(x)", "0"), ("-1", "1 - hat(x)", "0"), ("1", "1 - hat(x)", "1")],
)
def test_alignments_that_are_wrong_are_stopped(threshold, above, below, monkeypatch):
    right = proved(SPARSE).proof
    guard = right.sites[1].alignment.guard
    wrong = {1: threshold, 2: Branch(guard, above, below)}
    written = coupling.coupling_of

    def broken(*parts):
        proof = written(*parts)
        return replace(proof, sites=tuple(replace(each, alignment=wrong[each.site]) for each in proof.sites))

    monkeypatch.setattr(coupling, "coupling_of", broken)
    assert stops_all(SPARSE)


def test_an_alignment_that_was_never_tried_is_stopped(monkeypatch):
    constant = Choice(None, number(1), number(1))
    monkeypatch.setattr(coupling.Search, "alignments", lambda *_: iter([{1: constant, 2: constant}]))
    monkeypatch.setattr(invariants._Houdini, "follows", lambda *_: True)
    monkeypatch.setattr(invariants._Houdini, "needed", lambda *_: {1: ()})
    assert stops_all(SPARSE)


def test_prices_that_do_not_add_up_are_stopped(monkeypatch):
    monkeypatch.setattr(coupling, "_bound", lambda *_: "epsilon / 8")
    assert stops_all(SPARSE)


@pytest.mark.parametrize("path", WRONG, ids=lambda path: path.stem)
def test_a_prover_that_believes_everything_proves_no_wrong_program(path, monkeypatch):
    monkeypatch.setattr(coupling, "_within_claim", lambda *_: True)
    monkeypatch.setattr(coupling, "prove_every_size", lambda *_: {1: ()})
    text = path.read_text()
    for certificate in certificates(text, seconds=IN_VAIN):
        assert not isinstance(check_certificate(certificate, text), Proved)


def test_the_checker_would_accept_the_honest_certificate_and_none_of_these():
    certificate = proved(SPARSE)
    proof = certificate.proof
    query = proof.sites[1]
    swapped = Branch(query.alignment.guard, query.alignment.otherwise, query.alignment.then)
    wrong = [
        replace(proof, sites=(proof.sites[0], replace(query, alignment=swapped))),
        replace(proof, sites=(proof.sites[0], replace(query, alignment="0"))),
        replace(proof, sites=(replace(proof.sites[0], alignment="0"), query)),
        replace(proof, sites=(proof.sites[0], replace(query, total="limit"))),
        replace(proof, invariants=(replace(proof.invariants[0], formula="False"),)),
        replace(proof, invariants=(replace(proof.invariants[0], formula="True"),)),
    ]
    assert isinstance(check_certificate(certificate, SPARSE), Proved)
    for each in wrong:
        assert not isinstance(check_certificate(replace(certificate, proof=each), SPARSE), Proved)
