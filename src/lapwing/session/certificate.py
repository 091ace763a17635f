"""The certificate of a release, from a query and the mechanisms that will answer it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lapwing.algebra.neighbours import Neighbours
from lapwing.errors import InvalidInput
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


def recorded(write: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """A certificate as it is written down; refuses one of so many steps upon steps that nobody could read it."""
    try:
        return write()
    except RecursionError:
        raise InvalidInput("Q105", "the query nests too deeply", "Ask it in fewer steps") from None
