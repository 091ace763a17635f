"""Exploring neighbouring inputs for the largest privacy loss at each size.

The one idea: look wide where it is cheap, climb where it paid. At small sizes every pattern of neighbouring inputs is
tried with its whole output distribution; the best pairs are then moved (levels doubled, elements and outputs
changed) with one answer in view, which is fast; and the best of one size, with one element written twice,
starts the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import cast

from lapwing.algebra.balls import Interval
from lapwing.errors import InvalidInput
from lapwing.evidence.event import AnyOf, Between, Event, contains
from lapwing.program import ir
from lapwing.refute import loss
from lapwing.refute.claims import ClaimValue, claim_value
from lapwing.refute.distribution import Distribution, Subject
from lapwing.refute.findings import Finding, violates, zcdp_rate
from lapwing.refute.limits import ORDINARY, Limits, TooLarge
from lapwing.refute.neighbouring import Neighbourhood, Pair
from lapwing.refute.values import Plain

#: Whole distributions are computed while they stay small; numbers as answers make them large.
_SMALL = 400_000
_SMALL_NUMERIC = 20_000
#: One answer at a time is computed in at most so many states.
_QUICK = 300_000
#: Rounds of a loop that a search waits for.
_ROUNDS = 2_000
#: Largest size at which every pattern is tried.
_THOROUGH = 3
#: How levels are stretched, as long as it helps.
_STRETCHES = (4, 2, 2, 2, 2, 2)


class Search:
    """Findings at fixed public parameters, size by size; each size starts from what the one before found."""

    def __init__(self, neighbourhood: Neighbourhood) -> None:
        self.neighbourhood = neighbourhood
        self._subject = neighbourhood.subject
        self._numeric = _has_number(self._subject.mechanism.returns) and not self._subject.is_finite
        self._quick = self._limited(_QUICK)
        self._roomy = self._limited(_SMALL_NUMERIC if self._numeric else _SMALL)
        self.claim = self._subject.mechanism.claim
        self._kept: list[Finding] = []
        #: what stood in the way last, where something could not be computed
        self.trouble: TooLarge | None = None
        #: whether anything was computed: finding nothing then means something
        self.computed = False
        self._distributions: dict[object, Distribution] = {}

    def _limited(self, states: int) -> Subject:
        """The subject with the limits of a search, unless it was given others."""
        given = self._subject.limits
        limits = Limits(
            states if given.states == ORDINARY.states else given.states,
            _ROUNDS if given.rounds == ORDINARY.rounds else given.rounds,
        )
        return replace(self._subject, limits=limits)

    def sizes(self, max_n: int) -> range:
        """The sizes to search; one round when nothing has a size."""
        return range(1, max_n + 1) if self.neighbourhood.has_size else range(1, 2)

    def best_at(self, n: int, *, stop: bool = False) -> Finding | None:
        """The finding with the largest certain loss at size n; with ``stop``, the first that violates the claim."""
        found: list[Finding] = []
        for finding in self._candidates(n):
            found.append(finding)
            if stop and self.refutes(finding):
                return finding
        found.sort(key=self.score, reverse=True)
        climbed = []
        stretched = []
        for finding in _distinct(found)[: 1 if self._numeric else 2]:
            climbed.append(self._climbed(finding, stop=stop))
            stretched.append(self._stretched(climbed[-1], stop=stop))
            if stop and self.refutes(stretched[-1]):
                break
        # longer lists start from ordinary levels: far ones would make their events too unlikely for doubles
        self._kept = sorted(climbed, key=self.score, reverse=True)
        return max(stretched, key=self.score, default=None)

    def best_near(self, pair: Pair, *, stop: bool = False) -> Finding | None:
        """The finding with the largest certain loss on one pair or a few moves away; None where it cannot be run."""
        try:
            finding = max(self.explore(pair), key=self.score, default=None)
            if finding is None or (stop and self.refutes(finding)):
                return finding
            climbed = self._climbed(finding, stop=stop)
        except InvalidInput:  # a pair that nobody chose with care must not end the search
            return None
        if not self._kept or self.score(climbed) > self.score(self._kept[0]):
            self._kept = [climbed]
        return climbed

    @property
    def kept_size(self) -> int:
        """The size of what a longer list would start from."""
        return self._kept[0].n if self._kept else 0

    def score(self, finding: Finding) -> float:
        """What the search maximises: the loss, or what the claim speaks of."""
        if isinstance(self.claim, ir.ApproximateClaim):
            claim = cast(ClaimValue, claim_value(self._subject.mechanism, finding.pair.left))
            return float(finding.left.lower - loss.exponential(claim.value).upper * finding.right.upper)
        return zcdp_rate(finding) if isinstance(self.claim, ir.ZcdpClaim) else finding.loss

    def refutes(self, finding: Finding) -> bool:
        """Whether a finding certainly violates the mechanism's claim."""
        claim = claim_value(self._subject.mechanism, finding.pair.left)
        return claim is not None and violates(finding, claim)

    # --- candidates ---

    def _candidates(self, n: int) -> Iterator[Finding]:
        yield from self._extensions()
        starts = self.neighbourhood.starts(n)
        few = (5 if n < _THOROUGH else 2) if self._numeric else 40 if n <= _THOROUGH else 12
        for pair in islice(starts, few):
            yield from self.explore(pair)
        if n < _THOROUGH:
            for pair in unequal(self.neighbourhood.edges(n)):
                yield from self.explore(pair)

    def _extensions(self) -> Iterator[Finding]:
        """The best of the size before, with one element and one part of the answer written twice."""
        if not self.neighbourhood.has_size:
            return
        for finding in self._kept[:1]:
            for pair in unequal(self.neighbourhood.copies(finding.pair)):
                if isinstance(self.claim, ir.ApproximateClaim | ir.ZcdpClaim):
                    yield from self.explore(pair)
                    continue
                for output in _longer(cast(Plain, finding.event), self._subject.mechanism.returns):
                    if (longer := self.evaluate(pair, output)) is not None:
                        yield longer

    def explore(self, pair: Pair) -> list[Finding]:
        """The most telling events on a pair, in every direction the relation allows."""
        try:
            left, right = self._distribution(pair.left), self._distribution(pair.right)
        except TooLarge as trouble:
            self.trouble = trouble
            return self._explore_numeric(pair)
        self.computed = True
        ways = [(pair, left, right)]
        if not self.neighbourhood.one_way:
            ways.append((pair.swapped(), right, left))
        found = []
        for way, p, q in ways:
            if isinstance(self.claim, ir.ApproximateClaim | ir.ZcdpClaim):
                found += self._event_findings(way, p, q)
            else:
                top = loss.worst(p, q)
                if top is not None:
                    found.append(self._finding(way, top.output, top.left, top.right, top.closed_form))
        return found

    def _explore_numeric(self, pair: Pair) -> list[Finding]:
        try:
            outputs = dict.fromkeys(self._quick.plausible(pair.left) + self._quick.plausible(pair.right))
        except TooLarge as trouble:
            self.trouble = trouble
            return []
        every = max(1, len(outputs) // 6)
        chosen = list(outputs)[::every]
        found = [finding for output in chosen if (finding := self.evaluate(pair, output)) is not None]
        if not self.neighbourhood.one_way:
            found += [self._swapped(finding) for finding in found]
        return [finding for finding in found if finding.left.lower > 0]

    def evaluate(self, pair: Pair, output: Plain) -> Finding | None:
        """The finding of one answer on a pair; None when it takes too many states to be worth a search."""
        try:
            p, q = self._quick.probability(pair.left, output), self._quick.probability(pair.right, output)
        except TooLarge as trouble:
            self.trouble = trouble
            return None
        self.computed = True
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
                event = _event(outputs, p)
                # a tail may hold answers that were found on one side only: each side adds up its own
                left, right = (loss.mass(side, tuple(y for y in side.masses if contains(event, y))) for side in (p, q))
                found.append(self._finding(pair, event, left, right))
        return found

    def _finding(
        self,
        pair: Pair,
        event: Event,
        left: Interval,
        right: Interval,
        closed_form: str | None = None,
    ) -> Finding:
        return Finding(pair, event, left, right, self.neighbourhood.size(pair), self._subject.step, closed_form)

    def _swapped(self, finding: Finding) -> Finding:
        swapped = finding.pair.swapped()  # without the closed form, which is of the other direction
        return Finding(swapped, finding.event, finding.right, finding.left, finding.n, finding.lattice)

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
        if isinstance(self.claim, ir.ApproximateClaim | ir.ZcdpClaim):
            return self._best(
                finding, lambda best: (f for p in self._moved(best.pair) for f in self.explore(p)), stop, 2
            )
        better = self._best(finding, self._answer_moves, stop, 2)
        return self._best(better, self._pair_moves, stop, 1)

    def _stretched(self, single: Finding, *, stop: bool) -> Finding:
        """The finding with its levels further and further out, as long as that helps."""
        if isinstance(self.claim, ir.ApproximateClaim | ir.ZcdpClaim):
            return single
        for factor in _STRETCHES:
            stretched = self.neighbourhood.stretched(single.pair, factor)
            if stretched is None or (stop and self.refutes(single)):
                return single
            wider = self.evaluate(stretched, cast(Plain, single.event))
            if wider is None or self.score(wider) < self.score(single) + 1e-4:
                return single
            single = wider
        return single

    def _best(
        self, finding: Finding, tries: Callable[[Finding], Iterable[Finding | None]], stop: bool, rounds: int
    ) -> Finding:
        for _ in range(rounds):
            before = finding
            for other in tries(before):
                if stop and self.refutes(finding):
                    return finding
                if other is not None and self.score(other) > self.score(finding) + 1e-6:
                    finding = other
            if finding is before:
                break
        return finding

    def _moved(self, pair: Pair) -> Iterator[Pair]:
        distance = max((self.neighbourhood.distance(p) for p in self.neighbourhood.private), default=Fraction(1))
        yield from self.neighbourhood.moves(pair, 6 * distance)

    def _pair_moves(self, finding: Finding) -> Iterator[Finding | None]:
        for pair in islice(self._moved(finding.pair), 15 if self._numeric else 40):
            yield self.evaluate(pair, cast(Plain, finding.event))

    def _answer_moves(self, finding: Finding) -> Iterator[Finding | None]:
        for output in islice(_answer_moves(cast(Plain, finding.event), self._subject.step), 12):
            yield self.evaluate(finding.pair, output)


def _distinct(findings: list[Finding]) -> list[Finding]:
    """One finding per pair, the best first, as they come."""
    seen: dict[object, Finding] = {}
    for finding in findings:
        seen.setdefault(finding.pair.key, finding)
    return list(seen.values())


def unequal(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """Every pair once."""
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
