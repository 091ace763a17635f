"""Real noise, exactly: a draw whose binary digits are made only as far as a question needs them.

The one idea: inverse-transform sampling. A draw is F⁻¹(U) with U uniform on [0, 1]; at any moment some digits of U are
known, so U lies between two neighbouring dyadic numbers and the draw in a ball (:mod:`flint`'s ``arb``) that certainly
holds it. Nobody ever sees a rounded draw: a comparison or a floor asks for digits until it is certain, so every
theorem about real Laplace, exponential or Gaussian noise holds of what runs.

Draws have scale 1; a :class:`~lapwing.noise.forms.Form` multiplies them. A draw is one number for everybody who holds
it: copying gives the same object, and a second process that would go on making its digits differently is refused.
"""

from __future__ import annotations

import itertools
import threading
from functools import cache
from typing import Literal, NoReturn, Self

from flint import arb, ctx

from lapwing.errors import InvalidInput
from lapwing.noise.source import SECURE, Source, generation

#: Laws with a density, each of scale 1: e^-|x|/2, e^-x for x ≥ 0, and the normal law.
Law = Literal["laplace", "exponential", "gaussian"]
WORD = 64
#: Digits of U that every draw starts with; the other bit of its first word is the sign.
FIRST = WORD - 1
#: Bits of working precision beyond the digits of the draws.
GUARD = 64
#: Where in the interval between two dyadic numbers U is: ½ ± ½. Exact ends, because a radius given as a float
#: would underflow to 0 after 1074 digits and the ball would be a lie.
_WITHIN = arb((1, -1), (1, -1))
_numbers = itertools.count(1)


class OfOneRun:
    """A number whose digits are still being drawn: it stays in its run, and there is one of it however it is copied."""

    __slots__ = ()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self  # digits made later must be the same everywhere

    def __reduce__(self) -> NoReturn:
        raise InvalidInput(
            "N271",
            "a noisy number cannot be stored or sent: its digits are still being drawn",
            "Store the answer of the mechanism, which is rounded down",
        )


class Draw(OfOneRun):
    """One number drawn from ``law``; see :meth:`ball`."""

    __slots__ = ("_digits", "_generation", "_known", "_lock", "_source", "law", "negative", "number")

    def __init__(self, law: Law, source: Source = SECURE) -> None:
        self._generation = generation()  # asked first: a fork in between makes this draw the parent's
        word = source.random_bits(WORD)
        self.law = law
        self.negative = law != "exponential" and word & 1 == 1
        #: an order of all draws, so that products have one spelling
        self.number = next(_numbers)
        self._digits = (FIRST, word >> 1)
        self._known: tuple[int, arb] | None = None
        self._lock = threading.Lock()
        self._source = source

    def ball(self, digits: int) -> arb:
        """A ball that holds the draw, from at least ``digits`` digits of U, at the working precision.

        The precision is one number for all threads: another may lower it, and the ball is then wider, and still true.
        So who asks again must ask for more ``digits``: what is kept for fewer is not given out.
        """
        if generation() != self._generation:
            raise InvalidInput(
                "N270",
                "a noisy number was used in another process than the one that drew it",
                "Run the mechanism again there",
            )
        known = self._known
        if known is not None and known[0] >= digits:
            return known[1]
        count, uniform = self._revealed(digits)
        value = self._inverse((arb(uniform) + _WITHIN) * _power(count))
        self._known = (digits, value)
        return value

    def _revealed(self, digits: int) -> tuple[int, int]:
        """How many digits of U are known, and they as a whole number: never 0, where the inverse is infinite."""
        with self._lock:  # reading, drawing and storing are one step: two threads must not make the same digit twice
            count, uniform = self._digits
            while count < digits or uniform == 0:
                uniform = uniform << WORD | self._source.random_bits(WORD)
                count += WORD
            self._digits = (count, uniform)
        return count, uniform

    def _inverse(self, uniform: arb) -> arb:
        """F⁻¹, by a sign and the law of the absolute value: no tail is lost when the precision is short.

        P(|X| > t) is e^-t, or erfc(t/√2) for the normal law; so |X| = -ln U, or √2 · erfc⁻¹(U).
        """
        size = arb(2).sqrt() * uniform.erfcinv() if self.law == "gaussian" else -uniform.log()
        return -size if self.negative else size

    def __repr__(self) -> str:
        return f"<{self.law} draw>"  # its digits are nobody's business


@cache
def _power(count: int) -> arb:
    return arb((1, -count))


class Precision:
    """Enough working precision for so many digits, inside a block."""

    __slots__ = ("before", "bits")

    def __init__(self, digits: int) -> None:
        self.bits = digits + GUARD

    def __enter__(self) -> None:
        self.before = ctx.prec
        ctx.prec = self.bits

    def __exit__(self, *_: object) -> None:
        ctx.prec = self.before
