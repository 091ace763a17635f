"""RAPPOR: reports about values from an open set, private for one report and for a lifetime of them [EPK14].

The one idea: two layers. A value sets a few bits of a Bloom filter; the *permanent* response flips each bit once
and is kept by the client for as long as the value is the same; every report flips the permanent bits again. Whoever
collects any number of reports learns at most the permanent response, so its claim holds for ever; one report
alone tells less.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import SupportsIndex

import numpy as np
from numpy.typing import NDArray

from lapwing.algebra import parameters
from lapwing.algebra.exact import Number
from lapwing.algebra.measures import PureDP
from lapwing.errors import InvalidInput
from lapwing.noise.bernoulli import bernoulli
from lapwing.noise.response_matrix import pure_claim, worst_ratio
from lapwing.noise.uniform import uniform

MAX_BITS = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class PermanentResponses:
    """What clients keep, one row each: drawn once for a value, used for every report about it, shown to nobody."""

    cohorts: NDArray[np.int64]
    bits: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Reports:
    """What clients send, one row each."""

    cohorts: NDArray[np.int64]
    bits: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.cohorts)


@dataclass(frozen=True, slots=True, init=False)
class Rappor:
    """Bloom filters of ``bits`` bits and ``hashes`` hash functions, which differ from cohort to cohort.

    A permanent bit is wrong with probability ``flip``/2 (the paper's f). A reported bit is 1 with probability ``one``
    (the paper's q) where the permanent bit is 1, and ``zero`` (the paper's p) where it is 0.
    """

    bits: int
    hashes: int
    cohorts: int
    flip: Fraction
    zero: Fraction
    one: Fraction

    def __init__(
        self,
        bits: SupportsIndex = 128,
        hashes: SupportsIndex = 2,
        cohorts: SupportsIndex = 8,
        *,
        flip: Number = Fraction(1, 2),
        zero: Number = Fraction(1, 4),
        one: Number = Fraction(3, 4),
    ) -> None:
        width = parameters.whole(bits, "bits")
        if width > MAX_BITS:
            raise InvalidInput("N260", f"bits is {width}, above 2^16", "Use 32 to 1024 bits")
        object.__setattr__(self, "bits", width)
        object.__setattr__(self, "hashes", parameters.whole(hashes, "hashes"))
        object.__setattr__(self, "cohorts", parameters.whole(cohorts, "cohorts"))
        object.__setattr__(self, "flip", parameters.probability(flip, "flip"))
        object.__setattr__(self, "zero", parameters.probability(zero, "zero"))
        object.__setattr__(self, "one", parameters.probability(one, "one"))

    def lifetime_claim(self, values: SupportsIndex = 1) -> PureDP:
        """What all reports about one value ever tell: 2h·ln((1 - f/2)/(f/2)), rounded up [EPK14, Thm 1].

        Because two values differ in at most 2h filter bits, each of whose permanent bits has that ratio at most, and
        reports are made from the permanent response alone. A client that has had ``values`` different values pays
        for each of them.
        """
        wrong = self.flip / 2
        ratio = worst_ratio([[wrong, 1 - wrong], [1 - wrong, wrong]])
        return pure_claim(ratio, 2 * self.hashes * parameters.whole(values, "values", 0))

    def report_claim(self) -> PureDP:
        """What one report tells: h·ln(q*(1 - p*)/(p*(1 - q*))), rounded up [EPK14, Thm 2].

        Because of at most 2h bits that differ between two values, h are 1 for the one and h are 1 for the other. It is
        about a *single* report: two reports about the same value share permanent bits, and only
        :meth:`lifetime_claim` covers them.
        """
        set_, clear = self.chance_of_one(filter_bit=True), self.chance_of_one(filter_bit=False)
        ones = worst_ratio([[set_], [clear]])
        zeros = worst_ratio([[1 - set_], [1 - clear]])
        return pure_claim(None if ones is None or zeros is None else ones * zeros, self.hashes)

    def chance_of_one(self, *, filter_bit: bool) -> Fraction:
        """P(a reported bit is 1) for a bit of the value's Bloom filter: the paper's q* (bit set) and p* (clear)."""
        right = 1 - self.flip / 2
        return right * self.one + (1 - right) * self.zero if filter_bit else right * self.zero + (1 - right) * self.one

    def filter_bits(self, value: str, cohort: int) -> NDArray[np.bool_]:
        """The Bloom filter of a value: the same on every machine, another in every cohort."""
        found = np.zeros(self.bits, dtype=np.bool_)
        for number in range(self.hashes):
            salt = f"lapwing rappor {cohort} {number} ".encode()
            digest = hashlib.sha256(salt + value.encode("utf-8", "surrogatepass")).digest()
            found[int.from_bytes(digest, "big") % self.bits] = True
        return found

    def permanent(self, values: Sequence[str]) -> PermanentResponses:
        """Draws the permanent response of each value, in a cohort drawn evenly. Keep it: a second one tells more."""
        listed = _texts(values)
        cohorts = uniform(self.cohorts, len(listed))
        # One filter for each different pair: hashing is slow, and a population repeats its values.
        known: dict[tuple[str, int], NDArray[np.bool_]] = {}
        filters = np.empty((len(listed), self.bits), dtype=np.bool_)
        for row, pair in enumerate(zip(listed, cohorts.tolist(), strict=True)):
            if pair not in known:
                known[pair] = self.filter_bits(*pair)
            filters[row] = known[pair]
        return PermanentResponses(cohorts, filters ^ bernoulli(self.flip / 2, filters.size).reshape(filters.shape))

    def report(self, permanent: PermanentResponses) -> Reports:
        """One report from each client, by fresh coins."""
        if permanent.bits.ndim != 2 or permanent.bits.shape[1] != self.bits:
            raise InvalidInput(
                "N261", f"the permanent responses do not have {self.bits} bits", "Use the Rappor that made them"
            )
        size, shape = permanent.bits.size, permanent.bits.shape
        ones = bernoulli(self.one, size).reshape(shape)
        zeros = bernoulli(self.zero, size).reshape(shape)
        return Reports(permanent.cohorts, np.where(permanent.bits, ones, zeros))

    def pmf(self, report: NDArray[np.bool_], value: str, cohort: SupportsIndex) -> Fraction:
        """P(report | value) for one report of a client in ``cohort``."""
        if report.shape != (self.bits,):
            raise InvalidInput("N261", f"the report does not have {self.bits} bits", "Use the Rappor that made it")
        chance = Fraction(1)
        for sent, bit in zip(report.tolist(), self.filter_bits(value, int(cohort)).tolist(), strict=True):
            one = self.chance_of_one(filter_bit=bit)
            chance *= one if sent else 1 - one
        return chance


def _texts(values: Sequence[str]) -> list[str]:
    """The values as a list of texts, refused by type alone."""
    listed = [] if isinstance(values, str) else list(values)
    if not listed or not all(isinstance(value, str) for value in listed):
        raise InvalidInput("N262", "the values are not a list of texts", "Give a list of str, one for each client")
    return listed
