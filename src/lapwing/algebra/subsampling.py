"""Amplification by subsampling: a unit that is probably not looked at loses less.

The one idea: *how* the sample is drawn and *who* is protected belong together ([BBG18] Thms 8 and 9). Poisson
sampling goes with one unit more or fewer, a sample of fixed size with one unit changed. Any other pairing, such
as Poisson accounting for batches cut from a shuffled table, is refused.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import SupportsIndex

from flint import arb

from lapwing.algebra import parameters
from lapwing.algebra.balls import ball, enclose
from lapwing.algebra.claims import Claim
from lapwing.algebra.exact import Number, shown
from lapwing.algebra.measures import ApproxDP, PureDP
from lapwing.algebra.neighbours import ROW, Neighbours, Unit
from lapwing.errors import InvalidInput, NotComparable, Unbounded


@dataclass(frozen=True, slots=True, init=False)
class Poisson:
    """Each unit is in the sample with probability ``rate``, independently of all others; the size varies."""

    rate: Fraction
    unit: Unit

    def __init__(self, rate: Number, unit: Unit = ROW) -> None:
        object.__setattr__(self, "rate", parameters.probability(rate, "sampling rate"))
        object.__setattr__(self, "unit", unit)


@dataclass(frozen=True, slots=True, init=False)
class FixedSize:
    """A uniformly random set of ``size`` of the ``population`` units, without replacement; both are public."""

    size: int
    population: int
    unit: Unit

    def __init__(self, size: SupportsIndex, population: SupportsIndex, unit: Unit = ROW) -> None:
        sample, whole = parameters.whole(size, "sample size"), parameters.whole(population, "population")
        if sample > whole:
            raise InvalidInput(
                "A332",
                f"a sample of {shown(sample)} is larger than its population of {shown(whole)}",
                "Sample at most everyone",
            )
        object.__setattr__(self, "size", sample)
        object.__setattr__(self, "population", whole)
        object.__setattr__(self, "unit", unit)


@dataclass(frozen=True, slots=True)
class Shuffled:
    """The table is shuffled and cut into batches: every unit is used in each pass, so nothing is amplified."""

    unit: Unit = ROW


Sampling = Poisson | FixedSize | Shuffled


def subsampled(claim: Claim, sampling: Sampling) -> Claim:
    """ε' = ln(1 + q(e^ε - 1)), δ' = qδ for a mechanism with ``claim`` run on the sample only, [BBG18] Thms 8 and 9.

    Because the output is a mixture whose part that never saw the changed unit, of weight 1 - q, is the same for
    both neighbours. The sample itself must stay secret.
    """
    rate = _rate(claim, sampling)
    match claim.measure:
        case PureDP(epsilon):
            return replace(claim, measure=PureDP(amplified(epsilon, rate)))
        case ApproxDP(epsilon, delta):
            return replace(claim, measure=ApproxDP(amplified(epsilon, rate), rate * delta))
        case other:
            raise Unbounded(
                "A331",
                f"a {type(other).__name__} bound alone is not amplified by sampling",
                "Amplify an (epsilon, delta) bound, or account for the sampled mechanism itself",
            )


def amplified(epsilon: Fraction, rate: Fraction) -> Fraction:
    """ln(1 + q(e^ε - 1)), rounded up: what is left of ε for a unit that is in the sample with probability q."""
    if rate == 0 or epsilon == 0:
        return Fraction(0)
    if rate == 1:
        return epsilon

    def smaller() -> arb:
        # ε + ln(q + (1 - q)e^-ε): the same number, without overflow for large ε
        if epsilon > 1:
            return ball(epsilon) + (ball(rate) + ball(1 - rate) * (-ball(epsilon)).exp()).log()
        return (ball(rate) * ball(epsilon).expm1()).log1p()

    return min(epsilon, enclose(smaller).upper)


def _rate(claim: Claim, sampling: Sampling) -> Fraction:
    """The probability that one unit is in the sample, once the scheme fits the claim."""
    if claim.unit != sampling.unit:
        raise NotComparable(
            "A321",
            f"the claim is about one {claim.unit.name!r} and the sample is of {sampling.unit.name!r}",
            "Sample whole units: a unit with many rows is in a sample of rows far more often",
        )
    if isinstance(sampling, Shuffled):
        raise Unbounded(
            "A330",
            "batches of a shuffled table use every unit, and Poisson amplification does not hold for them",
            "Draw Poisson samples, or compose the disjoint batches in parallel",
        )
    expected = Neighbours.ADDED if isinstance(sampling, Poisson) else Neighbours.REPLACED
    if claim.neighbours is not expected:
        raise NotComparable(
            "A330",
            f"{type(sampling).__name__} sampling amplifies claims about {expected.phrase}, "
            f"and this one is about {claim.neighbours.phrase}",
            "Use Poisson sampling with one unit more or fewer, and FixedSize with one unit changed",
        )
    return sampling.rate if isinstance(sampling, Poisson) else Fraction(sampling.size, sampling.population)
