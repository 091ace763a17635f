"""Exploring neighbouring inputs for the largest privacy loss at each size.

The one idea: look wide where it is cheap, climb where it paid. At small sizes every pattern of neighbouring inputs is
tried with all its answers; the best pairs are then moved (levels doubled, elements and answers changed) with one event
in view, which is fast; and the best of one size, with one element written twice, starts the next.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import islice
from math import inf
from typing import cast

from lapwing.errors import InvalidInput
from lapwing.kernel.distribution.probability import Chance
from lapwing.kernel.evidence.event import AnyOf, Between, Event
from lapwing.kernel.program import ir
from lapwing.search.violation import loss
from lapwing.search.violation.claimed_numbers import ClaimValue, claim_value
from lapwing.search.violation.findings import REACHING, Finding, excess, violates, zcdp_rate
from lapwing.search.violation.landscape import KeptSides, Shape, Side, shapes
from lapwing.search.violation.near_events import answer_moves, longer_events, moved
from lapwing.search.violation.neighbouring import Neighbourhood, Pair
from lapwing.search.violation.subject import Inputs

#: Largest size at which every pattern is tried; below it, unless somebody says which sizes are small, also pairs at the
#: numbers that the program names.
_THOROUGH = 3
#: How levels are stretched, as long as it helps.
_STRETCHES = (4, 2, 2, 2, 2, 2)
#: Shapes with holes, and regions of one hole, that are looked at for one pair.
_SHAPES, _REGIONS = 12, 6
#: What part of the best loss is nearly as good.
_NEARLY = 0.75
#: Seconds of one look at a hint after which nothing near it is looked at.
_SLOW = 0.3
#: Halvings of the step by which the cut of a tail is moved.
_REFINED = 4


class Search:
    """Findings at fixed public parameters, size by size; each size starts from what the one before found."""

    def __init__(self, neighbourhood: Neighbourhood, sides: KeptSides | None = None) -> None:
        self.neighbourhood = neighbourhood
        given = neighbourhood.subject
        self._subject = given.quick
        self._sides = sides or KeptSides(self._subject)
        self._numeric = has_number(given.mechanism.returns) and not given.is_finite
        self.claim = given.mechanism.claim
        self._single = isinstance(self.claim, ir.PureClaim | None)
        # of two Gaussians, order α sees most α - 1 times as far beyond the one as it lies from the other
        self._reaches = tuple(each - 1 for each in REACHING) if isinstance(self.claim, ir.ZcdpClaim) else ()
        self._kept: list[Finding] = []
        #: what stood in the way last, where something could not be computed
        self.trouble: InvalidInput | None = None
        #: whether anything was computed: finding nothing then means something
        self.computed = False
        #: the best finding of every size that was looked at, and one nearly as good in which some elements rise and
        #: some fall: where the loss of noes alone, or of yeses alone, comes to an end, that of both may go on
        self.sized: dict[int, Finding] = {}
        self.varied: dict[int, Finding] = {}
        #: the candidates of a size that there was no time for
        self.left: dict[int, Iterator[Finding]] = {}

    def sizes(self, max_n: int) -> range:
        """The sizes to search; one round when nothing has a size."""
        return range(1, max_n + 1) if self.neighbourhood.has_size else range(1, 2)

    def best_at(self, n: int, *, stop: bool = False, edges: bool | None = None, seconds: float = inf) -> Finding | None:
        """The finding with the largest certain loss at size n; with ``stop``, the first that violates the claim.

        After ``seconds`` of computing, it goes on from what it has; what is left is looked at when asked again.
        """
        found: list[Finding] = []
        end = time.process_time() + seconds
        candidates = self.left.pop(n, None) or self._candidates(n, n < _THOROUGH if edges is None else edges)
        for finding in candidates:
            found.append(finding)
            if stop and self.refutes(finding):
                return finding
            if time.process_time() > end:
                self.left[n] = candidates
                break
        late = time.process_time() > end  # where one look takes long, longer lists tell more than other levels
        found.sort(key=self.score, reverse=True)
        climbed = []
        stretched = []
        for finding in _distinct(found)[: 1 if self._numeric else 2]:
            climbed.append(finding if late else self._climbed(finding, stop=stop))
            stretched.append(climbed[-1] if late else self._stretched(climbed[-1], stop=stop))
            if stop and self.refutes(stretched[-1]):
                break
        # longer lists start from ordinary levels: far ones make their events needlessly unlikely
        self._kept = sorted(climbed, key=self.score, reverse=True)[:1]
        best = max(stretched, key=self.score, default=None)
        if best is not None:
            self.sized[n] = best
            varied = next((each for each in found if _ways(each.pair) > _ways(best.pair)), best)
            if varied is not best and self.score(varied) >= _NEARLY * self.score(best):
                self.varied[n] = varied
        return best

    def best_near(self, pair: Pair, *, stop: bool = False) -> Finding | None:
        """The best finding on a pair that someone suspects, and near it; longer lists may start from there."""
        try:
            end = time.process_time() + _SLOW
            finding = max(self.explore(pair), key=self.score, default=None)
            if finding is None or (stop and self.refutes(finding)) or time.process_time() > end:
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
            return excess(finding, claim)
        return zcdp_rate(finding) if isinstance(self.claim, ir.ZcdpClaim) else finding.loss

    def refutes(self, finding: Finding) -> bool:
        """Whether a finding certainly violates the mechanism's claim."""
        claim = claim_value(self._subject.mechanism, finding.pair.left)
        return claim is not None and violates(finding, claim)

    # --- candidates ---

    def _candidates(self, n: int, edges: bool) -> Iterator[Finding]:
        yield from self._extensions()
        starts = self.neighbourhood.starts(n)
        few = (8 if n < _THOROUGH else 3) if self._numeric else 40 if n <= _THOROUGH else 12
        for pair in islice(starts, few):
            yield from self.explore(pair)
        if edges:
            for pair in unequal(self.neighbourhood.edges(n)):
                yield from self.explore(pair)

    def _extensions(self) -> Iterator[Finding]:
        """The best of the size before, with one element and one part of the answer written twice."""
        if not self.neighbourhood.has_size:
            return
        for finding in self._kept[:1]:
            for pair in unequal(self.neighbourhood.copies(finding.pair)):
                if not self._single:
                    yield from self.explore(pair)
                    continue
                for event in longer_events(self._subject, finding.event):
                    if (longer := self.evaluate(pair, event)) is not None:
                        yield longer

    def explore(self, pair: Pair) -> list[Finding]:
        """The most telling events on a pair, in both orders."""
        try:
            left, right = self.side(pair.left), self.side(pair.right)
            found = [*self._told(pair, left, right), *self._told(pair.swapped(), right, left)]
        except InvalidInput as trouble:  # beyond what can be computed, or refused by the mechanism
            self.trouble = trouble
            return []
        self.computed = True
        return found

    def _told(self, pair: Pair, left: Side, right: Side) -> list[Finding]:
        """The most telling events from left to right."""
        seen = self.seeing(pair, left, right)
        best: list[Finding] = []
        tried = 0
        for shape in shapes(left, right):
            if not shape.holes:
                best.append(seen(shape.event))
            elif tried < _SHAPES:
                tried += 1
                best.append(self._regions(shape, seen))
        best = [finding for finding in best if finding.left.lower > 0]
        if self._single:
            return sorted(best, key=self.score, reverse=True)[:1]
        return self._together(best, seen)

    def _together(self, best: list[Finding], seen: Callable[[Event], Finding]) -> list[Finding]:
        """For a δ or ρ: events of different shapes exclude each other, and those that lose most are one event."""
        found = list(best)
        best.sort(key=lambda finding: -finding.loss)
        counts = range(2, min(len(best), 8) + 1)
        found += [seen(AnyOf(tuple(finding.event for finding in best[:count]))) for count in counts]
        if len(best) > 8:
            claim = claim_value(self._subject.mechanism, best[0].pair.left)
            level = float(claim.value) if claim is not None and claim.kind is ir.ApproximateClaim else 0.0
            found.append(seen(AnyOf(tuple(finding.event for finding in best if finding.loss > level))))
        return sorted(found, key=self.score, reverse=True)[:1]

    def _regions(self, shape: Shape, seen: Callable[[Event], Finding]) -> Finding:
        """The best region found for the holes of a shape: all alike first, then one by one."""
        options = [hole.options() if self._single else hole.tails(self._reaches) for hole in shape.holes]
        most = max(map(len, options)) if not self._single else min(_REGIONS, max(map(len, options)))
        alike = [tuple(each[min(i, len(each) - 1)] for each in options) for i in range(most)]
        chosen = max(alike, key=lambda regions: self.score(seen(shape.filled(regions))))
        best = seen(shape.filled(chosen))
        for place, regions in enumerate(options if len(options) > 1 else []):
            for region in regions[: _REGIONS if self._single else None]:
                other = (*chosen[:place], region, *chosen[place + 1 :])
                finding = seen(shape.filled(other))
                if self.score(finding) > self.score(best) + 1e-9:
                    chosen, best = other, finding
        return best if self._single else _refined(self, shape, chosen, best, seen)

    def evaluate(self, pair: Pair, event: Event) -> Finding | None:
        """The finding of one event on a pair; None when it takes too much to be worth a search."""
        try:
            p, q = self._subject.chance(pair.left, event), self._subject.chance(pair.right, event)
        except InvalidInput as trouble:
            self.trouble = trouble
            return None
        self.computed = True
        return self._finding(pair, event, p, q)

    def seeing(self, pair: Pair, left: Side, right: Side) -> Callable[[Event], Finding]:
        """What makes findings of events on a pair, of which both sides are walked already."""
        return lambda event: self._finding(pair, event, left.chance(event), right.chance(event))

    def _finding(self, pair: Pair, event: Event, left: Chance, right: Chance) -> Finding:
        one = loss.loss_of(event, left, right)
        return Finding(pair, event, one.left, one.right, self.neighbourhood.size(pair), one.closed_form)

    def side(self, inputs: Inputs) -> Side:
        """The answers on some inputs."""
        return self._sides.of(inputs)

    # --- climbing ---

    def _climbed(self, finding: Finding, *, stop: bool) -> Finding:
        """Better and better findings of the same size, as long as some move helps."""
        if not self._single:
            return self._best(
                finding, lambda best: (f for p in self._moved(best.pair) for f in self.explore(p)), stop, 2
            )
        better = self._best(finding, self._answer_moves, stop, 2)
        return self._best(better, self._pair_moves, stop, 1)

    def _stretched(self, single: Finding, *, stop: bool) -> Finding:
        """The finding with its levels further and further out, as long as that helps."""
        if not self._single:
            return single
        for factor in _STRETCHES:
            stretched = self.neighbourhood.stretched(single.pair, factor)
            if stretched is None or (stop and self.refutes(single)):
                return single
            wider = self.evaluate(stretched, single.event)
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
        distances = map(self.neighbourhood.distance, self.neighbourhood.private)
        yield from self.neighbourhood.moves(pair, 6 * max(distances, default=Fraction(1)))

    def _pair_moves(self, finding: Finding) -> Iterator[Finding | None]:
        few = islice(self._moved(finding.pair), 15 if self._numeric else 40)
        yield from (self.evaluate(pair, finding.event) for pair in few)

    def _answer_moves(self, finding: Finding) -> Iterator[Finding | None]:
        yield from (self.evaluate(finding.pair, event) for event in islice(answer_moves(finding.event), 12))


