"""The certificate of an application: a mechanism's proof, the plans of the queries it ran on, and what that cost.

Nothing in it has to be believed: :mod:`lapwing.kernel.release` checks the proof and derives the rest again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lapwing.algebra.neighbours import Neighbours
from lapwing.kernel.evidence import plan_records as records
from lapwing.kernel.evidence.certificate import Certificate
from lapwing.kernel.evidence.plan import Aggregate
from lapwing.kernel.evidence.release import Price, price_to_json
from lapwing.kernel.evidence.release_records import FORMAT, fields_of, neighbours_from_json, price_from_json
from lapwing.kernel.evidence.values import Value, inputs_from_json, value_to_json

_FIELDS = ("kind", "format", "mechanism", "source", "public", "neighbours", "queries", "plans", "price")


@dataclass(frozen=True, slots=True)
class ApplicationCertificate:
    """Why running a mechanism on the answers to ``queries`` costs ``price``; ``source`` is the mechanism's program."""

    mechanism: Certificate = field(repr=False)
    source: str = field(repr=False)
    public: Mapping[str, Value]
    neighbours: Neighbours
    queries: tuple[str, ...]
    plans: tuple[Aggregate, ...]
    price: Price

    def to_json(self) -> dict[str, Any]:
        """The certificate as a JSON object."""
        return {
            "kind": "application",
            "format": FORMAT,
            "mechanism": self.mechanism.to_json(),
            "source": self.source,
            "public": {name: value_to_json(value) for name, value in self.public.items()},
            "neighbours": self.neighbours.value,
            "queries": list(self.queries),
            "plans": records.record(self.plans),
            "price": price_to_json(self.price),
        }


def application_from_json(data: object) -> ApplicationCertificate:
    """The certificate that ``data`` states; refuses another format, and anything that is not of its field's type."""
    fields = fields_of(data, "application", _FIELDS)
    return ApplicationCertificate(
        Certificate.from_json(fields["mechanism"]),
        records.text(fields["source"]),
        inputs_from_json(fields["public"], "public"),
        neighbours_from_json(fields["neighbours"]),
        records.several(records.text)(fields["queries"]),
        records.several(records.aggregate)(fields["plans"]),
        price_from_json(fields["price"]),
    )
