"""What follows from the counts and stakes of a finding, computed again in exact arithmetic. Searches nothing.

The one idea: money. Somebody starts with 1, split over accounts, and bets against the claim that M is (ε, δ)-private on
a pair of inputs. Before a chunk of pairs is drawn, an event E, the side on which it is expected, and each account's
stake λ >= 0 are fixed. A pair in which E happened a times on that side and b times on the other (a, b in {0, 1})
multiplies the account by 1 + λ·(a - e^g·b - δ), where g is the level that is tested.

*Under the claim at level g no bet is favourable.* If P(E on one side) <= e^g·P(E on the other) + δ, then the expected
value of a - e^g·b - δ is at most 0, given everything that came before; so an account never gains on average, whatever
E, side and λ were chosen from earlier pairs. The accounts together are a non-negative supermartingale that starts at
no more than 1, and Ville's inequality says that it *ever* reaches 1/α with probability at most α. Looking often,
stopping early, changing the event on the way or giving up are all allowed.

*A factor must not be negative.* The smallest one is 1 - λ·(e^g + δ). At levels where a stake makes that 0 or less, the
account is emptied for good: throwing money away is always allowed, and keeps the above true.

*One finding bounds ε without a correction.* With fixed stakes each factor can only shrink when g grows, and more
accounts are emptied; so what the accounts hold falls as g rises, and the levels that are rejected form an interval
from 0 up. Let ε* be the true level of M on the pair. A bound above ε* means that the level ε* itself was rejected,
which happens with probability at most α.

*What so many pairs could have shown* is the level that an event which always tells the two sides apart would reach, by
the money that was put against the claim. It accuses nobody; it says whether a green audit could have been red.

*Rounding.* e^g is replaced by a rational number that is not below it, which lowers every factor that it occurs in.
Logarithms are balls; the lower end counts. So a bound can come out too small, never too large.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from flint import arb

from lapwing.algebra.balls import ball, enclose, lower, precision
from lapwing.algebra.exact import decimal_down, shown
from lapwing.audit.finding import BOLDNESS, EXACTLY, LEFT, NOT_REFUTED, REFUTED, TOO_FEW, Chunk, Finding
from lapwing.kernel.rejected import Rejected

#: Bounds are multiples of this, or the claim itself.
STEP = Fraction(1, 10_000)
#: Digits of e^g, rounded up; bits that logarithms are computed with; digits of the wealth that is stated.
DIGITS, BITS, WEALTH_DIGITS, REACH_DIGITS = 40, 160, 12, 4
#: The logarithm of what one pair would have to win that is beyond any.
_HOPELESS = 1000


@dataclass(frozen=True, slots=True)
class Bets:
    """What the bound depends on: the claimed δ, the error permitted, the accounts' first money, and every chunk."""

    delta: Fraction
    alpha: Fraction
    accounts: tuple[Fraction, ...]
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class Recomputed:
    """What the bets show: the most ever held against the claim (as a logarithm), its refutation, and the bound."""

    log_wealth: Fraction
    refuted: bool
    at_least: Fraction


@dataclass(frozen=True, slots=True)
class Recounted:
    """A finding whose numbers were all computed again."""

    finding: Finding

    @property
    def statement(self) -> str:
        """What is certain, given that the counts are what was seen."""
        found = self.finding
        sure = (
            f"{decimal_down(found.confidence * 100, 12)} % sure, if its {_pairs(found):,} pairs were drawn as it says"
        )
        bound = f"{found.name or 'the callable'} has a privacy loss of at least {decimal_down(found.at_least, 8)}"
        against = "above" if found.verdict == REFUTED else "which does not refute"
        elsewhere = f"; that its source is {found.exact} is not shown here" if found.exact else ""
        return f"{bound} on this pair, {against} the claimed {shown(found.epsilon)} ({sure}){elsewhere}"


def recheck_json(data: object) -> tuple[Finding, Recounted | Rejected]:
    """The finding in a JSON object, and whether it holds: also that nothing in it was changed since it was written."""
    finding = Finding.from_json(data)
    if not isinstance(data, Mapping) or data["digest"] != finding.to_json()["digest"]:
        return finding, Rejected("it was changed after it was written: its digest is another")
    return finding, recheck(finding)


