"""The certificate of a release: the plan, what one person can change, the mechanisms, and how their prices add up.

Nothing in it has to be believed: :mod:`lapwing.kernel.release` derives every bound again from the plan and compares.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from lapwing.algebra.measures import ZCDP, ApproxDP, PureDP
from lapwing.algebra.neighbours import Neighbours
from lapwing.kernel.evidence.plan import Aggregate, Key, Measurement, Relation
from lapwing.noise.exponential import Exponential
from lapwing.noise.gaussian import Gaussian
from lapwing.noise.laplace import Laplace

#: What a charge is.
Price = PureDP | ApproxDP | ZCDP
Mechanism = Laplace | Gaussian | Exponential


@dataclass(frozen=True, slots=True)
class Change:
    """Bounds of how far neighbours can be apart over all groups together: Σ|d| and Σd²."""

    l1: int
    l2_squared: int


@dataclass(frozen=True, slots=True)
class NoisyMeasurement:
    """One measurement, how far one person can move it, the mechanism that hides this, and what that costs."""

    measurement: Measurement
    change: Change
    mechanism: Mechanism
    claim: PureDP | ZCDP


@dataclass(frozen=True, slots=True)
class Selection:
    """Which groups may be shown: those in which so many different people are found, after noise."""

    part: NoisyMeasurement
    threshold: int
    delta: Fraction


@dataclass(frozen=True, slots=True)
class ReleaseCertificate:
    """Why the answers to ``query`` cost ``price``: everything that their privacy rests on.

    ``together`` has the names of measurements that one price pays for, because a row has one weight for all of them.
    """

    query: str
    neighbours: Neighbours
    source: Relation
    keys: tuple[Key, ...]
    measurements: tuple[NoisyMeasurement, ...]
    selection: Selection | None
    price: Price
    together: tuple[tuple[str, ...], ...] = ()

    @property
    def noisy(self) -> tuple[NoisyMeasurement, ...]:
        """Everything that is measured, also for choosing groups."""
        return (*self.measurements, *(() if self.selection is None else (self.selection.part,)))

    @property
    def plans(self) -> tuple[Aggregate, ...]:
        """What an engine may be asked for: one plan."""
        chosen = None if self.selection is None else self.selection.part.measurement
        return (Aggregate(self.source, self.keys, tuple(each.measurement for each in self.measurements), chosen),)


def price_to_json(price: Price) -> dict[str, str]:
    """A price as exact numbers, by name."""
    match price:
        case PureDP(epsilon):
            return {"epsilon": str(epsilon)}
        case ApproxDP(epsilon, delta):
            return {"epsilon": str(epsilon), "delta": str(delta)}
        case ZCDP(rho):
            return {"rho": str(rho)}
