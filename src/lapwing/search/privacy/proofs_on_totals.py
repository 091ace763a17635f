"""Proving a mechanism on records as one on the totals that it computes: noisy maxima of counts, thresholds on sums.

The one idea: how far one record moves each total is found as any price is (:mod:`folds`); the mechanism on totals is
then a mechanism like any other, and every other method may prove it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lapwing.errors import InvalidProgram
from lapwing.kernel.doubt import Unproved
from lapwing.kernel.evidence.certificate import Certificate, Lift, Measure
from lapwing.kernel.folds.lifting import Lifted, confirm, lift, moves
from lapwing.kernel.folds.release_prices import Folds
from lapwing.kernel.program import ir
from lapwing.kernel.solver import Terms
from lapwing.search.privacy.folds import MILLISECONDS, Derivation
from lapwing.search.privacy.outcome import Failed, Found

#: Attempts at the mechanism on totals, by whoever calls.
Inner = Callable[[ir.Module], Iterator[Certificate | Failed]]


def by_lifting(mechanism: ir.Mechanism, measure: Measure, attempts: Inner) -> Iterator[Found | Failed]:
    """Proofs of the mechanism on totals."""
    try:
        folds = Folds(Terms(milliseconds=MILLISECONDS), mechanism, measure)
        lifted = lift(folds)
        distances = tuple(_distance(folds, lifted, place) for place in range(len(lifted.totals)))
        module = lifted.with_distances(distances)
    except Unproved as doubt:
        yield Failed(doubt.problem, doubt.span)
        return
    except InvalidProgram as refusal:
        yield Failed(refusal.problem)
        return
    for attempt in attempts(module):
        if isinstance(attempt, Failed):
            yield attempt
        elif attempt.measure == measure:
            yield Found(measure, attempt.bound, Lift(distances, attempt), attempt.delta)


def _distance(folds: Folds, lifted: Lifted, place: int) -> tuple[str, bool]:
    """How far one record moves a total, and whether a list of them moves one way."""
    total = lifted.totals[place]
    alone = Lifted(lifted.mechanism, (total,))
    derivation = Derivation(folds, [moves(folds, total)])
    for text in (*derivation.bounds(None), "1"):
        for one_way in (True, False) if total.listed else (False,):
            try:
                confirm(folds, alone, [(text, one_way)])
            except Unproved:
                continue
            return text, one_way
    raise Unproved(f"nothing bounds how far one record moves {total.name}")
