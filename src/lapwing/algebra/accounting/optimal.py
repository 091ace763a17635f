"""Optimal composition: the exact ε of running one (ε, δ) guarantee k times.

The one idea: every (ε, δ)-private mechanism is dominated by one worst case, randomized response that fails
openly with probability δ, so the profile of its k-fold composition is a finite sum [KOV15 Thm 3.3]. With
p = e^ε/(1+e^ε) and L the number of "lies" among k answers,

    δ_k(ε') = 1 − (1−δ)^k · (1 − D(ε')),    D(ε') = Σ_l C(k,l)·p^(k−l)·(1−p)^l · (1 − e^(ε'−(k−2l)ε))⁺.

Between two neighbouring multiples of ε the set of positive terms is fixed, D = A − e^ε'·B, and the smallest ε'
for a target is a closed form: ln((A − target)/B). Nothing is searched but which piece, and the pieces' ends
are rational.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from lapwing.algebra import parameters
from lapwing.algebra.balls import ball, enclose, precision, upper
from lapwing.algebra.exact import Number, decimal_down, decimal_up, shown
from lapwing.algebra.measures import ApproxDP, PureDP
from lapwing.errors import InvalidInput, NotComparable, Unbounded

#: Guard bits on top of what the target δ itself needs; recurrences of √k terms lose about log₂ k of them.
GUARD_BITS = 160
#: The work grows with √k; at 10⁸ it takes seconds, and more is refused.
MAX_COUNT = 10**8


@dataclass(frozen=True, slots=True)
class _Lies:
    """The worst case: k answers of randomized response, each a lie with probability 1/(1+e^ε)."""

    epsilon: Fraction
    count: int

    def piece(self, epsilon: Fraction) -> int:
        """The largest number of lies l at which the loss (k−2l)ε is still above ``epsilon``; −1 if none."""
        return (self.count - 1 - (epsilon / self.epsilon).__floor__()) // 2

    def tails(self, lies: int) -> tuple[arb, arb]:
        """(A, B): probability of at most ``lies`` lies, under the left and the right table."""
        odds = ball(-self.epsilon).exp()  # of a lie against the truth
        truth = 1 / (1 + odds)
        choose = self._binomial(lies)
        here = choose * truth ** (self.count - lies) * (odds * truth) ** lies
        there = choose * truth**lies * (odds * truth) ** (self.count - lies)
        return self._at_most(lies, here, odds), self._at_most(lies, there, 1 / odds)

    def _binomial(self, lies: int) -> arb:
        if self.count <= 100_000:
            return arb.bin_uiui(self.count, lies)
        log = arb(self.count + 1).lgamma() - arb(lies + 1).lgamma() - arb(self.count - lies + 1).lgamma()
        return log.exp()

    def _at_most(self, lies: int, probability: arb, odds: arb) -> arb:
        """Pr[L ≤ lies] from Pr[L = lies], summing away from the mode, where terms fall faster and faster."""
        rising = bool(lies > (self.count - lies + 1) * odds)
        if not rising:
            return self._falling_sum(probability, lies, odds, down=True)
        return 1 + probability - self._falling_sum(probability, lies, odds, down=False)

    def _falling_sum(self, first: arb, lies: int, odds: arb, *, down: bool) -> arb:
        """``first`` + its successors towards 0 lies (or towards k), with the rest bounded by a geometric series."""
        k, position, term, total = self.count, lies, first, first
        inverse = 1 / odds
        while position not in (0, k):
            for _ in range(32):  # the bound on the rest is worth checking only now and then
                ratio = inverse * position / (k - position + 1) if down else odds * (k - position) / (position + 1)
                term *= ratio
                total += term
                position += -1 if down else 1
                if position in (0, k):
                    break
            ratio = inverse * position / (k - position + 1) if down else odds * (k - position) / (position + 1)
            if bool(ratio < 1):
                rest = term * ratio / (1 - ratio)
                if bool(rest < total.rad()) or bool(rest < total * arb(2) ** -(GUARD_BITS * 2)):
                    return total + rest.union(arb(0))
        return total


def optimal_delta(each: PureDP | ApproxDP, count: int, epsilon: Number) -> Fraction:
    """The smallest δ' at which ``count`` adaptive runs of ``each`` are (ε', δ')-private, rounded up [KOV15 Thm 3.3]."""
    level = parameters.nonnegative(epsilon, "epsilon")
    lies, failure = _checked(each, count)

    def profile() -> arb:
        kept = (1 - ball(failure)) ** lies.count
        return 1 - kept * (1 - _loss_above(lies, level))

    return min(Fraction(1), enclose(profile).upper)


