"""The mechanisms that Lapwing ships: each written in its own language, one per file, with a certificate stored beside.

``from lapwing.library import sparse_vector`` gives a :class:`~lapwing.library.certifying.Certified`: call it to run it
with exact noise; ``.guarantee`` is what the checker confirms of the very program that the call runs. Mechanisms are
read when they are first asked for.
"""

from lapwing.library.certifying import Certified, certified
from lapwing.library.shelf import NAMES, shipped

__all__ = ["NAMES", "Certified", "certified", *NAMES]


def __getattr__(name: str) -> Certified:
    if name in NAMES:
        return shipped(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
