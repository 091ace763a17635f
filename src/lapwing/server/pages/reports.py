"""The page of a report: all answers to a plan, or what advice rests on, or what a mechanism answered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from lapwing.policy import Policy
from lapwing.session.advice import Advice
from lapwing.session.advising import concluded_again, is_of_advice
from lapwing.session.charts import charts
from lapwing.session.reporting import read_report

#: More rows of one answer than this are in the files only.
_SHOWN = 200


def shown_report(policy: Policy, report: Mapping[str, Any], *, kept: bool = True) -> dict[str, Any]:
    """What the page of a report shows; of advice, what follows from its counts."""
    pairs = zip(report["plan"]["questions"], report["releases"], strict=True)
    return {
        "table": policy.name,
        "report": report,
        "advice": _advice(policy, report),
        "answers": [{"question": question, **shown_answer(release, _SHOWN)} for question, release in pairs],
        "kept": kept,
        "verdict": None,
    }


def _advice(policy: Policy, report: Mapping[str, Any]) -> Advice | None:
    if not is_of_advice(policy, [each["query"] for each in report["plan"]["questions"]]):
        return None
    return concluded_again(policy, read_report(json.dumps(report), repeated=True))


def shown_answer(release: Mapping[str, Any], most: int) -> dict[str, Any]:
    """An answer as a page shows it: so many rows at most, beside their ±, and pictures."""
    noisy = {name for name in release["columns"] if any(row[name] is not None for row in release["margins"])}
    return {
        "release": release,
        "pairs": list(zip(release["rows"], release["margins"], strict=True))[:most],
        "more": max(0, len(release["rows"]) - most),
        "noisy": noisy,
        "pictures": charts(release),
    }
