"""Certificates of answers that several aggregates make, as JSON: a list of certificates of releases, and a price."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lapwing.errors import InvalidInput
from lapwing.kernel.evidence import plan_records as records
from lapwing.kernel.evidence.release import ReleaseCertificate, price_to_json
from lapwing.kernel.evidence.release_records import (
    FORMAT,
    fields_of,
    price_from_json,
    release_from_json,
    release_to_json,
)
from lapwing.kernel.evidence.several import Several

_FIELDS = ("kind", "format", "parts", "price")


def several_to_json(certificate: Several | ReleaseCertificate) -> dict[str, Any]:
    """A certificate of one aggregate or of several as a JSON object."""
    if isinstance(certificate, ReleaseCertificate):
        return release_to_json(certificate)
    parts = [release_to_json(each) for each in certificate.parts]
    return {"kind": "releases", "format": FORMAT, "parts": parts, "price": price_to_json(certificate.price)}


def several_from_json(data: object) -> Several | ReleaseCertificate:
    """The certificate that ``data`` states, of one aggregate or of several."""
    if not isinstance(data, Mapping) or data.get("kind") != "releases":
        return release_from_json(data)
    fields = fields_of(data, "releases", _FIELDS)
    parts = tuple(release_from_json(each) for each in records.READ.items(fields["parts"], "certificates"))
    if not parts:
        raise InvalidInput("C102", "the certificate has no parts", records.READ.again)
    return Several(parts, price_from_json(fields["price"]))
