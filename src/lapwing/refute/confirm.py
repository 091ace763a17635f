"""A finding made on a coarse lattice, shown again on the lattice of a run.

The one idea: on a fine lattice single answers are as good as impossible and there are too many to go through, but the
probability of a range of answers is a difference of two cumulative ones, each a closed form where one fresh draw is
released. So runs of neighbouring answers become ranges, and a range is asked of a program that compares its answer with
an end of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import isfinite
from typing import Literal, TypeGuard

from lapwing.algebra.balls import Interval
from lapwing.errors import InvalidInput
from lapwing.evidence.event import AnyOf, Between, Event
from lapwing.program import ir
from lapwing.refute.claims import claim_value
from lapwing.refute.distribution import Inputs, Subject
from lapwing.refute.explore import Search
from lapwing.refute.exponentials import ExactProbability
from lapwing.refute.findings import Finding, violates
from lapwing.refute.lattices import RUN
from lapwing.refute.limits import Limits
from lapwing.refute.loss import loss_of
from lapwing.refute.neighbouring import Pair
from lapwing.refute.values import Plain

_QUICK = Limits(states=300_000)
#: For a second look at what a coarse lattice already shows.
_GLANCE, _HALVINGS = Limits(states=200_000), 4
#: Ends of a tail that are tried, in quarters of the coarse step: the best end moves a little with the lattice.
_QUARTERS = range(-6, 7)


def confirmed(search: Search, finding: Finding) -> Finding | None:
    """A finding on the lattice of a run, like the given one, that violates the claim (if there is one)."""
    subject = replace(search.neighbourhood.subject, step=RUN, limits=_QUICK)
    claim = claim_value(subject.mechanism, finding.pair.left)
    found = []
    for pair, event in _likenesses(search, finding):
        try:
            one = _finding(subject, pair, event, finding.n)
        except InvalidInput:  # too many states, or numbers beyond 2^62 steps: another event may do
            continue
        if one.left.lower > 0 and (claim is None or violates(one, claim)):
            found.append(one)
    return max(found, key=search.score, default=None)


def contradicted(search: Search, finding: Finding) -> bool:
    """Whether the same event on the same inputs does not break a pure claim in a run, as far as can be computed.

    Ties are likelier on a coarse lattice. Where a run's takes too many states, finer ones are tried in turn. What a tie
    adds is about in proportion to the step: from a loss on half the step, all still finer ones together take about as
    much again as the last halving took. That is an estimate, and only ever makes fewer violations count.
    """
    subject = search.neighbourhood.subject
    claim = claim_value(subject.mechanism, finding.pair.left)
    if claim is None or subject.is_finite or finding.lattice <= RUN:
        return False
    again = in_a_run(subject, finding)
    if again is not None:
        return not violates(again, claim)
    last, expected = finding, finding.loss
    for _ in range(_HALVINGS):
        finer = _on(subject, finding, last.lattice / 2)
        if finer is None:
            break
        if not violates(finer, claim):
            return True
        expected = finer.loss - max(last.loss - finer.loss, 0.0) if isfinite(last.loss) else finer.loss
        last = finer
    return expected <= claim.value.upper


def in_a_run(subject: Subject, finding: Finding) -> Finding | None:
    """The same event on the same inputs, with its probabilities on the lattice of a run; None where it is too much."""
    return finding if finding.lattice <= RUN or subject.is_finite else _on(subject, finding, RUN)


def _on(subject: Subject, finding: Finding, step: Fraction) -> Finding | None:
    try:
        return _finding(replace(subject, step=step, limits=_GLANCE), finding.pair, finding.event, finding.n)
    except InvalidInput:
        return None


def _finding(subject: Subject, pair: Pair, event: Event, n: int) -> Finding:
    if _is_answer(event):
        loss = loss_of(event, *(subject.probability(side, event) for side in (pair.left, pair.right)))
        return Finding(pair, event, loss.left, loss.right, n, subject.step, loss.closed_form)
    chances = _chance(subject, pair.left, event), _chance(subject, pair.right, event)
    return Finding(pair, event, *chances, n, subject.step)


def _likenesses(search: Search, finding: Finding) -> Iterator[tuple[Pair, Event]]:
    """The same inputs with events like the one found; and everything private shrunk to a run's lattice."""
    step = finding.lattice
    if isinstance(search.claim, ir.PureClaim | None):
        yield finding.pair, finding.event
        small = search.neighbourhood.shrunk(finding.pair, RUN / step)
        if small is not None and _is_answer(finding.event):
            yield small, _scaled(finding.event, RUN / step)
        return
    yield from ((finding.pair, event) for event in _ranges(finding.event, step))


