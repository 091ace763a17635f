"""How far a draw strays, except with probability β: one rule for each noise, true of the lattice that runs.

With step h, the discrete Laplace law has P(|X| > t) = 2q^m/(1 + q) where q = e^(-h/s) and m = ⌊t/h⌋ + 1 > t/h. As
2/(1 + q) <= e^(h/2s), that is at most e^(-(t - h/2)/s): the margin s·ln(1/β) of the continuous law needs half a step
more, and no less where it lies just below a multiple of h. The geometric law has P(X > t) = q^m <= e^(-t/s), and the
discrete Gaussian is subgaussian, P(|X| >= t) <= 2e^(-t²/2σ²) [CKS20], as in the continuous case.
"""

from __future__ import annotations

from fractions import Fraction

from lapwing.check.accuracy.logarithms import Logarithms, Sum
from lapwing.check.couplings.doubt import Unproved


def margin(logarithms: Logarithms, kind: str, scale: Sum, chance: Sum, choices: Sum) -> Sum:
    """The margin that one draw leaves with probability at most ``chance``."""
    less = logarithms.inverse(chance)
    match kind:
        case "laplace":
            return scale * logarithms.logarithm(less) + Sum.of(Fraction(1, 2)) * Sum.name("step()")
        case "exponential":
            return scale * logarithms.logarithm(less)
        case "gaussian":
            return scale * logarithms.root(Sum.of(2) * logarithms.logarithm(Sum.of(2) * less))
        case "choose":  # each of the scores that are lower by more than t has probability below e^(-t/scale)
            return scale * logarithms.logarithm(choices * less)
    raise Unproved(f"{kind} has no margin")


def failure(assumed: str, probability: Sum) -> Sum:
    """The probability with which a coin shows the other side."""
    return Sum.of(1) - probability if assumed == "true" else probability
