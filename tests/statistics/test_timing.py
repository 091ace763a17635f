"""The time of a scalar draw says nothing about the number drawn (bug 17)."""

import time

import numpy as np
import pytest
from scipy.stats import spearmanr

from lapwing.noise.gaussian import Gaussian
from lapwing.noise.laplace import Laplace

DRAWS = 100_000


def timed(draw):
    """Draws and nanoseconds. Refills of the pool are kept: an observer sees them too, and ranks tame their size."""
    clock = time.perf_counter_ns
    numbers, times = [0] * DRAWS, [0] * DRAWS
    for i in range(DRAWS):
        start = clock()
        number = draw()
        times[i] = clock() - start
        numbers[i] = number
    return np.abs(numbers), np.array(times)


@pytest.mark.parametrize("noise", [Laplace(1), Laplace(1000), Gaussian(1), Gaussian(1000)], ids=repr)
def test_rank_correlation_of_size_and_time_is_below_two_percent(noise):
    # With 100,000 draws the correlation of independent ranks has a standard deviation of 0.0032.
    assert abs(spearmanr(*timed(noise.sample)).statistic) < 0.02


def test_the_test_can_fail():
    rng = np.random.default_rng()

    def counting():
        """Geometric noise by counting coin tosses: the textbook sampler whose time is its answer."""
        number = 0
        while rng.random() < 0.5:
            number += 1
        return number

    assert spearmanr(*timed(counting)).statistic > 0.2