def optimal_epsilon(each: PureDP | ApproxDP, count: int, delta: Number) -> Fraction:
    """The smallest ε' at which ``count`` adaptive runs of ``each`` are (ε', δ)-private, rounded up [KOV15 Thm 3.3]."""
    target = parameters.delta(delta)
    lies, failure = _checked(each, count)
    times = lies.count
    if each.epsilon == 0 or target == 0 == failure:
        if _remaining_is_negative(target, failure, times):
            raise _spent(failure, times, target)
        return times * each.epsilon
    bits = (
        GUARD_BITS + 2 * times.bit_length() + 2 * max(target.denominator.bit_length(), failure.denominator.bit_length())
    )
    with precision(bits):
        remaining = 1 - (1 - ball(target)) / (1 - ball(failure)) ** times  # D must come down to this
        if not bool(remaining >= 0) and _remaining_is_negative(target, failure, times):
            raise _spent(failure, times, target)
        if bool(_loss_above(lies, Fraction(0)) <= remaining):
            return Fraction(0)
        return _on_piece(lies, _first_piece(lies, remaining), remaining)


def _first_piece(lies: _Lies, remaining: arb) -> int:
    """The largest m with D((k−2m)ε) ≤ remaining proved, by bisection on integers; D falls as ε' grows."""
    proved, open_end = 0, lies.count // 2 + 1  # D(kε) = 0
    while open_end - proved > 1:
        middle = (proved + open_end) // 2
        if bool(_loss_above(lies, (lies.count - 2 * middle) * lies.epsilon) <= remaining):
            proved = middle
        else:
            open_end = middle
    return proved


def _on_piece(lies: _Lies, piece: int, remaining: arb) -> Fraction:
    """The ε' of the piece (k−2m−2)ε … (k−2m)ε, where D = A − e^ε'·B exactly.

    Its right end is proved to be enough, so the answer is clamped to the piece: rounding can only move it up.
    """
    here, there = lies.tails(piece)
    right = (lies.count - 2 * piece) * lies.epsilon
    left = max(Fraction(0), right - 2 * lies.epsilon)
    kept = here - remaining
    if not bool(kept > 0):
        return right
    return min(right, max(left, upper((kept / there).log())))


def _loss_above(lies: _Lies, epsilon: Fraction) -> arb:
    """D(ε') as a ball."""
    piece = lies.piece(epsilon)
    if piece < 0:
        return arb(0)
    here, there = lies.tails(piece)
    return here - ball(epsilon).exp() * there


def _checked(each: PureDP | ApproxDP, count: int) -> tuple[_Lies, Fraction]:
    if not isinstance(each, PureDP | ApproxDP):
        raise NotComparable(
            "A301",
            f"optimal composition is about PureDP and ApproxDP, not {type(each).__name__}",
            "Convert the bound first (lapwing.algebra.conversion)",
        )
    times = parameters.whole(count, "count")
    if times > MAX_COUNT:
        raise InvalidInput(
            "A502", f"count is {shown(times)}, above {MAX_COUNT}", f"Give at most {MAX_COUNT} repetitions"
        )
    return _Lies(each.epsilon, times), each.delta if isinstance(each, ApproxDP) else Fraction(0)


def _remaining_is_negative(target: Fraction, failure: Fraction, count: int) -> bool:
    """Whether δ' < 1 − (1−δ)^k: the open failures alone use up more than the target."""
    if failure == 0 or target >= count * failure:  # (1−δ)^k ≥ 1 − kδ
        return False
    with precision(GUARD_BITS + 4 * (target.denominator.bit_length() + failure.denominator.bit_length())):
        return not bool((1 - ball(failure)) ** count >= 1 - ball(target))


def _spent(failure: Fraction, count: int, target: Fraction) -> Unbounded:
    shown = decimal_down(target)
    return Unbounded(
        "A503",
        f"{count} runs that each fail with probability {decimal_up(failure)} cannot keep within delta {shown}",
        "Give a larger delta, or fewer runs",
    )
