"""Are two keys independent? Pearson's χ² of a noisy two-way table, with a p-value that knows about the noise.

The one idea: against the usual table of χ² noise alone looks like dependence. So the statistic is compared with that of
made-up tables: independent counts with the same margins, and fresh noise of the same mechanism on each
([GLRV16] Alg. 2). All of it is post-processing, and free.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.plan import Function
from lapwing.kernel.evidence.release import NoisyMeasurement, ReleaseCertificate
from lapwing.kernel.evidence.several_records import several_from_json
from lapwing.noise.exponential import Exponential
from lapwing.noise.seeded import Seeded
from lapwing.session.shown_units import in_units

if TYPE_CHECKING:
    from lapwing.session.release import Release

Floats = NDArray[np.float64]
#: Tables that are made up.
MANY = 1999
#: Cells below this in expectation are left out of the sum: the square of noise over next to nothing says nothing.
_LEAST = 1.0


@dataclass(frozen=True, slots=True)
class ChiSquare:
    """Pearson's statistic of a noisy table, the chance of one as large if the keys were independent, and (r-1)(c-1)."""

    statistic: float
    p_value: float
    degrees: int

    def __str__(self) -> str:
        return f"chi-square {self.statistic:,.2f} with {self.degrees} degrees of freedom, p = {self.p_value:.4g}"


def independence(release: Release) -> ChiSquare:
    """The test of a release, which must be a two-way table of counts."""
    table, part = _counts(release)
    rows, columns = table.shape
    noise_of = part.mechanism
    assert not isinstance(noise_of, Exponential)  # noqa: S101  # counts have noise, and are no choice
    drawn = in_units(noise_of.release(np.zeros(MANY * table.size, np.int64)), part.measurement).astype(np.float64)
    shares, total = _independent(table)
    made = _tables(shares.ravel(), total) + drawn.reshape(MANY, table.size)
    found = _statistics(table[None, :, :])[0]
    beyond = _statistics(made.reshape(MANY, rows, columns)) >= found
    return ChiSquare(float(found), float((1 + np.count_nonzero(beyond)) / (MANY + 1)), (rows - 1) * (columns - 1))


def _refused(problem: str) -> InvalidInput:
    return InvalidInput("S190", problem, "Ask SELECT a, b, COUNT(*) FROM t GROUP BY a, b with keys that are known")


def _counts(release: Release) -> tuple[Floats, NoisyMeasurement]:
    """The table, and how its counts were measured."""
    proof = several_from_json(release.certificate)
    if not isinstance(proof, ReleaseCertificate) or proof.selection is not None or len(proof.keys) != 2:
        raise _refused("this release is no table of two known keys")
    if len(proof.measurements) != 1 or proof.measurements[0].measurement.function not in (
        Function.ROWS,
        Function.UNITS,
    ):
        raise _refused("this release has more than one number in a cell, or one that is no count")
    noisy = [name for name in release.columns if release.has_margins(name)]
    keys = [name for name in release.columns if name not in noisy]
    if len(noisy) != 1 or len(keys) != 2:
        raise _refused("this release is not two keys and a count")
    places = [list(dict.fromkeys(release.table.column(name).to_pylist())) for name in keys]
    if release.table.num_rows != len(places[0]) * len(places[1]) or min(map(len, places)) < 2:
        raise _refused("some groups are not shown, or a key has one value")
    table = np.zeros((len(places[0]), len(places[1])))
    for row in release:
        table[places[0].index(row[keys[0]]), places[1].index(row[keys[1]])] = float(str(row[noisy[0]]))
    return table, proof.measurements[0]


def _independent(table: Floats) -> tuple[Floats, float]:
    """The shares of cells if the keys were independent, from the margins; and the total, at least 1."""
    sides = [np.maximum(table.sum(axis=axis), 0.0) for axis in (1, 0)]
    total = max(float(table.sum()), 1.0)
    shares = [side / side.sum() if side.sum() > 0 else np.full(len(side), 1 / len(side)) for side in sides]
    return np.outer(*shares), total


def _tables(shares: Floats, total: float) -> Floats:
    """Tables of so many rows with these shares, as a large number of rows makes them: normal, with a fixed total."""
    source = Seeded(0)
    one, two = ((source.words(MANY * len(shares)) >> np.uint64(11)) * 2.0**-53 + 2.0**-54 for _ in range(2))
    normal = (np.sqrt(-2 * np.log(one)) * np.cos(2 * np.pi * two)).reshape(MANY, len(shares))
    around = np.sqrt(total * shares) * normal
    found: Floats = total * shares + around - shares * around.sum(axis=1, keepdims=True)
    return np.maximum(np.rint(found), 0.0)


def _statistics(tables: Floats) -> Floats:
    """Pearson's statistic of each table."""
    rows, columns = np.maximum(tables.sum(axis=2), 0.0), np.maximum(tables.sum(axis=1), 0.0)
    total = np.maximum(tables.sum(axis=(1, 2)), 1.0)
    expected = rows[:, :, None] * columns[:, None, :] / total[:, None, None]
    parts = np.where(expected >= _LEAST, (tables - expected) ** 2 / np.maximum(expected, _LEAST), 0.0)
    found: Floats = parts.sum(axis=(1, 2))
    return found
