"""Held against exact distributions: no shipped mechanism loses more than its bound, and the search would see it."""

from fractions import Fraction

import pytest

from lapwing import library
from lapwing.program import parse_text, show_module
from lapwing.refute.distribution import Subject
from lapwing.refute.search import refute
from tests.library.examples import EXAMPLES

#: Elements of the private list, at most; these two draw twice for each.
SIZES = {"adaptive_sparse_vector": 1, "numeric_sparse_vector": 1}


def _search(module, name):
    public = {key: Fraction(value) for key, value in EXAMPLES[name][1].items()}
    return refute(Subject(module, module[name]), settings=public, max_n=SIZES.get(name, 2))


@pytest.mark.parametrize("name", library.NAMES)
def test_no_exact_loss_at_small_sizes_passes_the_bound(name):
    outcome = _search(getattr(library, name).runnable.module, name)
    assert (outcome.violation, outcome.unconfirmed) == (None, None)
    # not an empty search: some pair of neighbours was told apart
    assert 0.2 < outcome.largest.loss <= 1


@pytest.mark.parametrize(
    "name", ["exponential_mechanism", "histogram", "noisy_max", "randomized_response", "smart_sum", "tree_counter"]
)
def test_of_a_smaller_claim_the_same_search_finds_a_violation(name):
    module = getattr(library, name).runnable.module
    text = show_module(module).replace("claim='epsilon'", "claim='epsilon / 3'")
    assert _search(parse_text(text), name).violation is not None
