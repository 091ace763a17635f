"""On which lattice to search, and whether what is found there has to be shown on the lattice of a run.

The one idea: a coarse lattice is cheap. It says something about a run, whose noise lies on multiples of :data:`RUN`,
where the program cannot leave it: no constant lies between its points, and no division or product of fractions leads
there. The checker has its own reading of the same rules; where it is the stricter one, a finding is not confirmed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import cast

from lapwing.algebra.exact import exact
from lapwing.errors import InvalidInput, LapwingError
from lapwing.program import ir, walk
from lapwing.program.draws import BITS
from lapwing.program.evaluate import evaluate
from lapwing.refute.distribution import Subject
from lapwing.refute.values import Plain

#: The lattice of a run that is told nothing else.
RUN = Fraction(1, 2**BITS)


def ordinary_step(mechanism: ir.Mechanism, inputs: Sequence[Mapping[str, object]] = ()) -> Fraction:
    """The coarsest of 1, 1/2, 1/4, … (to 2^-20) on which everything lies that is known so far.

    That is private numbers and distances, and, as far as powers of two go, public numbers and those in the program.
    """
    public = [parameter.name for parameter in mechanism.parameters if not parameter.private]
    constants = [number for given in inputs for name in public for number in _given(given.get(name))]
    constants += literals(ir.Module((mechanism,)))
    private = [parameter.name for parameter in mechanism.parameters if parameter.private]
    numbers = [number for given in inputs for name in private for number in _given(given.get(name))]
    relations = [parameter.relation for parameter in mechanism.parameters if parameter.relation is not None]
    numbers += [relation.distance for relation in relations if isinstance(relation.distance, Fraction)]
    finest = max((number.denominator for number in numbers), default=1)
    bits = next((bits for bits in range(20) if 2**bits % finest == 0), 20)
    return min(Fraction(1, 2**bits), coarsest(constants))


def fitted(subject: Subject, public: Mapping[str, Plain]) -> Subject:
    """The subject on a lattice on which every constant of the program lies, for these public parameters."""
    numbers = [*_numbers(tuple(public.values())), *_computed(subject.mechanism, public)]
    return replace(subject, step=min(subject.step, coarsest([*numbers, *literals(subject.module)])))


def literals(module: ir.Module) -> Iterator[Fraction]:
    """Every number written in the bodies of a mechanism and of those that it calls."""
    for mechanism in module:
        for statement in walk.statements(mechanism.body):
            for expression in walk.expressions(statement):
                yield from (node.value for node in walk.nodes(expression) if isinstance(node, ir.Number))


def coarsest(numbers: list[Fraction]) -> Fraction:
    """The coarsest of 1, 1/2, 1/4, … on which the numbers lie, as far as powers of two go; not beyond a run's."""
    halves = [number.denominator & -number.denominator for number in numbers]
    return Fraction(1, max((half for half in halves if half <= RUN.denominator), default=1))


def depends_on_the_lattice(subject: Subject, public: Mapping[str, Plain]) -> bool:
    """Whether a finding on the subject's lattice says nothing yet about a run."""
    mechanism = subject.mechanism
    if subject.step == RUN:
        return False
    if any(isinstance(each, ir.Call) for each in walk.statements(mechanism.body)):
        return True
    if subject.is_finite:
        return False
    if isinstance(mechanism.claim, ir.ApproximateClaim | ir.ZcdpClaim):
        return True
    return any(_leaves(mechanism, public, node, subject.step) for node in _arithmetic(mechanism))


def landmarks(mechanism: ir.Mechanism, public: Mapping[str, Plain]) -> list[Fraction]:
    """Numbers that the program compares something with, as far as these public parameters settle them."""
    found = []
    for statement in walk.statements(mechanism.body):
        for expression in walk.expressions(statement):
            for node in walk.nodes(expression):
                if isinstance(node, ir.Compare):
                    found += [_constant(mechanism, public, side) for side in (node.left, node.right)]
    return [each for each in dict.fromkeys(found) if each is not None]


def _arithmetic(mechanism: ir.Mechanism) -> Iterator[ir.Arithmetic]:
    """All arithmetic but that inside a draw's parameters, which scales the noise and moves nothing."""
    for statement in walk.statements(mechanism.body):
        if not isinstance(statement, ir.Sample):
            for expression in walk.expressions(statement):
                yield from (node for node in walk.nodes(expression) if isinstance(node, ir.Arithmetic))


def _computed(mechanism: ir.Mechanism, public: Mapping[str, Plain]) -> Iterator[Fraction]:
    values = (_constant(mechanism, public, node) for node in _arithmetic(mechanism))
    yield from (value for value in values if value is not None)


def _leaves(mechanism: ir.Mechanism, public: Mapping[str, Plain], node: ir.Arithmetic, step: Fraction) -> bool:
    if node.operator in ("+", "-") or _constant(mechanism, public, node) is not None:
        return False
    sides = [_constant(mechanism, public, side) for side in (node.left, node.right)]
    return node.operator == "/" or (step < 1 and not any(side is not None and side.denominator == 1 for side in sides))


def _constant(mechanism: ir.Mechanism, public: Mapping[str, Plain], node: ir.Expression) -> Fraction | None:
    """The value of an expression of numbers and public parameters alone."""
    changed = {name for each in walk.statements(mechanism.body) for name in walk.targets(each)}
    inner = any(isinstance(part, ir.Comprehension) for part in walk.nodes(node))
    if inner or not walk.names(node) <= set(public) - changed:
        return None
    try:
        return Fraction(evaluate(node, cast("dict[str, object]", dict(public))))
    except (LapwingError, TypeError, ZeroDivisionError, KeyError):
        return None


def _numbers(value: Plain) -> Iterator[Fraction]:
    if isinstance(value, tuple):
        for each in value:
            yield from _numbers(each)
    elif not isinstance(value, bool):
        yield value


def _given(value: object) -> list[Fraction]:
    if isinstance(value, list | tuple):
        return [number for each in value for number in _given(each)]
    try:
        return [] if isinstance(value, bool) else [exact(value)]  # type: ignore[arg-type]  # exact() refuses the rest
    except InvalidInput:
        return []  # whoever reads the value refuses it, with its name
