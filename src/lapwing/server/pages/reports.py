"""The page of a report: all answers to a plan, or what advice rests on, or what a mechanism answered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lapwing.session.charts import charts

#: More rows of one answer than this are in the files only.
_SHOWN = 200


def shown_report(table: str, report: Mapping[str, Any], *, kept: bool = True) -> dict[str, Any]:
    """What the page of a report shows."""
    pairs = zip(report["plan"]["questions"], report["releases"], strict=True)
    return {
        "table": table,
        "report": report,
        "answers": [{"question": question, **shown_answer(release, _SHOWN)} for question, release in pairs],
        "kept": kept,
        "verdict": None,
    }


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
