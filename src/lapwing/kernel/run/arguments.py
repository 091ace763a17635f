"""What a draw can be asked for: scales above 0 that samplers support, probabilities, something to choose from."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from lapwing.algebra import parameters
from lapwing.kernel.program.ir import NoiseKind
from lapwing.kernel.run.coins import RealChance
from lapwing.kernel.run.evaluate import Value
from lapwing.noise.sampler_limits import supported_scale, supported_variance


def check(kind: NoiseKind, arguments: Sequence[Value]) -> None:
    """Refuse arguments that no draw could use. For ``choose``: the number of scores, and the scale."""
    if kind == "flip" and isinstance(arguments[0], RealChance):
        arguments[0].check()
    elif kind == "flip":
        parameters.probability(Fraction(arguments[0]), "the probability of flip")
    elif kind == "uniform":
        parameters.whole(int(arguments[0]), "the n of uniform(n)")
    elif kind == "choose":
        parameters.whole(arguments[0], "the number of scores of choose")
        parameters.scale(Fraction(arguments[1]), "the scale of choose")
    elif arguments[0] <= 0 or kind in ("discrete_laplace", "discrete_gaussian"):
        scale = parameters.scale(Fraction(arguments[0]), f"the argument of {kind}")
        if kind == "discrete_laplace":
            supported_scale(scale)
        elif kind == "discrete_gaussian":
            supported_variance(scale**2)
