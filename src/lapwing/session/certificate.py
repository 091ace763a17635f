"""The certificate of a release, from a query and the mechanisms that will answer it."""

from __future__ import annotations

from lapwing.algebra.neighbours import Neighbours
from lapwing.kernel.evidence.release import ReleaseCertificate
from lapwing.session.pricing import Priced


def certificate(priced: Priced, neighbours: Neighbours) -> ReleaseCertificate:
    """What is written beside the answers; the kernel believes none of it before it has derived it again."""
    aggregate = priced.way.aggregate
    return ReleaseCertificate(
        priced.query.text,
        neighbours,
        aggregate.source,
        aggregate.keys,
        priced.parts,
        priced.selection,
        priced.price,
        priced.way.together,
    )
