"""Bug 16: float sums depend on the order of the rows, and integer sums wrap around: neighbours end far apart."""

from fractions import Fraction
from itertools import permutations

import numpy as np

from lapwing.noise.laplace import Laplace
from lapwing.noise.lattice import LARGEST, Lattice, exact_sum


def test_the_order_of_rows_changes_nothing():
    rows = np.array([1e16, 1.0, -1e16, 1.0, 0.5])
    lattice = Lattice("1/2")
    sums = {exact_sum(lattice.to_steps(rows[list(order)], -1e17, 1e17)) for order in permutations(range(5))}
    assert sums == {5}
    assert len({float(np.add.accumulate(rows[list(order)])[-1]) for order in permutations(range(5))}) > 1


def test_a_row_of_size_one_moves_the_sum_by_one():
    # [Casacuberta et al. 2022]: in floats, adding 1 to 2^53 ones moves nothing or, rounded each time, far too much.
    lattice = Lattice(1)
    rows = np.array([2.0**53] + [1.0] * 1000)
    with_all = exact_sum(lattice.to_steps(rows, 0, 2**53))
    assert with_all - exact_sum(lattice.to_steps(rows[:-1], 0, 2**53)) == 1
    assert with_all == 2**53 + 1000
    assert np.add.accumulate(rows)[-1] == 2.0**53  # the float sum does not see the thousand rows


def test_sums_do_not_wrap_around():
    steps = np.full(1000, LARGEST)
    assert exact_sum(steps) == 1000 * LARGEST
    assert exact_sum(-steps) == -1000 * LARGEST
    assert steps.sum() != 1000 * LARGEST  # NumPy's does


def test_largest_and_least_64_bit_rows():
    ends = np.array([2**63 - 1, -(2**63)] * 3 + [-(2**63)])
    assert exact_sum(ends) == 3 * (2**63 - 1) - 4 * 2**63


def test_release_after_an_overflowing_sum_keeps_its_sign():
    total = exact_sum(np.full(100, LARGEST))
    assert Laplace(1).release(total) > 2**60


def test_sensitivity_of_the_exact_sum_is_the_declared_one():
    lattice, low, high = Lattice("1/3"), Fraction(-7, 2), Fraction(11, 3)
    least, most = lattice.bounds(low, high)
    rows = np.array([-1e300, -3.5, -3.4999, 0.1, 3.66, 3.7, np.inf, np.nan])
    steps = lattice.to_steps(rows, low, high)
    for i in range(len(rows)):
        moved = abs(exact_sum(steps) - exact_sum(np.delete(steps, i)))
        assert moved <= max(-least, most)