def _ranges(event: Event, step: Fraction) -> Iterator[Event]:
    """Events on a fine lattice that hold about the answers of ``event``."""
    match event:
        case Between(low, high) if low is None or high is None:
            for quarters in _QUARTERS:
                shift = quarters * step / 4
                yield Between(None if low is None else low + shift, None if high is None else high + shift)
        case Fraction():
            yield from _ranges(AnyOf((event,)), step)
        case AnyOf(events) if all(isinstance(each, Fraction) for each in events):
            numbers = sorted(each for each in events if isinstance(each, Fraction))
            breaks = [i + 1 for i, (a, b) in enumerate(pairwise(numbers)) if b - a > step]
            runs = [(numbers[a], numbers[b - 1]) for a, b in pairwise([0, *breaks, len(numbers)])]
            for quarters in (2, 1, 0):  # how far beyond its outermost answers each run reaches
                wider = quarters * step / 4
                yield AnyOf(tuple(Between(low - wider, high + wider) for low, high in runs))
        case _:
            yield event


def _chance(subject: Subject, inputs: Inputs, event: Event) -> Interval:
    """The probability of an event made of answers that exclude each other."""
    match event:
        case AnyOf(events):
            parts = [_chance(subject, inputs, each) for each in events]
            high = sum((part.upper for part in parts), Fraction(0))
            return Interval(sum((part.lower for part in parts), Fraction(0)), min(high, Fraction(1)))
        case Between(None, Fraction() as high):
            return _compared(subject, inputs, "<=", high)
        case Between(Fraction() as low, None):
            return _compared(subject, inputs, ">=", low)
        case Between(Fraction() as low, Fraction() as high):
            begin, beyond = _compared(subject, inputs, ">=", low), _compared(subject, inputs, ">", high)
            return Interval(max(begin.lower - beyond.upper, Fraction(0)), max(begin.upper - beyond.lower, Fraction(0)))
    if _is_answer(event):
        return _enclosed(subject.probability(inputs, event))
    raise AssertionError("the search makes no such event")


def _compared(subject: Subject, inputs: Inputs, operator: Literal["<=", ">=", ">"], end: Fraction) -> Interval:
    """The probability that the answer, a number, is at most, at least or above ``end``."""

    def block(statements: tuple[ir.Statement, ...]) -> tuple[ir.Statement, ...]:
        return tuple(map(changed, statements))

    def changed(statement: ir.Statement) -> ir.Statement:
        match statement:
            case ir.Return(value):
                return replace(statement, value=ir.Compare(operator, value, _constant(end)))
            case ir.If(_, then, otherwise):
                return replace(statement, then=block(then), otherwise=block(otherwise))
            case ir.For(_, body) | ir.While(_, body):
                return replace(statement, body=block(body))
        return statement

    mechanism = replace(subject.mechanism, returns=ir.Boolean(), body=block(subject.mechanism.body))
    module = ir.Module(tuple(mechanism if each.name == mechanism.name else each for each in subject.module))
    return _enclosed(replace(subject, module=module, mechanism=mechanism).probability(inputs, output=True))


def _constant(number: Fraction) -> ir.Expression:
    return ir.Number(number) if number >= 0 else ir.Negate(ir.Number(-number))


def _enclosed(probability: ExactProbability | Interval) -> Interval:
    return probability if isinstance(probability, Interval) else probability.enclosure()


def _is_answer(event: Event) -> TypeGuard[Plain]:
    return all(map(_is_answer, event)) if isinstance(event, tuple) else isinstance(event, Fraction | bool)


def _scaled(event: Plain, factor: Fraction) -> Plain:
    if isinstance(event, tuple):
        return tuple(_scaled(each, factor) for each in event)
    return event if isinstance(event, bool) else event * factor
