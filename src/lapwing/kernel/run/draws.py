"""The noise of the language, drawn exactly: real numbers by their digits, whole numbers and choices at once.

Outside a mechanism these functions draw too, which is handy at a prompt: ``laplace(2)`` is one sample, rounded down to
a multiple of 2^-BITS as an answer is.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeVar

from lapwing.algebra import parameters
from lapwing.algebra.exact import Number, exact
from lapwing.algebra.outward import outward
from lapwing.kernel.program.ir import NoiseKind
from lapwing.kernel.run.coins import RealChance
from lapwing.kernel.run.evaluate import Value
from lapwing.kernel.run.extent import BITS
from lapwing.noise import forms
from lapwing.noise.bernoulli import bernoulli, coin
from lapwing.noise.categorical import categorical
from lapwing.noise.gaussian import Gaussian
from lapwing.noise.laplace import Laplace
from lapwing.noise.reals import Law
from lapwing.noise.uniform import uniform as uniform_below

Record = TypeVar("Record")


def draw(kind: NoiseKind, arguments: Sequence[Value]) -> Value:
    """One draw; the arguments are exact and in range (:mod:`~lapwing.kernel.wellformed.secrecy` had them checked)."""
    if kind in ("laplace", "exponential", "gaussian"):
        return forms.draw(kind, arguments[0])
    if kind == "flip":
        bias = arguments[0]
        return coin(bias.enclosing, None) if isinstance(bias, RealChance) else bernoulli(Fraction(bias))
    if kind == "uniform":
        return uniform_below(int(arguments[0]))
    if kind == "choose":
        scores, scale = arguments
        return int(categorical([Fraction(score) for score in scores], Fraction(scale)))
    return _sampler(kind, arguments[0]).sample()


def _sampler(kind: NoiseKind, scale: Value) -> Laplace | Gaussian:
    return Laplace(Fraction(scale)) if kind == "discrete_laplace" else Gaussian(Fraction(scale))


def _real(law: Law, scale: Number, name: str) -> float:
    return float(forms.draw(law, parameters.scale(scale, name)).floor_to(BITS))


def laplace(scale: Number) -> float:
    """Two-sided exponential noise centred at 0: density ∝ exp(-|x|/scale)."""
    return _real("laplace", scale, "scale")


def exponential(scale: Number) -> float:
    """One-sided exponential noise, 0 or more: density ∝ exp(-x/scale)."""
    return _real("exponential", scale, "scale")


def gaussian(sigma: Number) -> float:
    """Normal noise centred at 0 with standard deviation ``sigma``."""
    return _real("gaussian", sigma, "sigma")


def discrete_laplace(scale: Number) -> int:
    """Two-sided geometric noise on the whole numbers: probability ∝ exp(-|k|/scale)."""
    return int(draw("discrete_laplace", [exact(scale, "scale")]))


def discrete_gaussian(sigma: Number) -> int:
    """Normal noise on the whole numbers: probability ∝ exp(-k²/(2 sigma²))."""
    return int(draw("discrete_gaussian", [exact(sigma, "sigma")]))


def flip(p: Number) -> bool:
    """True with probability ``p``."""
    return bool(draw("flip", [exact(p, "p")]))


def sample(records: Sequence[Record], p: Number) -> list[Record]:
    """Each of the records with probability ``p``, independently of all others and in their order."""
    chance = parameters.probability(p, "p")
    return [record for record in records if flip(chance)]


def uniform(n: int) -> int:
    """A whole number from 0 to ``n`` - 1, each as likely."""
    return uniform_below(n)


def choose(scores: Sequence[Number], scale: Number) -> int:
    """An index i with probability ∝ exp(scores[i]/scale)."""
    return int(categorical([exact(score, "a score") for score in scores], exact(scale, "scale")))


def clip(x: Number, low: Number, high: Number) -> Fraction:
    """``x`` moved into [low, high]."""
    return max(exact(low, "low"), min(exact(x, "x"), exact(high, "high")))


def ln(x: Number) -> Fraction:
    """The natural logarithm of ``x``, rounded away from 0 to 64 binary digits, as in a mechanism."""
    return outward("ln", exact(x, "x"))


def exp(x: Number) -> Fraction:
    """E to the power of ``x``, rounded up to 64 binary digits, as in a mechanism."""
    return outward("exp", exact(x, "x"))


def sqrt(x: Number) -> Fraction:
    """The square root of ``x``, rounded up to 64 binary digits, as in a mechanism."""
    return outward("sqrt", exact(x, "x"))


def match(a: object, b: object) -> bool:
    """The authorisation check: whether ``a`` equals ``b``."""
    return a == b
