"""Refuting a claim: search small inputs, stop at the first violation, make it small.

The one idea: sizes grow one by one, so the first violation has the fewest elements the search could find; its
numbers are then shrunk. What comes out is a :class:`~lapwing.refute.findings.Finding`, not yet a verdict: that takes a
witness that ``lapwing.check`` accepts, and only whoever sees both rooms can say so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from lapwing.evidence.witness import Witness
from lapwing.program import ir
from lapwing.refute.claims import ClaimValue, claim_value
from lapwing.refute.confirm import confirmed, contradicted
from lapwing.refute.distribution import Subject
from lapwing.refute.explore import Search
from lapwing.refute.findings import Finding, to_witness, violates
from lapwing.refute.hints import hinted
from lapwing.refute.lattices import depends_on_the_lattice, fitted
from lapwing.refute.neighbouring import Neighbourhood, Pair
from lapwing.refute.publics import assignments
from lapwing.refute.shrink import shrunk

#: Pairs near hints that are looked at: a search that is full of them would come to nothing else.
LISTENED = 10
#: Sets of public parameters from hints that are searched further than the hint itself.
FOLLOWED = 2

Progress = Callable[[int, Finding | None], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The best finding of every size searched, and the first that violates the claim.

    ``unconfirmed`` violates it on a coarse lattice only, and nothing like it was found on the lattice of a run.
    """

    best: Mapping[int, Finding]
    violation: Finding | None
    claim: ClaimValue | None
    unconfirmed: Finding | None = None

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
    chosen = list(assignments(subject, settings or {}))
    searches = [Search(Neighbourhood(fitted(subject, public), public)) for public in chosen]
    if subject.mechanism.claim is None:
        searches = searches[:1]
    best: dict[int, Finding] = {}
    unconfirmed: Finding | None = None
    suspected = list(islice(hinted(subject, settings or {}, hints), LISTENED))
    for search, n, pair in _schedule(searches, suspected, max_n):
        stands = not depends_on_the_lattice(search.neighbourhood.subject, search.neighbourhood.public)
        # what has to be shown again on a finer lattice should be as clear as possible on this one
        stop = stands or subject.mechanism.claim.__class__ is ir.PureClaim
        finding = search.best_at(n, stop=stop) if pair is None else search.best_near(pair, stop=stop)
        if finding is None:
            continue
        if progress is not None:
            progress(n, finding)
        claim = claim_value(subject.mechanism, finding.pair.left)
        if claim is not None and violates(finding, claim):
            shown = _shown(search, finding, stands=stands)
            if shown is not None:
                return Outcome({**best, n: shown}, shown, claim_value(subject.mechanism, shown.pair.left))
            unconfirmed = unconfirmed or finding
        if search is searches[0]:
            best[n] = finding if claim is not None or stands else confirmed(search, finding) or finding
    trouble = next((search.trouble for search in searches if search.trouble is not None), None)
    if trouble is not None and not any(search.computed for search in searches):
        raise trouble  # nothing could be computed at all, which is not the same as finding nothing
    first = next(iter(best.values()), None)
    claim = None if first is None else claim_value(subject.mechanism, first.pair.left)
    return Outcome(best, None, claim, unconfirmed)


def _shown(search: Search, finding: Finding, *, stands: bool) -> Finding | None:
    """The violation made small, on a lattice that may stand for a run's and where a run is not known to differ."""
    small = shrunk(search, finding)
    if stands:
        for each in (small, finding):
            if not contradicted(search, each):
                return each
    return confirmed(search, small) or confirmed(search, finding)


def _schedule(
    searches: list[Search], suspected: list[tuple[Search, Pair]], max_n: int
) -> Iterator[tuple[Search, int, Pair | None]]:
    """Hints; small sizes with all public parameters; large sizes with the ordinary ones, then with the hints'."""
    yield from ((search, search.neighbourhood.size(pair), pair) for search, pair in suspected)
    sizes = searches[0].sizes(max_n)
    yield from ((search, n, None) for search in searches for n in sizes[:2])
    yield from ((searches[0], n, None) for n in sizes[2:])
    for search in list(dict.fromkeys(search for search, _ in suspected))[:FOLLOWED]:
        yield from ((search, n, None) for n in sizes if n > search.kept_size)
