"""A mean as people write it, with three leaks: nobody, anybody's NaN, and the number of rows in the noise."""

import numpy as np


def noisy_mean(values: list[float]) -> float:
    """Meant to be 1-differentially private for values from 0 to 1."""
    total = sum(min(max(value, 0.0), 1.0) for value in values)
    return total / len(values) + np.random.laplace(0.0, 1 / len(values))


def rounded_sum(values: list[float]) -> float:
    """The sum of values cut to 0 to 1, with enough noise, on multiples of 1/1024."""
    total = sum(min(max(value, 0.0), 1.0) if value == value else 0.0 for value in values)
    return round((total + np.random.laplace(0.0, 1.0)) * 1024) / 1024
