"""A column of answers: values, which of them are missing, and an interval around each number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Cells:
    """Values (int64, float64, bool, or object for text), which are missing, and bounds of the answers without noise.

    ``low`` and ``high`` are None where there is nothing to be uncertain about: keys, text, constants.
    """

    values: NDArray[Any]
    missing: Bools
    low: Floats | None = None
    high: Floats | None = None

    @classmethod
    def known(cls, values: Sequence[object] | NDArray[Any]) -> Cells:
        """Values without noise; None is missing."""
        if isinstance(values, np.ndarray) and values.dtype != object:
            return cls(values, np.zeros(len(values), bool))
        missing = np.array([value is None for value in values], bool)
        present = [value for value in values if value is not None]
        if present and all(isinstance(value, bool) for value in present):
            return cls(np.array([bool(value) for value in values], bool), missing)
        if present and all(isinstance(value, int) and abs(value) < 2**62 for value in present):
            return cls(np.array([0 if value is None else value for value in values], np.int64), missing)
        if present and all(isinstance(value, int | float) for value in present):
            return cls(np.array([0.0 if value is None else value for value in values], np.float64), missing)
        texts = np.empty(len(missing), object)
        texts[:] = list(values)
        return cls(texts, missing)

    @classmethod
    def around(cls, values: NDArray[Any], reach: float | Floats) -> Cells:
        """Numbers with noise, each within ``reach`` of the answer without."""
        numbers = values.astype(np.float64)
        return cls(values, np.zeros(len(values), bool), numbers - reach, numbers + reach)

    @classmethod
    def points(cls, values: Floats) -> Cells:
        """Numbers that are all there is to know: both ends are the number itself."""
        return cls(values, np.zeros(len(values), bool), values, values)

    @property
    def nothing(self) -> bool:
        """Whether there is no value at all: NULL, which is of every kind."""
        return self.values.dtype == object and bool(self.missing.all())

    @property
    def numbers(self) -> Floats:
        """The values as floats; NaN for text."""
        if self.values.dtype == object:
            return np.full(len(self.values), np.nan)
        return self.values.astype(np.float64, copy=False)

    @property
    def lows(self) -> Floats:
        """The lower ends; the values themselves where they are certain."""
        return self.numbers if self.low is None else self.low

    @property
    def highs(self) -> Floats:
        """The upper ends; the values themselves where they are certain."""
        return self.numbers if self.high is None else self.high

    @property
    def certain(self) -> bool:
        """Whether the values are free of noise."""
        return self.low is None

    @property
    def pointed(self) -> bool:
        """Whether both ends are one array: the intervals are points, and need not be computed twice."""
        return self.low is not None and self.low is self.high

    def take(self, rows: NDArray[np.intp]) -> Cells:
        """These rows, in this order."""
        return Cells(
            self.values[rows],
            self.missing[rows],
            None if self.low is None else self.low[rows],
            None if self.high is None else self.high[rows],
        )

    def margins(self) -> Floats | None:
        """How far the answer without noise can be from each value; None for columns without noise."""
        if self.low is None or self.high is None:
            return None
        with np.errstate(invalid="ignore"):
            return np.maximum(self.high - self.numbers, self.numbers - self.low)
