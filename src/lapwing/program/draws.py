"""The noise of the language, drawn exactly on the lattice of multiples of 2^-bits.

Outside a mechanism these functions draw too, which is handy at a prompt: ``laplace(2)`` is one sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

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
    steps = Fraction(arguments[0]) * 2**bits
    sampler = {"laplace": Laplace, "exponential": Geometric, "gaussian": Gaussian}[kind]
    return Fraction(sampler(steps).sample(), 2**bits)


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
