"""Parallel composition: several looks, each at its own part of the table.

[McSherry09] Thm 4. What makes it sound is that one neighbour step touches one part, and that depends on the
neighbour notion and on what decides a unit's part:

- *One unit more or fewer*, part decided by a public function of the unit's own data: the step adds or removes
  one unit in exactly one part. The bounds (each for "one more or fewer" inside its part) join by maximum.
- *One unit changed*, part decided by something the change cannot touch (its place in the table, its device):
  again one part, and one unit changed inside it. Maximum of the bounds for "one changed".
- *One unit changed*, part decided by its data: the unit may leave one part and enter another. Then two parts
  change at once, each by one unit more or fewer, and the maximum is **not** a bound: :func:`parallel_moving`.

The list of parts must be public and fixed: which parts exist may not depend on the table. A unit with rows in
several parts is not covered. The mechanisms may be chosen adaptively: a part whose data did not change costs 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar, cast

from lapwing.algebra.composition.alike import alike
from lapwing.algebra.composition.renyi import common_orders
from lapwing.algebra.composition.sequential import sequential
from lapwing.algebra.measures import ZCDP, ApproxDP, Measure, PureDP, RenyiDP
from lapwing.errors import InvalidInput

M = TypeVar("M", bound=Measure)


def parallel(measures: Iterable[M]) -> M:
    """The largest bound, because a neighbour step changes one part and the others' answers cancel.

    Only for the first two cases of this module; ``claims.parallel`` checks which case it is.
    For (ε, δ) both are maximised separately: either part's bound implies the pair of maxima.
    """
    parts: list[Measure] = list(alike(measures))
    first = parts[0]
    largest: Measure
    match first:
        case PureDP():
            largest = PureDP(max(part.epsilon for part in cast(list[PureDP], parts)))
        case ApproxDP():
            pairs = cast(list[ApproxDP], parts)
            largest = ApproxDP(max(pair.epsilon for pair in pairs), max(pair.delta for pair in pairs))
        case ZCDP():
            largest = ZCDP(max(part.rho for part in cast(list[ZCDP], parts)))
        case RenyiDP():
            curves = [dict(part.curve) for part in cast(list[RenyiDP], parts)]
            largest = RenyiDP({order: max(curve[order] for curve in curves) for order in common_orders(curves)})
    return cast(M, largest)


def parallel_moving(added: Sequence[M], replaced: Sequence[M]) -> M:
    """A bound for "one unit changed" when the change may move the unit between parts.

    ``added[i]`` bounds the i-th mechanism for one unit more or fewer in its part, ``replaced[i]`` for one unit
    changed. Sound because a step either changes one part (covered by ``replaced``), or removes from one part
    and adds to another: two sequential steps, each at most the largest ``added`` bound.
    """
    if len(added) != len(replaced):
        raise InvalidInput(
            "A305",
            f"{len(added)} bounds for added units were given with {len(replaced)} for changed units",
            "Give both bounds for every part",
        )
    stays = parallel(replaced)
    if len(added) == 1:
        return stays  # with one part there is nowhere to move
    largest = parallel(added)
    return parallel([stays, sequential([largest, largest])])
