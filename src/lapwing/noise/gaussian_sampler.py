"""Exact draws of the discrete Gaussian: integers x with P(X = x) ∝ f(x) = e^(-x²/2σ²) [CKS20].

The one idea: the line is cut into cells of w integers, w about σ/32 (one integer when σ is small). A table chooses a
cell in proportion to w times the largest f in it, x is uniform in the cell, and is accepted with probability
f(x) / (largest f). That is near 1: mostly the first 16 bits of the coin are already below the *smallest* ratio in the
cell, and nothing need be computed. A rejected draw starts again, so every x keeps its weight f(x), exactly.

Beyond the last cell, from a on, f(a + j) = f(a)·e^(-aj/σ²)·e^(-j²/2σ²): one table entry on each side stands for the
geometric envelope, and the last factor is the coin. Nothing is cut off.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

import numpy as np
from flint import arb
from numpy.typing import NDArray

from lapwing.algebra.balls import ball, certified_floor
from lapwing.noise.exponents import approximate_exp
from lapwing.noise.geometric_sampler import LIMIT, GeometricSampler
from lapwing.noise.inversion_tables import PIECE, Table
from lapwing.noise.sampler_limits import supported_variance
from lapwing.noise.source import SECURE, Source
from lapwing.noise.uniform_comparison import uniform_below

#: σ is at least this many cells wide, unless cells are single integers.
_CELLS_PER_SIGMA = 32
#: The cells reach this many σ to each side: one draw in 500 million goes beyond.
_REACH = 6
#: A coin's first bits are the top of a 64-bit word; the offset in the cell is its bottom (at most 43 bits).
_COIN_BITS = 16
_COIN_SHIFT = 64 - _COIN_BITS
#: A coin this close to a ratio computed in floating point is tossed again in exact arithmetic; see `_accept`.
_MARGIN = 2.0**-40


def bell(square: int, variance: Fraction) -> arb:
    """e^(-square/2σ²)."""
    return (-ball(square / (2 * variance))).exp()


class GaussianSampler:
    """X with P(X = x) ∝ e^(-x²/2σ²) over all integers, exactly, for a rational σ²."""

    __slots__ = ("_cells", "_left", "_quick", "_rate", "_right", "_table", "_variance", "_width_bits")

    def __init__(self, variance: Fraction) -> None:
        self._variance = supported_variance(variance)
        sigma_floor = isqrt(int(variance))
        self._width_bits = max(0, (sigma_floor // _CELLS_PER_SIGMA).bit_length() - 1)
        # Cell c, from -cells to cells - 1, holds c·w .. c·w + w - 1; table value -cells - 1 is the left tail, value
        # cells is the right one.
        self._cells = (_REACH * (sigma_floor + 1) >> self._width_bits) + 2
        reach = self._cells << self._width_bits
        self._left, self._right = _Tail(variance, reach + 1), _Tail(variance, reach)
        self._table = Table.of_weights(self._weights, lowest=-self._cells - 1)
        if self._width_bits:
            self._rate = float(1 / (2 * variance))
            self._quick = self._quick_limits()

    def _edges(self) -> list[tuple[int, int]]:
        """Distance from 0 of the nearest and of the farthest x in every cell, from left to right."""
        width = 1 << self._width_bits
        right = [(c * width, (c + 1) * width - 1) for c in range(self._cells)]
        return [(near + 1, far + 1) for near, far in reversed(right)] + right

    def _weights(self) -> list[arb]:
        """Left tail, cells, right tail: the mass of each one's envelope."""
        width = 1 << self._width_bits
        cells = [width * bell(near**2, self._variance) for near, _ in self._edges()]
        return [self._left.mass(), *cells, self._right.mass()]

    def _quick_limits(self) -> NDArray[np.uint64]:
        """For each table value, the words from which on a coin is not certainly accepted: all of them in a tail."""
        coins = [self._certain_coin(near, far) for near, far in self._edges()]
        return np.array([0, *(coin << _COIN_SHIFT for coin in coins), 0], dtype=np.uint64)

    def _certain_coin(self, near: int, far: int) -> int:
        """The first 16 bits of the smallest ratio in a cell: coins that begin below it are accepted."""
        return certified_floor(lambda: bell(far**2 - near**2, self._variance) * (1 << _COIN_BITS))

    def draw(self, count: int, source: Source = SECURE) -> NDArray[np.int64]:
        """``count`` independent draws."""
        drawn = np.empty(count, dtype=np.int64)
        for start in range(0, count, PIECE):
            piece = drawn[start : start + PIECE]
            rejected = self._attempt(piece, source)
            while len(rejected):
                again = np.empty(len(rejected), dtype=np.int64)
                still = self._attempt(again, source)
                piece[rejected] = again
                rejected = rejected[still]
        return drawn

    def _attempt(self, drawn: NDArray[np.int64], source: Source) -> NDArray[np.intp]:
        """Propose a number for every place; the places whose proposal was rejected."""
        cell = self._table.draw(len(drawn), source)
        if not self._width_bits:  # single integers need no coin, only tails do
            drawn[:] = cell
            if cell.max() < self._cells and cell.min() >= -self._cells:
                return np.empty(0, dtype=np.intp)
            outside = np.flatnonzero((cell >= self._cells) | (cell < -self._cells))
            return outside[~self._draw_tails(drawn, outside, source)]
        word = source.words(len(drawn))
        np.left_shift(cell, self._width_bits, out=drawn)
        drawn |= word.view(np.int64) & ((1 << self._width_bits) - 1)
        slow = np.flatnonzero(word >= self._quick[cell + (self._cells + 1)])
        slow_cell = cell[slow]
        is_tail = (slow_cell >= self._cells) | (slow_cell < -self._cells)
        accepted = np.empty(len(slow), dtype=np.bool_)
        inside = slow[~is_tail]
        accepted[~is_tail] = self._accept(drawn[inside], cell[inside], word[inside], source)
        accepted[is_tail] = self._draw_tails(drawn, slow[is_tail], source)
        return slow[~accepted]

    def _accept(
        self, x: NDArray[np.int64], cell: NDArray[np.int64], word: NDArray[np.uint64], source: Source
    ) -> NDArray[np.bool_]:
        """Toss the coin e^(-(x² - near²)/2σ²), whose first 16 bits are the top of ``word``, for each x.

        Floating point only filters. |x ± near| < 2^53 is exact, the exponent is below 1/4 with a relative error below
        2^-51, e^-exponent is good to 2^-48 and the coin to 2^-52: together far less than the margin, and within the
        margin exact arithmetic decides.
        """
        side = cell >> 63  # 0 on the right, -1 on the left
        near = ((cell - side) << self._width_bits) + side
        exponent = np.abs(x - near).astype(np.float64) * np.abs(x + near).astype(np.float64) * self._rate
        ratio = approximate_exp(exponent)
        more = source.words(len(x))
        first = word >> np.uint64(_COIN_SHIFT)
        coin = (first.astype(np.float64) + more.astype(np.float64) * 2.0**-64) * 2.0**-_COIN_BITS
        accepted: NDArray[np.bool_] = coin < ratio
        for i in np.flatnonzero(np.abs(coin - ratio) <= _MARGIN):
            bits = (int(first[i]) << 64) | int(more[i])
            accepted[i] = self._accept_exactly(int(x[i]) ** 2 - int(near[i]) ** 2, bits, source)
        return accepted

    def _accept_exactly(self, square: int, coin: int, source: Source) -> bool:
        """The coin e^(-square/2σ²), whose first 80 bits are drawn already."""
        return uniform_below(lambda: bell(square, self._variance), source, uniform=coin, bits=_COIN_BITS + 64)

    def _draw_tails(self, drawn: NDArray[np.int64], places: NDArray[np.intp], source: Source) -> NDArray[np.bool_]:
        """Replace the numbers at these places by proposals from their side's tail; which were accepted."""
        accepted = np.empty(len(places), dtype=np.bool_)
        for i, place in enumerate(places):
            side, tail = (-1, self._left) if drawn[place] < 0 else (1, self._right)
            distance, accepted[i] = tail.propose(source)
            drawn[place] = side * min(distance, LIMIT)
        return accepted


class _Tail:
    """All x at distance ``start`` or more on one side, by rejection from a geometric envelope."""

    __slots__ = ("_excess", "_start", "_variance")

    def __init__(self, variance: Fraction, start: int) -> None:
        self._variance = variance
        self._start = start
        self._excess = GeometricSampler(variance / start)

    def mass(self) -> arb:
        """f(start)·(1 + r + r² + …) with r = e^(-start/σ²)."""
        return bell(self._start**2, self._variance) / (1 - (-ball(self._start / self._variance)).exp())

    def propose(self, source: Source) -> tuple[int, bool]:
        """A distance from 0, and whether it is accepted."""
        excess = self._excess.draw_size(source)
        return self._start + excess, uniform_below(lambda: bell(excess**2, self._variance), source)
