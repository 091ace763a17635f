"""A decision ends in time, and keeps what was learnt, though a solver forgets the time or aborts."""

import os
import signal
import time

import pytest

from lapwing.decide import accuracy, privacy, proof_search
from lapwing.decide.privacy import decide_text
from lapwing.decide.time_limits import computed, last_in_time
from lapwing.search.privacy import Failed

HALF = """
from lapwing import laplace, mechanism, within

@mechanism(x=within(1), claim="epsilon")
def half_the_noise(x: float, epsilon: float) -> float:
    return x + laplace(1 / (2 * epsilon))

@mechanism(x=within(1), claim="epsilon")
def enough(x: float, epsilon: float) -> float:
    return x + laplace(1 / epsilon)
"""


def forgetful():
    """What looks at no clock and hears no signal."""
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, signal.NSIG))
    while True:
        pass


def killed():
    """What the system ends."""
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture
def stuck(monkeypatch):
    """Every search for a proof says why one way failed, and then does not come back."""

    def by(ending):
        def attempts(*_):
            yield Failed("nobody knows how")
            ending()

        for room in (privacy, proof_search):
            monkeypatch.setattr(room, "attempts", attempts)

    return by


@pytest.mark.parametrize("ending", [forgetful, killed, lambda: time.sleep(3600)], ids=["forgets", "dies", "sleeps"])
def test_what_a_lost_search_had_learnt_is_kept(stuck, ending):
    stuck(ending)
    begun = time.perf_counter()
    verdict = decide_text(HALF, "enough", limit=1, wall=2)
    assert verdict.verdict == "unknown"
    assert "nobody knows how" in verdict.reason
    assert time.perf_counter() - begun < 30  # it would be for ever


def test_a_lost_search_for_a_proof_leaves_time_for_a_violation(stuck):
    stuck(forgetful)
    assert decide_text(HALF, "half_the_noise", limit=2, wall=20).verdict == "refuted"


def test_a_lost_search_for_accuracy_is_unknown(monkeypatch, tmp_path):
    def attempts(*_, **__):
        forgetful()
        yield

    monkeypatch.setattr(accuracy, "attempts", attempts)
    file = tmp_path / "half.py"
    file.write_text(HALF)
    (found,) = accuracy.readings(str(file), "enough", "abs(result - x) <= 100", limit=0.2)
    assert (found.verdict, found.reason) == ("unknown", "the time limit passed")


def test_the_last_step_in_time_is_known_and_whether_it_was_the_last():
    def steps():
        yield 1
        yield 2
        time.sleep(3600)

    assert last_in_time(lambda: [1, 2], 5) == (2, False)
    assert last_in_time(lambda: [], 5) == (None, False)
    assert last_in_time(steps, 5, wall=0.2) == (2, True)


def test_what_else_goes_wrong_is_raised():
    def steps():
        yield 1
        raise RecursionError("deep")

    with pytest.raises(RecursionError, match="deep"):
        last_in_time(steps, 5)


def test_the_time_of_processes_that_have_ended_counts():
    def steps():
        end = time.process_time() + 0.3
        while time.process_time() < end:
            yield 1

    before = computed()
    last_in_time(steps, 5)
    assert computed() - before >= 0.25
