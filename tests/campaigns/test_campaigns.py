"""A slice of every campaign, and that each notices what it looks for; mutated programs have a file of their own."""

from collections import Counter
from dataclasses import replace

import pytest

from lapwing.kernel.rejected import Rejected
from lapwing.kernel.relational.certificate import Proved
from lapwing.noise.laplace import Laplace
from lapwing.query.lowering import bounding, relations, sql
from tests.campaigns import audits, evidence, kinds, neighbours, readings, transplants
from tests.kernel.certificates import CERTIFICATES
from tests.kernel.distribution.test_witness import REFUTING, SOURCE


def test_random_programs_mean_the_same_in_six_ways():
    found = readings.campaign(60, seed=10_000)
    assert found["CONTRADICTION"] == 0
    assert found["weighed"] + found["listed"] >= 25
    assert found["listed"] >= 5


def test_a_reading_that_differs_is_noticed(monkeypatch):
    """A run that answers 0 to everything disagrees with Python."""
    monkeypatch.setattr(readings, "run_module", lambda *_: 0)
    assert readings.campaign(10)["CONTRADICTION"] >= 5


@pytest.fixture
def few(monkeypatch):
    """Evidence that is at hand, without a search."""
    certificates = [(name, text, shown) for name, (shown, text) in list(CERTIFICATES.items())[:4]]
    witnesses = [(name, SOURCE, shown) for name, shown in list(REFUTING.items())[:2]]
    monkeypatch.setattr(evidence, "evidence", lambda: certificates + witnesses)
    evidence.changes.cache_clear()
    yield
    evidence.changes.cache_clear()


@pytest.mark.usefixtures("few")
def test_mutated_evidence_states_nothing_new():
    found = evidence.campaign(80)
    assert found["CONTRADICTION"] == 0
    assert found["rejected"] + found["unreadable"] >= 60


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("check", ["checked", "check_witness"])
def test_a_checker_that_accepts_everything_is_noticed(monkeypatch, check):
    for name in ("checked", "check_witness"):
        monkeypatch.setattr(evidence, name, lambda *_, name=name: None if name == check else Rejected("it is"))
    assert evidence.campaign(400)["CONTRADICTION"] > 0


def test_a_smaller_bound_is_no_weaker_statement(monkeypatch):
    certificate, text = CERTIFICATES["sparse_vector"]
    smaller = replace(certificate, bound="epsilon / 2")
    assert evidence._certificate(smaller.to_json(), text, certificate) == "rejected"
    monkeypatch.setattr(evidence, "checked", lambda *_: None)
    assert evidence._certificate(smaller.to_json(), text, certificate) == "CONTRADICTION"
    larger = replace(certificate, bound="2 * epsilon")
    assert evidence._certificate(larger.to_json(), text, certificate) == "weaker"


@pytest.fixture
def quickly_proved(monkeypatch):
    """A program of some kinds, each proved at once."""
    wanted = {"sampled": "a call on a sample", "programs": "advanced", "folds": "moments", "by hand": "gap",
              "adaptive": "one"}  # fmt: skip
    known = kinds.shelves()
    chosen = {shelf: [each for each in some if each[0] == wanted.get(shelf)] for shelf, some in known.items()}
    monkeypatch.setattr(kinds, "shelves", lambda: {shelf: some for shelf, some in chosen.items() if some})


@pytest.mark.usefixtures("quickly_proved")
def test_mutated_certificates_of_all_kinds_are_rejected_or_true():
    found = kinds.campaign(60, seed=4, of_each=6)
    assert found["CONTRADICTION"] == 0
    assert found["rejected"] >= 50
    assert {"of: fold", "of: composed", "of: deferral"} <= set(found)


@pytest.mark.usefixtures("quickly_proved")
def test_a_kernel_that_accepts_every_certificate_is_noticed(monkeypatch):
    for shelf, some in kinds.shelves().items():
        kinds.evidence(shelf, some[0][0])
    monkeypatch.setattr(kinds, "checked", lambda *_: None)
    assert kinds.campaign(60, seed=4, of_each=6)["CONTRADICTION"] >= 5


@pytest.fixture
def small(monkeypatch):
    """Programs whose proofs are found at once."""
    names = ("proved/noisy_sum_1", "proved/two_counts", "proved/coin_toss", "library/noisy_count", "folds/moments")
    known = transplants.sources()
    monkeypatch.setattr(transplants, "sources", lambda: [each for each in known if each[0] in names])


@pytest.mark.usefixtures("small")
def test_a_proof_in_another_program_is_rejected_or_true():
    found = transplants.campaign(20)
    assert found["CONTRADICTION"] == 0
    assert found["rejected"] >= 10
    assert found["accepted, nothing found against it"] >= 1


@pytest.mark.usefixtures("small")
def test_a_kernel_that_accepts_every_proof_is_noticed(monkeypatch):
    for label, _ in transplants.sources():
        transplants.proofs(label)
    monkeypatch.setattr(transplants, "check_certificate", lambda *_: Proved("anything", "epsilon", 0))
    assert transplants.campaign(20)["CONTRADICTION"] >= 2


def test_random_queries_of_our_own_are_not_refuted():
    found = audits.campaign(4, tables=1)  # each way of neighbours once
    assert found["not refuted"] == 4
    assert found["CONTRADICTION"] == 0


def test_an_audit_that_could_not_have_refuted_is_no_evidence(monkeypatch):
    monkeypatch.setattr(audits, "AMPLE", 0.5)
    monkeypatch.setattr(audits, "query", lambda _: "SELECT COUNT(*) AS n FROM people")
    assert audits.campaign(1, tables=1)["CONTRADICTION"] == 1


def test_an_audit_that_refutes_our_own_query_is_noticed(monkeypatch):
    true = Laplace.release
    monkeypatch.setattr(Laplace, "release", lambda self, values: true(Laplace(self.scale / 8), values))
    monkeypatch.setattr(audits, "query", lambda _: "SELECT COUNT(*) AS n FROM people")
    assert audits.campaign(1, tables=1)["CONTRADICTION"] == 1


def test_neighbouring_tables_cost_what_is_certified():
    found = neighbours.campaign(60)
    assert found["CONTRADICTION"] == 0
    assert found["moved"] >= 60


@pytest.mark.parametrize("compare", [neighbours._questions, neighbours._parts])
def test_a_person_who_is_not_limited_is_noticed(monkeypatch, compare):
    """Whoever may have a row or two has as many as they like."""
    monkeypatch.setattr(bounding, "less_of", lambda _: sql.whole(0))
    kept, first = bounding.sample, relations._first
    monkeypatch.setattr(bounding, "sample", lambda columns, _, *rest: kept(columns, 9, *rest))
    monkeypatch.setattr(relations, "_first", lambda node, _, *rest: first(node, 9, *rest))
    found, seeds = Counter(), iter(range(6))
    while not found["CONTRADICTION"]:
        compare(next(seeds), found)
