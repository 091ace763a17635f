"""What an account may lose, and whether a total of charges, chosen adaptively, is still within it.

A budget with δ = 0 admits what has a pure bound of at most ε and no δ: sequential composition, [RRUV16].

A budget (ε, δ) with δ > 0 is split once and for all, in halves: δ/2 pays for charges that themselves fail with some
probability, δ' = δ/2 for the tail of many small losses. When the account is opened, Rényi orders α_j are fixed, with
weights w_j that add up to 1 and limits c_j (``orders``). It admits a total with Σδ <= δ/2 and

    (A) a pure bound Σε <= ε,    or    (B) for some j a total divergence X_j <= c_j of order α_j.

*Claim.* Every interaction all of whose transcripts end admitted is (ε, δ)-DP, however charges, and which of A and B
holds in the end, depend on earlier answers.

*Proof.* Fix neighbours, with transcript laws P and Q. Let each charge with a δᵢ be its ε-DP mechanism that gives itself
away with probability δᵢ. The chance under P that one ever does is at most the largest Σδᵢ of a transcript: δ/2. On
transcripts where none does, the factors 1 - δᵢ are the same under P and Q, as the transcript decides the charges, and
we may drop them. Let L be the loss ln(P/Q) of a transcript; what P exceeds e^ε·Q by is at most E_P[(1 - e^(ε - L))⁺].
Where A holds this is 0, as L <= ε. For each fixed j, M_j = e^((α_j - 1)(L - X_j)) is a supermartingale under P along
the charges, however they are chosen, because a charge adds to X_j a bound on its divergence of order α_j; so
E_P[M_j] <= 1. Where X_j <= c_j, (1 - e^(ε - L))⁺ <= w_j·δ'·e^((α_j - 1)(L - c_j)) <= w_j·δ'·M_j: the first step is the
definition of c_j, which makes the two touch where the left side is largest against the right. Summed over j this is
at most δ'. So P(S) <= δ/2 + e^ε·Q(S) + δ'.                                                                          ∎

What does not hold: "Σε + ε(Σρ, δ') <= ε", with ε(·, ·) the best conversion. It is a minimum over orders, the best of
which depends on what was spent, and an analyst can steer that: small losses booked as ρ, and the rest as one pure
charge the moment they pass what their ρ is worth (a test computes how far that gets). Nor does "Σε <= ε and Σδ <= δ, or
B": an analyst on the way to a large loss goes on by B, and otherwise spends the rest of δ by A. The halves are needed.

Ledgers from before orders have none: B is then a total Σρ <= ρ*, where ρ* implies (ε, δ/2), by the filter for zCDP
([FZ21] Thm 3.1, [Lécuyer21] Thm 1). They mean what they meant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isqrt

from lapwing.algebra.by_renyi_order import zcdp_within
from lapwing.algebra.exact import decimal_down
from lapwing.algebra.measures import ApproxDP
from lapwing.ledger.costs import NOTHING, Cost
from lapwing.ledger.orders import Order, largest_pure, order_at, orders_for

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
    """A budget (ε, δ) with its orders, none for a pure budget, and the ρ* that it pays for in concentrated charges."""

    epsilon: Fraction
    delta: Fraction
    rho: Fraction
    orders: tuple[Order, ...] = ()

    @property
    def failures(self) -> Fraction:
        """The most that the δs of charges may add up to."""
        return self.delta / 2

    def admits(self, total: Cost) -> bool:
        """Whether charges of this total keep the budget: rule A or rule B of this module."""
        if total.delta > self.failures:
            return False
        by_sum = total.epsilon is not None and total.epsilon <= self.epsilon
        return by_sum or (self.delta > 0 and self._admits_tail(total))

    def _admits_tail(self, total: Cost) -> bool:
        """Rule B of this module."""
        if not self.orders:
            return total.rho <= self.rho
        columns = self._columns(total)
        return any(spent <= each.limit for spent, each in zip(columns, self.orders, strict=True))

    def _columns(self, total: Cost) -> tuple[Fraction, ...]:
        """The total in each order; only what cost nothing at all has none."""
        if total.columns or not self.orders:
            return total.columns
        if total.rho or total.epsilon:
            raise ValueError("a cost was added up without the orders of its account")
        return (Fraction(0),) * len(self.orders)

    def can_ever_pay(self, cost: Cost) -> bool:
        """Whether the budget has the currencies of this cost: a pure one has neither ρ nor δ."""
        return self.delta > 0 or (cost.epsilon is not None and not cost.delta)

    def room(self, spent: Cost) -> Cost:
        """The budget less what is spent, column by column; below 0 where it is overdrawn, None where it is closed."""
        epsilon = None if spent.epsilon is None else self.epsilon - spent.epsilon
        columns = self._columns(spent)
        rooms = tuple(each.limit - used for each, used in zip(self.orders, columns, strict=True))
        return Cost(epsilon, self.rho - spent.rho, self.failures - spent.delta, rooms)


def left_of(room: Cost, orders: Sequence[Order] = ()) -> Left:
    """What one more charge may cost, from the room in each column; rounded down where it is not rational."""
    nothing = Fraction(0)
    if room.delta < 0:
        return Left(nothing, nothing, nothing)
    if not orders:
        rho = max(nothing, room.rho)
        return Left(max(nothing, room.epsilon or nothing, _root(2 * rho)), rho, room.delta)
    pairs = list(zip(orders, room.columns, strict=True))
    rho = max(nothing, *(left / each.alpha for each, left in pairs))
    pure = max(largest_pure(each.alpha, left) for each, left in pairs)
    return Left(max(nothing, room.epsilon or nothing, pure), rho, room.delta)


def allowance(epsilon: Fraction, delta: Fraction) -> Allowance:
    """The allowance of a new account; finding its orders takes some milliseconds, so the ledger keeps them."""
    if delta == 0:
        return Allowance(epsilon, delta, NOTHING.rho)
    orders = orders_for(epsilon, delta / 2)
    return Allowance(epsilon, delta, max(Fraction(0), *(each.limit / each.alpha for each in orders)), orders)


def renewed(before: Allowance, epsilon: Fraction, delta: Fraction) -> Allowance:
    """Another budget for an account that was opened already: its orders stay, their limits follow the budget."""
    if delta == 0 or not before.orders:
        rho = zcdp_within(ApproxDP(epsilon, delta / 2)).rho if delta else NOTHING.rho
        return Allowance(epsilon, delta, rho, tuple(replace(each, limit=Fraction(-1)) for each in before.orders))
    orders = tuple(order_at(each.alpha, each.weight, epsilon, delta / 2) for each in before.orders)
    return Allowance(epsilon, delta, max(Fraction(0), *(each.limit / each.alpha for each in orders)), orders)


def _root(number: Fraction) -> Fraction:
    """The square root, rounded down to fifteen places."""
    return Fraction(isqrt(int(number * _DIGITS**2)), _DIGITS)
