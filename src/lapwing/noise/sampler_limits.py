"""Which whole-number noise can be drawn here: the bounds of the samplers, without the samplers."""

from __future__ import annotations

from fractions import Fraction

from lapwing.algebra.exact import decimal_up
from lapwing.errors import InvalidInput

#: Larger scales are refused, so that a draw beyond 2^62 has a probability below e^(-2^10): it never costs accuracy.
MAX_SCALE = 1 << 52
#: Larger σ are refused: up to here all numbers inside the cells of the sampler are below 2^53, and exact as floats.
MAX_SIGMA = 1 << 48


def supported_scale(scale: Fraction) -> Fraction:
    """The scale itself, if exact noise of that scale can be drawn here."""
    if scale > MAX_SCALE:
        raise InvalidInput(
            "N103",
            f"the noise scale is {decimal_up(scale, 3)} lattice steps, above 2^52",
            "Take less noise: pay more, narrow the ranges, or use a coarser lattice",
        )
    return scale


def supported_variance(variance: Fraction) -> Fraction:
    """The parameter σ² itself, if exact noise of that σ can be drawn here."""
    if variance > MAX_SIGMA**2:
        raise InvalidInput(
            "N103",
            f"the variance is {decimal_up(variance, 3)} squared lattice steps, above 2^96",
            "Take less noise: pay more, narrow the ranges, or use a coarser lattice",
        )
    return variance
