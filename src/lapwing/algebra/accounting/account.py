"""One question, every method: the ε of a sum of mechanisms at a given δ, the best rigorous answer first.

The one idea: a method either *covers* a sum or says why not; it never guesses. All bounds speak about the
same thing, the whole sum between the same two neighbours, so the smallest rigorous one may be used.

Open failures come off first. An (ε, δ) mechanism is an ε one that tells everything with probability δ
[KOV15 Thm 3.3], so k of them at a target δ* are the ε ones at (δ* − F)/(1 − F) with F = 1 − (1−δ)^k, and every
method below sees only the remainder.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from lapwing.algebra import parameters
from lapwing.algebra.accounting.expression import Expression, parse
from lapwing.algebra.accounting.methods import METHODS, RIGOROUS, Method, NotCovered, Problem
from lapwing.algebra.accounting.terms import Poisson, Term, open_failure, without_sampled_failures
from lapwing.algebra.balls import ball, lower, precision
from lapwing.algebra.exact import Number, decimal_down
from lapwing.algebra.neighbours import Neighbours
from lapwing.errors import InvalidInput, LapwingError, Unbounded

#: Called with the name of a method before it runs.
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Row:
    """What one method says: ``epsilon`` is an upper bound if ``rigorous``, and an estimate if not."""

    method: str
    epsilon: Fraction
    rigorous: bool
    seconds: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class Account:
    """The ε of ``expression`` at ``delta`` by every method that covers it; ``left_out`` names the others and why."""

    expression: Expression
    delta: Fraction
    rows: tuple[Row, ...]
    left_out: tuple[tuple[str, str], ...]

    @property
    def best(self) -> Row:
        """The smallest rigorous bound."""
        return self.rows[0]

    @property
    def neighbours(self) -> tuple[Neighbours, ...]:
        """The neighbour notions for which the bounds hold, if the sensitivities were taken for the same notion."""
        if any(isinstance(term, Poisson) for _, term in self.expression.terms):
            return (Neighbours.ADDED,)
        return tuple(Neighbours)


Composed = str | Expression | Iterable[tuple[int, Term]]


def account(
    composed: Composed, delta: Number, progress: Progress | None = None, methods: Sequence[Method] = METHODS
) -> Account:
    """The ε of a sum, such as ``"100 * laplace(10) + 5 * gaussian(20)"``, at ``delta``, by every method."""
    expression = _expression(composed)
    target = parameters.delta(delta)
    plain = Expression.of((count, without_sampled_failures(term)) for count, term in expression.terms)
    problem = Problem(plain, target, _after_failures(plain, target))
    rows: list[Row] = []
    left_out: list[tuple[str, str]] = []
    for method in methods:
        if progress is not None:
            progress(method.name)
        try:
            rows.append(_row(method, problem))
        except NotCovered as reason:
            left_out.append((method.name, str(reason)))
    if not any(row.rigorous for row in rows):
        raise Unbounded(
            "A520",
            f"no method bounds this sum at delta {decimal_down(target)}",
            "Give a larger delta" if target else "Give a delta above 0: the sum is not pure",
        )
    rows.sort(key=lambda row: (not row.rigorous, row.epsilon))
    return Account(expression, target, tuple(rows), tuple(left_out))


def epsilon_by_count(
    composed: Composed,
    delta: Number,
    counts: Sequence[int],
    progress: Progress | None = None,
    methods: Sequence[Method] = RIGOROUS,
) -> dict[str, tuple[tuple[int, Fraction], ...]]:
    """For a picture: by method, (count, ε) when the whole sum is repeated ``count`` times, for each count."""
    expression = _expression(composed)
    curves: dict[str, list[tuple[int, Fraction]]] = {}
    for count in counts:
        for row in account(expression.times(parameters.whole(count, "count")), delta, progress, methods).rows:
            curves.setdefault(row.method, []).append((count, row.epsilon))
    return {method: tuple(points) for method, points in curves.items()}


def _expression(composed: Composed) -> Expression:
    if isinstance(composed, Expression):
        return composed
    return parse(composed) if isinstance(composed, str) else Expression.of(composed)


def _row(method: Method, problem: Problem) -> Row:
    started = time.perf_counter()
    try:
        epsilon, note = method.bound(problem)
    except InvalidInput:
        raise
    except LapwingError as error:  # a bound that does not exist is a reason, not a failure of the whole account
        raise NotCovered(error.problem) from error
    return Row(method.name, epsilon, method.rigorous, time.perf_counter() - started, note)


def _after_failures(expression: Expression, target: Fraction) -> Fraction:
    """(δ − F)/(1 − F), rounded down: what is left of δ once all open failures are paid for."""
    failures = [(count, open_failure(term)) for count, term in expression.terms if open_failure(term) > 0]
    if not failures:
        return target
    bits = 256 + 2 * max(value.denominator.bit_length() for value in (target, *(delta for _, delta in failures)))
    with precision(bits):
        kept = ball(1)
        for count, failure in failures:
            kept *= (1 - ball(failure)) ** count
        left = lower(1 - (1 - ball(target)) / kept)
    if left < 0 and target < sum(count * failure for count, failure in failures):
        raise Unbounded(
            "A503",
            f"the failures of the terms alone pass delta {decimal_down(target)}",
            "Give a larger delta, or fewer runs",
        )
    return max(left, Fraction(0))
