"""The shifts and tests worth trying at a draw."""

from pathlib import Path

from lapwing.kernel.program.printer import show
from lapwing.search.privacy.templates import templates
from lapwing.source.parse import parse_file

PROVED = Path(__file__).resolve().parents[3] / "corpus" / "proved"


def _at(stem, site, *, ghost=False):
    mechanism = parse_file(PROVED / f"{stem}.py").mechanisms[-1]
    found = next(each for each in templates(mechanism, ghost=ghost) if each.site == site)
    return {show(each) for each in found.guards}, {show(each) for each in found.leaves}


def test_a_threshold_is_moved_by_the_distance_or_not_at_all():
    assert _at("sparse_vector", 1) == (set(), {"0", "1", "-1"})


def test_a_query_is_moved_with_the_threshold_where_it_is_above():
    guards, leaves = _at("sparse_vector", 2)
    assert guards == {"x + draw() >= noisy_threshold"}
    assert {"0", "hat(noisy_threshold) - hat(x)", "-hat(x)", "1 - hat(x)"} <= leaves


def test_a_test_is_written_over_what_is_known_at_the_draw():
    guards, _ = _at("adaptive_sparse_vector", 2)
    assert guards == {"x + draw() - noisy_threshold >= margin"}


def test_a_test_of_the_next_round_is_a_guard():
    guards, _ = _at("lyu_2", 3)
    assert guards == {"above + 1 < limit"}


def test_the_ghost_is_a_guard_only_when_there_is_one():
    assert "i == output()" in _at("noisy_max", 1, ghost=True)[0]
    assert "i == output()" not in _at("noisy_max", 1)[0]


def test_a_released_value_is_made_equal():
    assert "-hat(total) - hat(x)" in _at("prefix_sum", 1)[1]
    assert "-hat(a[i])" in _at("noisy_sum_2_one", 1)[1]
