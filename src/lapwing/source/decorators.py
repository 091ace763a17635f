"""``@mechanism``, ``@accurate``, ``@flow``: a function becomes a mechanism, read from its source at first use.

What a decorator is given is read from the source, like everything else; here it is only checked for sense.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from lapwing.algebra.exact import Number
from lapwing.errors import InvalidInput
from lapwing.kernel.program.neighbours import Relation
from lapwing.source import parse
from lapwing.source.run import Runnable

#: A claim as a decorator states it: ε, (ε, δ), or zcdp(ρ).
ClaimText = str | int | float | Fraction


@dataclass(frozen=True, slots=True)
class Zcdp:
    """The claim of ρ-zero-concentrated differential privacy."""

    rho: str | Number


def zcdp(rho: str | Number) -> Zcdp:
    """Claim ρ-zero-concentrated differential privacy: ``claim=zcdp("rho")``."""
    return Zcdp(rho)


def mechanism(
    *, claim: ClaimText | tuple[ClaimText, ClaimText] | Zcdp | None = None, **private: Relation
) -> Callable[[Callable[..., object] | Runnable], Runnable]:
    """Make a function a mechanism: each keyword names a private parameter and how neighbours differ in it."""
    del claim  # read from the source, where it has a place to point at
    for name, relation in private.items():
        if not isinstance(relation, Relation):
            raise InvalidInput("P165", f"'{name}' is given no neighbour relation", "Write something like q=each(1)")
    return _runnable


def accurate(condition: str, *, beta: str | Number) -> Callable[[Callable[..., object] | Runnable], Runnable]:
    """State that ``condition`` on the parameters and ``result`` fails with probability at most ``beta``."""
    del condition, beta  # read from the source
    return _runnable


def flow(*, lattice: str = "", **labels: str) -> Callable[[Callable[..., object] | Runnable], Runnable]:
    """Label parameters and ``result`` as secret or public, or with the labels of ``lattice="low < mid < high"``."""
    del lattice, labels  # read from the source
    return _runnable


def _runnable(function: Callable[..., object] | Runnable) -> Runnable:
    if isinstance(function, Runnable):
        return function  # several of the decorators on one function
    if not inspect.isfunction(function):
        raise InvalidInput("P213", "a decorator of Lapwing stands on something that is no function", "Put it on a def")
    source, line = parse.source_of(function)
    runnable = Runnable(function.__name__, source, line)
    # what functools.update_wrapper would set, on an object that is frozen from here on
    names: dict[str, object] = {name: getattr(function, name) for name in functools.WRAPPER_ASSIGNMENTS}
    vars(runnable).update(names, __wrapped__=function)
    return runnable