def _refined(
    search: Search, shape: Shape, chosen: tuple[Event, ...], best: Finding, seen: Callable[[Event], Finding]
) -> Finding:
    """The same with the cuts of its tails moved a little, as long as that helps."""
    for place, hole in enumerate(shape.holes):
        step = hole.spread or Fraction(1)
        for _ in range(_REFINED):
            step /= 2
            for sign in (-1, 1):
                other = (*chosen[:place], moved(cast(Between, chosen[place]), sign * step), *chosen[place + 1 :])
                finding = seen(shape.filled(other))
                if search.score(finding) > search.score(best):
                    chosen, best = other, finding
    return best


def longer(search: Search, finding: Finding) -> Finding | None:
    """The best that one element more makes of a finding, of the few most likely."""
    pairs = islice(unequal(search.neighbourhood.copies(finding.pair)), 2)
    if not isinstance(search.claim, ir.PureClaim):  # an event of many parts does not grow by writing one twice
        return max((each for pair in islice(pairs, 1) for each in search.explore(pair)), key=search.score, default=None)
    events = list(islice(longer_events(search.neighbourhood.subject, finding.event), 3))
    found = (search.evaluate(pair, event) for pair in pairs for event in events)
    return max((each for each in found if each is not None), key=search.score, default=None)


def first_among(search: Search, pairs: Iterable[Pair], seconds: float = inf) -> Finding | None:
    """The first finding on some pairs that violates the claim, else the best of so many seconds of computing."""
    best: Finding | None = None
    end = time.process_time() + seconds
    for finding in (each for pair in pairs for each in search.explore(pair)):
        if search.refutes(finding):
            return finding
        if time.process_time() > end:
            break
        if best is None or search.score(finding) > search.score(best):
            best = finding
    return best


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


def _ways(pair: Pair) -> int:
    """In how many ways elements of lists change from left to right."""
    lists = [(a, b) for a, b in zip(pair.left.values(), pair.right.values(), strict=True) if isinstance(a, tuple)]
    changes = {x < y for a, b in lists if isinstance(b, tuple) for x, y in zip(a, b, strict=False) if x != y}  # type: ignore[operator]  # of one type
    return len(changes)


def has_number(kind: ir.Type) -> bool:
    """Whether an answer of the type holds a real number."""
    match kind:
        case ir.List(element):
            return has_number(element)
        case ir.Tuple(elements):
            return any(has_number(element) for element in elements)
        case _:
            return isinstance(kind, ir.Real)
