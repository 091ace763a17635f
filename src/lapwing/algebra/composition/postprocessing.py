"""Post-processing: what is computed from a private answer alone is as private as the answer.

[DR14] Prop. 2.1 for ε and (ε, δ); [BS16] Lemma 1.8 for zCDP; [Mironov17] §II for Rényi. All four are the
data-processing inequality of a divergence; the processing may be randomised.
"""

from __future__ import annotations

from typing import TypeVar

from lapwing.algebra.measures import Measure

M = TypeVar("M", bound=Measure)


def postprocessed(measure: M) -> M:
    """The same bound, because a function of the output that never sees the table cannot tell neighbours apart better.

    The function must not read the table again: a second look is :func:`sequential` composition.
    """
    return measure
