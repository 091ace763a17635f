"""Is a release what it says? Its certificate is derived again, and where the table is at hand, compared with it.

What a mechanism answered (``session.apply``) is checked in the same way.

Without the table, the certificate shows that the answers cost what they say *if* the plan is that of the query. With
it, the query is read again under the policy, the plan must be the same, and the receipt must be in the ledger.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from lapwing.algebra.measures import ZCDP
from lapwing.decide.texts import check_application, check_release
from lapwing.errors import InvalidInput, LapwingError
from lapwing.kernel.evidence.application import ApplicationCertificate, application_from_json
from lapwing.kernel.evidence.plan import Aggregate
from lapwing.kernel.evidence.release import Price, ReleaseCertificate, price_to_json
from lapwing.kernel.evidence.several import Several
from lapwing.kernel.evidence.several_records import several_from_json
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.release.plans import Derived
from lapwing.ledger import Entry, Ledger
from lapwing.ledger.parts import part_from
from lapwing.policy import Policy
from lapwing.query.plan import Query
from lapwing.query.prepare import prepare
from lapwing.session.advising import advising, is_of_advice
from lapwing.session.cutting import cut_questions
from lapwing.session.planning import summed
from lapwing.session.policy_places import ledger_of, places, protected
from lapwing.session.reporting import KIND
from lapwing.session.restricting import within
from lapwing.session.road import digest_of
from lapwing.session.spreading import arranged
from lapwing.session.together import together_digest


def verify_release(release: object, source: str | Path | None = None) -> Derived | Rejected:
    """Accept or reject a release as ``lapwing run --json`` wrote it."""
    document = _document(release, "release", "lapwing run --json")
    proof = document["certificate"]
    found = check_release(proof)
    if source is None or isinstance(found, Rejected):
        return _at_its_price(document, found)
    policy, ledger, entry = _looked_up(document, source)
    if entry is None:
        return Rejected("the ledger has no such charge")
    place = _place(document, entry)
    if place is None:
        return Rejected("the ledger's charge is for another question")
    if not _as_kept(document, ledger, entry, place):
        return Rejected("the answers are not those that the ledger kept")
    certificate = several_from_json(proof)
    entry = replace(entry, price=entry.price.split(" + ")[place])
    return _at_its_price(document, _charged(found, certificate, (certificate.query,), policy, entry))


@dataclass(frozen=True, slots=True)
class DerivedTogether:
    """Every certificate of a report holds: this is what its answers cost, one by one, derived again."""

    statement: str
    prices: tuple[Price, ...]
    measurements: int


def verify_report(report: object, source: str | Path | None = None) -> DerivedTogether | Rejected:
    """Accept or reject what came of a plan, as ``lapwing plan --run --json`` wrote it: every answer, and their sum."""
    if not isinstance(report, Mapping) or not isinstance(report.get("releases"), list) or not report["releases"]:
        raise InvalidInput("S141", "this is not a report", "Give the JSON that lapwing plan --run wrote")
    releases, whole = report["releases"], report.get("receipt")
    found = []
    for place, each in enumerate(releases):
        verdict = verify_release(each, source)
        doubt = verdict.reason if isinstance(verdict, Rejected) else _misplaced(each, place, len(releases), whole)
        if isinstance(verdict, Rejected) or doubt is not None:
            return Rejected(f"answer {place + 1}: {doubt}")
        found.append(verdict)
    total = summed([each.price for each in found])
    if report.get("price") != total:
        return Rejected("the price is not what the answers cost together")
    text = ", ".join(f"{name} = {amount}" for name, amount in total.items())
    known = "" if source is None else "; the ledger charged them once, for these queries under the policy"
    statement = f"{len(found)} answers cost {text} together, each as its certificate says{known}"
    return DerivedTogether(statement, tuple(each.price for each in found), sum(each.measurements for each in found))


def _misplaced(release: Mapping[str, Any], place: int, many: int, whole: object) -> str | None:
    """Why an answer is not the one at this place of a report."""
    receipt = release.get("receipt")
    if not isinstance(receipt, Mapping) or not isinstance(whole, Mapping):
        return "there is no receipt"
    questions = receipt.get("questions")
    if receipt.get("place") != place or not isinstance(questions, list) or len(questions) != many:
        return "it is not in its place"
    words = ("sequence", "analyst", "time", "query", "hash")
    return None if all(receipt.get(name) == whole.get(name) for name in words) else "it was charged with another entry"


def verify_application(applied: object, source: str | Path | None = None) -> Derived | Rejected:
    """Accept or reject what ``session.apply`` answered, as its ``to_json`` wrote it."""
    document = _document(applied, "answer of a mechanism", "its to_json()")
    proof = document["certificate"]
    if source is None:
        return _at_its_price(document, check_application(proof))
    policy, ledger, entry = _looked_up(document, source)
    if entry is None:  # what the ledger says comes first: a proof takes longer to check
        return Rejected("the ledger has no such charge")
    if entry.query != digest_of(proof):
        return Rejected("the ledger's charge is for another question")
    kept = ledger.kept_for(entry.sequence)
    if kept is None or not _recorded(document, kept):
        return Rejected("the answer is not the one that the ledger recorded")
    found = check_application(proof)
    if isinstance(found, Rejected):
        return found
    certificate = application_from_json(proof)
    return _at_its_price(document, _charged(found, certificate, certificate.queries, policy, entry))


def _recorded(document: Mapping[str, Any], kept: str) -> bool:
    """Whether this is the answer that was kept; older ledgers kept its digest alone."""
    return kept == digest_of(document) or (kept.startswith("{") and json.loads(kept) == document)


def _document(data: object, what: str, writer: str) -> Mapping[str, Any]:
    if not isinstance(data, Mapping) or not isinstance(data.get("certificate"), Mapping):
        raise InvalidInput("S141", f"this is not a {what}", f"Give the JSON that {writer} wrote")
    return data


def _charged(
    found: Derived,
    certificate: ReleaseCertificate | Several | ApplicationCertificate,
    queries: tuple[str, ...],
    policy: Policy,
    entry: Entry,
) -> Derived | Rejected:
    """Whether the ledger charged this price, and the queries have the certificate's plans under the policy."""
    if entry.price != ", ".join(f"{name} {value}" for name, value in price_to_json(found.price).items()):
        return Rejected("the ledger charged another price")
    if certificate.neighbours is not policy.neighbours:
        return Rejected("the policy protects against another change")
    # advice is asked for under the policy without ranges and limits
    readings = (policy, advising(policy)) if is_of_advice(policy, queries) else (policy,)
    if not any(certificate.plans in _plans(each, queries, entry, certificate) for each in readings):
        return Rejected("a plan is not that of its query under the policy")
    known = "the query has this plan" if len(queries) == 1 else "the queries have these plans"
    return replace(found, statement=f"{found.statement}; {known} under the policy, and the ledger charged it")


