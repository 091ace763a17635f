"""Certificates of releases as JSON: what is written beside answers, and read again by whoever checks them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lapwing.algebra.measures import ZCDP, ApproxDP, PureDP
from lapwing.algebra.neighbours import Neighbours
from lapwing.errors import InvalidInput
from lapwing.kernel.evidence import plan_records as records
from lapwing.kernel.evidence.release import (
    Change,
    Mechanism,
    NoisyMeasurement,
    Price,
    ReleaseCertificate,
    Selection,
    price_to_json,
)
from lapwing.noise.exponential import Exponential
from lapwing.noise.gaussian import Gaussian
from lapwing.noise.laplace import Laplace

#: Another number is another format: what it says is not guessed.
FORMAT = 3
_FIELDS = ("kind", "format", "query", "neighbours", "plan", "keys", "measurements", "selection", "price", "together")
_NOISY = ("measurement", "change", "mechanism", "claim")


def release_to_json(certificate: ReleaseCertificate) -> dict[str, Any]:
    """The certificate as a JSON object."""
    selection = certificate.selection
    return {
        "kind": "release",
        "format": FORMAT,
        "query": certificate.query,
        "neighbours": certificate.neighbours.value,
        "plan": records.record(certificate.source),
        "keys": records.record(certificate.keys),
        "measurements": [_noisy_to_json(each) for each in certificate.measurements],
        "selection": None
        if selection is None
        else _noisy_to_json(selection.part) | {"threshold": selection.threshold, "delta": str(selection.delta)},
        "price": price_to_json(certificate.price),
        "together": [list(each) for each in certificate.together],
    }


def release_from_json(data: object) -> ReleaseCertificate:
    """The certificate that ``data`` states; refuses another format, and anything that is not of its field's type."""
    fields = fields_of(data, "release", _FIELDS)
    selection = fields["selection"]
    return ReleaseCertificate(
        records.text(fields["query"]),
        neighbours_from_json(fields["neighbours"]),
        records.relation(fields["plan"]),
        records.keys(fields["keys"]),
        tuple(_noisy(each) for each in records.READ.items(fields["measurements"], "measurements")),
        None if selection is None else _selection(selection),
        price_from_json(fields["price"]),
        records.several(records.several(records.text))(fields["together"]),
    )


def fields_of(data: object, kind: str, names: tuple[str, ...]) -> Mapping[str, Any]:
    """The fields of a certificate of this kind, in this format."""
    if not isinstance(data, Mapping) or data.get("kind") != kind:
        raise InvalidInput("C102", f"this is not the certificate of a {kind}", records.READ.again)
    form = data.get("format", 1)
    if isinstance(form, bool) or form != FORMAT:
        shown = form if isinstance(form, int) and abs(form) < 10**6 else "another"
        raise InvalidInput(
            "C102",
            f"the certificate is of format {shown}, and format {FORMAT} is read",
            "Ask again, or check it with the version of Lapwing that wrote it",
        )
    return records.READ.fields(data, f"certificate of a {kind}", names)


def neighbours_from_json(data: object) -> Neighbours:
    """The notion of neighbours."""
    found: Neighbours = records.one_of(Neighbours)(data)
    return found


def price_from_json(data: object) -> Price:
    """The price that :func:`price_to_json` wrote."""
    match data:
        case {"epsilon": epsilon, "delta": delta, **rest} if not rest:
            return ApproxDP(records.number(epsilon), records.number(delta))
        case {"epsilon": epsilon, **rest} if not rest:
            return PureDP(records.number(epsilon))
        case {"rho": rho, **rest} if not rest:
            return ZCDP(records.number(rho))
    raise records.wrong("a price")


def _noisy_to_json(part: NoisyMeasurement) -> dict[str, Any]:
    return {
        "measurement": records.record(part.measurement),
        "change": {"l1": part.change.l1, "l2_squared": part.change.l2_squared},
        "mechanism": _mechanism_to_json(part.mechanism),
        "claim": price_to_json(part.claim),
    }


def _noisy(data: object) -> NoisyMeasurement:
    fields = records.READ.fields(data, "measurement", _NOISY)
    change = records.READ.fields(fields["change"], "change", ("l1", "l2_squared"))
    claim = price_from_json(fields["claim"])
    if isinstance(claim, ApproxDP):
        raise records.wrong("a claim without a delta")
    return NoisyMeasurement(
        records.measurement(fields["measurement"]),
        Change(records.whole(change["l1"]), records.whole(change["l2_squared"])),
        _mechanism_from_json(fields["mechanism"]),
        claim,
    )


def _selection(data: object) -> Selection:
    fields = records.READ.fields(data, "selection", (*_NOISY, "threshold", "delta"))
    part = _noisy({name: fields[name] for name in _NOISY})
    return Selection(part, records.whole(fields["threshold"]), records.number(fields["delta"]))


def _mechanism_to_json(mechanism: Mechanism) -> dict[str, str]:
    match mechanism:
        case Laplace():
            return {"name": "laplace", "scale": str(mechanism.scale)}
        case Gaussian():
            return {"name": "gaussian", "variance": str(mechanism.squared)}
        case Exponential():
            return {"name": "exponential", "scale": str(mechanism.scale)}


def _mechanism_from_json(data: object) -> Mechanism:
    match data:
        case {"name": "laplace", "scale": scale, **rest} if not rest:
            return Laplace(records.number(scale))
        case {"name": "gaussian", "variance": variance, **rest} if not rest:
            return Gaussian(squared=records.number(variance))
        case {"name": "exponential", "scale": scale, **rest} if not rest:
            return Exponential(records.number(scale))
    raise records.wrong("a mechanism")
