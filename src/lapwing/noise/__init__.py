"""Exact noise: whole numbers in vectors, real numbers digit by digit. The only room that draws entropy.

A mechanism is frozen data: a ``claim``, a way to ``release`` (or ``choose``), and its exact distribution. Each is one
file; the samplers underneath are exact too and share one source of bits.
"""

from lapwing.noise.coin_response import CoinResponse
from lapwing.noise.exponential import Exponential
from lapwing.noise.gaussian import Gaussian
from lapwing.noise.geometric import Geometric
from lapwing.noise.laplace import Laplace
from lapwing.noise.lattice import Lattice
from lapwing.noise.permute_and_flip import PermuteAndFlip
from lapwing.noise.randomized_response import RandomizedResponse
from lapwing.noise.rappor import Rappor

__all__ = [
    "CoinResponse",
    "Exponential",
    "Gaussian",
    "Geometric",
    "Laplace",
    "Lattice",
    "PermuteAndFlip",
    "RandomizedResponse",
    "Rappor",
]