def recheck(finding: Finding) -> Recounted | Rejected:
    """The finding, if all its numbers follow from its counts and stakes; else the first that does not."""
    problem = _out_of_range(finding) or _miscounted(finding)
    if problem is not None:
        return Rejected(problem)
    alpha = (1 - finding.confidence) * finding.share
    again = recompute(Bets(finding.delta, alpha, finding.accounts, finding.chunks), finding.epsilon)
    if again.refuted != (finding.verdict == REFUTED):
        does = "do" if again.refuted else "do not"
        return Rejected(f"the verdict is {finding.verdict!r}, and the bets {does} refute the claim")
    if again.log_wealth != finding.log_wealth:
        return Rejected(f"log_wealth is {shown(finding.log_wealth)}, and the bets give {shown(again.log_wealth)}")
    if again.at_least != finding.at_least:
        return Rejected(f"at_least is {shown(finding.at_least)}, and the bets show {shown(again.at_least)}")
    reach = could_reach(_pairs(finding), finding.delta, alpha, finding.accounts[0] if finding.accounts else Fraction(1))
    if finding.could_reach != reach and not (finding.verdict == TOO_FEW and finding.could_reach == 0):
        return Rejected(f"could_reach is {shown(finding.could_reach)}, and so many pairs give {shown(reach)}")
    if finding.verdict == NOT_REFUTED and reach <= finding.epsilon:
        return Rejected(f"the verdict is {finding.verdict!r}, and could_reach is {shown(reach)}")
    if finding.verdict == TOO_FEW and finding.could_reach > finding.epsilon:
        return Rejected(f"the verdict is {finding.verdict!r}, and could_reach is {shown(finding.could_reach)}")
    return Recounted(finding)


def recompute(bets: Bets, epsilon: Fraction) -> Recomputed:
    """The wealth against the claim ε, and the largest level that the bets reject, both rounded down."""
    bar, top = 1 / bets.alpha, _highest(bets)
    wealth = _peak(bets, epsilon, top)
    refuted = lower(wealth) >= bar
    with precision(BITS):
        stated = _decimal(lower(wealth.log())) if lower(wealth) > 0 else Fraction(0)
    bound = _largest(bets, bar, top) * STEP
    return Recomputed(stated, refuted, max(bound, epsilon) if refuted else min(bound, epsilon))


def could_reach(pairs: int, delta: Fraction, alpha: Fraction, money: Fraction) -> Fraction:
    """The largest level that so many pairs could have rejected: an event that always tells the two sides apart.

    The ``money`` against the claim stakes as boldly as it may; what early stakes lose while they are learnt is left
    out.
    """
    if pairs <= 0 or money <= 0:
        return Fraction(0)
    with precision(BITS):
        each = ball(1 / (alpha * money)).log() / pairs  # the logarithm of what a stake must win in one pair
        if lower(each) > _HOPELESS:
            return Fraction(0)
        odds = ball(BOLDNESS * (1 - delta)) / each.expm1() - ball(delta)
        return Fraction(decimal_down(lower(odds.log()), REACH_DIGITS)) if lower(odds) > 1 else Fraction(0)


def _largest(bets: Bets, bar: Fraction, top: int) -> int:
    """The largest multiple of STEP that the bets reject (0 if there is none), below ``top``.

    What is held falls as the level rises, so two neighbouring levels settle it. Floats say which two to try.
    """

    def rejected(place: int) -> bool:
        return lower(_peak(bets, place * STEP, top)) >= bar

    low, high = -1, top  # rejected (or none), and certainly not rejected
    log_bar, roughly = math.log(bar.numerator) - math.log(bar.denominator), _rounded(bets)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _roughly(roughly, middle / STEP.denominator) >= log_bar else (low, middle)
    if (low < 0 or rejected(low)) and (high >= top or not rejected(high)):
        return max(low, 0)
    low, high = -1, top
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if rejected(middle) else (low, middle)
    return max(low, 0)


