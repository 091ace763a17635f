"""Held against exact distributions: no shipped mechanism loses more than its bound, and the search would see it."""

import math
from fractions import Fraction

import pytest

from lapwing import library
from lapwing.search.violation.loss import enclosure
from lapwing.search.violation.search import refute
from lapwing.search.violation.subject import Subject
from lapwing.source.parse import parse_text
from lapwing.source.printed_modules import show_module
from tests.library.examples import EXAMPLES

#: Elements of the private list, at most; these two draw twice for each.
SIZES = {"adaptive_sparse_vector": 1, "numeric_sparse_vector": 1}


#: Gaussian noise has no largest loss, its guarantee is about ρ; the other has a test of its own.
PURE = [name for name in library.NAMES if name not in ("gaussian_sums", "k_ary_randomized_response")]


def _search(module, name):
    public = {
        key: [Fraction(each) for each in value] if isinstance(value, list) else Fraction(value)
        for key, value in EXAMPLES[name][1].items()
    }
    return refute(Subject(module, module[name]), settings=public, max_n=SIZES.get(name, 2))


@pytest.mark.parametrize("name", PURE)
def test_no_exact_loss_at_small_sizes_passes_the_bound(name):
    outcome = _search(getattr(library, name).runnable.module, name)
    assert outcome.violation is None
    # not an empty search: some pair of neighbours was told apart
    approximate = getattr(library, name).guarantee.measure == "approximate"
    assert outcome.largest.loss > (0.1 if approximate else 0.2)
    assert approximate or outcome.largest.loss <= 1 + 1e-12


@pytest.mark.parametrize(
    "name", ["exponential_mechanism", "histogram", "noisy_max", "randomized_response", "smart_sum", "tree_counter"]
)
def test_of_a_smaller_claim_the_same_search_finds_a_violation(name):
    module = getattr(library, name).runnable.module
    text = show_module(module).replace("claim='epsilon'", "claim='epsilon / 3'")
    assert _search(parse_text(text), name).violation is not None


def test_one_of_k_choices_loses_exactly_epsilon():
    """The search takes minutes for powers of e; here are all choices of one person, and some outside."""
    module = library.k_ary_randomized_response.runnable.module
    subject = Subject(module, module["k_ary_randomized_response"])
    found = []
    for choice in (-1, 0, 1, 2, 7):
        law = subject.distribution(subject.inputs({"choices": [choice], "k": 3, "epsilon": Fraction(1)}))
        found.append([float(enclosure(law.probability((each,)))) for each in range(3)])
    assert found[0] == found[1]
    assert found[3] == found[4]
    assert all(abs(sum(each) - 1) < 1e-9 for each in found)
    ratios = [a / b for one in found for other in found for a, b in zip(one, other, strict=True)]
    assert abs(max(ratios) - math.e) < 1e-9
