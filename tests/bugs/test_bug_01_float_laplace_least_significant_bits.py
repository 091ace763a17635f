"""Floating-point Laplace noise leaves its input in the answer's last bits [Mironov 2012]."""

import numpy as np
import pytest

from lapwing.algebra.metrics import L1
from lapwing.noise.gaussian import Gaussian
from lapwing.noise.laplace import Laplace
from tests.statistics.bit_lattice import leak, share_beyond, textbook_laplace

STEP_BITS = 20  # the lattice step is 2^-20, so the numbers 0 and 1 are 0 and 2^20 steps
COUNT = 200_000


def answers(mechanism, value):
    """Lattice steps before noise, one conversion to float at the very end."""
    return np.ldexp(mechanism.release(np.full(COUNT, value << STEP_BITS)).astype(np.float64), -STEP_BITS)


@pytest.mark.parametrize(
    "mechanism", [Laplace.for_epsilon(1, L1(1 << STEP_BITS)), Gaussian(1 << STEP_BITS)], ids=["Laplace", "Gaussian"]
)
@pytest.mark.parametrize("bits", [STEP_BITS, 40, 53])
def test_answers_for_0_and_1_lie_on_one_lattice(mechanism, bits):
    zero, one = answers(mechanism, 0), answers(mechanism, 1)
    assert share_beyond(zero, bits) == share_beyond(one, bits) == 0
    # One bit coarser, half of the answers are off the lattice, whichever the input: the last bit is noise.
    assert leak(zero, one, STEP_BITS - 1) < 6 * 0.5 * (2 / COUNT) ** 0.5
    assert 0.49 < share_beyond(zero, STEP_BITS - 1) < 0.51


def test_the_textbook_sampler_fails_this_test():
    assert leak(textbook_laplace(0, 1.0, COUNT), textbook_laplace(1, 1.0, COUNT)) > 0.2
