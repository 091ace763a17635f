"""``lapwing.prove`` and ``lapwing.refute`` decide about the function that is given: what a call of it runs."""

import pytest

import lapwing
from lapwing import laplace, library, mechanism, within
from lapwing.errors import LapwingError
from lapwing.kernel.rejected import Rejected


@mechanism(x=within(1), claim="epsilon")
def noisy(x: float, epsilon: float) -> float:
    """A number with enough noise."""
    return x + laplace(1 / epsilon)


@mechanism(x=within(1), claim="epsilon")
def quiet(x: float, epsilon: float) -> float:
    """The same with half of it."""
    return x + laplace(1 / (2 * epsilon))


@mechanism(x=within(1))
def unclaimed(x: float, epsilon: float) -> float:
    """Nobody says what it costs."""
    return x + laplace(3 / epsilon)


def test_a_function_is_proved_and_its_verdict_can_be_checked():
    verdict = lapwing.prove(noisy)
    assert (verdict.verdict, verdict.function, verdict.bound) == ("proved", "noisy", "epsilon")
    assert not isinstance(lapwing.check(verdict, source=__file__), Rejected)


def test_a_wrong_claim_is_refuted_by_either():
    for verdict in (lapwing.prove(quiet), lapwing.refute(quiet)):
        assert verdict.verdict == "refuted"
        assert verdict.witness.log_ratio.lower > verdict.witness.claim_value.upper
        assert not isinstance(lapwing.check(verdict, source=__file__), Rejected)


def test_without_a_claim_the_bound_is_found():
    assert lapwing.prove(unclaimed).bound == "epsilon / 3"


def test_two_inputs_that_are_given_are_looked_at():
    here = lapwing.refute(quiet, left={"x": 0, "epsilon": 1}, right={"x": 1, "epsilon": 1})
    assert here.verdict == "refuted"
    assert (here.witness.left["x"], here.witness.right["x"]) in ((0, 1), (1, 0))
    assert lapwing.refute(quiet, left={"x": 0, "epsilon": 1}, right={"x": 0, "epsilon": 1}).verdict == "nothing found"


def test_nothing_is_found_against_a_right_program():
    assert lapwing.refute(noisy, max_n=1).verdict == "nothing found"


def test_a_path_and_a_mechanism_of_the_library_will_do():
    assert lapwing.prove(f"{__file__}::noisy").verdict == "proved"
    assert lapwing.prove(library.noisy_count).bound == "epsilon"
    with pytest.raises(LapwingError):
        lapwing.prove(f"{__file__}::nobody")
