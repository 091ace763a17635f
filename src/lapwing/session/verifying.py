"""Is a release what it says? Its certificate is derived again, and where the table is at hand, compared with it.

Without the table, the certificate shows that the answers cost what they say *if* the plan is that of the query. With
it, the query is read again under the policy, the plan must be the same, and the receipt must be in the ledger.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from lapwing.check.release import Derived, check_release
from lapwing.check.witness import Rejected
from lapwing.errors import InvalidInput
from lapwing.ledger import Entry, Ledger
from lapwing.ledger.costs import prices_from
from lapwing.ledger.parts import part_from
from lapwing.policy import Policy
from lapwing.query.prepare import prepare
from lapwing.query.record import Plain, record
from lapwing.session.certificate import query_digest
from lapwing.session.opening import protected
from lapwing.session.partition import within
from lapwing.session.places import places


def verify_release(release: object, source: str | Path | None = None) -> Derived | Rejected:
    """Accept or reject a release as ``lapwing run --json`` wrote it."""
    if not isinstance(release, Mapping) or not isinstance(release.get("certificate"), Mapping):
        raise InvalidInput("S141", "this is not a release", "Give the JSON that lapwing run --json wrote")
    certificate = release["certificate"]
    found = check_release(certificate)
    if isinstance(found, Rejected) or source is None:
        return found
    at = places(source)
    policy = protected(at)
    receipt = release.get("receipt")
    ledger = Ledger.open(at.ledger)
    entry = _charge(ledger, receipt if isinstance(receipt, Mapping) else {})
    if entry is None:
        return Rejected("the ledger has no such charge")
    if entry.query != query_digest(certificate, release.get("confidence")):
        return Rejected("the ledger's charge is for another question")
    if not _as_kept(release, ledger, entry):
        return Rejected("the answers are not those that the ledger kept")
    price = ", ".join(f"{name} {value}" for name, value in certificate["price"].items())
    if entry.price != price:
        return Rejected("the ledger charged another price")
    if _plan(policy, certificate["query"], entry) != _recorded(certificate):
        return Rejected("the plan is not that of the query under the policy")
    statement = f"{found.statement}; the query has this plan under the policy, and the ledger charged it"
    return replace(found, statement=statement)


def _as_kept(release: Mapping[str, object], ledger: Ledger, entry: Entry) -> bool:
    """Whether the answers are the ones the ledger kept; large releases are not kept, and then nothing is said."""
    price = prices_from(entry.price)
    kept = ledger.kept(entry.analyst, entry.query, entry.snapshot, price, part_from(entry.part))
    if kept is None:
        return True
    before = json.loads(kept)
    return all(before[name] == release.get(name) for name in ("columns", "rows", "margins"))


def _charge(ledger: Ledger, receipt: Mapping[str, object]) -> Entry | None:
    if not ledger.verify().intact:
        raise InvalidInput("S142", "the ledger's history was changed", "Look at it with: lapwing ledger SOURCE")
    words = tuple(receipt.get(name) for name in ("sequence", "analyst", "time", "hash"))
    found = (each for each in ledger.entries() if each.kind == "charge")
    return next((each for each in found if (each.sequence, each.analyst, each.time, each.hash) == words), None)


def _plan(policy: Policy, text: str, entry: Entry) -> list[Plain]:
    """The plan of the query as it is read now, inside the part it was asked about."""
    query = prepare(text, policy)
    part = part_from(entry.part)
    aggregate = (query if part is None else within(query, part)).aggregate
    return [
        policy.neighbours.value,
        record(aggregate.source),
        record(aggregate.keys),
        record(aggregate.measurements),
        record(aggregate.selection),
    ]


def _recorded(certificate: Mapping[str, object]) -> list[object]:
    parts, selection = certificate["measurements"], certificate["selection"]
    assert isinstance(parts, list)  # noqa: S101  # the certificate was accepted, so it has this shape
    return [
        certificate["neighbours"],
        certificate["plan"],
        certificate["keys"],
        [part["measurement"] for part in parts],
        selection["measurement"] if isinstance(selection, Mapping) else None,
    ]
