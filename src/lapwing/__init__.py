"""Lapwing: answers about a table of people, each with a proof that no answer depends much on any one of them.

Three small vocabularies meet here: mechanisms that add noise (``Laplace``), the algebra of what they cost
(``PureDP``, ``Filter``, ``account``), and the words of the mechanism language (``@mechanism``, ``each``, ``laplace``).
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import lapwing.flow  # noqa: F401  # the room is read first, so that it does not hide the decorator of that name later
from lapwing.algebra import (
    L1,
    L2,
    ZCDP,
    ApproxDP,
    Claim,
    ConcentratedOdometer,
    Filter,
    Linf,
    Neighbours,
    PureDP,
    PureOdometer,
    RenyiDP,
    Sensitivity,
    Unit,
    account,
)
from lapwing.errors import BudgetExceeded, LapwingError
from lapwing.noise import (
    CoinResponse,
    Exponential,
    Gaussian,
    Geometric,
    Laplace,
    Lattice,
    PermuteAndFlip,
    RandomizedResponse,
    Rappor,
)
from lapwing.program import (
    accurate,
    added,
    choose,
    clip,
    each,
    exponential,
    falls,
    flip,
    flow,
    gaussian,
    laplace,
    match,
    mechanism,
    monotone,
    one,
    replaced,
    rises,
    uniform,
    within,
    zcdp,
)

if TYPE_CHECKING:
    from lapwing.library import certified as certified
    from lapwing.session import Release as Release
    from lapwing.session import Session as Session
    from lapwing.session import open_session as open  # noqa: A004  # read as lapwing.open, like gzip.open

__version__ = "0.1.0"

#: What needs an engine or a solver is read when it is first used: where each of these names is found.
_LATER = {
    "Release": ("lapwing.session", "Release"),
    "Session": ("lapwing.session", "Session"),
    "certified": ("lapwing.library", "certified"),
    "open": ("lapwing.session", "open_session"),
}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module 'lapwing' has no attribute {name!r}")
    room, found = _LATER[name]
    return getattr(importlib.import_module(room), found)


__all__ = [  # noqa: RUF022  # plainly sorted, as a test expects; ruff would put constants first
    "ApproxDP",
    "BudgetExceeded",
    "Claim",
    "CoinResponse",
    "ConcentratedOdometer",
    "Exponential",
    "Filter",
    "Gaussian",
    "Geometric",
    "L1",
    "L2",
    "Laplace",
    "LapwingError",
    "Lattice",
    "Linf",
    "Neighbours",
    "PermuteAndFlip",
    "PureDP",
    "PureOdometer",
    "RandomizedResponse",
    "Rappor",
    "Release",
    "RenyiDP",
    "Sensitivity",
    "Session",
    "Unit",
    "ZCDP",
    "__version__",
    "account",
    "accurate",
    "added",
    "certified",
    "choose",
    "clip",
    "each",
    "exponential",
    "falls",
    "flip",
    "flow",
    "gaussian",
    "laplace",
    "match",
    "mechanism",
    "monotone",
    "one",
    "open",
    "replaced",
    "rises",
    "uniform",
    "within",
    "zcdp",
]
