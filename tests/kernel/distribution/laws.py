"""Densities and cumulative functions by textbook formulas in doubles, to hold the engine against."""

import itertools

import numpy as np
from scipy import stats
from scipy.integrate import quad

LAWS = {
    "laplace": lambda scale: stats.laplace(scale=scale),
    "exponential": lambda scale: stats.expon(scale=scale),
    "gaussian": lambda scale: stats.norm(scale=scale),
}


def law(kind, scale):
    return LAWS[kind](float(scale))


def integral(function, marks, reach=60.0):
    """∫ over all numbers, cut at the marks, where the function may have kinks."""
    ends = sorted({*map(float, marks), min(marks) - reach, max(marks) + reach})
    return sum(quad(function, a, b, epsabs=1e-13, epsrel=1e-12, limit=200)[0] for a, b in itertools.pairwise(ends))


def sampled(kinds, tests, count=400_000, seed=7):
    """How often all tests (coefficients, low, high) hold, over NumPy's draws."""
    generator = np.random.default_rng(seed)
    draws = []
    for kind, scale in kinds:
        sample = {"laplace": generator.laplace, "gaussian": generator.normal}.get(kind)
        draws.append(generator.exponential(float(scale), count) if sample is None else sample(0, float(scale), count))
    held = np.ones(count, bool)
    for coefficients, low, high in tests:
        value = sum(float(c) * draws[i] for i, c in coefficients.items())
        held &= (value > (-np.inf if low is None else float(low))) & (value < (np.inf if high is None else float(high)))
    return held.mean(), count
