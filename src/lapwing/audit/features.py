"""Numbers about an answer that an event may be a threshold of: its values, their order, and how fine they are.

The one idea: floating-point noise gives itself away by the number of *fractional bits*. An answer x = m·2^-k with m odd
has k of them; which k can occur depends on the number that the noise was added to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lapwing.audit.quiet_arithmetic import quietly
from lapwing.audit.seen_answers import Batch

Floats = NDArray[np.float64]
#: Places of a long answer that are looked at closely, and numbers that are compared to find them.
TELLING, _CELLS = 24, 400_000
_CUTS = (0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98)
#: How often 0 can be halved, so to speak.
_ENDLESSLY = 2000.0


@dataclass(frozen=True, slots=True)
class Feature:
    """One number per answer, and what it is called."""

    name: str
    of: Callable[[Batch], Floats]


def features(width: int, places: Sequence[int] | None = None) -> list[Feature]:
    """The features of answers with up to so many numbers; of those at some places alone, where these are given."""
    if width == 0:
        return []
    if width == 1:
        return [
            Feature("the answer", _value(0)),
            Feature("the number of fractional bits of the answer", _bits(0)),
            Feature("how often the answer can be halved", _halves(0)),
        ]
    places = range(width) if places is None else places
    found = [Feature(f"number {place + 1} of the answer", _value(place)) for place in places]
    found += [
        Feature("the sum of the answer", lambda batch: _quietly(_sum, batch.values)),
        Feature("how many numbers the answer has", lambda batch: (~np.isnan(batch.values)).sum(axis=1).astype(float)),
        Feature("the place of the largest number of the answer", lambda batch: _place(np.nanargmax, batch.values)),
        Feature("the place of the smallest number of the answer", lambda batch: _place(np.nanargmin, batch.values)),
        Feature("the spread of the answer", lambda batch: _quietly(_spread, batch.values)),
        Feature("the most fractional bits in the answer", lambda batch: _quietly(_most, fractional_bits(batch.values))),
    ]
    found += [Feature(f"the number of fractional bits of number {place + 1}", _bits(place)) for place in places]
    found += [Feature(f"how often number {place + 1} can be halved", _halves(place)) for place in places]
    return found


def telling(left: Floats, right: Floats, most: int = TELLING) -> list[int]:
    """The places whose numbers look most different on the two sides, from some of the runs; all, if they are few."""
    width = max(left.shape[1], right.shape[1])
    if width <= most:
        return list(range(width))
    n = max(2, min(len(left), len(right), _CELLS // width))
    one, two = (padded(each[:n], width) for each in (left, right))
    apart = np.zeros(width)
    with quietly():
        for looked in (lambda values: values, fractional_bits, halvings):
            here, there = looked(one), looked(two)
            both = np.vstack([here, there])
            both = np.sort(np.where(np.isfinite(both), both, np.nan), axis=0)  # NaN comes last
            last = np.maximum((~np.isnan(both)).sum(axis=0) - 1, 0)
            places = np.round(np.multiply.outer(_CUTS, last)).astype(np.int64)
            for cut in [*np.take_along_axis(both, places, axis=0), np.full(width, np.inf)]:
                p, q = (here <= cut).mean(axis=0), (there <= cut).mean(axis=0)
                middle = (p + q) / 2
                apart = np.fmax(apart, np.abs(p - q) / np.sqrt(middle * (1 - middle) / n + 1 / n**2))
    return sorted(np.argsort(-apart, kind="stable")[:most].tolist())


def fractional_bits(values: Floats) -> Floats:
    """How many binary digits after the point each number has; NaN for what is not finite."""
    finite = np.where(np.isfinite(values), values, 0.0)
    fraction, exponent = np.frexp(np.abs(finite))
    whole = (fraction * 2.0**53).astype(np.int64)
    lowest = whole & -whole
    zeros = np.where(whole > 0, np.frexp(lowest.astype(np.float64))[1] - 1, 53)
    bits = np.maximum(53 - exponent - zeros, 0).astype(np.float64)
    return np.where(np.isfinite(values), np.where(finite == 0, 0.0, bits), np.nan)


def halvings(values: Floats) -> Floats:
    """How often each whole number can be halved (0 for odd ones); NaN for others."""
    finite = np.where(np.isfinite(values), values, 0.5)
    fraction, exponent = np.frexp(np.abs(finite))
    whole = (fraction * 2.0**53).astype(np.int64)
    zeros = np.where(whole > 0, np.frexp((whole & -whole).astype(np.float64))[1] - 1, 0) + exponent - 53
    return np.where(finite == np.floor(finite), np.where(finite == 0, _ENDLESSLY, zeros), np.nan)


def _halves(place: int) -> Callable[[Batch], Floats]:
    return lambda batch: halvings(_column(batch.values, place))


def padded(values: Floats, width: int) -> Floats:
    """With so many columns, those that were missing without values."""
    missing = width - values.shape[1]
    return values if missing <= 0 else np.hstack([values, np.full((len(values), missing), np.nan)])


def _value(place: int) -> Callable[[Batch], Floats]:
    return lambda batch: _column(batch.values, place)


def _bits(place: int) -> Callable[[Batch], Floats]:
    return lambda batch: fractional_bits(_column(batch.values, place))


def _column(values: Floats, place: int) -> Floats:
    return values[:, place] if place < values.shape[1] else np.full(len(values), np.nan)


def _place(find: Callable[..., Floats], values: Floats) -> Floats:
    """Where the largest (or smallest) number stands, counted from 1; NaN for answers without numbers."""
    missing = np.isnan(values)
    if values.shape[1] and not missing.any():  # the usual case, at a fifth of the time
        return (
            np.asarray(values.argmax(axis=1) if find is np.nanargmax else values.argmin(axis=1), dtype=np.float64) + 1
        )
    some = ~missing.all(axis=1) if values.shape[1] else np.zeros(len(values), dtype=bool)
    places = np.full(len(values), np.nan)
    if some.any():
        places[some] = find(values[some], axis=1) + 1
    return places


def _sum(values: Floats, axis: int) -> Floats:
    """Number by number, so that what pads a short answer does not round it; NaN for an answer without numbers."""
    total = np.zeros(len(values))
    if not np.isnan(values).any():
        for column in np.moveaxis(values, axis, 0):
            total += column
        return total
    for column in np.moveaxis(values, axis, 0):
        total = total + np.where(np.isnan(column), 0.0, column)
    return np.where(np.isnan(values).all(axis=axis), np.nan, total)


def _spread(values: Floats, axis: int) -> Floats:
    spread: Floats = np.nanmax(values, axis=axis) - np.nanmin(values, axis=axis)
    return spread


def _most(values: Floats, axis: int) -> Floats:
    most: Floats = np.nanmax(values, axis=axis)
    return most


def _quietly(compute: Callable[..., Floats], values: Floats) -> Floats:
    """Without warnings about answers that have no numbers: NaN says it."""
    if not values.shape[1]:
        return np.full(len(values), np.nan)
    with quietly():
        return np.asarray(compute(values, axis=1), dtype=np.float64)
