"""From whole steps to the numbers people read: the one conversion, made after the noise."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lapwing.kernel.evidence.plan import Function, Measurement
from lapwing.query.sensitivity import whole_row


def unit_of(measurement: Measurement) -> Fraction:
    """What one whole step of a measurement is worth; counts have no step (it is 1), and shares are parts of a row."""
    if measurement.function is Function.SHARE:
        return Fraction(1, whole_row(measurement))
    if measurement.function is Function.SQUARES:
        return measurement.step * measurement.step * (1 << measurement.shift)
    return measurement.step


def in_units(steps: NDArray[Any], measurement: Measurement) -> NDArray[Any]:
    """Lattice steps as the numbers people read."""
    factor = unit_of(measurement) / measurement.weight_steps
    return steps if factor == 1 else steps.astype(np.float64) * float(factor)
