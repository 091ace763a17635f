"""Whether a uniform real lies below a probability that is only known in balls: an exact coin for any real.

The one idea: bits of U are added, and the probability computed further, until the two are certainly apart.
Both grow together, so a comparison almost never needs a second round.
"""

from __future__ import annotations

from collections.abc import Callable

from flint import arb

from lapwing.algebra import balls
from lapwing.noise.source import SECURE, Source

WORD_BITS = 64


def uniform_below(probability: Callable[[], arb], source: Source = SECURE, *, uniform: int = 0, bits: int = 0) -> bool:
    """Whether U < p, for U uniform in [0, 1) given that its first ``bits`` bits are ``uniform``.

    With no bits given this is a coin that comes up True with probability exactly p (0 <= p <= 1).
    """
    while True:
        uniform = (uniform << WORD_BITS) | source.random_bits(WORD_BITS)
        bits += WORD_BITS
        with balls.precision(bits + WORD_BITS):
            scaled = probability() * arb(2) ** bits
            # A ball comparison is True only when it holds for every number in the ball.
            if scaled >= uniform + 1:
                return True
            if scaled <= uniform:
                return False
