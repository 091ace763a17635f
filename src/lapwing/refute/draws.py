"""Randomness on batches: finite draws enumerated, fresh noise left pending, compared in closed form or enumerated.

The one idea: fresh noise is independent of every state, so comparing it once multiplies weights by a cumulative
probability and releasing it multiplies them by the probability of one draw. Only noise that survives its first
use is enumerated, over the part of the lattice that matters; the rest goes to :class:`~lapwing.refute.batches.Escape`.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import cast

import numpy as np
from numpy.typing import NDArray

from lapwing.algebra import parameters
from lapwing.errors import InvalidInput
from lapwing.program import ir
from lapwing.program.spans import Span
from lapwing.refute import values
from lapwing.refute.batches import Batch, Escape
from lapwing.refute.exponentials import ExactProbability
from lapwing.refute.expressions import Decide
from lapwing.refute.limits import Limits, Rounds, crowded, endless, too_wide
from lapwing.refute.noises import ENTRY_ROUNDINGS, lattice_noise
from lapwing.refute.values import Column, Counts, Flags, Pending, Plain, Value
from lapwing.refute.weights import FloatWeights

#: Below this weight a loop that has not ended is cut, when weights are intervals anyway.
_NEGLIGIBLE = 2.0**-80
#: Wider noise than this many lattice steps is refused, as a run refuses it.
_WIDEST = 2**40
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


class Draws:
    """What all mechanisms of one run share: the lattice, the limits, and what was cut off."""

    def __init__(self, step: Fraction, tail_bits: int, limits: Limits, *, sparse: bool = False) -> None:
        self.escape = Escape()
        self._step = step
        self._tail_bits = tail_bits
        self._limits = limits
        self.rounds = Rounds(limits.rounds)
        self._sparse = sparse

    def enumerated(self, batch: Batch, name: str, span: Span) -> Batch:
        """Every state once per value of the fresh noise in ``name``, cut to the lattice range worth having."""
        pending = cast(Pending, batch.variables[name])
        low, high = pending.noise.reach(self._tail_bits)
        # sparse: a few draws to see what answers there are; the weights then mean nothing
        few = sorted({max(low, -high // 8), 0, high // 8})
        size = len(few) if self._sparse else high + 1 - low
        what = "a number that is released or stored" if name.startswith("#") else f"'{name}'"
        self._room_for(len(batch) * size, f"{what} takes {size} values in each of {len(batch)} states", span)
        draws = np.array(few) if self._sparse else np.arange(low, high + 1)
        weights = cast(FloatWeights, batch.weights)
        self.escape.add(weights, pending.noise.tail(low, high))
        wide = batch.repeated(size, weights.spread(pending.noise.pmf(draws)))
        noise = Column(np.tile(draws, len(batch)), abs(pending.multiplier))
        signed = noise if pending.multiplier > 0 else Column(-noise.counts, noise.unit)
        offset = cast(Pending, wide.variables[name]).offset
        known = _known(cast(Pending, wide.variables[name]), np.tile(draws, len(batch)))
        wide = wide.with_variable(name, values.add(signed, offset))
        return wide.take(known & wide.weights.present())

    def drawn(self, batch: Batch, sample: ir.Sample, arguments: tuple[Value, ...]) -> Batch:
        """The states after a draw: fresh noise stays pending, finite randomness is enumerated at once."""
        if sample.kind in ("laplace", "exponential", "gaussian"):
            scale = parameters.scale(values.one_number(arguments[0]), f"the scale of {sample.kind} ({sample.span})")
            if scale / self._step > _WIDEST:
                raise too_wide(scale, sample.span)
            noise = lattice_noise(sample.kind, scale / self._step)
            return batch.with_variable(sample.target, Pending(noise, self._step, Fraction(0)))
        if sample.kind == "flip":
            p = parameters.probability(values.one_number(arguments[0]), f"the probability of flip ({sample.span})")
            outcomes: Value = Flags(np.array([True, False]))
            factors = [ExactProbability.rational(p), ExactProbability.rational(1 - p)]
        elif sample.kind == "uniform":
            size = parameters.whole(int(values.one_number(arguments[0])), f"the range of uniform ({sample.span})")
            self._room_for(len(batch) * size, f"uniform has {size} values in each of {len(batch)} states", sample.span)
            outcomes = Column(np.arange(size), Fraction(1))
            factors = [ExactProbability.rational(Fraction(1, size))] * size
        else:
            factors = self._softmax(sample, arguments)
            outcomes = Column(np.arange(len(factors)), Fraction(1))
        self._room_for(
            len(batch) * len(factors), f"{sample.kind} doubles up {len(batch)} states {len(factors)} times", sample.span
        )
        wide = batch.repeated(len(factors), batch.weights.spread_exact(factors))
        tiled = np.tile(np.arange(len(factors)), len(batch))
        value = Flags(outcomes.bits[tiled]) if isinstance(outcomes, Flags) else Column(tiled, Fraction(1))
        return wide.with_variable(sample.target, value).reweighted(wide.weights)

    def _softmax(self, sample: ir.Sample, arguments: tuple[Value, ...]) -> list[ExactProbability]:
        scores = [values.one_number(score) for score in values.sequence(arguments[0])]
        scale = parameters.scale(values.one_number(arguments[1]), f"the scale of choose ({sample.span})")
        if not scores:
            raise InvalidInput("R108", f"choose has no scores ({sample.span})", "Give inputs with at least one score")
        return ExactProbability.softmax([score / scale for score in scores])

    def round_allowed(self, count: int, active: list[Batch], loop: ir.Node) -> bool:
        """Whether a loop goes on; what little has not ended after many rounds is cut, what is more is refused."""
        self.rounds.spend(1, loop.span)
        if count < 64:
            return True
        weights = [batch.weights for batch in active]
        if sum(each.total() if isinstance(each, FloatWeights) else 1.0 for each in weights) < _NEGLIGIBLE:
            for each in weights:
                self.escape.add(each)
            return False
        if count >= self._limits.rounds:
            raise endless(loop.span, count)
        return True

    def _room_for(self, states: int, what: str, span: Span) -> None:
        if states > self._limits.states:
            raise crowded(states, self._limits.states, what, span)


def _known(pending: Pending, k: Counts) -> NDArray[np.bool_]:
    """Whether draws are within what is known of them."""
    held = np.ones(len(k), dtype=bool)
    if pending.low is not None:
        held &= pending.low <= k
    if pending.high is not None:
        held &= k <= pending.high
    return held


def decisions(batch: Batch, decide: Decide) -> list[tuple[Batch, bool]]:
    """The states in which a comparison of unbounded fresh noise holds, and those in which it does not.

    offset + multiplier·k >= other holds when k >= (other - offset)/multiplier, and k is a whole number.
    """
    noise = decide.noise.noise
    operator, floor, ceiling = _thresholds(batch, decide)
    if operator in ("==", "!="):
        whole = floor == ceiling
        equal = np.where(whole, noise.pmf(floor), 0.0)
        # P(X != k) = P(X <= k - 1) + P(X >= k + 1): one more rounding than an entry has
        differ = np.where(whole, noise.at_most(floor - 1) + noise.at_least(floor + 1), 1.0)
        holds, fails = (equal, differ) if operator == "==" else (differ, equal)
    else:
        above = ceiling if operator in (">=", "<") else floor + 1  # k >= above, or else k <= above - 1
        holds, fails = noise.at_least(above), noise.at_most(above - 1)
        if operator in ("<", "<="):
            holds, fails = fails, holds
    weights = cast(FloatWeights, batch.weights)
    entry = ENTRY_ROUNDINGS + 1
    return [
        (batch.reweighted(weights.times(holds, entry)), True),
        (batch.reweighted(weights.times(fails, entry)), False),
    ]


def constraints(batch: Batch, name: str, decide: Decide) -> list[tuple[Batch, bool]]:
    """As :func:`decisions`, for noise in ``name`` that is used again: the outcome bounds the draw instead."""
    operator, floor, ceiling = _thresholds(batch, decide)
    above = ceiling if operator in (">=", "<") else floor + 1
    pending = cast(Pending, batch.variables[name])
    return [
        (batch.with_variable(name, replace(pending, low=above)), operator in (">=", ">")),
        (batch.with_variable(name, replace(pending, high=above - 1)), operator in ("<=", "<")),
    ]


def paid(batch: Batch, name: str) -> Batch:
    """The batch without a draw that is forgotten, its weights times the probability of what was known of it."""
    pending = cast(Pending, batch.variables[name])
    weights = cast(FloatWeights, batch.weights)
    if pending.low is not None:
        return batch.without(name).reweighted(weights.times(pending.noise.at_least(pending.low)))
    return batch.without(name).reweighted(weights.times(pending.noise.at_most(cast(Counts, pending.high))))


def _thresholds(batch: Batch, decide: Decide) -> tuple[str, Counts, Counts]:
    """The comparison as one of k itself: operator, and floor and ceiling of what k is compared with."""
    pending, operator = decide.noise, decide.operator
    gap = values.add(decide.other, values.scale(pending.offset, Fraction(-1)))
    ratio = values.as_column(values.number(values.scale(gap, 1 / abs(pending.multiplier))), len(batch))
    if pending.multiplier < 0:
        ratio = Column(-ratio.counts, ratio.unit)
        operator = _MIRRORED.get(operator, operator)
    scaled = values.guarded(ratio.counts, ratio.unit.numerator)
    return operator, scaled // ratio.unit.denominator, -(-scaled // ratio.unit.denominator)


def matching(batch: Batch, value: Value, wanted: Plain, depth: int = 0) -> Batch:
    """The states in which ``value`` is ``wanted``; fresh noise matches with the probability of one draw."""
    if isinstance(value, tuple) and isinstance(wanted, tuple) and len(value) == len(wanted):
        held = f"#match{depth}"
        part = batch.with_variable(held, value)
        for position, item in enumerate(wanted):
            part = matching(part, values.sequence(part.variables[held])[position], item, depth + 1)
        return part.without(held)
    kind = bool if isinstance(value, bool | Flags) else Fraction
    if isinstance(value, tuple) or not isinstance(wanted, kind):  # another length, or another type
        return batch.take(np.zeros(len(batch), dtype=bool))
    if isinstance(value, Pending):
        compare = ir.Compare("==", ir.Name("value"), ir.Name("wanted"))
        decide = Decide(compare, value, "==", cast(Fraction, wanted))
        weights = cast(FloatWeights, batch.weights)
        _, floor, ceiling = _thresholds(batch, decide)
        possible = (floor == ceiling) & _known(value, floor)
        return batch.reweighted(weights.times(np.where(possible, value.noise.pmf(floor), 0.0)))
    same = values.as_flags(values.compare("==", value, wanted), len(batch)).bits
    return batch if same.all() else batch.take(same)
