"""How losses add up: one theorem, one file, one function, each on bare measures.

The one idea: a theorem takes bounds of *one* measure and returns a bound of that measure. Who the bounds are
about is the business of ``lapwing.algebra.claims``, which lifts these functions and refuses to mix.
"""

from lapwing.algebra.composition.advanced import advanced, advanced_heterogeneous
from lapwing.algebra.composition.concentrated import concentrated
from lapwing.algebra.composition.group import group
from lapwing.algebra.composition.parallel import parallel, parallel_moving
from lapwing.algebra.composition.postprocessing import postprocessed
from lapwing.algebra.composition.renyi import renyi
from lapwing.algebra.composition.sequential import sequential

__all__ = [
    "advanced",
    "advanced_heterogeneous",
    "concentrated",
    "group",
    "parallel",
    "parallel_moving",
    "postprocessed",
    "renyi",
    "sequential",
]
