"""Whole-number noise is searched as real noise, and what that shows is asked of the mechanism itself."""

from fractions import Fraction

import pytest

from lapwing.decide.texts import check_witness
from lapwing.kernel.distribution.witness import Accepted
from lapwing.kernel.evidence.event import Between
from lapwing.kernel.program import ir
from lapwing.search.violation import search
from lapwing.search.violation.claimed_numbers import claim_value
from lapwing.search.violation.findings import to_witness
from lapwing.search.violation.smoothed import in_whole_numbers, smoothed
from lapwing.search.violation.subject import Subject
from lapwing.source.parse import parse_text
from tests.strangers import strangers

SHELF = {each.name: each for each in strangers() if each.shelf == "wrong_neighbours"}


def _subject(name, text=None):
    module = parse_text(text or SHELF[name].text, only=name)
    return Subject(module, module[name])


def test_a_sketch_breaks_the_claim_of_the_mechanism():
    subject = _subject("integer_svt_never_stops")
    ((real, look),) = search._sketched(subject, {"epsilon": 4}, 6)
    finding = look.best()
    assert real.refutes(finding)
    witness = to_witness(subject, "<text>", finding, claim_value(subject.mechanism, finding.pair.left))
    assert isinstance(check_witness(witness, SHELF["integer_svt_never_stops"].text), Accepted)


def test_a_true_claim_has_no_sketch_that_breaks_it(monkeypatch):
    monkeypatch.setattr(search, "SKETCHING", 0.0)
    name = "integer_svt_never_stops"
    true = SHELF[name].text.replace('claim="epsilon"', 'claim="(1 + len(q) / 2) * epsilon"')
    assert not list(search._sketched(_subject(name, true), {}, 2))


def test_real_noise_needs_no_sketch():
    assert smoothed(_subject("unsorted_edges")) is None


@pytest.mark.parametrize(
    ("event", "kind", "meant"),
    [
        (Fraction(5, 2), ir.Integer(), Fraction(2)),
        (Fraction(5, 2), ir.Real(), Fraction(5, 2)),
        ((True, Fraction(-1, 2)), ir.Tuple((ir.Boolean(), ir.Integer())), (True, Fraction(-1))),
        (Between(Fraction(1, 2), None), ir.Integer(), Between(Fraction(1, 2), None)),
    ],
)
def test_events_of_whole_numbers(event, kind, meant):
    assert in_whole_numbers(event, kind) == meant
