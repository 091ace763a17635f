"""Answers about a private whole number, in two runs: every pair of probabilities that one answer can have.

A mechanism that answers once: the probability of an answer o is a sum of weights, each where its condition on o and the
secret holds (:mod:`~lapwing.kernel.relational.finite`). Which conditions hold in either run is all that the two
probabilities depend on, so every choice that the solver does not rule out gives one pair, in both orders.

A loop whose rounds answer by themselves, with fresh draws: the probability of a list is the product over its rounds,
conditioned on nothing, as no round reads what another drew. A round in which the same conditions hold in both runs has
the same probabilities there, a factor of 1. The other rounds are of finitely many kinds, by which conditions hold in
which run; where the solver shows that no two rounds are of one kind (``i == x`` holds in one round only), the ratio of
two lists is that of at most one round of each kind. All sets of kinds are taken, whether they go together or not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from lapwing.kernel.doubt import Unproved
from lapwing.kernel.prices.polynomials import Quotient
from lapwing.kernel.prices.prices import Parameters
from lapwing.kernel.program import ir, walk
from lapwing.kernel.relational.branching import ONE, Path, Whole
from lapwing.kernel.relational.finite import Finite, Way, Ways
from lapwing.kernel.solver import Term, Terms

ZERO = Quotient.of(0)
#: More conditions, and kinds of rounds, than any randomized response has.
MAX_CONDITIONS, MAX_KINDS = 8, 4
#: Which of the conditions hold.
Truths = tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """The probabilities of one answer in the two runs, and the formulas that are at least 0 where it has these."""

    left: Quotient
    right: Quotient
    natural: tuple[Quotient, ...]


def pairs(terms: Terms, parameters: Parameters, mechanism: ir.Mechanism, rows: bool) -> Iterator[Pair]:
    """Every pair of probabilities of an answer, for any two values of what is private."""
    walked = Finite(terms, parameters, mechanism)
    private = [each for each in mechanism.parameters if each.private]
    if rows:
        name, body, target = _rows(mechanism, private)
        path = walked.start({name: ir.Integer()})
        _check_round(body, set(path.state), target)
        ways = walked.ways(walked.run(tuple(body), path, target))
        _check_answers(ways)
        yield from _single(walked, ways)
        return
    path = walked.start({each.name: each.type for each in private})
    match mechanism.body:
        case (*before, ir.For(source, body), ir.Return(ir.Name(answer))):
            yield from _loop(walked, path, before, source, body, answer)
        case body:
            yield from _single(walked, walked.ways(walked.run(body, path, None)))


def _rows(mechanism: ir.Mechanism, private: list[ir.Parameter]) -> tuple[str, Sequence[ir.Statement], str]:
    match private, mechanism.body:
        case [ir.Parameter(rows, ir.List(ir.Integer()), relation)], (
            ir.Assign(start, ir.ListOf(())),
            ir.For(ir.Over(items=((name, ir.Name(over)),), index=None), body),
            ir.Return(ir.Name(answer)),
        ) if (
            relation is not None and relation.kind == "replaced" and start == answer and over == rows and name != answer
        ):
            return name, body, answer
    raise Unproved("the mechanism does more than answer each row by itself")


def _check_round(body: Sequence[ir.Statement], known: set[str], target: str) -> None:
    """Refuse a round that sets what it was given: the next would read it."""
    for statement in walk.statements(body):
        for name in walk.targets(statement):
            if name in known and not (isinstance(statement, ir.Append) and name == target):
                raise Unproved(f"'{name}' is set in one round and read in the next")


def _check_answers(ways: Ways) -> None:
    """Refuse rounds that do not all put equally many values into the list: it would not tell which are whose."""
    if len({len(shape) for shape in ways}) != 1 or () in ways:
        raise Unproved("some rounds put more into the list than others")


# --- one answer -----------------------------------------------------------------------------------------------


def _single(walked: Finite, ways: Ways) -> Iterator[Pair]:
    for found in ways.values():
        conditions = _distinct(found)
        other = _copy(walked, walked.secrets)
        for left, right in _choices(walked, conditions, other, conditions):
            yield _pair(found, conditions, left, right)


def _distinct(ways: Sequence[Way]) -> list[Term]:
    conditions = list(dict.fromkeys(way.condition for way in ways))
    if len(conditions) > MAX_CONDITIONS:
        raise Unproved("there are too many tests to look at")
    return conditions


def _pair(ways: Sequence[Way], conditions: list[Term], left: Truths, right: Truths) -> Pair:
    sides = [_chance(ways, conditions, truths) for truths in (left, right)]
    natural = _once([each for _, facts in sides for each in facts])
    return Pair(sides[0][0], sides[1][0], natural)


def _chance(ways: Sequence[Way], conditions: list[Term], truths: Truths) -> tuple[Quotient, list[Quotient]]:
    total, natural = ZERO, list[Quotient]()
    for way in ways:
        if truths[conditions.index(way.condition)]:
            total = total + way.weight
            natural += way.natural
    return total, natural


def _copy(walked: Finite, unknowns: Sequence[Term]) -> tuple[list[Term], list[Term]]:
    """Unknowns, and others of the same kind in their place."""
    return list(unknowns), [walked.terms.fresh(ir.Integer(), "other") for _ in unknowns]


def _choices(
    walked: Finite, conditions: list[Term], other: tuple[list[Term], list[Term]], second: list[Term]
) -> Iterator[tuple[Truths, Truths]]:
    """Which conditions may hold in the first run, and which in the second."""
    copies = [each.substitute(*other) for each in second]
    bounds = [*walked.bounds, *(each.substitute(*other) for each in walked.bounds)]
    every = [*conditions, *copies]

    def chosen(position: int, facts: tuple[Term, ...]) -> Iterator[tuple[bool, ...]]:
        if facts and not walked.possible(facts):
            return
        if position == len(every):
            yield ()
            return
        for truth in (True, False):
            fact = every[position] if truth else walked.terms.negate(every[position])
            for rest in chosen(position + 1, (*facts, fact)):
                yield (truth, *rest)

    for truths in chosen(0, tuple(bounds)):
        yield truths[: len(conditions)], truths[len(conditions) :]


# --- rounds ---------------------------------------------------------------------------------------------------


def _loop(
    walked: Finite,
    path: Path,
    before: Sequence[ir.Statement],
    source: ir.Over | ir.Range,
    body: Sequence[ir.Statement],
    answer: str,
) -> Iterator[Pair]:
    """A loop over positions that puts the answer of each round into the list that is returned."""
    if not isinstance(source, ir.Range):
        raise Unproved("the loop does not go over positions")
    for end in (source.start, source.stop):
        walked.parameters.of(end)  # public, so that both runs go round equally often
    for statement in before:
        match statement:
            case ir.Assign(name, ir.ListOf(())) if name == answer:
                path = _with(path, {name: True})  # it is read nowhere: a truth value is no list
            case ir.Assign(name, value) if name != answer:
                path = _with(path, {name: _settled(walked, value, path)})
            case _:
                raise Unproved("something else than a number is set before the loop")
    if answer not in path.state:
        raise Unproved("the list that is returned does not start empty")
    _check_round(body, set(path.state) | {source.target}, answer)
    outer = len(walked.secrets)
    position = walked.terms.fresh(ir.Integer(), source.target)
    round_path = _with(path, {source.target: Whole(position)})
    ways = walked.ways(walked.run(tuple(body), round_path, answer), literal=True)
    _check_answers(ways)
    conditions = _distinct([way for found in ways.values() for way in found])
    other = _copy(walked, walked.secrets)
    kinds = _kinds(ways, conditions, _choices(walked, conditions, other, conditions))
    for kind in kinds:
        _check_once(walked, conditions, kind.choices, other, position, outer)
    if not kinds:
        yield Pair(ONE, ONE, ())
    for size in range(1, len(kinds) + 1):
        for chosen in combinations(kinds, size):
            yield from map(_product, product(*(kind.answers for kind in chosen)))


@dataclass(frozen=True, slots=True)
class _Kind:
    """Rounds whose answers have these probabilities in the two runs, and which conditions hold in them."""

    answers: list[Pair]
    choices: list[tuple[Truths, Truths]]


def _kinds(ways: Ways, conditions: list[Term], choices: Iterator[tuple[Truths, Truths]]) -> list[_Kind]:
    """The kinds of rounds that are not alike in both runs."""
    found: list[_Kind] = []
    for choice in choices:
        answers = [_pair(each, conditions, *choice) for each in ways.values()]
        if all(answer.left.agrees(answer.right) for answer in answers):
            continue
        for kind in found:
            both = zip(kind.answers, answers, strict=True)
            if all(a.left.agrees(b.left) and a.right.agrees(b.right) and a.natural == b.natural for a, b in both):
                kind.choices.append(choice)
                break
        else:
            found.append(_Kind(answers, [choice]))
    if len(found) > MAX_KINDS:
        raise Unproved("rounds may differ in too many ways")
    return found


def _with(path: Path, state: dict[str, object]) -> Path:
    return Path({**path.state, **state}, path.facts)  # type: ignore[dict-item]  # values of the walk


def _settled(walked: Finite, value: ir.Expression, path: Path) -> object:
    cases = list(walked.values(value, path))
    if len(cases) != 1 or cases[0][0]:
        raise Unproved("what is set before the loop depends on a test")
    return cases[0][1]


def _check_once(
    walked: Finite,
    conditions: list[Term],
    choices: Sequence[tuple[Truths, Truths]],
    other: tuple[list[Term], list[Term]],
    position: Term,
    outer: int,
) -> None:
    """Refuse unless no two rounds are of one kind, which has these choices."""
    terms = walked.terms

    def stated(truths: Truths) -> list[Term]:
        return [each if truth else terms.negate(each) for each, truth in zip(conditions, truths, strict=True)]

    first = terms.either(
        terms.both((*stated(left), *(each.substitute(*other) for each in stated(right)))) for left, right in choices
    )
    inner = [position, *walked.secrets[outer:], *other[1][outer:]]  # what a round computes is its own
    copies = [terms.fresh(ir.Integer(), "later") for _ in inner]
    bounds = [*walked.bounds, *(each.substitute(*other) for each in walked.bounds)]
    second = [each.substitute(inner, copies) for each in (first, *bounds)]
    if walked.possible((first, *bounds, *second, terms.compare("!=", position, copies[0]))):
        raise Unproved("several rounds may answer differently in the two runs")


def _product(parts: Sequence[Pair]) -> Pair:
    left, right = ONE, ONE
    for part in parts:
        left, right = left * part.left, right * part.right
    return Pair(left, right, _once([each for part in parts for each in part.natural]))


def _once(formulas: Sequence[Quotient]) -> tuple[Quotient, ...]:
    """Each formula once."""
    return tuple(each for place, each in enumerate(formulas) if each not in formulas[:place])