def likelihood(level: Fraction) -> Fraction:
    """A rational number that is not below e^level: the factor by which one side may be likelier."""
    above = enclose(lambda: ball(level).exp()).upper
    unit = Fraction(10) ** (len(str(int(above))) - DIGITS)
    return -((-above) // unit) * unit


def _decimal(value: Fraction) -> Fraction:
    return Fraction(decimal_down(value, WEALTH_DIGITS))


def _highest(bets: Bets) -> int:
    """A multiple of STEP at which every account that was ever used is emptied: no stake may pass e^-g."""
    stakes = [stake for chunk in bets.chunks for stake in chunk.stakes if stake > 0]
    if not stakes:
        return 1
    top = enclose(lambda: (1 / ball(min(stakes))).log()).upper
    return max(1, int(top / STEP) + 2)


def _peak(bets: Bets, level: Fraction, top: int) -> arb:
    """The most that the accounts hold after any chunk, betting against this level (1 at the start)."""
    if level >= top * STEP:
        return arb(1)  # whoever staked was emptied at once
    odds = likelihood(level)
    with precision(BITS):
        one, chance = arb(1), ball(bets.delta)
        wins = (ball(1 - odds - bets.delta), ball(1 - bets.delta), ball(-odds - bets.delta), -chance)
        limit, weights = odds + bets.delta, [ball(weight) for weight in bets.accounts]
        peak = one
        gains: list[arb | None] = [arb(0) for _ in bets.accounts]
        for chunk in bets.chunks:
            counts = (chunk.both, chunk.likelier, chunk.other, chunk.neither)
            for account, stake in enumerate(chunk.stakes):
                before = gains[account]
                if before is None or not stake:
                    continue
                if stake * limit >= 1:
                    gains[account] = None
                    continue
                staked = ball(stake)
                for count, win in zip(counts, wins, strict=True):
                    if count:
                        before += count * (one + staked * win).log()
                gains[account] = before
            held = arb(0)
            for weight, gain in zip(weights, gains, strict=True):
                if gain is not None:
                    held += weight * gain.exp()
            if lower(held) > lower(peak):
                peak = held
        return peak


_Counts = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class _Rounded:
    """The bets in floats: of each chunk the counts, and the accounts that staked something with their stakes."""

    delta: float
    weights: tuple[float, ...]
    chunks: tuple[tuple[_Counts, tuple[tuple[int, float], ...]], ...]


def _rounded(bets: Bets) -> _Rounded:
    chunks = tuple(
        (
            (chunk.both, chunk.likelier, chunk.other, chunk.neither),
            tuple((account, float(min(stake, Fraction(1)))) for account, stake in enumerate(chunk.stakes) if stake),
        )
        for chunk in bets.chunks
    )
    return _Rounded(float(bets.delta), tuple(map(float, bets.accounts)), chunks)


def _roughly(bets: _Rounded, level: float) -> float:
    """The logarithm of the same in floats: where to look, and nothing that is believed."""
    try:
        odds = math.exp(level)
    except OverflowError:
        return 0.0
    tied, won, limit = 1 - odds - bets.delta, 1 - bets.delta, odds + bets.delta
    gains, best = [0.0] * len(bets.weights), 0.0
    for (both, likelier, other, neither), staked in bets.chunks:
        for account, stake in staked:
            if stake * limit >= 1:
                gains[account] = -math.inf
            else:
                gains[account] += both * math.log1p(stake * tied) + likelier * math.log1p(stake * won)
                gains[account] += other * math.log1p(-stake * limit) + neither * math.log1p(-stake * bets.delta)
        top = max(gains, default=0.0)
        if top > -math.inf:
            held = sum(weight * math.exp(gain - top) for weight, gain in zip(bets.weights, gains, strict=True))
            best = max(best, top + math.log(held)) if held > 0 else best
    return best


# --- is it a finding at all? --------------------------------------------------------------------------------


def _out_of_range(finding: Finding) -> str | None:
    """The first number that means nothing."""
    ranges = (
        ("epsilon is below 0", finding.epsilon < 0),
        ("delta is outside [0, 1)", not 0 <= finding.delta < 1),
        ("the confidence is not between 0 and 1", not 0 < finding.confidence < 1),
        ("the share is not above 0 and at most 1", not 0 < finding.share <= 1),
        ("an account starts below 0", any(weight < 0 for weight in finding.accounts)),
        ("the accounts start with more than 1 together", sum(finding.accounts) > 1),
        ("a stake is below 0", any(stake < 0 for chunk in finding.chunks for stake in chunk.stakes)),
        ("what is exact is neither proved nor refuted", finding.exact not in EXACTLY),
        ("a chunk names no event", any(chunk.event >= len(finding.events) for chunk in finding.chunks)),
        ("a chunk goes back to an earlier event", _unordered([chunk.event for chunk in finding.chunks])),
    )
    return next((problem for problem, wrong in ranges if wrong), None)


def _unordered(events: Sequence[int]) -> bool:
    return any(later < earlier for earlier, later in pairwise(events))


def _miscounted(finding: Finding) -> str | None:
    """The first event whose totals are not those of its chunks, or a sum that is not."""
    for number, event in enumerate(finding.events):
        own = [chunk for chunk in finding.chunks if chunk.event == number]
        here = sum(chunk.both + chunk.likelier for chunk in own)
        there = sum(chunk.both + chunk.other for chunk in own)
        left, right = (here, there) if event.likelier == LEFT else (there, here)
        if (event.left, event.right, event.pairs) != (left, right, sum(chunk.pairs for chunk in own)):
            return f"the counts of event {number + 1} are not those of its chunks"
    if finding.verdict not in (REFUTED, NOT_REFUTED, TOO_FEW):
        return "the verdict is none"
    if finding.pairs < _pairs(finding):
        return "fewer pairs are stated than were bet on"
    return None


def _pairs(finding: Finding) -> int:
    return sum(chunk.pairs for chunk in finding.chunks)
