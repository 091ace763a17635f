"""The audit itself: a callable, a claim and inputs become a finding.

The one idea: whatever the attack believes, the finding says what :mod:`lapwing.audit.recheck` computed from its bets.
"""

from __future__ import annotations

import math
import time
from fractions import Fraction

import numpy as np

from lapwing.audit.betting import AGAINST_THE_CLAIM, pairs_needed
from lapwing.audit.choosing_events import Chosen, highest, lowest
from lapwing.audit.finding import LEFT, NOT_REFUTED, REFUTED, TOO_FEW, Chunk, Finding
from lapwing.audit.pair_attack import Attack, Claim, Listener, Trail
from lapwing.audit.quiet_arithmetic import quietly
from lapwing.audit.recheck import Bets, could_reach, recompute
from lapwing.audit.sampling import Sampler
from lapwing.audit.sanity import memory, refuse_drift
from lapwing.audit.seen_answers import Batch

#: Answers are rounded to multiples of 1/this, to tell a leak of low bits from others.
_COARSE = 2.0**20


def attack(
    sampler: Sampler,
    claim: Claim,
    *,
    share: Fraction = Fraction(1),
    seconds: float,
    squeeze: bool = False,
    afterwards: float = 0.0,
    most: int | None = None,
    target: str = "",
    relation: str = "",
    listen: Listener = lambda _: None,
) -> Finding:
    """Attack one pair of inputs; the finding's numbers are those of the exact recomputation."""
    began = time.monotonic()
    spent = Claim(claim.epsilon, claim.delta, claim.alpha * share)
    trail = Attack(sampler, spent, seconds, squeeze, afterwards, listen, most).run()
    return concluded(trail, sampler, claim, share, target, relation, time.monotonic() - began)


def concluded(
    trail: Trail, sampler: Sampler, claim: Claim, share: Fraction, target: str, relation: str, seconds: float
) -> Finding:
    """The finding of an attack."""
    alpha = claim.alpha * share
    money = trail.accounts[0] if trail.accounts else AGAINST_THE_CLAIM
    chunks = tuple(_padded(chunk, len(trail.accounts)) for chunk in trail.chunks)
    refuse_drift(chunks)
    if not all(order.is_by_chance() for both in trail.orders for order in both):
        raise memory("the event comes in runs, or in turn, where each run should be a fresh draw")
    if not all(stretches.are_by_chance() for stretches in trail.stretches):
        raise memory(
            "the same answer comes many times in a row, and then another, where each run should be a fresh draw"
        )
    again = recompute(Bets(claim.delta, alpha, tuple(trail.accounts), chunks), claim.epsilon)
    events = tuple(trail.events[: chunks[-1].event + 1]) if chunks else ()
    reach = could_reach(trail.staked, claim.delta, alpha, money)
    verdict = REFUTED if again.refuted else NOT_REFUTED if reach > claim.epsilon else TOO_FEW
    if trail.raised is not None or (verdict != REFUTED and sampler.encoder.opaque):
        reach, verdict = Fraction(0), TOO_FEW  # what was not looked at must not pass for seen
    return Finding(
        target=target,
        epsilon=claim.epsilon,
        delta=claim.delta,
        confidence=1 - claim.alpha,
        share=share,
        relation=relation,
        left=shortened(sampler.left),
        right=shortened(sampler.right),
        verdict=verdict,
        at_least=again.at_least,
        log_wealth=again.log_wealth,
        could_reach=reach,
        pairs=trail.pairs,
        events=events,
        accounts=tuple(trail.accounts),
        chunks=chunks,
        seconds=round(seconds, 3),
        notes=tuple(_notes(trail, sampler, claim, alpha, seconds, verdict)),
        shown={
            "samples": trail.samples,
            "chosen": trail.chosen,
            "encoder": sampler.encoder,
            "interrupted": trail.interrupted,
            "opaque": bool(sampler.encoder.opaque),
        },
    )


def shortened(given: object, longest: int = 400) -> str:
    """An input as a report shows it."""
    text = f"{type(given).__name__} {given.to_dict('list')}" if _is_frame(given) else repr(given)  # type: ignore[attr-defined]  # as was seen
    return text if len(text) <= longest else f"{text[: longest - 20]}… ({len(text)} characters)"


def _is_frame(given: object) -> bool:
    """Whether this is a data frame of pandas, whose own text leaves out most of a table and has many lines."""
    kind = type(given)
    return (kind.__module__.partition(".")[0], kind.__name__) == ("pandas", "DataFrame")


def _padded(chunk: Chunk, accounts: int) -> Chunk:
    """A chunk from before some accounts were opened: these staked nothing."""
    missing = (Fraction(0),) * (accounts - len(chunk.stakes))
    return Chunk(chunk.event, chunk.both, chunk.likelier, chunk.other, chunk.neither, chunk.stakes + missing)


def _large(number: int) -> str:
    return f"{number:,}" if number < 10**12 else f"10^{len(str(number)) - 1}"


def _is_in_low_bits(trail: Trail, claim: Claim) -> bool:
    """Whether the event tells the inputs apart as the answers are, and no longer when they are rounded."""
    if trail.samples is None or trail.chosen is None or not trail.samples[0].values.shape[1]:
        return False
    return _promises(trail.samples, trail.chosen, claim) and not _promises(_rounded(trail.samples), trail.chosen, claim)


def _promises(samples: tuple[Batch, Batch], chosen: Chosen, claim: Claim) -> bool:
    here, there = samples if chosen.likelier == LEFT else samples[::-1]
    often, seldom, n = chosen.holds(here).mean(), chosen.holds(there).mean(), len(here)
    low, high = float(lowest(often, n)), float(highest(seldom, n))
    return low > math.exp(claim.level) * high + float(claim.delta)


def _rounded(samples: tuple[Batch, Batch]) -> tuple[Batch, Batch]:
    left, right = (Batch(each.tags, np.round(each.values * _COARSE) / _COARSE, each.marks) for each in samples)
    return left, right


def _notes(trail: Trail, sampler: Sampler, claim: Claim, alpha: Fraction, seconds: float, verdict: str) -> list[str]:
    """What the reader must know besides the numbers."""
    notes = []
    if trail.interrupted is not None:
        notes.append("The audit was interrupted; what it shows is valid all the same")
    if trail.raised is not None:
        notes.append(f"Every run raised {trail.raised}, on both inputs: give inputs that the callable accepts")
    elif verdict == TOO_FEW and not sampler.encoder.opaque:
        needed = pairs_needed(claim.level, float(claim.delta), float(alpha))
        notes.append(
            f"At least {_large(needed)} pairs to bet on are needed for this claim, and there were {trail.staked} in "
            f"{seconds:.2g} s: give more seconds, or many answers per call with batch="
        )
    with quietly():
        is_fine = verdict == REFUTED and _is_in_low_bits(trail, claim)
    if is_fine:
        notes.append(
            "This is about the low bits of floating-point numbers: answers rounded to multiples of 2^-20 do not show "
            "it, and the noise itself may be large enough"
        )
    if sampler.encoder.opaque:
        kinds = ", ".join(sorted(sampler.encoder.opaque))
        notes.append(
            f"Parts of the answers are not looked into ({kinds}), and a leak may hide there: return numbers, short "
            "text, lists or dicts"
        )
    if claim.delta > 0 and verdict != REFUTED:
        visible = (math.log(1 / alpha) + 1) / max(1, trail.staked)
        if claim.delta < visible:
            notes.append(
                f"A leak of delta alone is invisible below about {visible:.1g} with so many pairs: where the source is "
                "in Lapwing's language, lapwing refute computes it exactly"
            )
    return notes
