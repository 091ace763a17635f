"""Some of what strangers port, right and wrong beside each other: corpus/strangers/ports.txt has the rest."""

import pytest

from lapwing.decide.privacy import decide_text
from tests.strangers import strangers

SHELF = {each.name: each for each in strangers() if each.shelf == "ports"}
#: Pairs of a program and the mistake in it: those that take little time.
QUICK = (
    "index_of_max", "ptr_bare", "drawn_once_more", "noise_in_turn", "closest_to_target_no_two", "larger_copy",
    "one_noise_for_tests", "from_zcdp", "best_shop", "fives_first", "two_views_shared",
)  # fmt: skip
MEANT = {"right": "proved", "wrong": "refuted"}


@pytest.mark.parametrize("name", QUICK)
def test_decided(name):
    program = SHELF[name]
    assert decide_text(program.text, name).verdict == MEANT[program.truth]


def test_nearly_half_is_wrong():
    truths = [each.truth for each in SHELF.values()]
    assert truths.count("wrong") > 0.45 * len(truths)
