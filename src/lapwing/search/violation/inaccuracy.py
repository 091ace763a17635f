"""Exact probabilities with which a condition fails on small inputs: how loose a bound is, and whether a claim is false.

The one idea: the inputs that try a condition hardest lie at its margin and just beyond, so few are enough to see what a
union bound gives away.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from lapwing.algebra.balls import Interval
from lapwing.algebra.exact import exact
from lapwing.errors import LapwingError
from lapwing.kernel.accuracy.failure import failure
from lapwing.kernel.distribution.states import Limits
from lapwing.kernel.evidence.accuracy import AccuracyWitness
from lapwing.kernel.evidence.values import Value
from lapwing.kernel.formulas.margins import OPEN
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.printer import fingerprint, show
from lapwing.kernel.run.claim_values import enclosed
from lapwing.search.allowances import margins_in
from lapwing.search.violation.publics import assignments
from lapwing.search.violation.subject import Subject

#: What one probability may take, sizes of lists, and seconds (of processor time) for all of it.
SMALL, SIZES, SECONDS = Limits(20_000, 2_000, 1.0), (1, 2, 3, 4), 8.0
#: The probability at which bounds are compared with the truth, where the claim leaves it open.
ORDINARY_BETA = Fraction(1, 10)
#: What leaves an input untried: it is refused, undefined, or more than this machine can hold.
_TOO_MUCH = (LapwingError, ArithmeticError, MemoryError)


@dataclass(frozen=True, slots=True)
class Failure:
    """The exact probability that a condition fails on some inputs, beside the bound; ``n`` is the length of lists."""

    n: int | None
    inputs: Mapping[str, Value]
    bound: Interval
    exact: Interval

    @property
    def factor(self) -> float | None:
        """How many times the bound is the truth, at least."""
        return float(self.bound.lower / self.exact.upper) if self.exact.upper > 0 else None


def fails(
    subject: Subject, inputs: Mapping[str, Value], condition: ir.Expression, beta: Interval, given: Mapping[str, Value]
) -> Failure:
    """The exact failure on one input."""
    found = failure(subject.module, subject.mechanism.name, inputs, condition, given, SMALL)
    lists = [len(value) for value in inputs.values() if isinstance(value, tuple)]
    return Failure(max(lists, default=None), inputs, beta, found)


def looseness(
    subject: Subject, condition: ir.Expression, beta: ir.Expression, settings: Mapping[str, object]
) -> list[Failure]:
    """The largest exact failure found for each small size, with ordinary public parameters."""
    found: dict[int | None, Failure] = {}
    deadline = time.process_time() + SECONDS
    mechanism = subject.mechanism
    free = _free(mechanism, condition, beta)
    kept = {name: value for name, value in settings.items() if mechanism.parameter(name) is not None}
    given = {"beta": exact(settings.get("beta", ORDINARY_BETA))} if "beta" in free else {}  # type: ignore[arg-type]  # a number
    try:
        public = next(assignments(subject, kept))
    except (*_TOO_MUCH, StopIteration):
        return []
    for inputs in _inputs(subject, public, condition, given, SIZES):
        if time.process_time() > deadline:
            break
        try:
            one = fails(subject, inputs, condition, enclosed(beta, {**inputs, **given}), given)
        except _TOO_MUCH:
            continue
        if one.n not in found or one.exact.lower > found[one.n].exact.lower:
            found[one.n] = one
    return [found[n] for n in sorted(found, key=lambda n: n or 0) if found[n].exact.lower > 0]


def refutation(
    module: ir.Module, mechanism: ir.Mechanism, file: str, claim: ir.Accuracy, settings: Mapping[str, object]
) -> AccuracyWitness | None:
    """Inputs on which the claim is false; None where none were found."""
    deadline = time.process_time() + SECONDS
    condition = claim.condition
    free = _free(mechanism, condition, claim.beta)
    if "gamma" in free or ("beta" in free and "beta" not in walk.names(condition)):
        return None  # there is nothing to refute: a margin or a probability was asked for
    subject = Subject(module, mechanism, SMALL)
    fixed = {name: value for name, value in settings.items() if mechanism.parameter(name) is not None}
    for public in _publics(subject, fixed):
        for beta in (Fraction(1, 2), Fraction(1, 10), Fraction(1, 100)) if "beta" in free else (None,):
            given: dict[str, Value] = {} if beta is None else {"beta": beta}
            for inputs in _inputs(subject, public, condition, given, SIZES[:3]):
                if time.process_time() > deadline:
                    return None
                try:
                    chance = enclosed(claim.beta, {**inputs, **given})
                    one = fails(subject, inputs, condition, chance, given)
                except _TOO_MUCH:
                    continue
                certain = _rounded_down(one.exact)
                if chance.lower > 0 and chance.upper < 1 and certain > chance.upper:
                    return AccuracyWitness(
                        file,
                        mechanism.name,
                        fingerprint(module, mechanism.name),
                        show(condition),
                        show(claim.beta),
                        given,
                        dict(inputs),
                        certain,
                    )
    return None


def _publics(subject: Subject, fixed: Mapping[str, object]) -> Iterator[dict[str, Value]]:
    try:
        yield from assignments(subject, fixed)
    except _TOO_MUCH:  # nothing that the search can think of meets the preconditions
        return


def _rounded_down(chance: Interval) -> Fraction:
    """A short number at or just below."""
    if chance.is_exact and chance.lower.denominator <= 2**40:
        return chance.lower
    return Fraction(floor(chance.lower * 2**40), 2**40)


def _free(mechanism: ir.Mechanism, condition: ir.Expression, beta: ir.Expression) -> set[str]:
    names = walk.names(condition) | walk.names(beta)
    return {name for name in OPEN if name in names and mechanism.parameter(name) is None}


def _inputs(
    subject: Subject,
    public: Mapping[str, Value],
    condition: ir.Expression,
    given: Mapping[str, Value],
    sizes: tuple[int, ...],
) -> Iterator[dict[str, Value]]:
    """Private inputs at and just beyond the margin, for every size."""
    mechanism = subject.mechanism
    private = [parameter for parameter in mechanism.parameters if parameter.private]
    listed = any(isinstance(parameter.type, ir.List) for parameter in mechanism.parameters)
    for n in sizes if listed else (0,):
        lists = {p.name: (Fraction(0),) * n for p in mechanism.parameters if isinstance(p.type, ir.List)}
        beyond = _margins(mechanism, condition, {**lists, **public, **given})
        centre = public.get("threshold", Fraction(0))
        middle = centre if isinstance(centre, Fraction) else Fraction(0)
        values = dict.fromkeys([Fraction(0), *(middle + sign * each for each in beyond for sign in (1, -1)), *beyond])
        for pattern in _patterns(list(values), n):
            yield {**_filled(private, pattern, n), **{k: _sized(v, n) for k, v in public.items()}}


def _margins(mechanism: ir.Mechanism, condition: ir.Expression, known: dict[str, Value]) -> list[Fraction]:
    """A number just beyond each margin of a condition."""
    found: list[Fraction] = []
    for part in margins_in(mechanism, condition):
        try:
            size = abs(enclosed(part, known).upper)
        except (LapwingError, ArithmeticError, LookupError, TypeError, ValueError):
            continue
        steps = next((8 * 2**k for k in range(17) if 8 * 2**k * size >= 16), 2**20)  # short numbers, and near enough
        found.append(Fraction(floor(size * steps) + 1, steps))
    return list(dict.fromkeys(found)) or [Fraction(1)]


def _patterns(values: list[Fraction], n: int) -> Iterator[tuple[Fraction, ...]]:
    """Lists of one value, and lists in which the last differs."""
    for value in values:
        yield (value,) * max(n, 1)
    for value in values if n > 1 else ():
        for last in values:
            if last != value:
                yield (*(value,) * (n - 1), last)


def _filled(private: list[ir.Parameter], pattern: tuple[Fraction, ...], n: int) -> dict[str, Value]:
    found: dict[str, Value] = {}
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


def _sized(value: Value, n: int) -> Value:
    """Public lists as long as the private ones."""
    return value if not isinstance(value, tuple) or value else (Fraction(0),) * n
