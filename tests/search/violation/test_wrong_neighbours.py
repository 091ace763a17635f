"""Wrong neighbours of what textbooks have: far tails, orders near 1, lists out of order."""

from itertools import islice

import pytest

from lapwing.decide.privacy import decide_text
from lapwing.decide.texts import check_witness
from lapwing.kernel.distribution.witness import Accepted
from lapwing.search.violation.explore import Search
from lapwing.search.violation.neighbouring import Neighbourhood
from lapwing.search.violation.publics import assignments
from lapwing.search.violation.search import refute
from lapwing.search.violation.subject import Subject
from lapwing.source.parse import parse_text
from tests.strangers import strangers

SHELF = {each.name: each for each in strangers() if each.shelf == "wrong_neighbours"}


def _subject(name):
    module = parse_text(SHELF[name].text, only=name)
    return Subject(module, module[name])


def _refuted(name, **settings):
    subject, text = _subject(name), SHELF[name].text
    outcome = refute(subject, settings=settings)
    assert outcome.violation is not None
    witness = outcome.witness(subject, "<text>")
    assert isinstance(check_witness(witness, text), Accepted)
    return witness


@pytest.mark.parametrize("name", ["zcdp_from_pure", "warner_linear", "two_sums_exactly", "laplace_as_zcdp"])
def test_they_are_decided_in_a_moment(name):
    meant = {"right": "proved", "wrong": "refuted"}[SHELF[name].truth]
    assert decide_text(SHELF[name].text, name).verdict == meant


def test_two_gaussians_are_told_from_nine_tenths_of_them_by_far_tails():
    assert _refuted("two_sums_at_nine_tenths").order > 2


def test_heavy_tails_are_told_by_an_order_near_one():
    assert 1 < _refuted("zcdp_from_pure", rho=2).order < 2


@pytest.mark.parametrize("name", ["two_sums_exactly", "laplace_as_zcdp", "discrete_gaussian_exactly"])
def test_no_order_passes_a_claim_that_is_met_exactly(name):
    subject = _subject(name)
    search = Search(Neighbourhood(subject, next(assignments(subject, {}))))
    found = search.explore(next(search.neighbourhood.starts(1)))
    assert found
    assert not any(search.refutes(each) for each in found)


def test_edges_out_of_order_are_among_the_first_that_are_tried():
    edges = [each["edges"] for each in islice(assignments(_subject("unsorted_edges_of_cumulated"), {}), 2)]
    assert [list(each) == sorted(each) for each in edges] == [True, False]
    assert _refuted("unsorted_edges_of_cumulated", edges=edges[1]).log_ratio.lower > 1
