"""Choices that a seed decides: the same again, and even."""

import numpy as np

from lapwing.noise.seeded import Seeded
from lapwing.noise.uniform import uniform


def test_the_same_seed_makes_the_same_choices():
    one, two, other = Seeded(4), Seeded(4), Seeded(5)
    assert [one.random_bits(9) for _ in range(20)] == [two.random_bits(9) for _ in range(20)]
    assert one.words(3).tolist() == two.words(3).tolist() != other.words(3).tolist()
    assert one.halfwords(3).tolist() == two.halfwords(3).tolist()


def test_choices_are_even():
    counts = np.bincount(uniform(6, 60_000, source=Seeded(1)), minlength=6)
    assert abs(counts - 10_000).max() < 500
