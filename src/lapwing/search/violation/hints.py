"""Pairs of inputs that someone suspects, made into pairs that a search can start from.

The one idea: a hint only says where to look first. It may leave out public parameters or differ by less than
neighbours may; what is made of it here is a valid pair like any other, or nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from lapwing.errors import InvalidInput, LapwingError
from lapwing.kernel.evidence.values import Value
from lapwing.search.violation.explore import Search, unequal
from lapwing.search.violation.neighbouring import Neighbourhood, Pair
from lapwing.search.violation.publics import assignments
from lapwing.search.violation.subject import Subject


def hinted(subject: Subject, settings: Mapping[str, object], hints: Iterable[Pair]) -> Iterator[tuple[Search, Pair]]:
    """Valid pairs near the hints, each with the search at its public parameters; ``settings`` stay as given."""
    searches: dict[object, Search] = {}
    known: dict[object, Neighbourhood | None] = {}
    seen = set()
    private = {parameter.name for parameter in subject.mechanism.parameters if parameter.private}
    for hint in hints:
        said = tuple((name, value) for name, value in hint.left.items() if name not in private)
        if said not in known:  # whether a mechanism runs with them may take long to find out
            known[said] = _neighbourhood(subject, settings, dict(said))
        neighbourhood = known[said]
        if neighbourhood is None:
            continue
        search = searches.setdefault(tuple(neighbourhood.public.items()), Search(neighbourhood))
        for pair in unequal(_pairs(search.neighbourhood, hint)):
            if pair.key not in seen:
                seen.add(pair.key)
                yield search, pair


def _neighbourhood(
    subject: Subject, settings: Mapping[str, object], said: Mapping[str, object]
) -> Neighbourhood | None:
    """With a hint's public parameters, or ordinary ones where the mechanism refuses those."""
    for given in ({**said, **settings}, settings):
        try:
            public = next(assignments(subject, given))
        except InvalidInput:
            continue
        return Neighbourhood(subject, public)
    return None


def _pairs(neighbourhood: Neighbourhood, hint: Pair) -> Iterator[Pair]:
    """The hint with its differences as wide as neighbours' may be, and as they are."""
    widest = dict(hint.right)
    for parameter in neighbourhood.private:
        if parameter.distance is not None and parameter.name in hint.left:
            left, right = hint.left[parameter.name], hint.right[parameter.name]
            widest[parameter.name] = _widened(left, right, neighbourhood.distance(parameter))
    for other in (widest, hint.right):
        try:
            sides = [neighbourhood.subject.inputs({**side, **neighbourhood.public}) for side in (hint.left, other)]
        except (LapwingError, KeyError):
            continue
        pair = Pair(*sides)
        if pair.left != pair.right and neighbourhood.valid(pair):
            yield pair


def _widened(left: Value, right: Value, distance: Fraction) -> Value:
    if isinstance(left, tuple) and isinstance(right, tuple) and len(left) == len(right):
        return tuple(_widened(a, b, distance) for a, b in zip(left, right, strict=True))
    if isinstance(left, Fraction) and isinstance(right, Fraction) and left != right:
        return left + (distance if right > left else -distance)
    return right
