"""Means, tables, peeling, trees and rounds as strangers write them: a share of the shelf, right and wrong."""

import pytest

from lapwing.decide.privacy import decide_text
from tests.search.privacy.proving import proved
from tests.strangers import strangers

SHELF = {each.name: each for each in strangers() if each.shelf == "surveys"}
RIGHT = ("payroll", "hierarchy_levels", "top_k_skip", "bisect_median", "click_rate", "several_intervals", "counted_n")
WRONG = (
    "bands_overlap",
    "categories_may_repeat",
    "column_sums_parallel",
    "mean_private_n",
    "pipeline_scaled_after",
    "sampled_count_linear",
    "slice_count",
    "unbounded_items",
)


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right_is_proved(name):
    assert SHELF[name].truth == "right"
    assert proved(SHELF[name].text, name) is not None


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refuted(name):
    assert SHELF[name].truth == "wrong"
    assert decide_text(SHELF[name].text, name).verdict == "refuted"
