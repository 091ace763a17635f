"""The ε of a sum of mechanisms by their privacy-loss distributions: chooses the grid, composes, reads off ε.

The one idea: choices made here (floats are allowed to make them) decide how tight a bound is, never whether it
is one; that is settled in ``loss`` and ``dots``.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from math import floor, gcd, log, log2, sqrt

from lapwing.algebra.accounting.dots import Wish, discretised, sketched, working_bits
from lapwing.algebra.accounting.loss import MAX_POINTS, Fineness, LossDistribution
from lapwing.algebra.accounting.pairs import Pair, gaussian_pair, pairs
from lapwing.algebra.accounting.sketch import best_tilt
from lapwing.algebra.accounting.terms import Base, Gaussian, Poisson

#: Wished-for relative error of the loss variance from the first grid.
VARIANCE_ERROR = 1e-6
#: The tolerance of one chord is the share of its pair divided by this: there are a few thousand chords.
DOTS = 4000
#: Rounding and tails together may cost this much of δ, relatively; about 2⁻³⁰.
RELATIVE_BITS = 30


def privacy_loss_epsilon(terms: Sequence[tuple[int, Base | Poisson]], delta: Fraction) -> Fraction:
    """An ε at which the sum of ``count`` runs of each term is (ε, δ)-private, rounded up; close to the smallest."""
    return max((one.epsilon(delta) for one in privacy_losses(terms, delta)), default=Fraction(0))


def privacy_losses(terms: Sequence[tuple[int, Base | Poisson]], delta: Fraction) -> tuple[LossDistribution, ...]:
    """Distributions that dominate the sum, one if both directions are alike; none if no term says anything."""
    fineness = _fineness(sum(count for count, _ in terms), delta)
    counted = _paired(terms, fineness)
    if not counted:
        return ()
    directions = {tuple(both[way] for _, both in counted): None for way in (0, 1)}
    counts = [count for count, _ in counted]
    return tuple(_composed(counts, chosen, fineness, delta) for chosen in directions)


def _paired(terms: Sequence[tuple[int, Base | Poisson]], fineness: Fineness) -> list[tuple[int, tuple[Pair, Pair]]]:
    """Each term's pairs; real-valued Gaussians are joined to one first, which is exact [DRS22 Cor 3.3]."""
    joined = sum(
        (count * term.squared_ratio for count, term in terms if isinstance(term, Gaussian) and term.steps is None),
        Fraction(0),
    )
    bits = working_bits(fineness.bits, Fraction(1, 1 << 20))
    result = [
        (count, pairs(term, bits))
        for count, term in terms
        if not (isinstance(term, Gaussian) and term.steps is None) and not _silent(term)
    ]
    if joined:
        pair = gaussian_pair(joined)
        result.append((1, (pair, pair)))
    return result


def _silent(term: Base | Poisson) -> bool:
    """Whether the term's answer does not depend on the unit at all."""
    base = term.base if isinstance(term, Poisson) else term
    return base.squared_ratio == 0 if isinstance(base, Gaussian) else base.epsilon == 0


def _composed(counts: Sequence[int], chosen: Sequence[Pair], fineness: Fineness, delta: Fraction) -> LossDistribution:
    sketches = [sketched(pair, fineness) for pair in chosen]
    tilt = best_tilt(counts, sketches, _log(delta))
    variances = [one.tilted_variance(tilt) for one in sketches]
    total = sum(count * variance for count, variance in zip(counts, variances, strict=True))
    # Every term may add the same share of the wished-for error to the variance of the total loss.
    shares = [VARIANCE_ERROR * total / (count * len(counts)) for count in counts]
    steps = _steps(chosen, [count * variance for count, variance in zip(counts, variances, strict=True)], shares)
    parts = []
    for count, pair, step, share, sketch in zip(counts, chosen, steps, shares, sketches, strict=True):
        wish = Wish(share / DOTS, tilt, sketch.log_moment(tilt))
        parts.append(discretised(pair, step, fineness, wish).kept_small().power(count))
    parts.sort(key=lambda part: part.step)  # each is coarsened as late as possible
    return reduce(LossDistribution.compose, parts)


def _steps(chosen: Sequence[Pair], weights: Sequence[float], shares: Sequence[float]) -> list[Fraction]:
    """A grid step for each pair, all of them one step times powers of two, so that halving joins them.

    If all losses lie on lattices, their common divisor is exact. Else the heaviest pair with a spacing gets a
    grid through its losses, fine enough for all: a chord over a step h adds about h²/6 to the loss variance.
    """
    wishes = [sqrt(6 * share) for share in shares]
    if all(pair.is_lattice for pair in chosen):
        divisor = reduce(_common_divisor, (pair.spacing for pair in chosen if pair.spacing is not None))
        if divisor * MAX_POINTS > max(wishes) * 10_000:
            return [divisor] * len(chosen)
    spaced = [(weight, pair.spacing) for weight, pair in zip(weights, chosen, strict=True) if pair.spacing]
    smallest = max(spaced)[1] if spaced else Fraction(1)
    smallest *= Fraction(2) ** floor(log2(min(wishes)) - log2(smallest))
    return [_halvings(pair, smallest, wish) for pair, wish in zip(chosen, wishes, strict=True)]


def _halvings(pair: Pair, smallest: Fraction, wish: float) -> Fraction:
    """``smallest`` times the power of two that suits the pair: exactly its lattice if possible, else the wish."""
    if pair.is_lattice and pair.spacing is not None and (pair.spacing / smallest).denominator == 1:
        whole = (pair.spacing / smallest).numerator
        return smallest * (whole & -whole)
    return smallest * (1 << max(0, floor(log2(wish) - log2(smallest))))


def _log(value: Fraction) -> float:
    return log(value.numerator) - log(value.denominator)


def _common_divisor(left: Fraction, right: Fraction) -> Fraction:
    """The largest rational of which both are whole multiples."""
    return Fraction(
        gcd(left.numerator * right.denominator, right.numerator * left.denominator),
        left.denominator * right.denominator,
    )


def _fineness(count: int, delta: Fraction) -> Fineness:
    """Rounding up MAX_POINTS masses at every squaring costs about δ·2⁻³⁰ in all, and so do the tails."""
    small = delta.denominator.bit_length() - delta.numerator.bit_length() + 1
    bits = RELATIVE_BITS + small + count.bit_length() + MAX_POINTS.bit_length() + 4
    high = (delta * (1 << bits)) // (count << (RELATIVE_BITS + 3))
    return Fineness(bits, (1 << bits) // (count << 40), high)
