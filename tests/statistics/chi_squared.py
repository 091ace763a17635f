"""How surprising counts are, given exact probabilities."""

import numpy as np
from scipy.stats import chi2

#: A correct sampler fails a test about once in a million runs.
THRESHOLD = 1e-6


def p_value(counts, probabilities):
    """The chance of a chi-squared statistic at least this large, if the probabilities are true."""
    counts = np.asarray(counts, dtype=float)
    expected = np.asarray(probabilities, dtype=float) * counts.sum()
    assert abs(expected.sum() / counts.sum() - 1) < 1e-9
    assert expected.min() >= 10, "cells with fewer expected draws do not follow the chi-squared law"
    return float(chi2.sf(((counts - expected) ** 2 / expected).sum(), len(counts) - 1))


def against_cdf(draws, noise, edges):
    """The p-value of draws in the cells (-∞, e0], (e0, e1], …, (e_last, ∞) against the exact cdf."""
    cumulative = np.array([0.0, *(float(noise.cdf(int(edge))) for edge in edges), 1.0])
    cells = np.searchsorted(np.asarray(edges), draws, side="left")
    return p_value(np.bincount(cells, minlength=len(edges) + 1), np.diff(cumulative))


def edges_with(noise, draws, least=20):
    """All lattice points as cell edges, as far out as each cell and both ends expect ``least`` draws."""
    reach = noise.interval(1 - least / draws)
    points = [k for k in range(-reach - 1, reach + 1) if float(noise.pmf(k)) * draws >= least]
    while float(noise.cdf(points[0])) * draws < least:
        points = points[1:]
    while (1 - float(noise.cdf(points[-1]))) * draws < least:
        points = points[:-1]
    return points
