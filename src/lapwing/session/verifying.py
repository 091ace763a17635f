"""Is a release what it says? Its certificate is derived again, and where the table is at hand, compared with it.

What a mechanism answered (``session.apply``) is checked in the same way.

Without the table, the certificate shows that the answers cost what they say *if* the plan is that of the query. With
it, the query is read again under the policy, the plan must be the same, and the receipt must be in the ledger.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from lapwing.check.application import check_application
from lapwing.check.release import Derived, check_release
from lapwing.check.witness import Rejected
from lapwing.errors import InvalidInput
from lapwing.ledger import Entry, Ledger
from lapwing.ledger.entries import text_digest
from lapwing.ledger.parts import part_from
from lapwing.policy import Policy
from lapwing.query.plan import Aggregate
from lapwing.query.prepare import prepare
from lapwing.query.record import Plain, record
from lapwing.session.applying import digest_of
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
    if isinstance(found, Rejected):
        return found
    if not _same_price(release, found):
        return Rejected("the price is not that of the certificate")
    if source is None:
        return found
    policy, ledger, entry = _looked_up(release, source)
    if entry is None:
        return Rejected("the ledger has no such charge")
    if entry.query != query_digest(certificate, release.get("confidence")) or entry.query != _question(release):
        return Rejected("the ledger's charge is for another question")
    if not _as_kept(release, ledger, entry):
        return Rejected("the answers are not those that the ledger kept")
    if entry.price != _price_text(certificate):
        return Rejected("the ledger charged another price")
    if _plan(policy, certificate["query"], entry) != _recorded(certificate):
        return Rejected("the plan is not that of the query under the policy")
    statement = f"{found.statement}; the query has this plan under the policy, and the ledger charged it"
    return replace(found, statement=statement)


def verify_application(applied: object, source: str | Path | None = None) -> Derived | Rejected:
    """Accept or reject what ``session.apply`` answered, as its ``to_json`` wrote it."""
    if not isinstance(applied, Mapping) or not isinstance(applied.get("certificate"), Mapping):
        raise InvalidInput("S141", "this is not an answer of a mechanism", "Give the JSON that its to_json() wrote")
    certificate = applied["certificate"]
    doubt = None if source is None else _unrecorded(applied, source)  # first: a proof takes longer to check
    found = Rejected(doubt) if doubt is not None else check_application(certificate)
    if isinstance(found, Rejected):
        return found
    if not _same_price(applied, found):
        return Rejected("the price is not that of the certificate")
    if source is None:
        return found
    policy, _, entry = _looked_up(applied, source)
    if entry is None or entry.price != _price_text(certificate):
        return Rejected("the ledger charged another price")
    if certificate["neighbours"] != policy.neighbours.name.lower():
        return Rejected("the policy protects against another change")
    if certificate["plans"] != [record(_aggregate(policy, text, entry)) for text in certificate["queries"]]:
        return Rejected("the plans are not those of the queries under the policy")
    statement = f"{found.statement}; the queries have these plans under the policy, and the ledger charged it"
    return replace(found, statement=statement)


def _unrecorded(applied: Mapping[str, Any], source: str | Path) -> str | None:
    """Why the ledger does not know this answer; None if it does, to the last digit."""
    _, ledger, entry = _looked_up(applied, source)
    if entry is None:
        return "the ledger has no such charge"
    if entry.query != digest_of(applied["certificate"]):
        return "the ledger's charge is for another question"
    recorded = (entry.sequence, text_digest(digest_of(applied)))
    known = any((each.reference, each.content) == recorded for each in ledger.entries() if each.kind == "release")
    return None if known else "the answer is not the one that the ledger recorded"


def _looked_up(document: Mapping[str, object], source: str | Path) -> tuple[Policy, Ledger, Entry | None]:
    """The policy and the ledger of the table, and the charge that the receipt speaks of."""
    at = places(source)
    policy = protected(at)
    receipt = document.get("receipt")
    ledger = Ledger.open(at.ledger)
    return policy, ledger, _charge(ledger, receipt if isinstance(receipt, Mapping) else {})


def _same_price(document: Mapping[str, Any], found: Derived) -> bool:
    """Whether the document shows the price that was derived, both as it is and as an ordinary number."""
    paid = float(next(iter(found.price.values())))
    return document.get("price") == document["certificate"]["price"] and document.get("spent") == paid


def _question(document: Mapping[str, Any]) -> object:
    receipt = document.get("receipt")
    return receipt.get("query") if isinstance(receipt, Mapping) else None


def _price_text(certificate: Mapping[str, Any]) -> str:
    """A price as the ledger writes it."""
    return ", ".join(f"{name} {value}" for name, value in certificate["price"].items())


def _as_kept(release: Mapping[str, object], ledger: Ledger, entry: Entry) -> bool:
    """Whether the answers are the ones the ledger kept; large releases are not kept, and then nothing is said."""
    kept = ledger.kept_for(entry.sequence)
    if kept is None:
        return True
    before = json.loads(kept)
    return all(before[name] == release.get(name) for name in ("columns", "rows", "margins", "types", "notes"))


def _charge(ledger: Ledger, receipt: Mapping[str, object]) -> Entry | None:
    if not ledger.verify().intact:
        raise InvalidInput("S142", "the ledger's history was changed", "Look at it with: lapwing ledger SOURCE")
    words = tuple(receipt.get(name) for name in ("sequence", "analyst", "time", "hash"))
    found = (each for each in ledger.entries() if each.kind == "charge")
    return next((each for each in found if (each.sequence, each.analyst, each.time, each.hash) == words), None)


def _plan(policy: Policy, text: str, entry: Entry) -> list[Plain]:
    """What the certificate of a release records of the query, as it is read now."""
    aggregate = _aggregate(policy, text, entry)
    return [
        policy.neighbours.value,
        record(aggregate.source),
        record(aggregate.keys),
        record(aggregate.measurements),
        record(aggregate.selection),
    ]


def _aggregate(policy: Policy, text: str, entry: Entry) -> Aggregate:
    """The plan of a query as it is read now, inside the part it was asked about."""
    query = prepare(text, policy)
    part = part_from(entry.part)
    return (query if part is None else within(query, part)).aggregate


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