def _at_its_price(document: Mapping[str, Any], found: Derived | Rejected) -> Derived | Rejected:
    """Whether the document shows the price that was derived, both as it is and as an ordinary number."""
    if isinstance(found, Rejected):
        return found
    price = price_to_json(found.price)
    if document.get("price") == price and document.get("spent") == float(Fraction(next(iter(price.values())))):
        return found
    return Rejected("the price is not that of the certificate")


def _looked_up(document: Mapping[str, object], source: str | Path) -> tuple[Policy, Ledger, Entry | None]:
    """The policy and the ledger of the table, and the charge that the receipt speaks of."""
    at = places(source)
    policy = protected(at)
    receipt = document.get("receipt")
    ledger = Ledger.open(ledger_of(at, policy))
    return policy, ledger, _charge(ledger, receipt if isinstance(receipt, Mapping) else {})


def _place(document: Mapping[str, Any], entry: Entry) -> int | None:
    """Which of the questions of a charge this release answers: its only one, or one of several; None for none."""
    receipt = document.get("receipt")
    if not isinstance(receipt, Mapping) or entry.query != receipt.get("query"):
        return None
    own = digest_of(document["certificate"], document.get("confidence"))
    if "questions" not in receipt:
        return 0 if entry.query == own else None
    questions, place = receipt["questions"], receipt.get("place")
    if not isinstance(questions, list) or isinstance(place, bool) or not isinstance(place, int):
        return None
    there = 0 <= place < len(questions) == len(entry.price.split(" + ")) and questions[place] == own
    return place if there and entry.query == together_digest(questions) else None


def _as_kept(release: Mapping[str, object], ledger: Ledger, entry: Entry, place: int) -> bool:
    """Whether the answers are the ones the ledger kept; large releases are not kept, and then nothing is said."""
    kept = ledger.kept_for(entry.sequence)
    if kept is None:
        return True
    before = json.loads(kept)
    if before.get("kind") == KIND:
        before = before["releases"][place]
    kept_words = ("columns", "rows", "margins", "low", "high", "types", "notes")
    return all(before.get(name) == release.get(name) for name in kept_words)


def _charge(ledger: Ledger, receipt: Mapping[str, object]) -> Entry | None:
    if not ledger.verify().intact:
        raise InvalidInput("S142", "the ledger's history was changed", "Look at it with: lapwing ledger SOURCE")
    words = tuple(receipt.get(name) for name in ("sequence", "analyst", "time", "hash"))
    found = (each for each in ledger.entries() if each.kind == "charge")
    return next((each for each in found if (each.sequence, each.analyst, each.time, each.hash) == words), None)


def _plans(
    policy: Policy,
    queries: tuple[str, ...],
    entry: Entry,
    certificate: ReleaseCertificate | Several | ApplicationCertificate,
) -> list[tuple[Aggregate, ...]]:
    """The plans that queries may have: what is measured for them, and besides where it was asked what was cut."""
    try:
        inside = [_inside(policy, text, entry) for text in queries]
    except LapwingError:  # a query that cannot be asked under this policy has no plan
        return []
    asked = [part for each in inside for part in (each, *each.beside)]
    if isinstance(certificate, ApplicationCertificate):
        return [tuple(each.aggregate for each in asked)]

    def measured(found: Iterable[Query]) -> tuple[Aggregate, ...]:
        pure = not isinstance(certificate.price, ZCDP)
        return tuple(arranged(each, policy.neighbours, pure=pure).aggregate for each in found)

    return [measured(asked), measured([*asked, *cut_questions(inside[0])])]


def _inside(policy: Policy, text: str, entry: Entry) -> Query:
    """A query as it is read now, inside the part it was asked about."""
    query = prepare(text, policy)
    part = part_from(entry.part)
    return query if part is None else within(query, part)
