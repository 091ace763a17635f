"""The grey box: the same randomness on both sides points at a line, and never accuses."""

import os
import random
import secrets

import numpy as np
import pytest

import lapwing
from lapwing.audit.boundaries import noise_methods
from lapwing.audit.neighbouring_inputs import Pair
from lapwing.audit.same_randomness import replayed
from lapwing.audit.suspicions import suspicions_of, twin_suspicion
from lapwing.errors import InvalidInput
from lapwing.noise.source import SECURE


def legacy(x):
    return x + np.random.laplace(0, 1.0)


def modern(x):
    return x + np.random.default_rng().laplace(0, 1.0)


def plain(x):
    return x + random.gauss(0, 1)


def own_object(x):
    return x + random.Random().gauss(0, 1)


def system(x):
    return x + random.SystemRandom().random()


def urandom(x):
    return x + int.from_bytes(os.urandom(4), "big")


def secret(x):
    return x + secrets.randbelow(10**9)


@pytest.mark.parametrize("function", [legacy, modern, plain, own_object, system, urandom, secret])
def test_randomness_is_the_same_twice_and_then_itself_again(function):
    with replayed(5):
        once, twice = function(0), function(0)
    with replayed(5):
        again = function(3)
    assert again - once == pytest.approx(3, abs=1e-9)
    if function not in (modern, own_object):  # these make a new generator at each call, from the same number
        assert once != twice
    assert len({function(0) for _ in range(20)}) == 20


def test_draws_are_written_down_with_their_place():
    with replayed(1) as tape:
        legacy(0)
        modern(0)
    assert [draw.function for draw in tape.draws] == ["laplace", "laplace"]
    assert tape.draws[0].scale == 1.0
    assert tape.draws[0].place.startswith(__file__)


def test_lapwings_own_entropy_is_not_replayed():
    with replayed(1):
        one = SECURE.random_bits(64)
    with replayed(1):
        two = SECURE.random_bits(64)
    assert one != two


def scale_follows_the_data(values):
    return sum(values) + np.random.laplace(0, 1 / len(values))


def unclipped(values):
    return float(sum(values)) + np.random.laplace(0, 1)


def clipped(values):
    return float(np.clip(values, 0, 1).sum()) + np.random.laplace(0, 1)


def test_a_scale_that_follows_the_data_is_suspicious():
    (heard,) = suspicions_of(scale_follows_the_data, Pair([0.0], [0.0, 1.0]), 1.0)
    assert "the scale of laplace at" in heard
    assert f"{__file__}:" in heard
    assert "is 1 on the left and 0.5 on the right" in heard


def test_a_shift_above_the_scale_is_suspicious():
    (heard,) = suspicions_of(unclipped, Pair([0.0], [7.0]), 1.0)
    assert "7 apart" in heard


def test_what_is_right_is_not_suspicious():
    assert suspicions_of(clipped, Pair([0.0], [7.0]), 1.0) == []


class Mechanism:
    """As libraries have them: an object that knows its sensitivity and adds noise in one method."""

    def __init__(self, sensitivity):
        self.sensitivity = sensitivity

    def randomise(self, value):
        return value + np.random.laplace(0, max(self.sensitivity, 1e-3))


def test_a_declared_sensitivity_is_held_against_the_value():
    def fit(values):
        return Mechanism(0.5).randomise(float(sum(values)))

    methods = [(owner, name) for owner, name in noise_methods() if owner is Mechanism]
    assert methods == [(Mechanism, "randomise")]
    before = Mechanism.randomise
    heard = suspicions_of(fit, Pair([0.0], [3.0]), 100.0, methods)
    assert any("Mechanism at" in each and "moves by 3" in each for each in heard)
    assert Mechanism.randomise is before


def test_a_twin_without_noise_shows_how_far_the_answer_moves():
    pair = Pair([10.0] * 3, [-10.0] * 3)
    (heard,) = twin_suspicion(sum, 30, pair, 1.0)
    assert "moves by 60" in heard
    assert "a loss of 2" in heard
    assert twin_suspicion(sum, 60, pair, 1.0) == []
    with pytest.raises(InvalidInput) as refused:
        twin_suspicion(sum, None, pair, 1.0)
    assert refused.value.code == "Y210"


def test_a_suspicion_is_told_with_the_finding_and_its_pair_is_attacked():
    pairs = [([0.0] * n, [0.0] * n + [1.0]) for n in (3, 2, 1)]
    finding = lapwing.audit(scale_follows_the_data, neighbours=pairs, epsilon=1, seconds=6)
    assert finding.refuted
    assert any("scale of laplace" in each for each in finding.suspicions)
    assert "Suspicion: the scale" in str(finding)


def test_a_suspicion_alone_is_no_verdict():
    """A scale that follows from a noisy answer is legitimate: two rounds of 0.5 are 1-private."""

    def adaptive(x):
        first = round((x + np.random.laplace(0, 2)) * 64) / 64
        scale = 2.0 if first > 0 else 4.0
        return [first, round((x + np.random.laplace(0, scale)) * 64) / 64]

    finding = lapwing.audit(adaptive, 0.0, 1.0, epsilon=1, seconds=1)
    assert not finding.refuted
