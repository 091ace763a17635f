"""Exact noise side by side with OpenDP's exact noise and NumPy's insecure floats, in one run.

Every figure is the best of several rounds, and the peers take turns within a round, so a busy machine slows all.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lapwing.noise.gaussian import Gaussian
from lapwing.noise.laplace import Laplace

ROUNDS = 5
SCALES = (1, 10, 1000)
OURS, THEIRS, SCALARS, THEIR_SCALARS = 1_000_000, 10_000, 20_000, 200
#: How many times OpenDP's rate is asked for, and how many times slower than NumPy is allowed.
LAPLACE_TARGET, GAUSSIAN_TARGET, SCALAR_TARGET, NUMPY_TARGET = 50, 20, 10, 5


@dataclass(frozen=True)
class Row:
    """One measured line: rates in numbers per second."""

    name: str
    ours: float
    opendp: float
    target: float
    numpy: float | None = None

    @property
    def met(self) -> bool:
        """Whether both targets were met."""
        return self.ours >= self.target * self.opendp and (self.numpy is None or self.numpy <= NUMPY_TARGET * self.ours)

    def __str__(self) -> str:
        line = f"{self.name:<24}{_rate(self.ours)}{_rate(self.opendp)}{self.ours / self.opendp:>9.0f}x"
        line += f"{'>= ' + format(self.target, 'g') + 'x':>9}"
        if self.numpy is not None:
            line += f"{_rate(self.numpy)}{self.numpy / self.ours:>9.2f}x{'<= ' + format(NUMPY_TARGET, 'g') + 'x':>9}"
        return line + ("" if self.met else "   MISSED")


def _rate(per_second: float) -> str:
    return f"{per_second / 1e6:>10.4g} M/s"


def _best_rates(*jobs: tuple[Callable[[], object], int]) -> list[float]:
    """Numbers per second of each job, which makes that many: best round, jobs taking turns."""
    best = [float("inf")] * len(jobs)
    for _ in range(ROUNDS):
        for i, (job, _) in enumerate(jobs):
            start = time.perf_counter()
            job()
            best[i] = min(best[i], time.perf_counter() - start)
    return [count / seconds for (_, count), seconds in zip(jobs, best, strict=True)]


def _rows() -> list[Row]:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    vector, scalar = dp.vector_domain(dp.atom_domain(T="i64")), dp.atom_domain(T="i64")
    generator = np.random.default_rng()
    zeros, their_zeros = np.zeros(OURS, dtype=np.int64), [0] * THEIRS
    rows = []

    def repeat(release: Callable[[int], object], count: int) -> Callable[[], None]:
        def run() -> None:
            for _ in range(count):
                release(0)

        return run

    for scale in SCALES:
        for kind, target, insecure, theirs, their_scalar in (
            (
                Laplace,
                LAPLACE_TARGET,
                generator.laplace,
                dp.m.make_laplace(vector, dp.l1_distance(T="i64"), scale=float(scale)),
                dp.m.make_laplace(scalar, dp.absolute_distance(T="i64"), scale=float(scale)),
            ),
            (
                Gaussian,
                GAUSSIAN_TARGET,
                generator.normal,
                dp.m.make_gaussian(vector, dp.l2_distance(T="f64"), scale=float(scale)),
                dp.m.make_gaussian(scalar, dp.absolute_distance(T="f64"), scale=float(scale)),
            ),
        ):
            ours = kind(scale)
            rates = _best_rates(
                (lambda m=ours: m.release(zeros), OURS),
                (lambda m=theirs: m(their_zeros), THEIRS),
                (lambda f=insecure, s=scale: np.rint(f(0.0, s, OURS)).astype(np.int64) + zeros, OURS),
            )
            rows.append(Row(f"{kind.__name__}({scale}) vector", rates[0], rates[1], target, rates[2]))
            rates = _best_rates(
                (repeat(ours.release, SCALARS), SCALARS), (repeat(their_scalar, THEIR_SCALARS), THEIR_SCALARS)
            )
            rows.append(Row(f"{kind.__name__}({scale}) scalar", rates[0], rates[1], SCALAR_TARGET))
    return rows


def main() -> bool:
    """Print the table; whether every target was met."""
    print(f"{'':<24}{'Lapwing':>14}{'OpenDP':>14}{'ratio':>10}{'target':>9}{'NumPy':>14}{'slower':>10}{'target':>9}")
    rows = _rows()
    for row in rows:
        print(row)
    return all(row.met for row in rows)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
