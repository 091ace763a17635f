"""How far a draw strays, except with probability β: one rule for each noise.

Real Laplace noise has P(|X| > t) = e^(-t/s) and exponential noise P(X > t) = e^(-t/s), so s·ln(1/β) is exact; Gaussian
noise has P(|X| > t) <= 2e^(-t²/2σ²) (Chernoff), and so has its discrete kin, which is subgaussian [CKS20]. Discrete
Laplace noise has P(|X| > t) = 2q^m/(1 + q) with q = e^(-1/s) and m = ⌊t⌋ + 1 > t; as 2/(1 + q) <= e^(1/2s), that is at
most e^(-(t - 1/2)/s): half a step more.
"""

from __future__ import annotations

from fractions import Fraction

from lapwing.kernel.accuracy.logarithms import Logarithms, Sum
from lapwing.kernel.doubt import Unproved


def margin(logarithms: Logarithms, kind: str, scale: Sum, chance: Sum, choices: Sum) -> Sum:
    """The margin that one draw leaves with probability at most ``chance``."""
    less = logarithms.inverse(chance)
    match kind:
        case "laplace" | "exponential":
            return scale * logarithms.logarithm(less)
        case "discrete_laplace":
            return scale * logarithms.logarithm(less) + Sum.of(Fraction(1, 2))
        case "gaussian" | "discrete_gaussian":
            return scale * logarithms.root(Sum.of(2) * logarithms.logarithm(Sum.of(2) * less))
        case "choose":  # each of the scores that are lower by more than t has probability below e^(-t/scale)
            return scale * logarithms.logarithm(choices * less)
    raise Unproved(f"{kind} has no margin")


def failure(assumed: str, probability: Sum) -> Sum:
    """The probability with which a coin shows the other side."""
    return Sum.of(1) - probability if assumed == "true" else probability
