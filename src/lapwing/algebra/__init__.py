"""The ground floor: who is protected, how distance and privacy are measured, and how losses add up.

Exact numbers come in through ``exact`` and ``parameters``; irrational ones are ``balls``. ``neighbours``, ``metrics``
and ``measures`` are the nouns; ``sensitivity``, ``composition``, ``conversion``, ``subsampling``, ``filters`` and
``odometers`` are the theorems about them; ``accounting`` answers what a whole set of mechanisms costs.
"""

from lapwing.algebra.accounting.account import account
from lapwing.algebra.claims import Claim
from lapwing.algebra.filters import Filter
from lapwing.algebra.measures import ZCDP, ApproxDP, PureDP, RenyiDP
from lapwing.algebra.metrics import L1, L2, Linf
from lapwing.algebra.neighbours import Neighbours, Unit
from lapwing.algebra.odometers import ConcentratedOdometer, PureOdometer
from lapwing.algebra.sensitivity import Sensitivity

__all__ = [
    "L1",
    "L2",
    "ZCDP",
    "ApproxDP",
    "Claim",
    "ConcentratedOdometer",
    "Filter",
    "Linf",
    "Neighbours",
    "PureDP",
    "PureOdometer",
    "RenyiDP",
    "Sensitivity",
    "Unit",
    "account",
]
