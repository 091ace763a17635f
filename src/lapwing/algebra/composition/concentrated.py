"""Composition of zero-concentrated bounds: the ρs add [BS16] Lemma 1.7."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from lapwing.algebra.composition.alike import alike
from lapwing.algebra.measures import ZCDP


def concentrated(measures: Iterable[ZCDP]) -> ZCDP:
    """(Σρ)-zCDP, adaptively, because Rényi divergence adds at every order and Σ(ρα) = (Σρ)α."""
    return ZCDP(sum((measure.rho for measure in alike(measures)), Fraction(0)))
