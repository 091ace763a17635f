"""What randomized responses share: codes in, codes out, and how much one report can tell.

The one idea: a local mechanism is a table of probabilities, one row for each true value, and its privacy loss is
the largest ratio within a column, over all outputs and in both directions.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lapwing.algebra import balls, parameters
from lapwing.algebra.measures import PureDP
from lapwing.errors import InvalidInput, Unbounded
from lapwing.noise.arrays import is_array, kind_of

#: One code, or an array of them.
Codes = int | np.integer[Any] | NDArray[np.integer[Any]] | NDArray[np.bool_]


def worst_ratio(rows: Sequence[Sequence[Fraction]]) -> Fraction | None:
    """The largest Pr[y | a]/Pr[y | b] over outputs y and inputs a, b; None when it is infinite."""
    worst = Fraction(1)
    for column in zip(*rows, strict=True):
        if max(column) > 0:
            if min(column) == 0:
                return None
            worst = max(worst, max(column) / min(column))
    return worst


def pure_claim(ratio: Fraction | None, changed: int) -> PureDP:
    """(changed · ln ratio)-DP because ratios of independent reports multiply; ln is rounded up."""
    times = parameters.whole(changed, "changed", 0)
    if ratio is None:
        raise Unbounded(
            "N240",
            "some report is possible for one true value and impossible for another, so it tells them apart",
            "Use probabilities strictly between 0 and 1",
        )
    if ratio == 1 or times == 0:
        return PureDP(0)
    return PureDP(times * balls.enclose(lambda: balls.ball(ratio).log()).upper)


def to_codes(values: Codes, categories: int) -> NDArray[np.int64]:
    """The values as codes 0 .. categories-1. One below is read as 0, one above as the last: no value is refused.

    A refusal that depended on a value would reveal it, so only the type can be refused.
    """
    array = np.asarray(values) if isinstance(values, bool | np.bool_ | np.integer) else values
    if isinstance(array, int):
        return np.array(min(max(array, 0), categories - 1), dtype=np.int64)
    if not is_array(array) or array.dtype.kind not in "iub":
        raise InvalidInput(
            "N241", f"the values to report are {kind_of(values)}", "Give an int or an array of category codes"
        )
    if array.dtype.kind == "i":
        return np.clip(array.astype(np.int64), 0, categories - 1)
    return np.minimum(array.astype(np.uint64), np.uint64(categories - 1)).astype(np.int64)


def report_counts(reports: NDArray[np.integer[Any]] | NDArray[np.bool_], categories: int) -> list[int]:
    """How often each code occurs among the reports. A report is public, so one out of range is refused."""
    if not is_array(reports) or reports.dtype.kind not in "iub" or reports.size == 0:
        raise InvalidInput("N242", "the reports are not an array of codes", "Give the array that release() returned")
    codes = reports.reshape(-1).astype(np.int64)
    if codes.min() < 0 or codes.max() >= categories:
        raise InvalidInput("N242", f"a report is outside 0..{categories - 1}", "Give the array that release() returned")
    return [int(count) for count in np.bincount(codes, minlength=categories)]
