"""How far a sum of several noises reaches, rounded outward.

The one idea: the tail of a sum of Laplace noises of different scales is a sum of exponentials. Scales that are alike
are made a little larger, each by another bit: that only widens the sum, and keeps the formula's divisors from 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist

from lapwing.noise import Gaussian, Laplace

#: By how much scales are kept apart.
_APART = 1.01
#: To how much of itself a reach is found; what is given is the upper end.
_FINE = 2.0**-40


@lru_cache(maxsize=1024)
def reach_of_sum(parts: tuple[tuple[Fraction, Laplace | Gaussian], ...], confidence: Fraction) -> float:
    """A number that Σ size·noise is within, in size, with at least this probability."""
    beyond = float(1 - confidence)
    # noise on whole steps is closer to 0 than that of the line rounded to them, which is at most half a step further
    steps = sum(float(size) for size, _ in parts) / 2
    gaussian = sum(float(size) ** 2 * float(noise.squared) for size, noise in parts if isinstance(noise, Gaussian))
    scales = [float(size * noise.scale) for size, noise in parts if isinstance(noise, Laplace)]
    if not scales:
        return NormalDist().inv_cdf(1 - beyond / 2) * math.sqrt(gaussian) * (1 + 1e-9) + steps
    if gaussian:  # not mixed in one query; each then has half of what may go wrong
        half = Fraction(beyond / 2)
        kinds = ([each for each in parts if isinstance(each[1], kind)] for kind in (Laplace, Gaussian))
        return sum(reach_of_sum(tuple(kind), 1 - half) for kind in kinds)
    return _laplace(scales, beyond) + steps


def _laplace(scales: Sequence[float], beyond: float) -> float:
    """The t with Pr[|Σ Laplace(b)| > t] = ``beyond``: Σ_i e^(-t/b_i)·Π_j b_i²/(b_i² - b_j²), of different b."""
    spread: list[float] = []
    for scale in sorted(scales):
        spread.append(max(scale, spread[-1] * _APART) if spread else scale)
    weights = [math.prod(one * one / (one * one - other * other) for other in spread if other != one) for one in spread]
    low, high = 0.0, sum(spread) * (1 + math.log(len(spread) / beyond))
    while high - low > _FINE * high:
        middle = (low + high) / 2
        tail = sum(weight * math.exp(-middle / scale) for weight, scale in zip(weights, spread, strict=True))
        low, high = (middle, high) if tail > beyond else (low, middle)
    return high
