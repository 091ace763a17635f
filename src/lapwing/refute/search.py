"""The search for the largest privacy loss at each size of the inputs.

The one idea: look wide where it is cheap, climb where it paid. At small sizes every pattern of neighbouring inputs is
tried with its whole output distribution; the best pairs are then moved (levels doubled, elements and outputs
changed) with one answer in view, which is fast; and the best of one size, with one element written twice,
starts the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from typing import cast

from lapwing.algebra.balls import Interval
from lapwing.evidence.event import AnyOf, Between, Event
from lapwing.program import ir
from lapwing.refute import loss
from lapwing.refute.claims import ClaimValue, claim_value
from lapwing.refute.distribution import Distribution, Subject
from lapwing.refute.draws import Limits, TooLarge
from lapwing.refute.findings import Finding, violates, zcdp_rate
from lapwing.refute.neighbouring import Neighbourhood, Pair
from lapwing.refute.publics import assignments
from lapwing.refute.values import Plain

#: Whole distributions are computed while they stay small; numbers as answers make them large.
_SMALL = Limits(states=400_000)
_SMALL_NUMERIC = Limits(states=20_000)
#: Largest size at which every pattern is tried.
_THOROUGH = 3
#: How levels are stretched, as long as it helps.
_STRETCHES = (4, 2, 2, 2, 2, 2)

Progress = Callable[[int, Finding | None], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The best finding of every size searched, and the first that violates the claim."""

    best: Mapping[int, Finding]
    violation: Finding | None
    claim: ClaimValue | None

    @property
    def largest(self) -> Finding | None:
        """The finding with the largest loss."""
        return max(self.best.values(), key=lambda finding: finding.loss, default=None)


def refute(
    subject: Subject,
    *,
    settings: Mapping[str, object] | None = None,
    max_n: int = 6,
    hints: Iterable[Pair] = (),
    progress: Progress | None = None,
) -> Outcome:
    """Search for a violation of the mechanism's claim, smallest inputs first, and stop at the first one.

    ``settings`` fixes public parameters, ``hints`` are pairs to try first, ``progress`` hears of every size done.
    """
    searches = [Search(Neighbourhood(subject, public)) for public in assignments(subject, settings or {})]
    if subject.mechanism.claim is None:
        searches = searches[:1]
    best: dict[int, Finding] = {}
    known = tuple(hints)
    for search, n in _schedule(searches, max_n):
        finding = search.best_at(n, [pair for pair in known if search.neighbourhood.size(pair) == n], stop=True)
        if finding is None:
            continue
        if progress is not None:
            progress(n, finding)
        claim = claim_value(subject.mechanism, finding.pair.left)
        if claim is not None and violates(finding, claim):
            return Outcome({**best, n: finding}, finding, claim)
        if search is searches[0]:
            best[n] = finding
    first = next(iter(best.values()), None)
    return Outcome(best, None, None if first is None else claim_value(subject.mechanism, first.pair.left))


def _schedule(searches: list[Search], max_n: int) -> Iterator[tuple[Search, int]]:
    """Small sizes with all public parameters first; then large sizes with the ordinary ones."""
    sizes = searches[0].sizes(max_n)
    yield from ((search, n) for search in searches for n in sizes[:2])
    yield from ((searches[0], n) for n in sizes[2:])


