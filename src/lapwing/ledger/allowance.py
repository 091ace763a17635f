"""What an account may lose, and whether a total of charges, chosen adaptively, is still within it.

A budget with δ = 0 admits what has a pure bound of at most ε and no δ: sequential composition, [RRUV16].

A budget (ε, δ) with δ > 0 is split once and for all, in halves: δ/2 pays for charges that themselves fail with some
probability, δ/2 for the tail of many small losses. It admits a total with Σδ ≤ δ/2 and

    (A) a pure bound Σε ≤ ε,    or    (B) a concentrated bound Σρ ≤ ρ*, where ρ* implies (ε, δ/2).

*Claim.* Every interaction all of whose transcripts end admitted is (ε, δ)-DP, however charges and the choice between
A and B depend on earlier answers.

*Proof.* Fix neighbours, with transcript laws P and Q. Let each charge with a δᵢ be its ε-DP mechanism that gives itself
away with probability δᵢ. The chance under P that one ever does is at most the largest Σδᵢ of a transcript: δ/2. On
transcripts where none does, the factors 1 - δᵢ are the same under P and Q, as the transcript decides the charges, and
we may drop them. Where A holds, P ≤ e^ε Q at that transcript: losses add up to at most ε. Transcripts where only B
holds are also transcripts of the interaction that stops rather than pass ρ* (sums only grow), with the same P and Q;
that one is ρ*-zCDP by the filter for zCDP ([FZ21] Thm 3.1, [Lécuyer21] Thm 1), so the
sum of (P - e^ε Q)⁺ over *all* its transcripts is at most δ/2. So P(S) ≤ δ/2 + e^ε Q(S) + δ/2.                      ∎

The halves are needed. "Σε ≤ ε and Σδ ≤ δ, or B" joins two filters that are each sound, and is not: an analyst on the
way to a large loss goes on by B, and otherwise spends the rest of δ by A (tests compute how far that gets).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from lapwing.algebra.conversion import zcdp_within
from lapwing.algebra.exact import decimal_down
from lapwing.algebra.measures import ApproxDP
from lapwing.ledger.costs import NOTHING, Cost

_DIGITS = 10**15


@dataclass(frozen=True, slots=True)
class Left:
    """What one more price may be: at most ``epsilon`` if pure, or ``rho`` if concentrated; with at most ``delta``."""

    epsilon: Fraction
    rho: Fraction
    delta: Fraction

    def shown(self) -> str:
        """In a message, rounded down: nobody is promised more than there is."""
        if not self.rho and not self.delta:
            return f"epsilon {decimal_down(self.epsilon)}"
        numbers = {"epsilon": self.epsilon, "rho": self.rho, "delta": self.delta}
        return ", ".join(f"{name} {decimal_down(value)}" for name, value in numbers.items())


@dataclass(frozen=True, slots=True)
class Allowance:
    """A budget (ε, δ) with the ρ* and the δ that charges may use, which are 0 for a pure budget."""

    epsilon: Fraction
    delta: Fraction
    rho: Fraction

    @property
    def failures(self) -> Fraction:
        """The most that the δs of charges may add up to."""
        return self.delta / 2

    def admits(self, total: Cost) -> bool:
        """Whether charges of this total keep the budget: rule A or rule B of this module."""
        if total.delta > self.failures:
            return False
        by_sum = total.epsilon is not None and total.epsilon <= self.epsilon
        return by_sum or (self.delta > 0 and total.rho <= self.rho)

    def can_ever_pay(self, cost: Cost) -> bool:
        """Whether the budget has the currencies of this cost: a pure one has neither ρ nor δ."""
        return self.delta > 0 or (cost.epsilon is not None and not cost.delta)

    def room(self, spent: Cost) -> Cost:
        """The budget less what is spent, column by column; below 0 where it is overdrawn, None where it is closed."""
        epsilon = None if spent.epsilon is None else self.epsilon - spent.epsilon
        return Cost(epsilon, self.rho - spent.rho, self.failures - spent.delta)


def left_of(room: Cost) -> Left:
    """What one more charge may cost, from the room in each column; ``epsilon`` is rounded down where it is a root."""
    if room.delta < 0:
        return Left(Fraction(0), Fraction(0), Fraction(0))
    rho = max(Fraction(0), room.rho)
    return Left(max(Fraction(0), room.epsilon or Fraction(0), _root(2 * rho)), rho, room.delta)


def allowance(epsilon: Fraction, delta: Fraction) -> Allowance:
    """The allowance of a budget; finding ρ* takes some milliseconds, so the ledger keeps it."""
    if delta == 0:
        return Allowance(epsilon, delta, NOTHING.rho)
    return Allowance(epsilon, delta, zcdp_within(ApproxDP(epsilon, delta / 2)).rho)


def _root(number: Fraction) -> Fraction:
    """The square root, rounded down to fifteen places."""
    return Fraction(isqrt(int(number * _DIGITS**2)), _DIGITS)
