"""Probabilities of any program: computed where they can be, and else enclosed by cells as patience allows."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, cast

from lapwing.algebra.balls import Interval
from lapwing.errors import InvalidInput
from lapwing.kernel.distribution import probability as computed
from lapwing.kernel.distribution.events import matches
from lapwing.kernel.distribution.probability import Chance, Distribution, Inputs
from lapwing.kernel.distribution.probability_cells import explored
from lapwing.kernel.distribution.states import Limits
from lapwing.kernel.distribution.values import NOTHING, outward, plain
from lapwing.kernel.distribution.values import Value as InnerValue
from lapwing.kernel.evidence.event import Event
from lapwing.kernel.evidence.values import Value
from lapwing.kernel.program import ir
from lapwing.kernel.uncomputable import TooMuch, Uncomputable


def distribution(
    module: ir.Module, name: str, arguments: Inputs, limits: Limits, event: Event | None = None
) -> Distribution:
    """The distribution of the answers; of an event, of True alone. Refuses answers that are real numbers."""
    try:
        return computed.distribution(module, name, arguments, limits, event)
    except TooMuch:
        raise
    except Uncomputable as why:
        try:
            return _in_cells(module, name, arguments, limits, event)
        except (InvalidInput, TypeError):  # noise that no cell holds, or an answer that is a real number
            raise why from None


def chance(module: ir.Module, name: str, arguments: Inputs, event: Event, limits: Limits) -> Chance:
    """The probability of an event, in closed form where it has one."""
    return computed.of_event(distribution(module, name, arguments, limits, event))


def probability(module: ir.Module, name: str, arguments: Inputs, event: Event, limits: Limits) -> Interval:
    """The probability of an event, enclosed."""
    return computed.enclosure(chance(module, name, arguments, event, limits))


def _in_cells(module: ir.Module, name: str, arguments: Inputs, limits: Limits, event: Event | None) -> Distribution:
    """Lower bounds by cells, and one number for all that is open: wide, and true."""

    def judged(answer: Any) -> Value:  # noqa: ANN401  # numbers of a run, and those of cells
        told = _read(answer)
        return outward(told) if event is None else matches(event, told, NOTHING)

    found, lost = explored(module, name, arguments, judged, limits.states, limits.seconds)
    masses = {cast("Value", each): Interval(mass, mass + lost) for each, mass in found.items()}
    return Distribution(masses, lost, is_exact=False)


def _read(answer: Any) -> InnerValue:  # noqa: ANN401  # numbers of a run, and those of cells
    """An answer of the machine, as this room computes with it."""
    if isinstance(answer, Sequence):
        return tuple(map(_read, answer))
    return plain(answer) if isinstance(answer, Fraction) else answer
