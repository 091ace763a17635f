"""Adding even perfect noise in floating point leaks: the sum's grid depends on the value [Haney et al. 2022]."""

import numpy as np

from lapwing.noise.laplace import Laplace
from tests.statistics.bit_lattice import leak

COUNT = 200_000


def perfect_float_noise():
    """Exact Laplace noise of scale 1 on a lattice of 2^-39, so fine that converting it to a float loses nothing."""
    return np.ldexp(Laplace(2**39).sample(COUNT).astype(np.float64), -39)


def test_float_addition_leaks_even_with_perfect_noise():
    # 1 + noise is exact here, but 2^20 + noise is rounded to multiples of 2^-32.
    assert leak(1 + perfect_float_noise(), 2.0**20 + perfect_float_noise(), bits=33) > 0.9


def test_lattice_addition_does_not():
    mechanism = Laplace(2**39)
    small = mechanism.release(np.full(COUNT, 1 << 39))
    large = mechanism.release(np.full(COUNT, 1 << 59))
    for bit in (0, 1, 5, 20):
        shares = [float((answers >> bit & 1).mean()) for answers in (small, large)]
        assert all(abs(share - 0.5) < 6 * 0.5 / COUNT**0.5 for share in shares)


def test_large_values_keep_every_step():
    # Floats beyond 2^53 skip integers; lattice sums do not.
    answers = Laplace(1).release(np.full(COUNT, 2**60 + 1))
    assert set(range(2**60 - 2, 2**60 + 5)) <= set(answers.tolist())
