"""Looking for two runs that give a secret away: first small inputs by the dozen, then inputs that the solver finds.

The one idea: whatever is found is run before it is believed, and the checker runs it again.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

import z3  # type: ignore[import-untyped]  # z3 ships no type information

from lapwing.errors import InvalidInput
from lapwing.kernel.doubt import Unproved
from lapwing.kernel.evidence.flow import Answers, Chances
from lapwing.kernel.evidence.values import Value
from lapwing.kernel.flow.terms import Listed
from lapwing.kernel.flow.terms import Value as Term
from lapwing.kernel.flow.visibility import Policy, policy
from lapwing.kernel.program import ir, walk
from lapwing.kernel.run.extent import BITS, BOUND
from lapwing.search.flow.composition import Unrolled
from lapwing.search.flow.runs import Ended, GaveUp, Program, agree, is_noisy
from lapwing.search.flow.terms import Scalar, Z3Terms
from lapwing.search.solving import limited_solver

#: Public inputs tried, hidden ones beside each, and seconds for all of them.
PUBLICS, SECRETS, SECONDS = 40, 120, 4.0
#: Outcomes of noise followed for one input, and steps in which a run would refuse its public inputs.
OUTCOMES, REFUSAL = 1000, 2000
#: How often the solver's loops go round, and how long a list it may choose.
ROUNDS, LONGEST = 4, 8

Inputs = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Leak:
    """Two inputs and what is observed of them."""

    left: Inputs
    right: Inputs
    observed: Answers | Chances


def tried(module: ir.Module, name: str, checks: frozenset[int]) -> Leak | None:
    """A pair of small inputs that differ in what is hidden only and are answered differently, if one is found."""
    try:
        program = Program(module, name, checks)
    except InvalidInput:
        return None  # noise with infinitely many outcomes
    if is_noisy(module[name]):
        return None if checks else _by_chance(program, policy(module[name]))
    return _small(program, policy(module[name]))


def _accepted(program: Program, inputs: Inputs) -> bool:
    """Whether a run takes these public inputs at all; what is hidden makes no difference to that."""
    try:
        program.check_accepted(inputs, REFUSAL)
    except InvalidInput:
        return False
    return True


def solved(module: ir.Module, name: str, checks: frozenset[int]) -> Leak | None:
    """Such a pair that the solver finds, with loops followed for a few rounds; none if there is noise."""
    return None if is_noisy(module[name]) else _solved(Program(module, name, checks), checks)


def _small(program: Program, labels: Policy) -> Leak | None:
    deadline = time.monotonic() + SECONDS
    for group in _groups(program.mechanism, labels):
        seen: list[tuple[Inputs, Ended]] = []
        for inputs in group:
            if time.monotonic() > deadline:
                return None
            if not seen and not _accepted(program, inputs):
                break
            ended = _ended(program, inputs)
            if ended is None:
                continue
            for other, before in seen:
                if before.answer != ended.answer and agree(before, ended, other, inputs):
                    return Leak(other, inputs, Answers(before.answer, ended.answer))
            if len(seen) < SECRETS // 4 and all(before.answer != ended.answer or ended.asked for _, before in seen):
                seen.append((inputs, ended))
    return None


def _by_chance(program: Program, labels: Policy) -> Leak | None:
    deadline = time.monotonic() + SECONDS
    for group in _groups(program.mechanism, labels):
        first: tuple[Inputs, dict[Value, Fraction]] | None = None
        for inputs in group:
            if time.monotonic() > deadline:
                return None
            if first is None and not _accepted(program, inputs):
                break
            try:
                chances = program.outcomes(inputs, limit=OUTCOMES)
            except (GaveUp, InvalidInput):
                continue
            if first is None:
                first = (inputs, chances)
            for answer in {**first[1], **chances}:
                left, right = first[1].get(answer, Fraction(0)), chances.get(answer, Fraction(0))
                if left != right:
                    return Leak(first[0], inputs, Chances(answer, left, right))
    return None


def _solved(program: Program, checks: frozenset[int]) -> Leak | None:
    try:
        product = Unrolled(program.mechanism, (), checks, Z3Terms(), rounds=ROUNDS)
        alike = product.answered_alike()
    except (Unproved, z3.Z3Exception):  # what the solver cannot follow
        return None
    solver = limited_solver(4000)
    solver.add(*product.known, z3.Not(alike))
    if solver.check() != z3.sat:
        return None
    model = solver.model()
    sides = []
    for inputs in product.inputs:
        side = {}
        for parameter in program.mechanism.parameters:
            value = _value(model, inputs[parameter.name], parameter.type)
            if value is None:
                return None
            side[parameter.name] = value
        sides.append(side)
    if not _accepted(program, sides[0]):
        return None
    left, right = (_ended(program, side) for side in sides)
    if left is None or right is None or left.answer == right.answer or not agree(left, right, *sides):
        return None
    return Leak(sides[0], sides[1], Answers(left.answer, right.answer))


def _ended(program: Program, inputs: Inputs) -> Ended | None:
    try:
        return program.run(inputs)
    except (GaveUp, InvalidInput):
        return None


def _value(model: Scalar, term: Term, kind: ir.Type) -> Value | None:
    """What the model says of an input, on the lattice of a run; ``None`` if a run could not have it."""
    if isinstance(term, tuple) and isinstance(kind, ir.Tuple):
        parts = [_value(model, each, part) for each, part in zip(term, kind.elements, strict=True)]
        return None if None in parts else tuple(part for part in parts if part is not None)
    if isinstance(term, Listed) and isinstance(kind, ir.List):
        length = model.eval(term.length, model_completion=True).as_long()
        if length > LONGEST:
            return None
        elements = [_value(model, z3.Select(term.elements, i), kind.element) for i in range(length)]
        return None if None in elements else tuple(each for each in elements if each is not None)
    value = model.eval(term, model_completion=True)
    if z3.is_bool(value):
        return bool(z3.is_true(value))
    if not z3.is_int_value(value) and not z3.is_rational_value(value):
        return None  # an algebraic number
    number = Fraction(value.as_long()) if z3.is_int_value(value) else Fraction(value.as_fraction())
    fits = abs(number) <= BOUND and (number * 2**BITS).denominator == 1
    return number if fits else None


# --- small inputs ----------------------------------------------------------------------------------------


def _groups(mechanism: ir.Mechanism, labels: Policy) -> Iterator[Iterator[dict[str, Value]]]:
    """Groups of inputs that look alike to whoever sees the result."""
    pool = _numbers(mechanism)
    public = [each for each in mechanism.parameters if labels.visible(each.name)]
    hidden = [each for each in mechanism.parameters if not labels.visible(each.name)]
    lengths = [each for each in hidden if isinstance(each.type, ir.List) and labels.length_visible(each.name)]
    for shared in itertools.islice(_assigned(public, pool), PUBLICS):
        for sizes in itertools.product((1, 2, 0, 3), repeat=len(lengths)):
            fixed = {each.name: size for each, size in zip(lengths, sizes, strict=True)}
            tried = itertools.islice(_assigned(hidden, pool, fixed), SECRETS)
            yield ({name: {**shared, **secret}[name] for name in labels.labels} for secret in tried)


def _assigned(
    parameters: list[ir.Parameter], pool: list[Fraction], lengths: Mapping[str, int] | None = None
) -> Iterator[dict[str, Value]]:
    names = [parameter.name for parameter in parameters]
    options = [_options(each.type, pool, (lengths or {}).get(each.name)) for each in parameters]
    for values in _diagonal(options):
        yield dict(zip(names, values, strict=True))


def _diagonal(options: list[list[Value]]) -> Iterator[tuple[Value, ...]]:
    """All combinations, those of early options first."""
    if not options:
        yield ()
        return
    for depth in range(sum(len(each) for each in options)):
        yield from _summing(options, depth)


def _summing(options: list[list[Value]], depth: int) -> Iterator[tuple[Value, ...]]:
    first, rest = options[0], options[1:]
    for index in range(min(depth, len(first) - 1) + 1):
        if rest:
            yield from ((first[index], *others) for others in _summing(rest, depth - index))
        elif index == depth:
            yield (first[index],)


def _options(kind: ir.Type, pool: list[Fraction], length: int | None) -> list[Value]:
    match kind:
        case ir.Boolean():
            return [False, True]
        case ir.Integer():
            return [each for each in pool if each.denominator == 1]
        case ir.List(element):
            inner = _options(element, pool, None)[:5]
            sizes = (1, 2, 0, 3) if length is None else (length,)
            return [tuple(each) for size in sizes for each in itertools.islice(_diagonal([inner] * size), 30)]
        case ir.Tuple(elements):
            return [
                tuple(each) for each in itertools.islice(_diagonal([_options(e, pool, None) for e in elements]), 60)
            ]
    return list(pool)


def _numbers(mechanism: ir.Mechanism) -> list[Fraction]:
    """Small numbers, and those at and around the numbers in the program."""
    every = [
        part.value for statement in mechanism.body for part in walk.nodes(statement) if isinstance(part, ir.Number)
    ]
    near = [value + step for value in dict.fromkeys(every) for step in (0, 1, -1)]
    found = dict.fromkeys([Fraction(each) for each in (0, 1, 2, -1, 3)] + near + [-each for each in near])
    return [each for each in found if (each * 2**BITS).denominator == 1 and abs(each) <= BOUND]
