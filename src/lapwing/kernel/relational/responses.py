"""Answers about a private whole number or truth value, in two runs: every pair of probabilities of one answer.

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
from dataclasses import dataclass, replace
from itertools import combinations, product

from lapwing.kernel.doubt import Unproved
from lapwing.kernel.prices.polynomials import Quotient
from lapwing.kernel.prices.prices import Parameters
from lapwing.kernel.program import ir
from lapwing.kernel.relational.finite import Finite, Way, Ways, holds_few_values
from lapwing.kernel.relational.parting import Positions, Straight, parted
from lapwing.kernel.relational.wholes import ONE, Path, Whole
from lapwing.kernel.solver import Term, Terms

ZERO = Quotient.of(0)
#: More conditions, and kinds of rounds, than any randomized response has.
MAX_CONDITIONS, MAX_KINDS, MAX_PAIRS = 10, 4, 200
#: Which of the conditions hold.
Truths = tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """The probabilities of one answer in the two runs, and the formulas that are at least 0 where it has these."""

    left: Quotient
    right: Quotient
    natural: tuple[Quotient, ...]


def pairs(terms: Terms, parameters: Parameters, mechanism: ir.Mechanism) -> list[Pair]:
    """Every pair of probabilities of an answer, for any two values of what is private."""
    doubt: Unproved | None = None
    first: list[Pair] | None = None
    ways = [(False, False), (True, False), (True, True)]
    for listing, literal in reversed(ways) if holds_few_values(mechanism) else ways:
        try:
            found = list(_pairs(terms, parameters, mechanism, listing=listing, literal=literal))
        except Unproved as stopped:
            doubt = doubt or stopped
            continue
        if not any(each.left.above.is_zero != each.right.above.is_zero for each in found):
            return found
        first = first or found  # perhaps only for want of a look at each value
    if first is not None:
        return first
    assert doubt is not None  # noqa: S101  # every way ended in a doubt
    raise doubt


def _pairs(
    terms: Terms, parameters: Parameters, mechanism: ir.Mechanism, *, listing: bool, literal: bool
) -> Iterator[Pair]:
    parts = parted(mechanism)
    if isinstance(parts, Straight):
        walked = Finite(terms, parameters, mechanism, listing=listing, own=parts.own)
        runs = _runs(walked, parts.body, walked.start(parts.secrets), rounds=False)
        yield from _single(walked, walked.ways(runs, literal=literal))
        return
    if literal:
        raise Unproved("the answers of rounds are told as they are")
    if isinstance(parts, Positions):
        yield from _loop(Finite(terms, parameters, mechanism, listing=listing, state=parts.state, own=parts.own), parts)
        return
    loops: list[list[Pair]] = []
    for records in parts:
        walked = Finite(terms, parameters, mechanism, listing=listing, state=records.state, own=records.own)
        starts = walked.start(records.secrets, records.before)
        ways = walked.ways(_runs(walked, records.body, starts, rounds=True))
        loops.append(list(_single(walked, ways)))
    if sum(map(len, loops)) > MAX_PAIRS:
        raise Unproved("records are answered in too many ways")
    yield from _products(loops)


def _runs(walked: Finite, body: Sequence[ir.Statement], starts: Sequence[Path], *, rounds: bool) -> Iterator[Path]:
    for start in starts:
        yield from walked.run(tuple(body), start, rounds=rounds)


# --- one answer -----------------------------------------------------------------------------------------------


def _single(walked: Finite, ways: Ways) -> Iterator[Pair]:
    known: dict[frozenset[Term], tuple[list[Term], list[tuple[Truths, Truths]]]] = {}
    for found in ways.values():
        conditions = _distinct(found)
        if (key := frozenset(conditions)) not in known:
            other = _copy(walked, walked.secrets)
            known[key] = conditions, list(_choices(walked, conditions, other, conditions))
        conditions, choices = known[key]
        for left, right in choices:
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


def _loop(walked: Finite, parts: Positions) -> Iterator[Pair]:
    """A loop over positions whose rounds tell of a secret."""
    starts = [walked.computed(each, parts.before) for each in walked.start(parts.secrets)]
    position = walked.terms.fresh(ir.Integer(), parts.source.target)
    for symbol, end in ((">=", parts.source.start), ("<", parts.source.stop)):
        limit, *others = (walked.only(end, each) for each in starts)  # a start for each truth value that is secret
        if walked.depends(limit, set(walked.secrets)) or any(other != limit for other in others):
            raise Unproved("the secret decides how often the loop goes round")
        walked.bounds.append(walked.terms.compare(symbol, position, limit))
    starts = [replace(each, state={**each.state, parts.source.target: Whole(position)}) for each in starts]
    ways = walked.ways(_runs(walked, parts.body, starts, rounds=True), literal=True)
    conditions = _distinct([way for found in ways.values() for way in found])
    other = _copy(walked, walked.secrets)
    kinds = _kinds(ways, conditions, _choices(walked, conditions, other, conditions))
    for kind in kinds:
        _check_once(walked, conditions, kind.choices, other, position)
    if not kinds:
        yield Pair(ONE, ONE, ())
    yield from _products([kind.answers for kind in kinds])


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


def _check_once(
    walked: Finite,
    conditions: list[Term],
    choices: Sequence[tuple[Truths, Truths]],
    other: tuple[list[Term], list[Term]],
    position: Term,
) -> None:
    """Refuse unless no two rounds are of one kind, which has these choices."""
    terms = walked.terms

    def stated(truths: Truths) -> list[Term]:
        return [each if truth else terms.negate(each) for each, truth in zip(conditions, truths, strict=True)]

    first = terms.either(
        terms.both((*stated(left), *(each.substitute(*other) for each in stated(right)))) for left, right in choices
    )
    # what a round computes of its position is its own
    own = [place for place, each in enumerate(walked.secrets) if walked.depends(each, {position})]
    inner = [position, *(walked.secrets[each] for each in own), *(other[1][each] for each in own)]
    copies = [terms.fresh(ir.Integer(), "later") for _ in inner]
    bounds = [*walked.bounds, *(each.substitute(*other) for each in walked.bounds)]
    second = [each.substitute(inner, copies) for each in (first, *bounds)]
    if walked.possible((first, *bounds, *second, terms.compare("!=", position, copies[0]))):
        raise Unproved("several rounds may answer differently in the two runs")


def _products(parts: Sequence[Sequence[Pair]]) -> Iterator[Pair]:
    """One pair of each of some parts. A part that is never come to (a return, a short zip) knows nothing of chances."""
    for size in range(1, len(parts) + 1):
        for chosen in combinations(parts, size):
            yield from map(_product, product(*chosen))


def _product(parts: Sequence[Pair]) -> Pair:
    left, right = ONE, ONE
    for part in parts:
        left, right = left * part.left, right * part.right
    return Pair(left, right, _once([each for part in parts for each in part.natural]))


def _once(formulas: Sequence[Quotient]) -> tuple[Quotient, ...]:
    """Each formula once."""
    return tuple(each for place, each in enumerate(formulas) if each not in formulas[:place])
