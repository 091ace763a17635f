"""What a search holds on to: a pair of inputs, an event, its two probabilities; and what that says about a claim.

The one idea: a finding *violates* a claim only by certain ends: the least P_left, the most P_right, the largest value
the claim can have. Everything else about a finding is for ranking and may be a double.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import exp, inf, log

from flint import arb

from lapwing.algebra.balls import Interval, ball, lower, precision
from lapwing.kernel.evidence.event import Event
from lapwing.kernel.evidence.witness import Witness
from lapwing.kernel.program import ir
from lapwing.kernel.program.printer import fingerprint
from lapwing.search.violation.claimed_numbers import ClaimValue
from lapwing.search.violation.loss import exponential, log_ratio
from lapwing.search.violation.neighbouring import Pair
from lapwing.search.violation.subject import Subject

#: Rényi orders at which a zCDP claim is tested; where noise has heavy tails, those near 1 tell most.
ORDERS = (*(Fraction(each) for each in (2, 4, 8, 16, 32)), Fraction(9, 8), Fraction(3, 2))
_RANKED = tuple(map(float, ORDERS))
#: Those of which a Gaussian's far tail nearly has the divergence of the whole.
REACHING = (Fraction(8), Fraction(32))
#: A loss this little above its claim is the rounding of exp, ln and sqrt in a run, and no search stops for it.
ROUNDING = Fraction(1, 2**40)
#: Logarithms: of a number that no probability reaches, and of one that a double holds.
FAR_ABOVE, LARGEST = 30.0, 700.0


@dataclass(frozen=True, slots=True)
class Finding:
    """An event and its probability on two neighbouring inputs of size ``n`` (0: the inputs hold no private list)."""

    pair: Pair
    event: Event
    left: Interval
    right: Interval
    n: int
    closed_form: str | None = None

    @property
    def loss(self) -> float:
        """A double close to the certain privacy loss, for ranking."""
        if self.left.lower <= 0:
            return -inf
        if self.right.upper == 0:
            return inf
        ratio = self.left.lower / self.right.upper
        return log(ratio.numerator) - log(ratio.denominator)  # of integers of any size

    @property
    def is_impossible_on_the_right(self) -> bool:
        """Whether no path to the event was found on the right: the loss may be infinite."""
        return self.right.lower == 0 and self.left.lower > 0


def violates(finding: Finding, claim: ClaimValue) -> bool:
    """Whether the finding certainly contradicts the claim, by more than rounding."""
    p, q = finding.left.lower, finding.right.upper
    if p <= 0:
        return False
    with precision(128):
        if claim.kind is ir.ZcdpClaim:
            return violated_order(finding, claim.value.upper) is not None
        if claim.delta is not None:
            if _exponent(q, claim) > FAR_ABOVE:
                return False
            beyond = ball(p) - ball(claim.value.upper).exp() * ball(q)
            return lower(beyond) > claim.delta.upper * (1 + ROUNDING)
        return q == 0 or lower(ball(p / q).log()) > claim.value.upper * (1 + ROUNDING)


def excess(finding: Finding, claim: ClaimValue) -> float:
    """P_left − e^ε·P_right as a double, for ranking; ε may be so large that e^ε is no number."""
    p, q = finding.left.lower, finding.right.upper
    exponent = _exponent(q, claim)
    if exponent > FAR_ABOVE:
        return -exp(min(exponent, LARGEST))
    return float(p - exponential(claim.value).upper * q) if q else float(p)


def _exponent(q: Fraction, claim: ClaimValue) -> float:
    """ln(e^ε·q)."""
    return float(claim.value.upper) + log(q.numerator) - log(q.denominator) if q else -inf


def violated_order(finding: Finding, rho: Fraction) -> Fraction | None:
    """An order at which the two answers to "did the event happen?" diverge by more than ρ-zCDP allows [BS16].

    For p > q the Rényi divergence of (p, 1-p) from (q, 1-q) grows with p and falls with q, so the certain ends bound it
    from below; ρ-zCDP allows ρ·order, and post-processing cannot raise it.
    """
    p, q = finding.left.lower, finding.right.upper
    if not 0 < q < p:
        return ORDERS[0] if q == 0 < p else None
    for order in ORDERS:
        if lower(_binary_divergence(p, q, order)) > rho * order:
            return order
    return None


def _binary_divergence(p: Fraction, q: Fraction, order: Fraction) -> arb:
    power, rest = ball(order), ball(1 - order)
    total = ball(p) ** power * ball(q) ** rest
    if p < 1:
        total += ball(1 - p) ** power * ball(1 - q) ** rest
    return total.log() / ball(order - 1)


def zcdp_rate(finding: Finding) -> float:
    """The largest divergence per order, as a double: a lower bound on ρ, for ranking."""
    p, q = finding.left.lower, finding.right.upper
    if not 0 < q < p:
        return inf if q == 0 < p else 0.0
    happens, fails = (_log(p), _log(q)), (_log(1 - p), _log(1 - q)) if p < 1 else None
    return max(_rate(order, happens, fails) for order in _RANKED)


def _rate(order: float, happens: tuple[float, float], fails: tuple[float, float] | None) -> float:
    """A divergence per order from the logarithms of probabilities, which may be far too small for doubles."""
    first = order * happens[0] + (1 - order) * happens[1]
    second = -inf if fails is None else order * fails[0] + (1 - order) * fails[1]
    most = max(first, second)
    return (most + log(exp(first - most) + exp(second - most))) / ((order - 1) * order)


def _log(value: Fraction) -> float:
    return log(value.numerator) - log(value.denominator)  # of integers of any size


def to_witness(subject: Subject, file: str, finding: Finding, claim: ClaimValue | None) -> Witness:
    """The finding with everything needed to recompute it."""
    order = violated_order(finding, claim.value.upper) if claim and claim.kind is ir.ZcdpClaim else None
    return Witness(
        file=file,
        function=subject.mechanism.name,
        source=fingerprint(subject.source or subject.module, subject.mechanism.name),
        left=dict(finding.pair.left),
        right=dict(finding.pair.right),
        output=finding.event,
        probability_left=finding.left,
        probability_right=finding.right,
        log_ratio=log_ratio(finding.left, finding.right),
        claim_value=None if claim is None else claim.value,
        claim_delta=None if claim is None else claim.delta,
        order=order,
        closed_form=finding.closed_form,
    )
