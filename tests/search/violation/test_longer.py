"""Violations that show only on lists longer than those that are searched with care."""

import pytest

from lapwing.decide.privacy import decide_text
from lapwing.decide.texts import check_witness
from lapwing.decide.time_limits import OutOfTime
from lapwing.kernel.distribution.witness import Accepted
from lapwing.search.violation import search, shrink
from lapwing.search.violation.search import refute
from lapwing.search.violation.subject import Subject
from lapwing.source.parse import parse_text
from tests.strangers import SHELF, strangers

TEXTS = {each.name: each.text for each in strangers() if each.shelf == "refuting"}
CHECKDP = (SHELF.parent / "peers" / "checkdp.py").read_text()


def refuted(text, name, **settings):
    module = parse_text(text, only=name)
    subject = Subject(module, module[name])
    outcome = refute(subject, settings=settings)
    assert outcome.violation is not None
    verdict = check_witness(outcome.witness(subject, "<text>"), text)
    assert isinstance(verdict, Accepted), verdict
    return outcome.violation


def test_an_answer_that_pins_the_threshold_is_grown_before_other_parameters_are_tried():
    assert refuted(CHECKDP, "adaptive_value").n == 4


def test_a_place_in_the_answer_moves_on_as_the_list_grows():
    """Each element adds a sixth: seven are needed, and the answer is the place of the last."""
    violation = refuted(TEXTS["svt_numeric_reuses_noise"], "svt_numeric_reuses_noise")
    assert violation.n == 7
    assert violation.event[0] == 6


def test_a_limit_shows_where_lists_are_longer_than_it():
    """Noise for two yeses with a limit of three: six noes and three yeses."""
    assert refuted(TEXTS["svt_limit_three"], "svt_limit_three", limit=3).n == 9


def test_the_limit_itself_is_found(monkeypatch):
    monkeypatch.setattr(shrink, "SECONDS", 0.0)
    assert refuted(TEXTS["svt_limit_three"], "svt_limit_three").pair.left["limit"] >= 3


def test_larger_sizes_are_looked_at_between_other_public_parameters():
    assert refuted(TEXTS["top_two_for_one"], "top_two_for_one").n == 4


def test_a_private_program_does_not_grow_into_a_violation():
    module = parse_text(TEXTS["svt_limit_scaled"], only="svt_limit_scaled")
    outcome = refute(Subject(module, module["svt_limit_scaled"]), settings={"limit": 2}, max_n=3)
    assert outcome.violation is None


@pytest.mark.parametrize("claim", ['"epsilon"', '("epsilon", "1 / 100")'])
def test_a_violation_is_not_lost_when_time_passes_while_it_is_made_small(monkeypatch, claim):
    def late(*_):
        raise OutOfTime

    monkeypatch.setattr(search, "shrunk", late)
    text = f"""
from lapwing import laplace, mechanism, within
@mechanism(x=within(1), claim={claim})
def f(x: float, epsilon: float) -> float:
    return x + laplace(1 / (2 * epsilon))
"""
    verdict = decide_text(text, "f")
    assert verdict.verdict == "refuted"
    assert isinstance(check_witness(verdict.witness, text), Accepted)


def test_shrinking_ends_in_time(monkeypatch):
    """With no time at all the violation comes out as it was found."""
    monkeypatch.setattr(shrink, "SECONDS", 0.0)
    text = """
from lapwing import laplace, mechanism, within
@mechanism(x=within(1), claim="epsilon")
def f(x: float, epsilon: float) -> float:
    return x + laplace(1 / (2 * epsilon))
"""
    assert refuted(text, "f") is not None


def test_a_whole_number_beyond_three_is_tried():
    """A value times 3 is the same modulo 3, whatever it is."""
    assert refuted(TEXTS["hashed_report"], "hashed_report").pair.left["g"] == 4


def test_rounds_of_an_adversary_grow_with_what_is_asked(monkeypatch):
    """Five rounds without a stop, yeses and noes: the list of answers stays as long as the rounds are many."""
    monkeypatch.setattr(shrink, "SECONDS", 0.0)
    assert refuted(TEXTS["adversary_unlimited"], "adversary_unlimited", rounds=6, epsilon=1).n == 5
