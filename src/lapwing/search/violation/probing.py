"""Public parameters that are telling only together: climbed to, one change after the other.

The one idea: a claim may be false only where one number is large and another is not small. The inputs that lose most
with ordinary values are asked again with others, one parameter at a time, and what brings their loss nearer to the
claim is kept. Nearer has a meaning also where nothing passes the claim yet.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate, islice
from math import inf, log

from lapwing.algebra.balls import Interval
from lapwing.errors import InvalidInput, LapwingError
from lapwing.kernel.evidence.event import AnyOf, Event
from lapwing.kernel.evidence.values import Value
from lapwing.kernel.program import ir
from lapwing.search.violation.claimed_numbers import ClaimValue, claim_value
from lapwing.search.violation.explore import Search
from lapwing.search.violation.findings import Finding, zcdp_rate
from lapwing.search.violation.landscape import Shape, shapes
from lapwing.search.violation.neighbouring import Neighbourhood, Pair
from lapwing.search.violation.patterns import COLUMNS, FAR, filled
from lapwing.search.violation.publics import candidates

#: Times that every parameter is changed, and by what factor a change must come nearer to the claim.
ROUNDS, BETTER = 4, 1.01
#: Shapes of answers that are looked at, for one pair.
SHAPES = 300


class Probe:
    """The pair that comes nearest to its claim so far, with the search at its public parameters."""

    def __init__(self, start: Search, finding: Finding) -> None:
        self._nearest, self._search, self._pair = 0.0, start, finding.pair
        self._asked: set[object] = {finding.pair.key}

    def each(self) -> Iterator[tuple[Search, Pair]]:
        """Searches at other public parameters, each with a pair to `look` at: what is found decides what follows."""
        subject = self._search.neighbourhood.subject
        free = [p for p in subject.mechanism.parameters if not p.private and isinstance(p.type, ir.Real | ir.Integer)]
        yield self._search, self._pair
        for _ in range(ROUNDS if len(free) > 1 else 0):
            before = self._nearest
            for parameter in free:
                for value in candidates(subject.mechanism, parameter):
                    changed = self._changed(parameter, value)
                    if changed is not None:
                        yield changed
            if self._nearest == before:
                return

    def _changed(self, parameter: ir.Parameter, value: object) -> tuple[Search, Pair] | None:
        """The pair with one public parameter changed, where the mechanism runs on it and claims something."""
        old, name = self._search.neighbourhood, parameter.name
        try:
            other = {name: old.subject.argument(parameter, value)}
            new = Neighbourhood(old.subject, {**old.public, **other})
            pair = Pair({**self._pair.left, **other}, {**self._pair.right, **other})
            claim_value(old.subject.mechanism, pair.left)
            known = pair.key in self._asked
            self._asked.add(pair.key)
            return None if known or not new.valid(pair) else (Search(new), pair)
        except (LapwingError, ZeroDivisionError):
            return None

    def look(self, search: Search, pair: Pair) -> Finding | None:
        """The finding on a pair, in either order, that comes nearest to its claim."""
        try:
            found = [
                each
                for one in (pair, *_far(search, pair))
                for each in (*_told(search, one), *_told(search, one.swapped()))
            ]
        except InvalidInput:  # beyond what can be computed
            return None
        near, best = max(found, key=lambda each: each[0], default=(0.0, None))
        if best is not None and near > self._nearest * BETTER:
            self._nearest, self._search, self._pair = near, search, best.pair
        return best


def _far(search: Search, pair: Pair) -> Iterator[Pair]:
    """The pair with the row that is there or not, or is another, beyond every number that a loop may come to."""
    for parameter in search.neighbourhood.private:
        few, many = sorted((pair.left[parameter.name], pair.right[parameter.name]), key=_length)
        if isinstance(few, tuple) and isinstance(many, tuple) and isinstance(parameter.type, ir.List):
            place = next((i for i, (a, b) in enumerate(zip(few, many, strict=False)) if a != b), len(few))
            row = filled(parameter.type.element, COLUMNS, FAR)
            moved = (*many[:place], row, *many[place + 1 :])
            other = Pair({**pair.left, parameter.name: few}, {**pair.right, parameter.name: moved})
            if place < len(many) and moved != many and search.neighbourhood.valid(other):
                yield other


def _length(value: Value) -> int:
    return len(value) if isinstance(value, tuple) else 0


def nearness(finding: Finding, claim: ClaimValue) -> float:
    """What part of its claim a finding reaches; of an (ε, δ), what part of ε with all of δ spent."""
    lost = finding.loss
    if claim.kind is ir.ZcdpClaim:
        lost = zcdp_rate(finding)
    elif claim.delta is not None:
        rest = finding.left.lower - claim.delta.upper
        lost = lost + log(rest / finding.left.lower) if rest > 0 else 0.0
    most = float(claim.value.upper)
    return lost / most if most > 0 else inf if lost > 0 else 0.0


def _told(search: Search, pair: Pair) -> list[tuple[float, Finding]]:
    """The best event of each shape of answers; for a δ or ρ, those that lose most as one event, too."""
    claim = claim_value(search.neighbourhood.subject.mechanism, pair.left)
    if claim is None:
        return []
    left, right = search.side(pair.left), search.side(pair.right)
    seen, found = search.seeing(pair, left, right), []
    for shape in islice(shapes(left, right), SHAPES):
        many = [each for each in map(seen, _alike(shape)) if each.left.lower > 0]
        found += [max(many, key=lambda each: nearness(each, claim))] if many else []
    if claim.kind is not ir.PureClaim and len(found) > 1:
        found.sort(key=lambda each: each.loss, reverse=True)
        sums = list(accumulate(found, _roughly_either))[1:]
        best = max(range(len(sums)), key=lambda count: nearness(sums[count], claim))
        found.append(seen(AnyOf(tuple(each.event for each in found[: best + 2]))))
    return [(nearness(each, claim), each) for each in found]


def _alike(shape: Shape) -> Iterator[Event]:
    """Events of a shape in which all its numbers are cut in the same way."""
    options = [hole.tails() for hole in shape.holes]
    for place in range(max(map(len, options), default=1)):
        yield shape.filled(tuple(each[min(place, len(each) - 1)] for each in options))


def _roughly_either(one: Finding, two: Finding) -> Finding:
    """Two events as one, as if no answer were in both: says which are worth asking about together."""
    return replace(one, left=_sum(one.left, two.left), right=_sum(one.right, two.right))


def _sum(one: Interval, two: Interval) -> Interval:
    return Interval(one.lower + two.lower, one.upper + two.upper)
