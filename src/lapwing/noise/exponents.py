"""Many exponents x_i >= 0, known exactly, with a fast e^-x_i whose error is proved: the filter before the balls.

The one idea: a float may say "clearly below" or "clearly above" when its error is bounded; only the rare close call
needs ball arithmetic. The bound here rests on IEEE addition, subtraction and multiplication alone, not on the
accuracy of a library's exp: e^-x is a product of two table entries and a short series.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import lcm
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from lapwing.algebra import balls
from lapwing.algebra.balls import Interval
from lapwing.errors import InvalidInput
from lapwing.noise.arrays import is_array, kind_of

#: Beyond this exponent the approximation is 0; the truth is below e^-64 < 2^-92.
CUT = 64
#: |approximation - e^-x| <= RELATIVE_ERROR · e^-x, or both are below 2^-91.
RELATIVE_ERROR = 2.0**-43
#: Probabilities below 2^-FAR are drawn exactly, but written down only as that.
FAR = 1 << 14

#: What a choice is made by: exact scores, one for each candidate.
Scores = NDArray[np.integer[Any]] | Sequence[int] | Sequence[Fraction] | Sequence[int | Fraction]


@dataclass(frozen=True, slots=True, eq=False)
class Exponents:
    """The numbers x_i = steps_i · unit, where steps are whole numbers of 0 or more and the unit is above 0.

    Steps are 64-bit words, or Python integers in an array of objects when they are longer.
    """

    steps: NDArray[np.uint64] | NDArray[np.object_]
    unit: Fraction

    def __len__(self) -> int:
        return len(self.steps)

    def exact(self, index: int) -> Fraction:
        """The exponent at ``index``."""
        return int(self.steps[index]) * self.unit

    def approximate_exp(self) -> NDArray[np.float64]:
        """Every e^-x within :data:`RELATIVE_ERROR`: x is within 2^-51, which moves e^-x by 64 · 2^-51 below the cut."""
        return approximate_exp(self._floats())

    def weights(self) -> list[arb]:
        """Every e^-x as a ball at the working precision."""
        return [(-balls.ball(self.exact(index))).exp() for index in range(len(self))]

    def enclose_each(self, chance: Callable[[list[arb], int], arb]) -> list[Interval]:
        """``chance(weights, i)`` for every i, a probability that is never above weight i.

        A chance below 2^-FAR is enclosed as [0, 2^-FAR]: the digits of e^-(10^30) would fill the memory.
        """
        far = [self.exact(index) >= FAR for index in range(len(self))]
        bits = balls.BITS
        while True:
            with balls.precision(bits):
                weights = self.weights()
                chances = [arb(0) if far[index] else chance(weights, index) for index in range(len(self))]
            if bits >= balls.MAX_BITS or all(value.is_exact() or value.rel_accuracy_bits() >= 80 for value in chances):
                tail = Interval(Fraction(0), Fraction(1, 1 << FAR))
                return [
                    tail if beyond else balls.to_interval(value) for beyond, value in zip(far, chances, strict=True)
                ]
            bits *= 2

    def _floats(self) -> NDArray[np.float64]:
        """Every x within a relative 2^-51 (an absolute 2^-900 when the unit is tiny), or else beyond the cut like x."""
        if self.steps.dtype == np.uint64:
            unit = min(self.unit, Fraction(CUT))  # a longer unit is beyond the cut after one step anyway
            return self.steps.astype(np.float64) * (unit.numerator / unit.denominator)
        return np.array([float(min(step * self.unit, CUT)) for step in self.steps], dtype=np.float64)


def approximate_exp(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """e^-x within a relative 2^-48 for floats x from 0 to the cut, and 0 beyond it.

    Because both table entries, the two products and the series (to the sixth power on [0, 1/64], remainder 2^-54) are
    each off by a few units in the last place.
    """
    within = np.minimum(x, CUT)
    cells = (within * 64).astype(np.int64)  # exact scaling, so the floor is exact too
    rest = within - cells * (1 / 64)  # exact: both are multiples of x's last place, and the result is smaller than x
    series = np.ones_like(rest)
    for term in range(6, 0, -1):
        series = 1 - rest * series * (1 / term)
    whole, fine = _tables()
    approximate: NDArray[np.float64] = whole[cells >> 6] * fine[cells & 63] * series
    return approximate


@cache
def _tables() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """e^-j for j = 0..64 (0 at the cut), and e^(-i/64) for i = 0..63, each rounded to the nearest float."""

    def rounded(x: Fraction) -> float:
        return float(balls.enclose(lambda: (-balls.ball(x)).exp()))

    whole = [rounded(Fraction(j)) for j in range(CUT)] + [0.0]
    return np.array(whole), np.array([rounded(Fraction(i, 64)) for i in range(64)])


def below_best(scores: Scores, scale: Fraction) -> Exponents:
    """x_i = (best score - score_i)/scale: shifted by the best, so no weight e^-x_i overflows."""
    steps, denominator = _whole(scores)
    if isinstance(steps, np.ndarray):
        best = steps.max().astype(np.uint64)
        gaps: NDArray[np.uint64] | NDArray[np.object_] = best - steps.astype(np.uint64)  # modulo 2^64, hence exact
    else:
        top = max(steps)
        gaps = np.array([top - step for step in steps], dtype=object)
        if top - min(steps) < 1 << 64:
            gaps = gaps.astype(np.uint64)
    return Exponents(gaps, 1 / (denominator * scale))


def _whole(scores: Scores) -> tuple[NDArray[np.integer[Any]] | list[int], int]:
    """The scores as whole numbers over one denominator. Refuses by type and length, never by value."""
    if isinstance(scores, np.ndarray):
        if not is_array(scores) or scores.ndim != 1 or scores.dtype.kind not in "iu":
            raise InvalidInput(
                "N110",
                f"the scores are {kind_of(scores)} in {scores.ndim} dimensions",
                "Give a list of integers: count lattice steps (Lattice.to_steps)",
            )
        found: NDArray[np.integer[Any]] | list[int] = scores
        denominator = 1
    else:
        try:
            listed = list(scores)
        except TypeError:
            raise InvalidInput("N110", f"the scores are a {type(scores).__name__}", "Give a list of integers") from None
        fractions = [_exact(score) for score in listed]
        denominator = lcm(*(score.denominator for score in fractions))
        found = [int(score * denominator) for score in fractions]
    if len(found) == 0:
        raise InvalidInput("N111", "there are no scores to choose by", "Give at least one candidate with its score")
    return found, denominator


def _exact(score: object) -> Fraction:
    if isinstance(score, Fraction):
        return score
    if isinstance(score, int | np.integer) and not isinstance(score, bool):
        return Fraction(int(score))
    raise InvalidInput(
        "N110",
        f"a score is a {type(score).__name__}, not an exact number",
        "Give integers or Fractions: count lattice steps (Lattice.to_steps)",
    )
