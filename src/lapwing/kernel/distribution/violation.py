"""Do two probabilities of an event break a claim? Every doubt is decided in the claim's favour."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from lapwing.algebra.balls import Interval, ball, enclose
from lapwing.algebra.exact import decimal_down
from lapwing.kernel.boundary import Doubt
from lapwing.kernel.evidence.witness import LogRatio
from lapwing.kernel.program import ir


@dataclass(frozen=True, slots=True)
class Claimed:
    """A claim in numbers: ε, or ε and δ, or ρ with the Rényi order at which it is tested; nothing without a claim."""

    claim: ir.Claim | None
    value: Interval | None
    delta: Interval | None
    order: Fraction | None


def violation(claimed: Claimed, left: Interval, right: Interval, ratio: LogRatio) -> str:
    """What the numbers show, in one sentence; raises Doubt when they do not break the claim."""
    low = "infinite" if ratio.lower is None else f"at least {decimal_down(ratio.lower, 8)}"
    value, delta, order = claimed.value, claimed.delta, claimed.order
    match claimed.claim:
        case None:
            return f"the privacy loss is {low}"
        case ir.PureClaim() if value is not None:
            # ε: P(E) <= e^ε·Q(E) for every event E [DR14, Def. 2.4]
            if ratio.lower is not None and ratio.lower <= value.upper:
                raise Doubt(f"the privacy loss is not certainly above the claimed {shown(value)}")
            return f"the privacy loss is {low}, and {shown(value)} is claimed"
        case ir.ApproximateClaim() if value is not None and delta is not None:
            # (ε, δ): P(E) <= e^ε·Q(E) + δ for every event E [DR14, Def. 2.4]
            excess = enclose(lambda: ball(left.lower) - ball(value.upper).exp() * ball(right.upper)).lower
            if excess <= delta.upper:
                raise Doubt("P_left - e^epsilon * P_right is not certainly above the claimed delta")
            return f"P_left - e^ε·P_right is at least {decimal_down(excess, 8)}, and δ = {shown(delta)} is claimed"
        case ir.ZcdpClaim() if value is not None and order is not None:
            divergence = None if right.upper == 0 else _renyi(left, right, order)
            if divergence is not None and divergence <= value.upper * order:
                raise Doubt(f"the Rényi divergence of order {order} is not certainly above rho * order")
            found = "infinite" if divergence is None else f"at least {decimal_down(divergence, 8)}"
            return f"the Rényi divergence of order {order} is {found}, and {shown(value)}·{order} is claimed"
    raise Doubt("the witness does not say what is claimed")


def _renyi(left: Interval, right: Interval, order: Fraction) -> Fraction:
    """A lower bound on D_α between Bernoulli(p) and Bernoulli(q), for every p in ``left`` and q in ``right``.

    D_α = ln(p^α·q^(1-α) + (1-p)^α·(1-q)^(1-α)) / (α-1), each term taken at its smallest. Whether an event happened is
    post-processing of the answer, so this is at most the divergence of the answers, which ρ-zCDP bounds by ρα [BS16].
    """
    if left.lower <= 0 or right.lower >= 1:
        raise Doubt("the event never happens on the left or always happens on the right")

    def term(numerator: Fraction, denominator: Fraction) -> arb:
        return ball(numerator) ** ball(order) * ball(denominator) ** ball(1 - order)

    def divergence() -> arb:
        happens = term(left.lower, right.upper)
        fails = term(1 - left.upper, 1 - right.lower) if left.upper < 1 else arb(0)
        return (happens + fails).log() / ball(order - 1)

    return enclose(divergence).lower


def shown(interval: Interval) -> str:
    """A number for people: exact when it is short."""
    if interval.is_exact and abs(interval.lower.numerator) + interval.lower.denominator < 10**9:
        return str(interval.lower)
    return f"{decimal_down(interval.lower, 8)}…"
