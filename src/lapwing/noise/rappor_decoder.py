"""From RAPPOR reports to counts: how many clients have each candidate value, with standard errors.

The one idea: how often a bit is reported is a known linear function of how many filters set it, so the counts of
set bits can be estimated without bias; and a bit is set by the candidates that hash to it, so the counts of candidates
follow by least squares over all bits of all cohorts. Values nobody listed set bits evenly; one more column, "others",
stands for them. Decoding uses reports alone: it costs no privacy, and ordinary floats are enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lapwing.errors import InvalidInput
from lapwing.noise.rappor import Rappor, Reports


@dataclass(frozen=True, slots=True)
class DecodedCount:
    """How many clients seem to have ``value``, and how far off that may be.

    The standard error is that of the fit before negative counts were set to 0.
    """

    value: str
    count: float
    standard_error: float


def estimate(rappor: Rappor, reports: Reports, candidates: Sequence[str]) -> list[DecodedCount]:
    """Counts of the candidates among the clients that reported, in the order given; none is below 0."""
    listed = list(candidates)
    if not listed or len(set(listed)) < len(listed):
        raise InvalidInput("N263", "the candidates are none, or some twice", "List each candidate value once")
    if len(listed) >= rappor.bits * rappor.cohorts:
        raise InvalidInput(
            "N264",
            f"{len(listed)} candidates are too many for {rappor.cohorts} cohorts of {rappor.bits} bits",
            "List fewer candidates, or collect with more cohorts or bits",
        )
    one, zero = (float(rappor.chance_of_one(filter_bit=bit)) for bit in (True, False))
    if one == zero:
        raise InvalidInput("N265", "with these probabilities reports say nothing", "Use another flip, zero or one")
    sizes = np.bincount(reports.cohorts, minlength=rappor.cohorts).astype(np.float64)
    ones = np.zeros((rappor.cohorts, rappor.bits))
    np.add.at(ones, reports.cohorts, reports.bits)
    set_bits = (ones - sizes[:, None] * zero) / (one - zero)  # unbiased: E[ones] = set·q* + (n - set)·p*

    design = _design(rappor, listed) * (sizes / len(reports))[:, None, None]
    counts = _nonnegative(design.reshape(-1, design.shape[2]), set_bits.reshape(-1))

    likely = np.clip(set_bits, 0, sizes[:, None])
    noise = (likely * one * (1 - one) + (sizes[:, None] - likely) * zero * (1 - zero)) / (one - zero) ** 2
    errors = np.sqrt(_variances(design, counts, noise, sizes / len(reports)))
    return [DecodedCount(value, float(counts[i]), float(errors[i])) for i, value in enumerate(listed)]


def _design(rappor: Rappor, candidates: list[str]) -> NDArray[np.float64]:
    """1 where a candidate's filter sets a bit, by cohort, bit and candidate; the last column is for all others."""
    design = np.empty((rappor.cohorts, rappor.bits, len(candidates) + 1))
    for cohort in range(rappor.cohorts):
        for i, value in enumerate(candidates):
            design[cohort, :, i] = rappor.filter_bits(value, cohort)
    design[:, :, -1] = 1 - (1 - 1 / rappor.bits) ** rappor.hashes
    return design


def _nonnegative(design: NDArray[np.float64], target: NDArray[np.float64]) -> NDArray[np.float64]:
    """Least squares where columns that come out negative are set to 0 and the rest fitted again, until none does."""
    counts = np.zeros(design.shape[1])
    columns = np.arange(design.shape[1])
    while len(columns):
        solution = np.linalg.lstsq(design[:, columns], target, rcond=None)[0]
        if (solution >= 0).all():
            counts[columns] = solution
            break
        columns = columns[solution > 0]
    return counts


def _variances(
    design: NDArray[np.float64],
    counts: NDArray[np.float64],
    noise: NDArray[np.float64],
    shares: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Variance of each fitted count: from the noise on every bit, and from which cohorts a value's clients fell into.

    Given how many clients each cohort has, values are spread over cohorts like cards over hands: the covariance of
    (value, cohort) sizes is the product of the two multinomial covariances below.
    """
    cohorts, bits, width = design.shape
    solver = np.linalg.pinv(design.reshape(-1, width)).reshape(width, cohorts, bits)
    from_noise = np.einsum("wcb,cb->w", solver**2, noise)
    weight = np.divide(1.0, shares, out=np.zeros_like(shares), where=shares > 0)
    effect = np.einsum("wcb,cbv->wcv", solver, design) * weight[None, :, None]
    over_cohorts = np.diag(shares) - np.outer(shares, shares)
    over_values = np.diag(counts) - np.outer(counts, counts) / max(counts.sum(), 1.0)
    spread = np.matmul(np.matmul(over_cohorts, effect), over_values)
    total: NDArray[np.float64] = from_noise + np.einsum("wcv,wcv->w", effect, spread).clip(min=0)
    return total
