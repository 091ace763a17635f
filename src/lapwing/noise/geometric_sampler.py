"""Exact draws of Y >= 0 with P(Y = y) ∝ e^(-y/scale), and of its two-sided form, the discrete Laplace.

The one idea: a geometric number written in mixed radix, Y = M·H + L, has *independent* digits, because
q^(M·h + l) = (q^M)^h · q^l. So a large scale costs a look-up per digit, each in a small exact table. The top digit H
is unbounded; its table ends in the entry "K or more", after which H - K is distributed as H was (geometric
numbers have no memory), so the draw goes on and nothing is cut off.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate, pairwise, repeat
from math import ceil
from operator import mul

import numpy as np
from flint import arb
from numpy.typing import NDArray

from lapwing.algebra.balls import ball
from lapwing.noise.inversion_tables import PIECE, Table
from lapwing.noise.sampler_limits import supported_scale
from lapwing.noise.source import SECURE, Source

#: So that draws fit in 64 bits, one beyond ±LIMIT only says so, by some number between LIMIT and 2·LIMIT in size;
#: `adding_noise` shows why that costs no privacy.
LIMIT = 1 << 62
#: The top digit's scale is at most this, so that its table stays small.
_TOP_SCALE = 8
#: The top digit passes the end of its table with probability about e^-14, one in a million.
_TOP_LENGTHS = 14
#: A lower digit has at most this many bits: of 65,536 buckets at most 127 are then cut.
_DIGIT_BITS = 7


def powers(ratio: arb, count: int) -> list[arb]:
    """1, ratio, ratio², …: ``count`` of them."""
    return list(accumulate(repeat(ratio, count - 1), mul, initial=arb(1)))


class GeometricSampler:
    """Y >= 0 with P(Y = y) = (1 - q)·q^y for q = e^(-1/scale), exactly; two-sided on request.

    Two-sided is X with P(X = x) ∝ q^|x|: it is Y with probability 1/(1 + q), else -1 - Y, so the sign joins the top
    digit's table. In two's complement -1 - Y is ~Y: its top digit is ~H and its lower digits are flipped.
    """

    __slots__ = ("_digits", "_length", "_radix_bits", "_top", "_two_sided")

    def __init__(self, scale: Fraction, *, two_sided: bool = False) -> None:
        supported_scale(scale)
        self._two_sided = two_sided
        self._radix_bits = max(0, ceil(scale / _TOP_SCALE) - 1).bit_length()
        top_scale = scale / (1 << self._radix_bits)
        self._length = length = ceil(_TOP_LENGTHS * top_scale)

        def one_side() -> list[arb]:
            ratio = (-ball(1 / top_scale)).exp()
            *below, end = powers(ratio, length + 1)
            return [*below, end / (1 - ratio)]

        def both_sides() -> list[arb]:
            side = one_side()
            ratio = (-ball(1 / scale)).exp()
            return [weight * ratio for weight in reversed(side)] + side

        if two_sided:
            self._top = Table.of_weights(both_sides, lowest=~length)
        else:
            self._top = Table.of_weights(one_side)
        self._digits = _digit_tables(scale, self._radix_bits)

    def draw(self, count: int, source: Source = SECURE) -> NDArray[np.int64]:
        """``count`` independent draws."""
        if count <= PIECE:
            return self._piece(count, source)
        drawn = np.empty(count, dtype=np.int64)
        for start in range(0, count, PIECE):
            drawn[start : start + PIECE] = self._piece(min(PIECE, count - start), source)
        return drawn

    def _piece(self, count: int, source: Source) -> NDArray[np.int64]:
        top = self._top.draw(count, source)
        if count and (top.max() >= self._length or top.min() < -self._length):
            self._extend(top, source)
        if not self._radix_bits:
            return top
        low = np.zeros(count, dtype=np.int64)
        for shift, table in self._digits:
            low |= table.draw(count, source) << shift
        if self._two_sided:
            low ^= (top >> 63) & ((1 << self._radix_bits) - 1)
        top <<= self._radix_bits
        top |= low
        return top

    def _extend(self, top: NDArray[np.int64], source: Source) -> None:
        """Continue the draws that ran off the end of the top digit's table."""
        for i in np.flatnonzero((top >= self._length) | (top < -self._length)):
            digit = min(self._length + self._top_digit(source), LIMIT >> self._radix_bits)
            top[i] = ~digit if top[i] < 0 else digit

    def _top_digit(self, source: Source) -> int:
        """H itself, however large."""
        passed = 0
        while True:
            drawn = int(self._top.draw(1, source)[0])
            digit = ~drawn if drawn < 0 else drawn  # a two-sided draw's size is independent of its sign
            if digit < self._length:
                return passed + digit
            passed += self._length

    def draw_size(self, source: Source = SECURE) -> int:
        """One draw of Y, whichever the sampler's sides, however large."""
        low = sum(int(table.draw(1, source)[0]) << shift for shift, table in self._digits)
        return (self._top_digit(source) << self._radix_bits) + low


def _digit_tables(scale: Fraction, bits: int) -> list[tuple[int, Table]]:
    """The lower digits, ``bits`` bits in all and evenly split: for each its place and its table."""
    count = -(-bits // _DIGIT_BITS)
    places = [bits * i // count for i in range(count + 1)] if count else []
    return [(start, _digit_table(scale / (1 << start), 1 << (end - start))) for start, end in pairwise(places)]


def _digit_table(scale: Fraction, radix: int) -> Table:
    """A digit: a geometric number of this scale, given that it is below ``radix``."""
    return Table.of_weights(lambda: powers((-ball(1 / scale)).exp(), radix))
