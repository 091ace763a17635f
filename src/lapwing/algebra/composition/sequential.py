"""Sequential composition: several looks at the same table, each allowed to depend on earlier answers.

[McSherry09] Thm 3 for ε, [DR14] Thm 3.16 and B.1 for (ε, δ), [BS16] Lemma 1.7 for zCDP, [Mironov17] Prop. 1 for
Rényi. Adaptive: the i-th mechanism may be *any* that satisfies the i-th bound, chosen after seeing the earlier
answers. If the bounds themselves are chosen on the way, use :mod:`lapwing.algebra.filters`.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TypeVar, cast

from lapwing.algebra.composition.alike import alike, approx
from lapwing.algebra.composition.concentrated import concentrated
from lapwing.algebra.composition.renyi import renyi
from lapwing.algebra.measures import ZCDP, ApproxDP, Measure, PureDP, RenyiDP

M = TypeVar("M", bound=Measure)


def sequential(measures: Iterable[M]) -> M:
    """The sum of the bounds, exactly: likelihood ratios multiply, so their logarithms add, and δs add by a union."""
    parts: list[Measure] = list(alike(measures))
    first = parts[0]
    total: Measure
    match first:
        case PureDP():
            total = PureDP(sum((cast(PureDP, part).epsilon for part in parts), Fraction(0)))
        case ApproxDP():
            pairs = cast(list[ApproxDP], parts)
            total = approx(
                sum((pair.epsilon for pair in pairs), Fraction(0)), sum((pair.delta for pair in pairs), Fraction(0))
            )
        case ZCDP():
            total = concentrated(cast(list[ZCDP], parts))
        case RenyiDP():
            total = renyi(cast(list[RenyiDP], parts))
    return cast(M, total)
