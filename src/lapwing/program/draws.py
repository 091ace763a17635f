"""The noise of the language, drawn exactly on the lattice of multiples of 2^-bits.

Outside a mechanism these functions draw too, which is handy at a prompt: ``laplace(2)`` is one sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from lapwing.algebra import parameters
from lapwing.algebra.exact import Number, exact
from lapwing.noise.bernoulli import bernoulli
from lapwing.noise.categorical import categorical
from lapwing.noise.gaussian import Gaussian
from lapwing.noise.geometric import Geometric
from lapwing.noise.laplace import Laplace
from lapwing.noise.uniform import uniform as uniform_below
from lapwing.program.evaluate import Value
from lapwing.program.ir import NoiseKind

#: Noise and private numbers are multiples of 2^-BITS unless a run says otherwise.
BITS = 20


def draw(kind: NoiseKind, arguments: Sequence[Value], bits: int) -> Value:
    """One draw; the arguments are exact and in range (:mod:`~lapwing.program.secrecy` had them checked)."""
    if kind == "flip":
        return bernoulli(Fraction(arguments[0]))
    if kind == "uniform":
        return uniform_below(int(arguments[0]))
    if kind == "choose":
        scores, scale = arguments
        return int(categorical([Fraction(score) for score in scores], Fraction(scale)))
    return Fraction(_sampler(kind, Fraction(arguments[0]), bits).sample(), 2**bits)


def check(kind: NoiseKind, arguments: Sequence[Value], bits: int) -> None:
    """Refuse arguments that :func:`draw` could not use. For ``choose``: the number of scores, and the scale."""
    if kind == "flip":
        parameters.probability(Fraction(arguments[0]), "the probability of flip")
    elif kind == "uniform":
        parameters.whole(int(arguments[0]), "the n of uniform(n)")
    elif kind == "choose":
        parameters.whole(arguments[0], "the number of scores of choose")
        parameters.scale(Fraction(arguments[1]), "the scale of choose")
    else:
        parameters.scale(Fraction(arguments[0]), f"the argument of {kind}")
        _sampler(kind, Fraction(arguments[0]), bits)


def _sampler(kind: NoiseKind, scale: Fraction, bits: int) -> Laplace | Geometric | Gaussian:
    steps = scale * 2**bits
    if kind == "laplace":
        return Laplace(steps)
    return Geometric(steps) if kind == "exponential" else Gaussian(steps)


def laplace(scale: Number) -> float:
    """Two-sided exponential noise centred at 0: density ∝ exp(-|x|/scale)."""
    return float(draw("laplace", [exact(scale, "scale")], BITS))


def exponential(scale: Number) -> float:
    """One-sided exponential noise, 0 or more: density ∝ exp(-x/scale)."""
    return float(draw("exponential", [exact(scale, "scale")], BITS))


def gaussian(sigma: Number) -> float:
    """Normal noise centred at 0 with standard deviation (of the continuous curve) ``sigma``."""
    return float(draw("gaussian", [exact(sigma, "sigma")], BITS))


def flip(p: Number) -> bool:
    """True with probability ``p``."""
    return bool(draw("flip", [exact(p, "p")], BITS))


def uniform(n: int) -> int:
    """A whole number from 0 to ``n`` - 1, each as likely."""
    return uniform_below(n)


def choose(scores: Sequence[Number], scale: Number) -> int:
    """An index i with probability ∝ exp(scores[i]/scale)."""
    return int(categorical([exact(score, "a score") for score in scores], exact(scale, "scale")))


def clip(x: Number, low: Number, high: Number) -> Fraction:
    """``x`` moved into [low, high]."""
    return max(exact(low, "low"), min(exact(x, "x"), exact(high, "high")))


def match(a: object, b: object) -> bool:
    """The authorisation check: whether ``a`` equals ``b``."""
    return a == b
