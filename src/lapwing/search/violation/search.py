"""Refuting a claim: search small inputs, stop at the first violation, make it small.

The one idea: sizes grow one by one, so the first violation has the fewest elements the search could find; its
numbers are then shrunk. What comes out is a `findings.Finding`, not yet a verdict: that takes a
witness that ``lapwing.kernel`` accepts, and only whoever sees both rooms can say so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from math import inf, isinf

from lapwing.kernel.evidence.witness import Witness
from lapwing.search.violation.claims import ClaimValue, claim_value
from lapwing.search.violation.crowds import crowds
from lapwing.search.violation.explore import Search, first_among
from lapwing.search.violation.findings import Finding, to_witness, violates
from lapwing.search.violation.hints import hinted
from lapwing.search.violation.loss import loss_of
from lapwing.search.violation.neighbouring import Neighbourhood, Pair
from lapwing.search.violation.publics import assignments, lengths
from lapwing.search.violation.shrink import shrunk
from lapwing.search.violation.subject import Subject
from lapwing.search.violation.walked_answers import closed_form

#: Pairs near hints that are looked at: a search that is full of them would come to nothing else.
LISTENED = 10
#: Sets of public parameters from hints that are searched further than the hint itself.
FOLLOWED = 2
#: Sets of public parameters, besides the ordinary one, that are searched before longer lists are.
SOON = 12

#: Lists longer than any that is searched with care are reached by growing, if each element adds at least so much, up to
#: a length.
GROWING, LONGEST = 0.001, 40
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
) -> Outcome:
    """Search for a violation of the mechanism's claim, smallest inputs first, and stop at the first one.

    ``settings`` fixes public parameters; ``hints`` are pairs to look at first, which may leave out public parameters;
    ``progress`` hears of every hint and size done.
    """
    chosen = assignments(subject, settings or {})
    first = Search(Neighbourhood(subject, next(chosen)))
    others = (Search(Neighbourhood(subject, public)) for public in chosen)
    searches = [first]
    best: dict[int, Finding] = {}
    suspected = list(islice(hinted(subject, settings or {}, hints), LISTENED))
    for search, looked in _schedule(first, iter(()) if subject.mechanism.claim is None else others, suspected, max_n):
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
    for finding in [] if subject.mechanism.claim is None else _grown(first, best):
        if progress is not None:
            progress(finding.n, finding)
        best[finding.n] = finding
        claim = claim_value(subject.mechanism, finding.pair.left)
        if claim is not None and violates(finding, claim):
            small = _in_symbols(subject, finding)
            return Outcome(best, small, claim)
    trouble = next((search.trouble for search in searches if search.trouble is not None), None)
    if trouble is not None and not any(search.computed for search in searches):
        raise trouble  # nothing could be computed at all, which is not the same as finding nothing
    least = next(iter(best.values()), None)
    claim = None if least is None else claim_value(subject.mechanism, least.pair.left)
    return Outcome(best, None, claim)


def _grown(search: Search, best: Mapping[int, Finding]) -> Iterator[Finding]:
    """Longer and longer lists, as long as the loss goes on growing so fast that the claim is within reach."""
    sizes = sorted(best)
    if len(sizes) < 2 or sizes[-1] != sizes[-2] + 1:
        return
    last, finding = best[sizes[-2]], best[sizes[-1]]
    while True:
        claim = claim_value(search.neighbourhood.subject.mechanism, finding.pair.left)
        step = finding.loss - last.loss
        if claim is None or not GROWING < step < inf:
            return
        if finding.n + (float(claim.value.upper) - finding.loss) / step > LONGEST:
            return
        longer = search.longer(finding)
        if longer is None:
            return
        yield longer
        last, finding = finding, longer


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


def _schedule(
    first: Search, others: Iterator[Search], suspected: list[tuple[Search, Pair]], max_n: int
) -> Iterator[tuple[Search, _Look]]:
    """Hints; small sizes with most public parameters, and crowds; large sizes with the ordinary ones, then the rest."""
    yield from ((search, _Look(partial(search.best_near, pair, stop=True))) for search, pair in suspected)
    sizes = list(first.sizes(max_n))
    if len(sizes) > 1:  # preconditions may ask for lists of some length
        start = next(first.neighbourhood.starts(sizes[0]), None)
        named = sorted(each for each in lengths(first.neighbourhood.subject.mechanism) if each > 0)
        sizes = sizes if start is not None else sorted({*sizes, *named})
        sizes = [n for n in sizes if next(first.neighbourhood.starts(n), None) is not None] or sizes
    small, large = sizes[:2], sizes[2:]

    def sized(search: Search, n: int) -> tuple[Search, _Look]:
        return search, _Look(partial(search.best_at, n, stop=True, edges=n in small), n)

    yield from (sized(first, n) for n in small)
    if first.claim is not None:
        yield first, _Look(partial(first_among, first, crowds(first.neighbourhood)))
    yield from (sized(search, n) for search in islice(others, SOON) for n in small)
    yield from (sized(first, n) for n in large)
    for search in list(dict.fromkeys(search for search, _ in suspected))[:FOLLOWED]:
        yield from (sized(search, n) for n in sizes if n > search.kept_size)
    yield from (sized(search, n) for search in others for n in small)
