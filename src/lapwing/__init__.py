"""Lapwing: answers about a table of people, each with a proof that no answer depends much on any one of them.

Three small vocabularies meet here: mechanisms that add noise (``Laplace``), the algebra of what they cost
(``PureDP``, ``Filter``, ``account``), and the words of the mechanism language (``@mechanism``, ``each``, ``laplace``).
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

if sys.argv[:1] == ["-m"] and sys.orig_argv[1:3] == ["-m", "lapwing"]:
    # ``python -m lapwing`` reads the package before its command: Ctrl-C here would end in a traceback
    from lapwing_command import leave_when_interrupted

    leave_when_interrupted()

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
from lapwing.source import (
    accurate,
    added,
    answers,
    choose,
    clip,
    discrete_gaussian,
    discrete_laplace,
    each,
    exp,
    exponential,
    falls,
    flip,
    flow,
    gaussian,
    laplace,
    ln,
    match,
    mechanism,
    monotone,
    one,
    replaced,
    rises,
    sample,
    sqrt,
    uniform,
    within,
    zcdp,
)

if TYPE_CHECKING:
    from lapwing.audit.audit_function import audit as audit
    from lapwing.checking import check as check
    from lapwing.client import connect as connect
    from lapwing.decide.notebook import prove as prove
    from lapwing.decide.notebook import refute as refute
    from lapwing.decide.verdict import Verdict as Verdict
    from lapwing.library import certified as certified
    from lapwing.session import Release as Release
    from lapwing.session import Session as Session
    from lapwing.session import open_session as open  # noqa: A004  # read as lapwing.open, like gzip.open
    from lapwing.session import protect_and_open as protect

__version__ = "0.1.0"

#: What needs an engine or a solver is read when it is first used: where each of these names is found.
_LATER = {
    "Release": ("lapwing.session", "Release"),
    "Session": ("lapwing.session", "Session"),
    "Verdict": ("lapwing.decide.verdict", "Verdict"),
    "audit": ("lapwing", "audit"),  # the room, which can be called
    "certified": ("lapwing.library", "certified"),
    "check": ("lapwing.checking", "check"),
    "connect": ("lapwing.client", "connect"),
    "prove": ("lapwing.decide.notebook", "prove"),
    "refute": ("lapwing.decide.notebook", "refute"),
    "open": ("lapwing.session", "open_session"),
    "protect": ("lapwing.session", "protect_and_open"),
}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module 'lapwing' has no attribute {name!r}")
    room, found = _LATER[name]
    if room == __name__:
        return importlib.import_module(f"{room}.{found}")
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
    "Verdict",
    "ZCDP",
    "__version__",
    "account",
    "accurate",
    "added",
    "answers",
    "audit",
    "certified",
    "check",
    "choose",
    "clip",
    "connect",
    "discrete_gaussian",
    "discrete_laplace",
    "each",
    "exp",
    "exponential",
    "falls",
    "flip",
    "flow",
    "gaussian",
    "laplace",
    "ln",
    "match",
    "mechanism",
    "monotone",
    "one",
    "open",
    "protect",
    "prove",
    "refute",
    "replaced",
    "rises",
    "sample",
    "sqrt",
    "uniform",
    "within",
    "zcdp",
]
