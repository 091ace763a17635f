"""Likely facts at the head of a loop: counters, distances and costs, some of them under a condition.

The one idea: what loops of private mechanisms keep true is of few kinds: distances that are 0 or the neighbours'
distance, costs within so much per counted answer, and all of that before or after the place where inputs differ, the
answer considered, or the test that stops the mechanism.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial, reduce

import z3  # type: ignore[import-untyped]  # z3 ships no type information

from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.comparisons import NEGATED
from lapwing.search.privacy.answer_variables import answered
from lapwing.search.privacy.encoding import Pair, PrivateList, Scope, Truths
from lapwing.search.privacy.linear import OUTPUT, Form, linear, number, times, word, written
from lapwing.search.privacy.product import Ghost
from lapwing.search.privacy.totals import Totals, reaches, sizes, spent

#: Noise that a whole number can hold, so that it is shifted like a real one.
WHOLE_NOISE = "discrete_laplace"


def candidates(
    mechanism: ir.Mechanism, loop: int, scope: Scope, ghost: Ghost, totals: Totals
) -> Iterator[ir.Expression]:
    """Facts that may hold at the head of ``loop``, where names mean what ``scope`` says."""
    counting = list(_counting(mechanism, loop, scope))
    facts = [*_distances(mechanism, loop, scope), *_costs(mechanism, loop, scope, totals)]
    yield from counting
    yield from facts
    for premise in _premises(mechanism, loop, scope, ghost):
        yield from (ir.Or((premise, fact)) for fact in facts)
        if ghost == "output":
            yield from (ir.Or((premise, fact)) for fact in counting)


def _premises(mechanism: ir.Mechanism, loop: int, scope: Scope, ghost: Ghost) -> Iterator[ir.Expression]:
    """Negated, because ``p implies q`` is written ``not p or q``."""
    here = word("round", loop)
    for name, entry in scope.variables.items():
        if isinstance(entry, PrivateList) and f"where({name})" in scope.words:
            yield ir.Compare(">", here, word("where", name))
            yield ir.Compare("<=", here, word("where", name))
        if isinstance(entry, PrivateList) and f"rising({name})" in scope.words:
            yield word("rising", name)
            yield ir.Not(word("rising", name))
    for test in _tests(mechanism, scope):
        yield ir.Compare(NEGATED[test.operator], test.left, test.right)
    if ghost == "output" and z3.is_arith(scope.words["output()"]):
        yield ir.Compare("!=", here, number(0))
        yield ir.Compare("==", here, number(0))
        yield ir.Compare(">", here, OUTPUT)
        for place in _looked_at(scope):  # it is the answer considered, or that was not looked at
            considered = ir.Compare("!=", place, OUTPUT)
            yield considered
            yield ir.Or((considered, ir.Compare("==", here, number(0))))
            yield from (ir.Or((considered, ir.Compare("==", size, number(0)))) for size in sizes(mechanism))
            yield ir.Compare(">=", here, OUTPUT)
            yield ir.Or((ir.Compare(">", here, OUTPUT), ir.Compare("==", OUTPUT, number(0))))
        for name, answer in answered(mechanism).items():
            if isinstance(scope.variables.get(name), Pair):
                yield ir.Or((ir.Compare("<=", here, OUTPUT), ir.Compare("!=", answer, OUTPUT)))


def _counters(mechanism: ir.Mechanism, scope: Scope) -> list[str]:
    whole = {each.name for each in mechanism.variables if isinstance(each.type, ir.Integer)}
    return [name for name in scope.variables if name in whole]


def _countdowns(mechanism: ir.Mechanism, scope: Scope) -> Iterator[tuple[str, ir.Expression]]:
    """Counters that begin at a public parameter, and so may count how many are left."""
    public = {each.name for each in mechanism.parameters if not each.private}
    counters = set(_counters(mechanism, scope))
    for each in mechanism.body:
        if isinstance(each, ir.Assign) and each.target in counters and set() < walk.names(each.value) <= public:
            yield each.target, each.value


def _counting(mechanism: ir.Mechanism, loop: int, scope: Scope) -> Iterator[ir.Expression]:
    """Facts about rounds and counters in the first run."""
    here = word("round", loop)
    yield ir.Compare(">=", here, number(0))
    for size in sizes(mechanism):
        yield ir.Compare("<=", here, size)
    for name in _counters(mechanism, scope):
        yield ir.Compare(">=", ir.Name(name), number(0))
        yield ir.Compare("==", ir.Name(name), here)
        yield ir.Compare("<=", ir.Name(name), here)
        yield ir.Compare("<", ir.Name(name), here)
    for place in _looked_at(scope):  # each run has its own
        other = ir.Builtin("other", (place,))
        yield ir.Compare(">=", other, number(0))
        yield ir.Compare("<=", other, here)
        yield ir.Compare("<", other, here)
        yield from (ir.Compare("<", each, size) for each in (place, other) for size in sizes(mechanism))
    for name, first in _countdowns(mechanism, scope):
        yield ir.Compare("<=", ir.Name(name), first)
        yield ir.Compare(">=", ir.Name(name), number(1))
    yield from _limits(mechanism, set(_counters(mechanism, scope)))
    for name in (name for name in scope.words if name.startswith("len(")):
        length = word("len", name[4:-1])
        yield from (ir.Compare("==", length, each) for each in (here, *sizes(mechanism)))
        yield ir.Compare("<=", length, here)
        yield from (ir.Compare("<=", length, size) for size in sizes(mechanism))


def _distances(mechanism: ir.Mechanism, loop: int, scope: Scope) -> Iterator[ir.Expression]:
    """Facts about how far the runs are apart."""
    parameters = {each.name for each in mechanism.parameters}
    distances = reaches(mechanism)
    noisy = any(isinstance(each, ir.Sample) and each.kind == WHOLE_NOISE for each in walk.statements(mechanism.body))
    for name, entry in scope.variables.items():
        if name in parameters:
            continue
        if isinstance(entry, Truths):
            yield ir.Compare("==", ir.Builtin("other", (ir.Name(name),)), ir.Name(name))
        if isinstance(entry, Pair):
            hat = word("hat", name)
            yield ir.Compare("==", hat, number(0))
            if entry.value.is_int() and not noisy:
                continue  # it counts: in both runs alike, or not at all
            for reach in (*distances, *map(ir.Negate, distances)):
                yield ir.Compare("==", hat, reach)
            for reach in (number(0), *distances, *map(ir.Negate, distances)):
                yield ir.Compare("<=", hat, reach)
                yield ir.Compare(">=", hat, reach)
            for distance in distances:
                yield ir.Compare("<=", ir.Builtin("abs", (hat,)), times(word("round", loop), distance))
    for found in _looked_at(scope).values():
        hat = ir.Builtin("hat", (reduce(partial(ir.Arithmetic, "+"), found),))
        for reach in (number(0), *distances, *map(ir.Negate, distances)):
            yield ir.Compare("<=", hat, reach)
            yield ir.Compare(">=", hat, reach)


def _looked_at(scope: Scope) -> dict[ir.Name, list[ir.Expression]]:
    """By the variable that says where: the elements of lists read there, which are compared as one sum."""
    found: dict[ir.Name, list[ir.Expression]] = {}
    for name in scope.words:
        look = formula(name, frozenset()) if "[" in name and not name.startswith("hat(") else None
        if isinstance(look, ir.Index) and isinstance(look.index, ir.Name):
            found.setdefault(look.index, []).append(look)
    return found


def _costs(mechanism: ir.Mechanism, loop: int, scope: Scope, totals: Totals) -> Iterator[ir.Expression]:
    """Facts about the shifts so far."""
    parameters = {each.name for each in mechanism.parameters}
    kept = [name for name, entry in scope.variables.items() if isinstance(entry, Pair) and name not in parameters]
    counters = [word("round", loop), *map(ir.Name, _counters(mechanism, scope))]
    counters += [ir.Arithmetic("-", first, ir.Name(name)) for name, first in _countdowns(mechanism, scope)]
    for meter, total in totals.items():
        cost = spent(meter)
        yield ir.Compare("<=", cost, number(0))
        yield ir.Compare("<=", cost, total)
        for distance in reaches(mechanism):
            for factor in (number(1), number(2)):
                step = times(factor, distance)
                yield ir.Compare("<=", cost, step)
                yield from (ir.Compare("<=", cost, times(step, counter)) for counter in counters)
            for name in kept:
                left = ir.Arithmetic("+", cost, ir.Builtin("abs", (word("hat", name),)))
                yield ir.Compare("<=", left, distance)


def _limits(mechanism: ir.Mechanism, counters: set[str]) -> Iterator[ir.Expression]:
    """Tests of counters against public numbers, without their constants: ``spent <= 2 * limit``."""
    for statement in walk.statements(mechanism.body):
        if not isinstance(statement, ir.If | ir.While):
            continue
        for part in walk.nodes(statement.condition):
            if isinstance(part, ir.Compare) and part.operator in ("<", "<=", ">", ">="):
                form = linear(ir.Arithmetic("-", part.left, part.right))
                if form is None:
                    continue
                sign = 1 if part.operator in ("<", "<=") else -1
                terms = {atom: sign * value for atom, value in form.items() if atom is not None}
                left: Form = {a: v for a, v in terms.items() if isinstance(a, ir.Name) and a.name in counters}
                right: Form = {a: -v for a, v in terms.items() if a not in left}
                if left:
                    yield ir.Compare("<=", written(left), written(right))


def _tests(mechanism: ir.Mechanism, scope: Scope) -> Iterator[ir.Compare]:
    """Tests of counters and public numbers that decide what a round does."""
    known = set(_counters(mechanism, scope)) | {each.name for each in mechanism.parameters if not each.private}
    for statement in walk.statements(mechanism.body):
        if isinstance(statement, ir.If) and isinstance(statement.condition, ir.Compare):
            names = walk.names(statement.condition)
            if names & set(_counters(mechanism, scope)) and names <= known:
                yield statement.condition