class Search:
    """Findings at fixed public parameters, size by size; each size starts from what the one before found."""

    def __init__(self, neighbourhood: Neighbourhood) -> None:
        self.neighbourhood = neighbourhood
        self._subject = neighbourhood.subject
        self._numeric = _has_number(self._subject.mechanism.returns) and not self._subject.is_finite
        self._roomy = replace(self._subject, limits=_SMALL_NUMERIC if self._numeric else _SMALL)
        self._claim = self._subject.mechanism.claim
        self._kept: list[Finding] = []
        self._distributions: dict[object, Distribution] = {}

    def sizes(self, max_n: int) -> range:
        """The sizes to search; one round when nothing has a size."""
        return range(1, max_n + 1) if self.neighbourhood.has_size else range(1, 2)

    def best_at(self, n: int, hints: Sequence[Pair] = (), *, stop: bool = False) -> Finding | None:
        """The finding with the largest certain loss at size n; with ``stop``, the first that violates the claim."""
        found: list[Finding] = []
        for finding in self._candidates(n, hints):
            found.append(finding)
            if stop and self._refutes(finding):
                self._kept = [finding]
                return finding
        found.sort(key=self.score, reverse=True)
        climbed = []
        for finding in _distinct(found)[: 1 if self._numeric else 2]:
            better = self._climbed(finding, stop=stop)
            climbed.append(better)
            if stop and self._refutes(better):
                break
        self._kept = sorted(climbed, key=self.score, reverse=True) + _distinct(found)[:4]
        return self._kept[0] if self._kept else None

    def score(self, finding: Finding) -> float:
        """What the search maximises: the loss, or what the claim speaks of."""
        if isinstance(self._claim, ir.ApproximateClaim):
            claim = cast(ClaimValue, claim_value(self._subject.mechanism, finding.pair.left))
            return float(finding.left.lower - loss.exponential(claim.value).upper * finding.right.upper)
        return zcdp_rate(finding) if isinstance(self._claim, ir.ZcdpClaim) else finding.loss

    def _refutes(self, finding: Finding) -> bool:
        claim = claim_value(self._subject.mechanism, finding.pair.left)
        return claim is not None and violates(finding, claim)

    # --- candidates ---

    def _candidates(self, n: int, hints: Sequence[Pair]) -> Iterator[Finding]:
        for pair in hints:
            yield from self.explore(pair)
        yield from self._extensions()
        starts = self.neighbourhood.starts(n)
        few = 5 if self._numeric else 40 if n <= _THOROUGH else 12
        for pair in islice(starts, few):
            yield from self.explore(pair)

    def _extensions(self) -> Iterator[Finding]:
        """The best of the size before, with one element and one part of the answer written twice."""
        if not self.neighbourhood.has_size:
            return
        for finding in self._kept[:1]:
            for pair in _unequal(self.neighbourhood.copies(finding.pair)):
                if isinstance(self._claim, ir.ApproximateClaim | ir.ZcdpClaim):
                    yield from self.explore(pair)
                    continue
                for output in _longer(cast(Plain, finding.event), self._subject.mechanism.returns):
                    yield self.evaluate(pair, output)

    def explore(self, pair: Pair) -> list[Finding]:
        """The most telling events on a pair, in every direction the relation allows."""
        try:
            left, right = self._distribution(pair.left), self._distribution(pair.right)
        except TooLarge:
            return self._explore_numeric(pair)
        ways = [(pair, left, right)]
        if not self.neighbourhood.one_way:
            ways.append((pair.swapped(), right, left))
        found = []
        for way, p, q in ways:
            if isinstance(self._claim, ir.ApproximateClaim | ir.ZcdpClaim):
                found += self._event_findings(way, p, q)
            else:
                top = loss.worst(p, q)
                if top is not None:
                    found.append(self._finding(way, top.output, top.left, top.right, top.closed_form))
        return found

    def _explore_numeric(self, pair: Pair) -> list[Finding]:
        outputs = dict.fromkeys(self._subject.plausible(pair.left) + self._subject.plausible(pair.right))
        every = max(1, len(outputs) // 6)
        chosen = list(outputs)[::every]
        found = [self.evaluate(pair, output) for output in chosen]
        if not self.neighbourhood.one_way:
            found += [self._swapped(finding) for finding in found]
        return [finding for finding in found if finding.left.lower > 0]

    def evaluate(self, pair: Pair, output: Plain) -> Finding:
        """The finding of one answer on a pair."""
        p, q = self._subject.probability(pair.left, output), self._subject.probability(pair.right, output)
        one = loss.loss_of(output, p, q)
        return self._finding(pair, output, one.left, one.right, one.closed_form)

    def _event_findings(self, pair: Pair, p: Distribution, q: Distribution) -> list[Finding]:
        claim = cast(ClaimValue, claim_value(self._subject.mechanism, pair.left))
        levels = [claim.value]
        if claim.kind is ir.ZcdpClaim:
            levels = [Interval.point(Fraction(k, 4)) for k in (0, 1, 2, 4, 8, 16)]
        found = []
        for level in levels:
            outputs = loss.beyond(p, q, level)
            if outputs:
                found.append(self._finding(pair, _event(outputs, p), loss.mass(p, outputs), loss.mass(q, outputs)))
        return found

    def _finding(
        self,
        pair: Pair,
        event: Event,
        left: Interval,
        right: Interval,
        closed_form: str | None = None,
    ) -> Finding:
        return Finding(pair, event, left, right, self.neighbourhood.size(pair), closed_form)

    def _swapped(self, finding: Finding) -> Finding:
        form = None  # a closed form is of this direction only
        return Finding(finding.pair.swapped(), finding.event, finding.right, finding.left, finding.n, form)

    def _distribution(self, inputs: Mapping[str, Plain]) -> Distribution:
        key = tuple(inputs.items())
        if key not in self._distributions:
            if len(self._distributions) > 500:
                self._distributions.clear()
            self._distributions[key] = self._roomy.distribution(inputs)
        return self._distributions[key]

    # --- climbing ---

    def _climbed(self, finding: Finding, *, stop: bool) -> Finding:
        """Better and better findings of the same size, as long as some move helps."""
        if isinstance(self._claim, ir.ApproximateClaim | ir.ZcdpClaim):
            return self._best(
                finding, lambda best: (f for p in self._moved(best.pair) for f in self.explore(p)), stop, 2
            )
        single = self._best(finding, self._answer_moves, stop, 2)
        single = self._best(single, self._pair_moves, stop, 1)
        for factor in _STRETCHES:
            stretched = self.neighbourhood.stretched(single.pair, factor)
            if stretched is None or (stop and self._refutes(single)):
                break
            wider = self.evaluate(stretched, cast(Plain, single.event))
            if self.score(wider) < self.score(single) + 1e-4:
                break
            single = wider
        return single

    def _best(
        self, finding: Finding, tries: Callable[[Finding], Iterable[Finding]], stop: bool, rounds: int
    ) -> Finding:
        for _ in range(rounds):
            before = finding
            for other in tries(before):
                if stop and self._refutes(finding):
                    return finding
                if self.score(other) > self.score(finding) + 1e-6:
                    finding = other
            if finding is before:
                break
        return finding

    def _moved(self, pair: Pair) -> Iterator[Pair]:
        distance = max((self.neighbourhood.distance(p) for p in self.neighbourhood.private), default=Fraction(1))
        yield from self.neighbourhood.moves(pair, 6 * distance)

    def _pair_moves(self, finding: Finding) -> Iterator[Finding]:
        for pair in islice(self._moved(finding.pair), 15 if self._numeric else 40):
            yield self.evaluate(pair, cast(Plain, finding.event))

    def _answer_moves(self, finding: Finding) -> Iterator[Finding]:
        for output in islice(_answer_moves(cast(Plain, finding.event), self._subject.step), 12):
            yield self.evaluate(finding.pair, output)


def _distinct(findings: list[Finding]) -> list[Finding]:
    """One finding per pair, the best first, as they come."""
    seen: dict[object, Finding] = {}
    for finding in findings:
        seen.setdefault(finding.pair.key, finding)
    return list(seen.values())


def _unequal(pairs: Iterable[Pair]) -> Iterator[Pair]:
    seen = set()
    for pair in pairs:
        if pair.key not in seen:
            seen.add(pair.key)
            yield pair


def _longer(output: Plain, kind: ir.Type) -> Iterator[Plain]:
    """The answer itself, and the answers with one element of a list in it written twice."""
    yield output
    if isinstance(output, tuple) and isinstance(kind, ir.List):
        yield from dict.fromkeys(output[: i + 1] + output[i:] for i in range(len(output)))
    elif isinstance(output, tuple) and isinstance(kind, ir.Tuple):
        for i, (item, part) in enumerate(zip(output, kind.elements, strict=True)):
            for longer in islice(_longer(item, part), 1, None):
                yield (*output[:i], longer, *output[i + 1 :])


def _answer_moves(output: Plain, step: Fraction) -> Iterator[Plain]:
    """Answers in which one part is changed."""
    if isinstance(output, bool):
        yield not output
    elif isinstance(output, tuple):
        for i, item in enumerate(output):
            for moved in _answer_moves(item, step):
                yield (*output[:i], moved, *output[i + 1 :])
    else:
        yield from (output + k * step for k in (-8, 8, -1, 1))


def _event(outputs: tuple[Plain, ...], left: Distribution) -> Event:
    """The answers as a tail, when they are all answers found on one side of a number; else one by one."""
    numbers = [output for output in outputs if isinstance(output, Fraction)]
    if len(numbers) == len(outputs):
        known = sorted(cast("list[Fraction]", list(left.masses)))
        inside = sorted(numbers)
        if known[-len(inside) :] == inside:
            return Between(inside[0], None)
        if known[: len(inside)] == inside:
            return Between(None, inside[-1])
    return outputs[0] if len(outputs) == 1 else AnyOf(outputs)


def _has_number(kind: ir.Type) -> bool:
    match kind:
        case ir.List(element):
            return _has_number(element)
        case ir.Tuple(elements):
            return any(_has_number(element) for element in elements)
        case _:
            return isinstance(kind, ir.Real)
