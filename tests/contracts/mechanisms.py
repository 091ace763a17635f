"""The mechanisms that the contract suite runs on: add a line here and every promise is tested.

``Case.right`` makes a distance of the metric the mechanism's proof needs; ``Case.wrong`` are distances it must refuse.
"""

from dataclasses import dataclass
from typing import Any

from lapwing.algebra.metrics import L1, L2, Linf
from lapwing.noise.coin_response import CoinResponse
from lapwing.noise.exponential import Exponential
from lapwing.noise.gaussian import Gaussian
from lapwing.noise.geometric import Geometric
from lapwing.noise.laplace import Laplace
from lapwing.noise.permute_and_flip import PermuteAndFlip
from lapwing.noise.randomized_response import RandomizedResponse


@dataclass(frozen=True)
class Case:
    mechanism: Any
    right: Any
    wrong: tuple[Any, ...]

    @property
    def name(self):
        return repr(self.mechanism)


#: Mechanisms with a claim about a distance.
ADDITIVE = [
    Case(Laplace("1/3"), L1, (L2(1), Linf(1))),
    Case(Laplace("7/5"), L1, (L2(1), Linf(1))),
    Case(Laplace(100), L1, (L2(1), Linf(1))),
    Case(Gaussian("1/3"), L2, (L1(1), Linf(1))),
    Case(Gaussian(squared=2), L2, (L1(1), Linf(1))),
    Case(Gaussian(100), L2, (L1(1), Linf(1))),
]

#: Distributions of noise: the additive mechanisms', and noise that programs use.
NOISE = [case.mechanism for case in ADDITIVE] + [Geometric("1/3"), Geometric(40)]

#: Mechanisms that choose an index by private scores.
CHOICES = [
    Case(Exponential("7/5"), Linf, (L1(1), L2(1))),
    Case(Exponential(100), Linf, (L1(1), L2(1))),
    Case(PermuteAndFlip("7/5"), Linf, (L1(1), L2(1))),
    Case(PermuteAndFlip(100), Linf, (L1(1), L2(1))),
]

#: Mechanisms that each person applies to a category code of their own.
RESPONSES = [
    RandomizedResponse("2/3"),
    RandomizedResponse("1/3", 7),
    RandomizedResponse("1/100", 3),
    RandomizedResponse.for_epsilon("7/5"),
    RandomizedResponse.for_epsilon("1/3", 5),
    CoinResponse("1/2"),
    CoinResponse("2/7"),
    CoinResponse("1/3", "9/10"),
]

#: Every mechanism that makes a claim about a distance.
CLAIMING = [*ADDITIVE, *CHOICES]
