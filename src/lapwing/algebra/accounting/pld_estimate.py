"""The PLD estimate of the dp-accounting library, for comparison: close to the truth, and not a bound.

The one idea: its floating-point convolution loses what is small, so at small δ its ε can lie *below* the true
one. It is shown beside the rigorous methods when the library is installed, and never counted as one.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from importlib import import_module
from typing import Any

from lapwing.algebra.accounting.terms import (
    Approx,
    Gaussian,
    Laplace,
    Poisson,
    Pure,
    RandomizedResponse,
    Term,
    open_failure,
)
from lapwing.errors import MissingExtra

#: Beyond these the library would ask for gigabytes.
MOST_RUNS, MOST_STEPS, MOST_LOSS = 10**6, 10**4, 50


def estimated_epsilon(terms: Sequence[tuple[int, Term]], delta: Fraction) -> Fraction | None:
    """dp-accounting's pessimistic PLD estimate of ε; None if it has no distribution for one of the terms."""
    library = _library()
    if not all(_ordinary(count, term) for count, term in terms):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = _estimated(library, terms, float(delta))
    except Exception:  # whatever a numerical library does beyond its range, it is only an estimate that is missing
        return None
    return Fraction(value) if value is not None and 0 <= value < float("inf") else None


def _ordinary(count: int, term: Term) -> bool:
    """Whether the library's grid for the term fits in memory: it grows with ε, the lattice and the count."""
    base = term.base if isinstance(term, Poisson) else term
    if count > MOST_RUNS or (isinstance(base, Laplace | Gaussian) and (base.steps or 0) > MOST_STEPS):
        return False
    if isinstance(base, Gaussian):
        return base.squared_ratio < MOST_LOSS
    return isinstance(base, Laplace | Pure | Approx | RandomizedResponse) and base.epsilon < MOST_LOSS


def _estimated(library: Any, terms: Sequence[tuple[int, Term]], delta: float) -> float | None:  # noqa: ANN401  # as below
    parts = []
    for count, term in terms:
        one = _distribution(library, term)
        if one is None:
            return None
        parts.append(one.self_compose(count))
    total = reduce(lambda left, right: left.compose(right), parts)
    return float(total.get_epsilon_for_delta(delta))


def _library() -> Any:  # noqa: ANN401  # the library is optional and carries no types
    try:
        return import_module("dp_accounting.pld.privacy_loss_distribution")
    except ImportError as error:
        raise MissingExtra(
            "A531", "dp-accounting is not installed", "Install it with pip install 'lapwing[accounting]'"
        ) from error


def _distribution(library: Any, term: Term, rate: float = 1.0) -> Any:  # noqa: ANN401  # as above
    match term:
        case Gaussian(sigma, sensitivity, None) if sensitivity > 0:
            return library.from_gaussian_mechanism(float(sigma / sensitivity), sampling_prob=rate)
        case Laplace(scale, sensitivity, None) if sensitivity > 0:
            return library.from_laplace_mechanism(float(scale / sensitivity), sampling_prob=rate)
        case Laplace(scale, sensitivity, int(steps)) if sensitivity > 0 and rate == 1:
            return library.from_discrete_laplace_mechanism(float(sensitivity / scale / steps), sensitivity=steps)
        case Gaussian(sigma, sensitivity, int(steps)) if sensitivity > 0 and rate == 1:
            return library.from_discrete_gaussian_mechanism(float(sigma * steps / sensitivity), sensitivity=steps)
        case Pure() | RandomizedResponse() | Approx() if rate == 1:
            parameters = import_module("dp_accounting.pld.common").DifferentialPrivacyParameters
            return library.from_privacy_parameters(parameters(float(term.epsilon), float(open_failure(term))))
        case Poisson(sampled, base):
            return _distribution(library, base, float(sampled))
    return None
