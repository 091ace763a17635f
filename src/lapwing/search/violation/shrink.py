"""A violation made small: the fewest elements, the smallest numbers, and still a violation.

The one idea: try simpler neighbours of a finding, keep the first that still certainly violates the claim, and start
over; stop when none does. Simpler means fewer elements first, then numbers nearer to 0, then fewer differences.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from fractions import Fraction

from lapwing.kernel.evidence.event import AnyOf, Event
from lapwing.kernel.evidence.values import Value
from lapwing.kernel.program import ir
from lapwing.search.violation.explore import Search, unequal
from lapwing.search.violation.findings import Finding
from lapwing.search.violation.neighbouring import Pair

#: Simplifications tried before the finding is taken as it is.
MOST_TRIES = 150
#: And seconds of computing: what is known to be a violation must not be lost for the sake of its looks.
SECONDS = 4.0
#: Where an event speaks of more numbers, it is kept: another one would take long to find.
MOST_PARTS = 6
#: An event likelier than this stays so: a number near 0 is no gain where the answer is all but impossible.
LIKELY = Fraction(1, 2**20)


def shrunk(search: Search, finding: Finding) -> Finding:
    """The simplest violating finding reached from this one; ``finding`` violates the claim."""
    tries, end = 0, time.process_time() + SECONDS
    least = min(finding.left.lower, LIKELY)
    improved = True
    while improved and tries < MOST_TRIES:
        improved = False
        for candidate in _simpler(search, finding):
            tries += 1
            if candidate is not None and candidate.left.lower >= least and search.refutes(candidate):
                finding, improved = candidate, True
                break
            if tries >= MOST_TRIES or time.process_time() > end:
                return finding
    return finding


def _simpler(search: Search, finding: Finding) -> Iterator[Finding | None]:
    pure = isinstance(search.claim, ir.PureClaim)
    many = not pure and _parts(finding.event) > MOST_PARTS
    if not many:
        for pair in unequal(search.neighbourhood.deletions(finding.pair)):
            yield from search.explore(pair)
    for pair in _smaller_numbers(search, finding.pair):
        if pure or many:
            yield search.evaluate(pair, finding.event)
        else:
            yield from search.explore(pair)
    if pure:
        for event in _nearer_zero(finding.event):
            yield search.evaluate(finding.pair, event)


def _parts(event: Event) -> int:
    """How many numbers and truth values an event speaks of."""
    inner = event.events if isinstance(event, AnyOf) else event
    return sum(map(_parts, inner)) if isinstance(inner, tuple) else 1


def _smaller_numbers(search: Search, pair: Pair) -> Iterator[Pair]:
    """Pairs in which one private number moves towards 0, with its partner or onto its partner."""
    for parameter in search.neighbourhood.private:
        name = parameter.name
        for left, right in _closer(pair.left[name], pair.right[name]):
            moved = Pair({**pair.left, name: left}, {**pair.right, name: right})
            if moved != pair and search.neighbourhood.valid(moved):
                yield moved


def _closer(left: Value, right: Value) -> Iterator[tuple[Value, Value]]:
    if isinstance(left, tuple) and isinstance(right, tuple):
        for i, (a, b) in enumerate(zip(left, right, strict=False)):
            for c, d in _closer(a, b):
                yield (*left[:i], c, *left[i + 1 :]), (*right[:i], d, *right[i + 1 :])
    elif isinstance(left, Fraction) and isinstance(right, Fraction):
        for target in _towards_zero(left):
            yield target, right - left + target
        if left != right:
            yield right, right


def _nearer_zero(event: Event) -> Iterator[Event]:
    match event:
        case tuple():
            for i, item in enumerate(event):
                for nearer in _nearer_zero(item):
                    yield (*event[:i], nearer, *event[i + 1 :])
        case Fraction():
            yield from _towards_zero(event)


def _towards_zero(number: Fraction) -> Iterator[Fraction]:
    """0, a whole number near half of it, and one nearer to 0."""
    if number:
        sign = 1 if number > 0 else -1
        yield Fraction(0)
        if abs(number) > 2:
            yield Fraction(sign * (abs(number) // 2))
        yield number - sign if number.denominator == 1 else Fraction(sign * (abs(number) // 1))
