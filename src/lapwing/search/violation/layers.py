"""Events for an (ε, δ) of several numbers: layers, each with a cut of its own.

The one idea: what two noisy numbers tell together lies beyond a slanted line, which no corner follows. One number is
cut into layers, which exclude each other, and in each the other number has the cut that exceeds ε by most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, pairwise

from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.event import FINENESS, AnyOf, Between, Event
from lapwing.search.violation.explore import Search
from lapwing.search.violation.findings import Finding
from lapwing.search.violation.landscape import HOLE, Hole, Shape, shapes
from lapwing.search.violation.near_events import moved

#: Layers to either side of where the laws lie, two to a standard deviation; halvings of the step by which cuts move.
LAYERS, REFINED = 9, 5
#: Pairs of numbers that are tried.
PAIRS = 3


def layered(search: Search, finding: Finding) -> Finding | None:
    """The best event in layers on the pair of a finding, over all pairs of real numbers in the answers."""
    pair = finding.pair
    try:
        left, right = search.side(pair.left), search.side(pair.right)
        seen = search.seeing(pair, left, right)
        found = [each for shape in shapes(left, right) for each in _of_shape(search, shape, seen)]
    except InvalidInput:  # beyond what can be computed
        return None
    return max(found, key=search.score, default=None)


def _of_shape(search: Search, shape: Shape, seen: Callable[[Event], Finding]) -> Iterator[Finding]:
    real = [place for place, hole in enumerate(shape.holes) if not hole.whole]
    for one, two in list(combinations(real, 2))[:PAIRS]:

        def filled(layer: Event, cut: Event, places: tuple[int, int] = (one, two)) -> Event:
            regions = dict(zip(places, (layer, cut), strict=True))
            return shape.filled(tuple(regions.get(place, HOLE) for place in range(len(shape.holes))))

        layers = [_best(search, shape.holes[two], layer, filled, seen) for layer in _layers(shape.holes[one])]
        telling = tuple(each.event for each in layers if search.score(each) > 0)
        if telling:
            yield seen(AnyOf(telling))


def _layers(hole: Hole) -> list[Between]:
    """Regions that exclude each other, finer than a deviation."""
    low, high = hole.ends
    step = (hole.spread or Fraction(1)) / 2
    cuts = sorted({low - k * step for k in range(LAYERS)} | {high + k * step for k in range(LAYERS)})
    inner = [Between(one, two - FINENESS) for one, two in pairwise(cuts)]
    return [Between(None, cuts[0] - FINENESS), *inner, Between(cuts[-1], None)]


def _best(
    search: Search,
    hole: Hole,
    layer: Between,
    filled: Callable[[Event, Event], Event],
    seen: Callable[[Event], Finding],
) -> Finding:
    """The cut of the other number that exceeds ε by most in a layer: of many, then moved by smaller steps."""
    tried = [(seen(filled(layer, tail)), tail) for tail in hole.tails() if isinstance(tail, Between)]
    best, cut = max(tried, key=lambda each: search.score(each[0]))
    step = hole.spread or Fraction(1)
    for _ in range(REFINED):
        step /= 2
        for by in (-step, step):
            other = moved(cut, by)
            finding = seen(filled(layer, other))
            if search.score(finding) > search.score(best):
                best, cut = finding, other
    return best
