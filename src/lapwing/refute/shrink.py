"""A violation made small: the fewest elements, the smallest numbers, and still a violation.

The one idea: try simpler neighbours of a finding, keep the first that still certainly violates the claim, and start
over; stop when none does. Simpler means fewer elements first, then numbers nearer to 0, then fewer differences.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import cast

from lapwing.program import ir
from lapwing.refute.explore import Search, unequal
from lapwing.refute.findings import Finding
from lapwing.refute.neighbouring import Pair
from lapwing.refute.values import Plain

#: Simplifications tried before the finding is taken as it is.
MOST_TRIES = 150
#: An event likelier than this stays so: a number near 0 is no gain where the answer is all but impossible.
LIKELY = Fraction(1, 2**20)


def shrunk(search: Search, finding: Finding) -> Finding:
    """The simplest violating finding reached from this one; ``finding`` violates the claim."""
    tries = 0
    least = min(finding.left.lower, LIKELY)
    improved = True
    while improved and tries < MOST_TRIES:
        improved = False
        for candidate in _simpler(search, finding):
            tries += 1
            if candidate is not None and candidate.left.lower >= least and search.refutes(candidate):
                finding, improved = candidate, True
                break
            if tries >= MOST_TRIES:
                break
    return finding


def _simpler(search: Search, finding: Finding) -> Iterator[Finding | None]:
    single = isinstance(search.claim, ir.PureClaim)
    for pair in unequal(search.neighbourhood.deletions(finding.pair)):
        yield from search.explore(pair)
    for pair in _smaller_numbers(search, finding.pair):
        if single:
            yield search.evaluate(pair, cast(Plain, finding.event))
        else:
            yield from search.explore(pair)
    if single:
        for output in _nearer_zero(cast(Plain, finding.event), search.neighbourhood.subject.step):
            yield search.evaluate(finding.pair, output)


def _smaller_numbers(search: Search, pair: Pair) -> Iterator[Pair]:
    """Pairs in which one private number moves towards 0, with its partner or onto its partner."""
    for parameter in search.neighbourhood.private:
        name = parameter.name
        for left, right in _closer(pair.left[name], pair.right[name], search.neighbourhood.subject.step):
            moved = Pair({**pair.left, name: left}, {**pair.right, name: right})
            if moved != pair and search.neighbourhood.valid(moved):
                yield moved


def _closer(left: Plain, right: Plain, step: Fraction) -> Iterator[tuple[Plain, Plain]]:
    if isinstance(left, tuple) and isinstance(right, tuple):
        for i, (a, b) in enumerate(zip(left, right, strict=False)):
            for c, d in _closer(a, b, step):
                yield (*left[:i], c, *left[i + 1 :]), (*right[:i], d, *right[i + 1 :])
    elif isinstance(left, Fraction) and isinstance(right, Fraction):
        for target in _towards_zero(left, step):
            yield target, right - left + target
        if left != right:
            yield right, right


def _nearer_zero(output: Plain, step: Fraction) -> Iterator[Plain]:
    if isinstance(output, tuple):
        for i, item in enumerate(output):
            for nearer in _nearer_zero(item, step):
                yield (*output[:i], nearer, *output[i + 1 :])
    elif isinstance(output, Fraction):
        yield from _towards_zero(output, step)


def _towards_zero(number: Fraction, step: Fraction) -> Iterator[Fraction]:
    """0, half of the number (on the lattice), and one step nearer to 0."""
    if number:
        sign = 1 if number > 0 else -1
        yield Fraction(0)
        if abs(number) > 2 * step:
            yield sign * (abs(number) / 2 // step) * step
        yield number - sign * min(step, abs(number))
