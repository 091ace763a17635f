"""Several questions asked together: one charge for all of them, or none, and a release for each.

The one idea: the road does not tell one question from several. Its certificates are all checked before the charge, its
prices add up in one entry of the ledger, and the data is looked at once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import Any

from lapwing.kernel.evidence.several_records import several_to_json
from lapwing.ledger import Receipt
from lapwing.session.certificate import recorded
from lapwing.session.compounding import Compound
from lapwing.session.noising import Private, released
from lapwing.session.planning import amounts_left, summed
from lapwing.session.release import Release
from lapwing.session.releasing import KEPT_ROWS, made_release, stamp
from lapwing.session.reporting import Report, read_report, stamped
from lapwing.session.road import Repeated, Road, digest_of
from lapwing.session.waiting import Ready


def asked_together(road: Road, plans: Sequence[Compound], planned: Mapping[str, Any], level: Fraction) -> Ready[Report]:
    """All questions as one that is yet to be charged; ``planned`` is the plan as it was shown."""
    proofs = [each.certificate(road.policy.neighbours) for each in plans]
    records = [recorded(lambda proof=proof: several_to_json(proof)) for proof in proofs]  # type: ignore[misc]  # bound now
    questions = [digest_of(record, float(level)) for record in records]

    def release(private: list[Private], receipt: Receipt) -> tuple[Report, str | None]:
        found = iter(private)
        own = [list(islice(found, len(each.parts))) for each in plans]
        parts = zip(plans, records, own, strict=True)
        releases = tuple(
            _placed(made_release(road.policy, plan, record, each, receipt, level), questions, at)
            for at, (plan, record, each) in enumerate(parts)
        )
        spent = summed([each.price for each in plans])
        made = Report(releases, planned, spent, amounts_left(receipt.remaining), stamp(receipt))
        rows = sum(each.table.num_rows for each in releases)
        return made, json.dumps(made.to_json()) if rows <= KEPT_ROWS else None

    text = ";\n".join(each.query.text for each in plans)
    question = released(proofs, together_digest(questions), text, release)

    def finish(found: Report | Repeated) -> Report:
        if isinstance(found, Repeated):
            return read_report(found.body, plan=planned, repeated=True, remaining=amounts_left(found.left))
        return found

    return Ready(road, question, finish)


def together_digest(questions: Sequence[str]) -> str:
    """What tells one set of questions, in its order, from every other."""
    return digest_of("together", list(questions))


def _placed(release: Release, questions: Sequence[str], at: int) -> Release:
    return replace(release, receipt=stamped(release.receipt, questions, at))
