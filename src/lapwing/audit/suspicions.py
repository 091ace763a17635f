"""Suspicions: what two runs with the same randomness give away. They point, and never accuse.

The one idea: legitimate programs may adapt to their own noisy answers, so a scale that differs between two runs is no
proof of anything. A suspicion names a line and sends its pair of inputs to the attack, which decides.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lapwing.algebra.exact import Number, exact
from lapwing.audit.boundaries import Crossing, noise_methods, recorded
from lapwing.audit.neighbouring_inputs import Pair
from lapwing.audit.one_answer import Raised
from lapwing.audit.run_limits import is_for_us
from lapwing.audit.same_randomness import Draw, Tape, replayed
from lapwing.audit.sampling import answered, fresh
from lapwing.audit.seen_answers import Encoder
from lapwing.audit.separate_process import apart
from lapwing.errors import InvalidInput

Call = Callable[[object], object]
#: Two runs with each of these numbers.
NUMBERS = (1, 2)
_HAIR = 1e-9
#: What legitimate programs do, and two runs cannot tell from a leak.
_MAYBE = " (unless it follows from answers that were noisy already)"


def suspicions_of(call: Call, pair: Pair, epsilon: float, methods: Sequence[tuple[type, str]] = ()) -> list[str]:
    """What looks wrong about a pair when both inputs get the same randomness; ``methods`` are where noise is added."""
    for number in NUMBERS:
        left, tape_left, seen_left = _run(call, pair.left, number, methods)
        right, tape_right, seen_right = _run(call, pair.right, number, methods)
        found = [
            *_at_boundaries(seen_left, seen_right),
            *_in_scales(tape_left, tape_right),
            *_in_shift(left, right, tape_left, tape_right, epsilon),
        ]
        if found:
            return found
    return []


def look(call: Call, pairs: Sequence[Pair], epsilon: float, seconds: float) -> list[tuple[Pair, list[str]]]:
    """The suspicious pairs among some, as far as the time goes; raises Unheard where nothing can be replayed.

    All of it happens in a process apart: no generator that was made of replaced randomness stays, and no other thread
    draws from it.
    """
    found: Any = apart(lambda: _look(call, pairs, epsilon, time.monotonic() + seconds), seconds)
    return [(pairs[place], words) for place, words in found]


def _look(call: Call, pairs: Sequence[Pair], epsilon: float, deadline: float) -> list[tuple[int, list[str]]]:
    found: list[tuple[int, list[str]]] = []
    for pair in pairs[:1]:  # generators that are made at the first call must not be made of replaced randomness
        _plainly(call, pair.left)
    methods = noise_methods()
    for place, pair in enumerate(pairs):
        heard = suspicions_of(call, pair, epsilon, methods)
        if heard:
            found.append((place, heard))
        if time.monotonic() > deadline:
            break
    return found


def twin_suspicion(twin: Call, scale: Number | None, pair: Pair, epsilon: float) -> list[str]:
    """How far the pipeline without its noise moves, against the scale of the Laplace noise that it left out."""
    if scale is None:
        raise InvalidInput(
            "Y210", "a twin without noise is given, and no scale", "Say scale=..., the noise that was left out"
        )
    noise = float(exact(scale, "scale"))
    moved = _distance(answered(twin, fresh(pair.left)), answered(twin, fresh(pair.right)))
    if moved is None or noise <= 0 or moved / noise <= epsilon + _HAIR:
        return []
    return [
        f"without its noise the answer moves by {moved:.6g}; at scale {noise:.6g} that is a loss of "
        f"{moved / noise:.4g}, above {epsilon:.4g}"
    ]


def _plainly(call: Call, given: object) -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call(fresh(given))
        except BaseException as error:  # an answer like any other
            if is_for_us(error):
                raise
            return Raised(type(error).__name__)


def _run(
    call: Call, given: object, number: int, methods: Sequence[tuple[type, str]]
) -> tuple[object, Tape, list[Crossing]]:
    with replayed(number) as tape, recorded(methods) as crossings:
        answer = _plainly(call, given)
    return answer, tape, crossings


def _at_boundaries(left: Sequence[Crossing], right: Sequence[Crossing]) -> list[str]:
    differed = False
    for here, there in zip(left, right, strict=False):
        moved = abs(here.value - there.value)
        if here.mechanism != there.mechanism or here.place != there.place:
            return []
        if moved > max(here.declared, there.declared) * (1 + _HAIR) + _HAIR:
            return [
                f"{here.mechanism} at {here.place} is told that its value moves by at most {here.declared:.6g}, "
                f"and it moves by {moved:.6g}{_MAYBE if differed else ''}"
            ]
        differed = differed or moved > 0
    return []


def _in_scales(left: Tape, right: Tape) -> list[str]:
    for number, (here, there) in enumerate(zip(left.draws, right.draws, strict=False)):
        if here.function != there.function or here.place != there.place:
            return []
        if (
            here.scale is not None
            and there.scale is not None
            and not math.isclose(here.scale, there.scale, rel_tol=1e-12)
        ):
            return [
                f"the scale of {here.function} at {here.place} is {here.scale:.6g} on the left and "
                f"{there.scale:.6g} on the right{_MAYBE if number else ''}"
            ]
    return []


def _in_shift(left: object, right: object, here: Tape, there: Tape, epsilon: float) -> list[str]:
    """How far the answer moves under Laplace noise of one scale, where every number of it got one draw."""
    scales = {draw.scale for draw in (*here.draws, *there.draws)}
    functions = {draw.function for draw in (*here.draws, *there.draws)}
    moved = _distance(left, right)
    if len(scales) != 1 or functions != {"laplace"} or len(here.draws) != len(there.draws) or moved is None:
        return []
    draw: Draw = here.draws[0]
    count = len(Encoder().encode([left]).values[0])
    if draw.scale is None or draw.scale <= 0 or (len(here.draws) not in (1, count)) or "size" in draw.parameters:
        return []
    loss = moved / draw.scale
    if loss <= epsilon * (1 + 1e-6) + _HAIR:
        return []
    return [
        f"with the same noise the answers are {moved:.6g} apart; at scale {draw.scale:.6g} ({draw.place}) that is a "
        f"loss of {loss:.4g}, above {epsilon:.4g}"
    ]


def _distance(left: object, right: object) -> float | None:
    """How far two answers of one shape are apart, number by number, added up; None where they cannot be compared."""
    encoder = Encoder()
    one, two = encoder.encode([left]), encoder.encode([right])
    if one.tags[0] != two.tags[0] or one.values.shape != two.values.shape or not one.values.shape[1]:
        return None
    moved = float(np.abs(one.values - two.values).sum())
    return moved if math.isfinite(moved) else None
