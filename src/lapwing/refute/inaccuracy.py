"""Exact probabilities with which a condition fails on small inputs: how loose a bound is, and whether a claim is false.

The one idea: the inputs that try a condition hardest lie just beyond its margin, so few are enough to see what a union
bound gives away. A claim is refuted only on the lattice of a run, where scales of a few steps keep the sums short.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import cast

from lapwing.algebra.balls import Interval
from lapwing.errors import LapwingError
from lapwing.evidence.accuracy import AccuracyWitness
from lapwing.evidence.values import Value
from lapwing.program import ir, walk
from lapwing.program.claims import enclosed
from lapwing.program.conditions import OPEN
from lapwing.program.deciding import decider
from lapwing.program.margins import margins_in
from lapwing.program.printer import fingerprint, show
from lapwing.refute.distribution import Subject
from lapwing.refute.lattices import RUN
from lapwing.refute.limits import Limits
from lapwing.refute.publics import assignments
from lapwing.refute.values import Plain

#: Work per distribution, answers looked at, sizes of lists, and seconds (of processor time) for all of it.
SMALL, ANSWERS, SIZES, SECONDS = Limits(400_000, 2000), 60_000, (1, 2, 3, 4), 8.0
#: Answers that a witness lists, at most: the likeliest.
LISTED = 100
#: The probability at which bounds are compared with the truth, where the claim leaves it open.
ORDINARY_BETA = Fraction(1, 10)
#: What leaves an input untried: it is refused, undefined, or more than this machine can hold.
_TOO_MUCH = (LapwingError, ArithmeticError, MemoryError)


@dataclass(frozen=True, slots=True)
class Failure:
    """The exact probability that a condition fails on some inputs, beside the bound; ``n`` is the length of lists."""

    n: int | None
    inputs: Mapping[str, Plain]
    bound: Interval
    exact: Interval
    #: answers that break the condition, the likeliest first, and the probability of these
    answers: tuple[Value, ...] = ()
    certain: Fraction = Fraction(0)

    @property
    def factor(self) -> float | None:
        """How many times the bound is the truth, at least."""
        return float(self.bound.lower / self.exact.upper) if self.exact.upper > 0 else None


def failure(
    subject: Subject, inputs: Mapping[str, Plain], condition: ir.Expression, beta: Interval, given: Mapping[str, object]
) -> Failure | None:
    """The exact failure on one input; None where there are too many answers to look at."""
    distribution = subject.distribution(inputs)
    if len(distribution.masses) > ANSWERS:
        return None
    decide = decider(condition, {**inputs, **given, "step()": subject.step})
    lower, upper = Fraction(0), distribution.escaped
    broken: list[tuple[Fraction, Value]] = []
    for answer in distribution.masses:
        kept = decide(answer)
        mass = distribution.found(answer)
        lower += mass.lower if kept is False else 0
        upper += 0 if kept is True else mass.upper
        if kept is False:
            broken.append((mass.lower, answer))
    broken.sort(key=lambda pair: -pair[0])
    chosen = broken[:LISTED]
    certain = sum((chance for chance, _ in chosen), Fraction(0))
    if not distribution.is_exact or certain.denominator > 2**40:
        certain = _rounded_down(certain)
    lists = [len(value) for value in inputs.values() if isinstance(value, tuple)]
    return Failure(
        max(lists, default=None),
        inputs,
        beta,
        Interval(lower, min(Fraction(1), upper)),
        tuple(answer for _, answer in chosen),
        certain,
    )


def looseness(
    subject: Subject, condition: ir.Expression, beta: ir.Expression, settings: Mapping[str, object]
) -> list[Failure]:
    """The largest exact failure found for each small size, with ordinary public parameters."""
    found: dict[int | None, Failure] = {}
    deadline = time.process_time() + SECONDS
    mechanism = subject.mechanism
    free = _free(mechanism, condition, beta)
    kept = {name: value for name, value in settings.items() if mechanism.parameter(name) is not None}
    given = {"beta": settings.get("beta", ORDINARY_BETA)} if "beta" in free else {}
    try:
        public = next(assignments(subject, kept))
    except (*_TOO_MUCH, StopIteration):
        return []
    for inputs in _inputs(subject, public, condition, given, SIZES):
        if time.process_time() > deadline:
            break
        try:
            chance = enclosed(beta, {**inputs, **given, "step()": subject.step})
            one = failure(subject, inputs, condition, chance, given)
        except _TOO_MUCH:
            continue
        if one is not None and (one.n not in found or one.exact.lower > found[one.n].exact.lower):
            found[one.n] = one
    return [found[n] for n in sorted(found, key=lambda n: n or 0) if found[n].exact.lower > 0]


def refutation(
    module: ir.Module, mechanism: ir.Mechanism, file: str, claim: ir.Accuracy, settings: Mapping[str, object]
) -> AccuracyWitness | None:
    """Inputs on which the claim is false, on the lattice of a run; None where none were found."""
    deadline = time.process_time() + SECONDS
    condition = claim.condition
    free = _free(mechanism, condition, claim.beta)
    if "gamma" in free or ("beta" in free and "beta" not in walk.names(condition)):
        return None  # there is nothing to refute: a margin or a probability was asked for
    subject = Subject(module, mechanism, RUN, SMALL)
    for public in _fine(subject, settings):
        for beta in (Fraction(1, 2), Fraction(1, 10), Fraction(1, 100)) if "beta" in free else (None,):
            given: dict[str, Value] = {} if beta is None else {"beta": beta}
            for inputs in _inputs(subject, public, condition, given, SIZES[:3]):
                if time.process_time() > deadline:
                    return None
                try:
                    chance = enclosed(claim.beta, {**inputs, **given, "step()": subject.step})
                    one = failure(subject, inputs, condition, chance, given)
                except _TOO_MUCH:
                    continue
                if one is not None and chance.lower > 0 and chance.upper < 1 and one.certain > chance.upper:
                    return AccuracyWitness(
                        file,
                        mechanism.name,
                        fingerprint(module, mechanism.name),
                        show(condition),
                        show(claim.beta),
                        given,
                        cast(dict[str, Value], dict(inputs)),
                        subject.step,
                        one.answers,
                        one.certain,
                    )
    return None


def _rounded_down(value: Fraction) -> Fraction:
    """A short number just below: another interpreter's rounding is not this one's."""
    return Fraction(floor(value * 2**40 * (1 - Fraction(1, 2**30))), 2**40)


def _free(mechanism: ir.Mechanism, condition: ir.Expression, beta: ir.Expression) -> set[str]:
    names = walk.names(condition) | walk.names(beta)
    return {name for name in OPEN if name in names and mechanism.parameter(name) is None}


def _fine(subject: Subject, settings: Mapping[str, object]) -> Iterator[dict[str, Plain]]:
    """Public parameters with which noise on the lattice of a run has scales of a few steps."""
    mechanism = subject.mechanism
    fixed = {name: value for name, value in settings.items() if mechanism.parameter(name) is not None}
    scales = {name for each in walk.statements(mechanism.body) if isinstance(each, ir.Sample) and each.kind != "flip"
              for name in walk.names(each.arguments[-1])}  # fmt: skip
    for multiple in (1, Fraction(1, 2), Fraction(1, 4)):
        chosen: dict[str, object] = {}
        for parameter in mechanism.parameters:
            if parameter.name in scales and parameter.type == ir.Real() and not parameter.private:
                large = subject.is_finite or "sigma" in parameter.name or parameter.name == "scale"
                chosen[parameter.name] = multiple if subject.is_finite else (
                    multiple / subject.step if not large else subject.step / multiple
                )  # fmt: skip
        try:
            yield next(assignments(subject, {**chosen, **fixed}))
        except (*_TOO_MUCH, StopIteration):
            continue
    if not scales:
        try:
            yield from assignments(subject, fixed)
        except _TOO_MUCH:  # nothing that the search can think of meets the preconditions
            return


def _inputs(
    subject: Subject,
    public: Mapping[str, Plain],
    condition: ir.Expression,
    given: Mapping[str, object],
    sizes: tuple[int, ...],
) -> Iterator[dict[str, Plain]]:
    """Private inputs at and just beyond the margin, for every size."""
    mechanism = subject.mechanism
    private = [parameter for parameter in mechanism.parameters if parameter.private]
    listed = any(isinstance(parameter.type, ir.List) for parameter in mechanism.parameters)
    for n in sizes if listed else (0,):
        lists = {p.name: (Fraction(0),) * n for p in mechanism.parameters if isinstance(p.type, ir.List)}
        beyond = _margins(mechanism, condition, {**lists, **public, **given, "step()": subject.step}, subject.step)
        centre = public.get("threshold", Fraction(0))
        middle = centre if isinstance(centre, Fraction) else Fraction(0)
        values = dict.fromkeys([Fraction(0), *(middle + sign * each for each in beyond for sign in (1, -1)), *beyond])
        for pattern in _patterns(list(values), n):
            yield {**_filled(private, pattern, n), **{k: _sized(v, n) for k, v in public.items()}}


def _margins(
    mechanism: ir.Mechanism, condition: ir.Expression, known: dict[str, object], step: Fraction
) -> list[Fraction]:
    """The next lattice point beyond each margin of a condition."""
    found: list[Fraction] = []
    for part in margins_in(mechanism, condition):
        try:
            size = abs(enclosed(part, known).upper)
        except (LapwingError, ArithmeticError, LookupError, TypeError, ValueError):
            continue
        found.append((floor(size / step) + 1) * step)
    return list(dict.fromkeys(found)) or [step]


def _patterns(values: list[Fraction], n: int) -> Iterator[tuple[Fraction, ...]]:
    """Lists of one value, and lists in which the last differs."""
    for value in values:
        yield (value,) * max(n, 1)
    for value in values if n > 1 else ():
        for last in values:
            if last != value:
                yield (*(value,) * (n - 1), last)


def _filled(private: list[ir.Parameter], pattern: tuple[Fraction, ...], n: int) -> dict[str, Plain]:
    found: dict[str, Plain] = {}
    for parameter in private:
        match parameter.type:
            case ir.List(ir.Boolean()):
                found[parameter.name] = tuple(value > 0 for value in pattern[:n])
            case ir.List(kind):
                found[parameter.name] = tuple(_number(value, kind) for value in pattern[:n])
            case ir.Boolean():
                found[parameter.name] = pattern[0] > 0
            case kind:
                found[parameter.name] = _number(pattern[0], kind)
    return found


def _number(value: Fraction, kind: ir.Type) -> Fraction:
    return Fraction(floor(value)) if kind == ir.Integer() else value


def _sized(value: Plain, n: int) -> Plain:
    """Public lists as long as the private ones."""
    return value if not isinstance(value, tuple) or value else (Fraction(0),) * n
