"""The certificate of a release: the plan, what one person can change, the mechanisms, and how their prices add up.

Nothing in it has to be believed: ``check`` derives every bound again from the plan and compares.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from lapwing.algebra.measures import ZCDP, ApproxDP, Measure, PureDP
from lapwing.algebra.neighbours import Neighbours
from lapwing.noise import Exponential, Gaussian, Laplace
from lapwing.query.record import record
from lapwing.session.pricing import Part, Priced


def certificate(priced: Priced, neighbours: Neighbours) -> dict[str, Any]:
    """What is written beside the answers."""
    aggregate = priced.query.aggregate
    parts = [_part(part) for part in priced.parts]
    selection = priced.selection
    return {
        "kind": "release",
        "query": priced.query.text,
        "neighbours": neighbours.name.lower(),
        "plan": record(aggregate.source),
        "keys": record(aggregate.keys),
        "measurements": parts,
        "selection": None
        if selection is None
        else _part(selection.part) | {"threshold": selection.threshold, "delta": str(selection.delta)},
        "price": measure(priced.price),
    }


def query_digest(proof: object, confidence: object) -> str:
    """What makes two questions the same: the certificate has the whole plan and every mechanism."""
    return hashlib.sha256(json.dumps([proof, confidence], sort_keys=True).encode()).hexdigest()


def measure(amount: Measure) -> dict[str, str]:
    """A bound as exact numbers, by name."""
    match amount:
        case PureDP(epsilon):
            return {"epsilon": str(epsilon)}
        case ApproxDP(epsilon, delta):
            return {"epsilon": str(epsilon), "delta": str(delta)}
        case ZCDP(rho):
            return {"rho": str(rho)}
        case _:
            raise TypeError(f"{type(amount).__name__} is not a price")


def _part(part: Part) -> dict[str, Any]:
    return {
        "measurement": record(part.measurement),
        "change": {"l1": part.change.l1, "l2_squared": part.change.l2_squared},
        "mechanism": _mechanism(part.mechanism),
        "claim": measure(part.claim),
    }


def _mechanism(mechanism: Laplace | Gaussian | Exponential) -> dict[str, str]:
    match mechanism:
        case Laplace():
            return {"name": "laplace", "scale": str(mechanism.scale)}
        case Gaussian():
            return {"name": "gaussian", "variance": str(mechanism.squared)}
        case Exponential():
            return {"name": "exponential", "scale": str(mechanism.scale)}
