"""Refuting a claim: search small inputs, stop at the first violation, make it small.

The one idea: sizes grow one by one, so the first violation has the fewest elements the search could find; its
numbers are then shrunk. What comes out is a `findings.Finding`, not yet a verdict: that takes a
witness that ``lapwing.kernel`` accepts, and only whoever sees both rooms can say so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from heapq import nlargest
from itertools import chain, islice
from math import inf, isinf

from lapwing.errors import LapwingError
from lapwing.kernel.distribution.states import Limits
from lapwing.kernel.evidence.witness import Witness
from lapwing.kernel.program import ir
from lapwing.search.violation.claimed_numbers import ClaimValue, claim_value
from lapwing.search.violation.crowds import crowds, opposed, width
from lapwing.search.violation.explore import Search, first_among, longer
from lapwing.search.violation.findings import Finding, to_witness, violates
from lapwing.search.violation.hints import hinted
from lapwing.search.violation.landscape import KeptSides
from lapwing.search.violation.layers import layered
from lapwing.search.violation.loss import loss_of
from lapwing.search.violation.neighbouring import Neighbourhood, Pair
from lapwing.search.violation.probing import Probe
from lapwing.search.violation.publics import assignments, lengths
from lapwing.search.violation.shrink import shrunk
from lapwing.search.violation.smoothed import in_whole_numbers, smoothed
from lapwing.search.violation.subject import Subject
from lapwing.search.violation.walked_answers import closed_form

#: Pairs near hints that are looked at: a search that is full of them would come to nothing else.
LISTENED = 10
#: Elements of a hint that is looked at before anything else, and seconds for all of them.
SHORT, HINTED = 6, 2.0
#: Sets of public parameters from hints that are searched further than the hint itself.
FOLLOWED = 2
#: Sets of public parameters, besides the ordinary one, that are searched before longer lists are.
SOON = 14
#: So many looks at other public parameters stand between two larger sizes with the ordinary ones.
BETWEEN = 5

#: Looks of a brief search: two sizes, what grows, crowds, two other sets of public parameters, and a third size.
BRIEF = 10

#: Lists longer than any that is searched with care are reached by growing, if each element adds at least such a part of
#: the claim, up to a length; and up to another before other public parameters are tried, of which so many are grown.
GROWING, LONGEST, EARLY, GROWN = 0.001, 40, 10, 4
#: A length that is looked at at once if the claim would be passed there; and the last where events have many parts.
CLOSELY = 4
#: Seconds for the lists of one size; for crowds before other public parameters are tried, and after that where events
#: have many parts.
PATIENCE, SOME, CROWDS = 2.0, 1.0, 5.0
#: Seconds of one size after which a sketch is looked at, and for all of it; and what an answer may take that breaks it.
SLOW, SKETCHING, PATIENT = 0.5, 5.0, Limits(states=200_000, seconds=5.0)
#: Seconds of finding public parameters with which a mechanism runs, after which a sketch is looked at before all else.
SLOWLY = 0.08
#: Sets of public parameters with numbers far apart for which lists are made that lie at both.
WIDE = 3
#: A loss with a denominator that divides this, to so many digits, is worth a closed form.
SIMPLE, CLOSE = 240, 1e-7

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

    def witness(self, subject: Subject, file: str) -> Witness | None:
        """The violation as a witness; of a mechanism without a claim, the largest loss: a lower bound on any claim."""
        if self.violation is not None:
            return to_witness(subject, file, self.violation, self.claim)
        if self.claim is None and self.largest is not None:
            return to_witness(subject, file, self.largest, None)
        return None


def refute(
    subject: Subject,
    *,
    settings: Mapping[str, object] | None = None,
    max_n: int = 6,
    hints: Iterable[Pair] = (),
    progress: Progress | None = None,
    brief: bool = False,
    sides: KeptSides | None = None,
) -> Outcome:
    """Search for a violation of the mechanism's claim, smallest inputs first, and stop at the first one.

    ``settings`` fixes public parameters; ``hints`` are pairs to look at first, which may leave out public parameters;
    ``progress`` hears of every hint and size done. A ``brief`` search ends after its first looks, which find most
    violations that are found at all: it is for what is thought to be private. Who searches more than once keeps the
    ``sides`` that were walked.
    """
    sides = sides or KeptSides(subject)
    chosen = assignments(subject, settings or {})
    begun = time.process_time()
    first = Search(Neighbourhood(subject, next(chosen)), sides)
    slow = time.process_time() > begun + SLOWLY  # the mechanism was walked
    further = iter(()) if subject.mechanism.claim is None else chosen
    others = (Search(Neighbourhood(subject, public), sides) for public in further)
    searches = [first]
    best: dict[int, Finding] = {}
    sketched = _sketched(subject, settings or {}, max_n)
    rest = _schedule(first, others, hinted(subject, settings or {}, hints), max_n, sketched)
    schedule = chain(sketched, rest) if slow else rest
    for search, looked in islice(schedule, BRIEF) if brief else schedule:
        if search is not searches[-1]:
            searches.append(search)
        finding = looked.best()
        if finding is None:
            continue
        n = finding.n if looked.size is None else looked.size
        if progress is not None:
            progress(n, finding)
        claim = claim_value(subject.mechanism, finding.pair.left)
        if claim is not None and violates(finding, claim):
            small = _in_symbols(subject, shrunk(search, finding))
            return Outcome({**best, n: small}, small, claim_value(subject.mechanism, small.pair.left))
        if search is first and looked.size is not None:
            best[n] = finding
    trouble = next((search.trouble for search in searches if search.trouble is not None), None)
    if trouble is not None and not any(search.computed for search in searches):
        raise trouble  # nothing could be computed at all, which is not the same as finding nothing
    least = next(iter(best.values()), None)
    claim = None if least is None else claim_value(subject.mechanism, least.pair.left)
    return Outcome(best, None, claim)


def _grown(search: Search, most: int) -> Finding | None:
    """Longer and longer lists, as long as the loss goes on growing so fast that the claim is within reach."""
    best: Finding | None = None
    steps = _latest(search)
    end = most if isinstance(search.claim, ir.PureClaim) else min(most, CLOSELY)
    starts = [] if steps is None else [steps[1], search.varied.get(steps[1].n)]
    for last, start in ((steps[0], each) for each in starts if steps is not None and each is not None):
        before, finding = last, start
        while finding.n < end and _reach(search, before, finding) <= LONGEST:
            further = longer(search, finding)
            if further is None:
                break
            before, finding = finding, further
            if best is None or search.score(further) > search.score(best):
                best = further
            if search.refutes(further):
                return further
    return best


def _latest(search: Search) -> tuple[Finding, Finding] | None:
    """The findings of the two largest sizes, if one follows the other."""
    sizes = sorted(search.sized)[-2:]
    if search.claim is None or len(sizes) < 2 or sizes[0] + 1 != sizes[1]:
        return None
    return search.sized[sizes[0]], search.sized[sizes[1]]


def _reach(search: Search, last: Finding, finding: Finding) -> float:
    """The length at which the claim would be passed, if every element adds what the last one did."""
    step = _share(search, finding) - _share(search, last)
    return finding.n + max(1 - _share(search, finding), 0.0) / step if GROWING < step < inf else inf


def _share(search: Search, finding: Finding) -> float:
    """How much of what is claimed a finding takes up."""
    claim = claim_value(search.neighbourhood.subject.mechanism, finding.pair.left)
    most = 0.0 if claim is None else float((claim.value if claim.delta is None else claim.delta).upper)
    return search.score(finding) / most if most else inf


def _unlike(first: Search, others: list[Search]) -> Iterator[Search]:
    """Those whose losses may pass the claim on longer lists, and that are unlike the ordinary one.

    A limit shows only where lists are longer than it, so other whole numbers come first.
    """
    seen = {(_whole(first), _steps(first))}
    reaches = {each: inf if (steps := _latest(each)) is None else _reach(each, *steps) for each in others}
    for search in sorted(others, key=lambda each: (_whole(each) == _whole(first), reaches[each])):
        if reaches[search] <= LONGEST and (_whole(search), _steps(search)) not in seen:
            seen.add((_whole(search), _steps(search)))
            yield search


def _whole(search: Search) -> tuple[object, ...]:
    parameters = search.neighbourhood.subject.mechanism.parameters
    return tuple(search.neighbourhood.public.get(each.name) for each in parameters if each.type == ir.Integer())


def _steps(search: Search) -> tuple[object, ...]:
    """Roughly what was found at each size."""
    return tuple((n, round(_share(search, each), 2)) for n, each in sorted(search.sized.items()))


def _in_symbols(subject: Subject, finding: Finding) -> Finding:
    """The finding with its loss in closed form, where it looks like one: ``2`` says more than 1.99999."""
    times = finding.loss * SIMPLE
    if finding.closed_form is not None or isinf(times) or abs(times - round(times)) > CLOSE:
        return finding
    module, name, event = subject.module, subject.mechanism.name, finding.event
    left, right = (closed_form(module, name, side, event) for side in (finding.pair.left, finding.pair.right))
    if left is None or right is None:
        return finding
    return replace(finding, closed_form=loss_of(event, left, right).closed_form)


@dataclass(frozen=True, slots=True)
class _Look:
    """Somewhere to look: at all lists of a size, or at some pairs of any."""

    best: Callable[[], Finding | None]
    size: int | None = None


def _elements(pair: Pair) -> int:
    """How many elements the lists of an input have together."""
    return sum(len(value) for value in pair.left.values() if isinstance(value, tuple))


def _probed(first: Search) -> Iterator[tuple[Search, _Look]]:
    """Other public parameters, towards those at which the best of the ordinary ones comes nearest to its claim."""
    best = max(first.sized.values(), key=first.score, default=None)
    if best is not None:
        probe = Probe(first, best)
        yield from ((search, _Look(partial(probe.look, search, pair))) for search, pair in probe.each())


def _width(search: Search) -> Fraction:
    return width(search.neighbourhood)


def _layered(search: Search) -> Iterator[tuple[Search, _Look]]:
    """The best of a search again with an event in layers, where it exceeds the ε of an (ε, δ) by too little."""
    best = max(search.sized.values(), key=search.score, default=None)
    if best is not None and isinstance(search.claim, ir.ApproximateClaim) and search.score(best) > 0:
        yield search, _Look(partial(layered, search, best))


def _sketched(subject: Subject, settings: Mapping[str, object], max_n: int) -> Iterator[tuple[Search, _Look]]:
    """What breaks the claim of a sketch, asked of the mechanism itself."""
    sketch = smoothed(subject)
    if sketch is None or subject.mechanism.claim is None:
        return
    end = time.process_time() + SKETCHING
    try:
        searches = (Search(Neighbourhood(sketch, public)) for public in assignments(sketch, settings))
        first = next(searches)
    except LapwingError:  # the sketch is no program that runs
        return
    public = [each.name for each in subject.mechanism.parameters if not each.private]
    for search, look in _schedule(first, searches, iter(()), max_n, iter(())):
        found = look.best()
        if found is not None and search.refutes(found):
            patient = replace(subject, limits=PATIENT)
            real = Search(Neighbourhood(patient, {name: found.pair.left[name] for name in public}))
            yield (
                real,
                _Look(partial(real.evaluate, found.pair, in_whole_numbers(found.event, subject.mechanism.returns))),
            )
            return
        if time.process_time() > end:
            return


def _schedule(
    first: Search,
    others: Iterator[Search],
    hinted_at: Iterator[tuple[Search, Pair]],
    max_n: int,
    sketched: Iterator[tuple[Search, _Look]],
) -> Iterator[tuple[Search, _Look]]:
    """Hints; small sizes, crowds, and what grows; other public parameters, with larger sizes in between; the rest.

    Hints with long lists come after small sizes: where every element adds to the loss, a short list tells as much.
    """
    suspected = list(islice(hinted_at, LISTENED))
    hints = [(_elements(pair), search, _Look(partial(search.best_near, pair, stop=True))) for search, pair in suspected]
    begun = time.process_time()
    later = []
    for length, search, look in hints:
        if length <= SHORT and time.process_time() < begun + HINTED:
            yield search, look
        else:
            later.append((search, look))
    sizes = list(first.sizes(max_n))
    if len(sizes) > 1:  # preconditions may ask for lists of some length
        start = next(first.neighbourhood.starts(sizes[0]), None)
        named = sorted(each for each in lengths(first.neighbourhood.subject.mechanism) if each > 0)
        sizes = sizes if start is not None else sorted({*sizes, *named})
        sizes = [n for n in sizes if next(first.neighbourhood.starts(n), None) is not None] or sizes
    small, large = sizes[:2], sizes[2:]

    def sized(search: Search, n: int, seconds: float = PATIENCE) -> tuple[Search, _Look]:
        return search, _Look(partial(search.best_at, n, stop=True, edges=n in small, seconds=seconds), n)

    begun = time.process_time()
    yield from (sized(first, n) for n in small[:1])
    if time.process_time() > begun + SLOW:
        yield from sketched
    yield from (sized(first, n) for n in small[1:])
    yield from _layered(first)
    if first.claim is not None:
        yield first, _Look(partial(_grown, first, EARLY))
        crowded = crowds(first.neighbourhood)
        yield first, _Look(partial(first_among, first, crowded, SOME))
    if isinstance(first.claim, ir.ApproximateClaim | ir.ZcdpClaim):
        yield from _probed(first)
    near = list(islice(others, SOON))
    larger = (sized(first, n, inf) for n in large)
    for count, (search, n) in enumerate(((search, n) for search in near for n in small), 1):
        yield sized(search, n)
        if n == small[-1] and (steps := _latest(search)) is not None and _reach(search, *steps) <= CLOSELY:
            yield search, _Look(partial(_grown, search, CLOSELY))
        yield from islice(larger, 0 if count % BETWEEN else 1)
    yield from later
    if first.claim is not None:
        patience = inf if isinstance(first.claim, ir.PureClaim) else CROWDS
        yield first, _Look(partial(first_among, first, crowded, patience))
        yield from (sized(first, n, inf) for n in small if n in first.left)
    yield from ((search, _Look(partial(_grown, search, EARLY))) for search in islice(_unlike(first, near), GROWN))
    for search in nlargest(WIDE, filter(_width, near), key=_width):
        yield search, _Look(partial(first_among, search, opposed(search.neighbourhood), PATIENCE))
    yield from ((search, _Look(partial(_grown, search, LONGEST))) for search in islice(_unlike(first, near), GROWN))
    yield from larger
    yield first, _Look(partial(_grown, first, LONGEST))
    if isinstance(first.claim, ir.PureClaim):
        yield from _probed(first)
    for search in list(dict.fromkeys(search for search, _ in suspected))[:FOLLOWED]:
        yield from (sized(search, n) for n in sizes if n > search.kept_size)
    yield from (sized(search, n) for search in others for n in small)
