"""How privacy loss is measured: frozen bounds, exact numbers, one class per definition.

Every class is an upper bound on the loss between neighbours. Bounds of different measures never compare or
add by accident; the theorems that relate them live in ``composition`` and ``conversion``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction

from lapwing.algebra import parameters
from lapwing.algebra.exact import Number, exact, shown
from lapwing.errors import InvalidInput


def _written(measure: Measure) -> str:
    """What ``repr`` says: as a dataclass would, except that Python refuses to print numbers of over 4,300 digits."""
    try:
        parts = [f"{each.name}={getattr(measure, each.name)!r}" for each in fields(measure)]
    except ValueError:
        parts = [f"{each.name}={_brief(getattr(measure, each.name))}" for each in fields(measure)]
    return f"{type(measure).__name__}({', '.join(parts)})"


def _brief(value: Fraction | tuple[object, ...]) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_brief, value))})"  # type: ignore[arg-type]  # tuples of tuples, and of numbers
    return shown(value)


@dataclass(frozen=True, slots=True, init=False)
class PureDP:
    """ε-differential privacy: Pr[M(x) ∈ S] ≤ e^ε Pr[M(y) ∈ S]. An ε of 0 is allowed: no dependence at all."""

    epsilon: Fraction

    __repr__ = _written

    def __init__(self, epsilon: Number) -> None:
        object.__setattr__(self, "epsilon", parameters.nonnegative(epsilon, "epsilon"))


@dataclass(frozen=True, slots=True, init=False)
class ApproxDP:
    """(ε, δ)-differential privacy: Pr[M(x) ∈ S] ≤ e^ε Pr[M(y) ∈ S] + δ."""

    epsilon: Fraction
    delta: Fraction

    __repr__ = _written

    def __init__(self, epsilon: Number, delta: Number) -> None:
        object.__setattr__(self, "epsilon", parameters.nonnegative(epsilon, "epsilon"))
        object.__setattr__(self, "delta", parameters.delta(delta))


@dataclass(frozen=True, slots=True, init=False)
class ZCDP:
    """ρ-zero-concentrated differential privacy: D_α(M(x) ‖ M(y)) ≤ ρα for every order α > 1 [BS16]."""

    rho: Fraction

    __repr__ = _written

    def __init__(self, rho: Number) -> None:
        object.__setattr__(self, "rho", parameters.nonnegative(rho, "rho"))


@dataclass(frozen=True, slots=True, init=False)
class RenyiDP:
    """A Rényi curve: at each listed order α > 1, D_α(M(x) ‖ M(y)) ≤ ε(α) [Mironov17].

    Orders that are not listed carry no bound. ``curve`` is sorted by order.
    """

    curve: tuple[tuple[Fraction, Fraction], ...]

    __repr__ = _written

    def __init__(self, curve: Mapping[Number, Number]) -> None:
        if not isinstance(curve, Mapping):
            raise InvalidInput(
                "A113",
                f"a Rényi curve is a {type(curve).__name__}",
                "Give a mapping from orders to bounds, such as {2: 0.1}",
            )
        points: dict[Fraction, Fraction] = {}
        for order, bound in curve.items():
            alpha = exact(order, "Rényi order")
            if alpha <= 1:
                raise InvalidInput(
                    "A111", f"a Rényi order is {shown(alpha)}, not above 1", "Give orders above 1, such as 2 or 3/2"
                )
            points[alpha] = parameters.nonnegative(bound, "Rényi bound")
        if not points:
            raise InvalidInput("A112", "a Rényi curve has no orders", "Give at least one order with its bound")
        object.__setattr__(self, "curve", tuple(sorted(points.items())))


Measure = PureDP | ApproxDP | ZCDP | RenyiDP
