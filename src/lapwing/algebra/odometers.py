"""Odometers: how much has been lost *so far*, readable at any moment of an adaptive session.

A filter guards one number chosen beforehand. An odometer has none, and may be read, and the session stopped,
whenever the reading looks good. For pure ε the running sum needs no care. For an (ε, δ) reading it does: a
bound that fails with probability δ at each moment may fail at *some* moment almost surely.

The reading here is a ladder of filters, [RRUV16] and [Lécuyer21]. Rung i is a zCDP filter of budget first·2^i
with its own share δ/((i+1)(i+2)) of δ; the shares add up to δ exactly. Fix two neighbours and rung i. The session
stopped when the rung is passed, or as soon as its loss exceeds ε_i, is an interaction that the rung's filter
allows, so it is ρ_i-zCDP and its loss exceeds ε_i = ρ_i + 2√(ρ_i ln(1/δ_i)) with probability at most δ_i ([BS16]
Lemma 3.5, Markov's inequality). By a union over the rungs, with probability at least 1 - δ the loss is below
*every* reading at once. Hence a session stopped before its reading passes any fixed ε is (ε, δ)-DP. (The
sharper conversion of ``conversion.zcdp_at_delta`` does not bound the probability of a large loss, so it has no
place here.)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from flint import arb

from lapwing.algebra import parameters
from lapwing.algebra.balls import ball, enclose
from lapwing.algebra.composition.concentrated import concentrated
from lapwing.algebra.composition.sequential import sequential
from lapwing.algebra.exact import Number
from lapwing.algebra.measures import ZCDP, ApproxDP, PureDP


@dataclass(frozen=True, slots=True)
class PureOdometer:
    """The running sum of pure bounds: valid at every moment, because the loss of no path exceeds its sum."""

    spent: PureDP = field(default_factory=lambda: PureDP(0))

    def charge(self, cost: PureDP) -> PureOdometer:
        """The odometer after one more mechanism."""
        return PureOdometer(sequential([self.spent, cost]))

    def reading(self) -> PureDP:
        """What has been lost so far, at most."""
        return self.spent


@dataclass(frozen=True, slots=True, init=False)
class ConcentratedOdometer:
    """A reading in (ε, δ) of a session charged in zCDP, valid at all moments at once with the one δ.

    ``first`` is the budget of the lowest rung: about what one request costs. Readings are coarse (each rung
    doubles), and a session within the lowest rung reads as the whole rung.
    """

    delta: Fraction
    first: Fraction
    spent: ZCDP

    def __init__(self, delta: Number, first: Number) -> None:
        object.__setattr__(self, "delta", parameters.positive_delta(delta))
        object.__setattr__(self, "first", parameters.epsilon(first, "first rung"))
        object.__setattr__(self, "spent", ZCDP(0))

    def charge(self, cost: ZCDP) -> ConcentratedOdometer:
        """The odometer after one more mechanism."""
        after = ConcentratedOdometer(self.delta, self.first)
        object.__setattr__(after, "spent", concentrated([self.spent, cost]))
        return after

    def reading(self) -> ApproxDP:
        """What has been lost so far, at most, except with probability δ over the whole session."""
        if self.spent.rho == 0:
            return ApproxDP(0, self.delta)
        rung = 0
        while self.rung_budget(rung) < self.spent.rho:
            rung += 1
        return ApproxDP(self.rung_epsilon(rung), self.delta)

    def rung_budget(self, rung: int) -> Fraction:
        """The ρ at which the session climbs past this rung."""
        return self.first * (1 << rung)

    def rung_delta(self, rung: int) -> Fraction:
        """The rung's share of δ: 1/((i+1)(i+2)) = 1/(i+1) - 1/(i+2), so all shares together are δ."""
        return self.delta / ((rung + 1) * (rung + 2))

    def rung_epsilon(self, rung: int) -> Fraction:
        """The loss that a session within this rung exceeds with probability at most the rung's share of δ."""
        rho, share = self.rung_budget(rung), self.rung_delta(rung)

        def epsilon() -> arb:
            return ball(rho) + 2 * (ball(rho) * -ball(share).log()).sqrt()

        return enclose(epsilon).upper
