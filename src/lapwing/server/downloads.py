"""Answers that were paid for, as files: for people, for spreadsheets, and for tools that draw dashboards."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from typing import Any

import pyarrow.parquet
from starlette.responses import Response

from lapwing.server.statuses import not_found
from lapwing.session.release import read_release
from lapwing.session.reporting import read_report

_KINDS = {
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "json": "application/json",
    "certificate": "application/json",
    "page": "text/html; charset=utf-8",
}
_ENDINGS = {"certificate": "certificate.json", "page": "html"}
#: A cell that begins so is a formula to a spreadsheet, whoever wrote it.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def as_file(found: Mapping[str, Any], kind: str, name: str) -> Response:
    """What was paid for, to be kept under this name; refuses a kind of file that there is none of."""
    if kind not in _kinds_of(found):
        raise not_found("there is no such file of this answer")
    headers = {"Content-Disposition": f'attachment; filename="{name}.{_ENDINGS.get(kind, kind)}"'}
    return Response(_content(found, kind), headers=headers, media_type=_KINDS[kind])


def _kinds_of(found: Mapping[str, Any]) -> tuple[str, ...]:
    if found.get("kind") == "report":
        return ("json", "page")
    return ("json",) if "value" in found else ("csv", "parquet", "json", "certificate")


def _content(release: Mapping[str, Any], kind: str) -> bytes:
    if kind == "json":
        return (json.dumps(release, indent=1) + "\n").encode()
    if kind == "page":
        return read_report(json.dumps(release)).to_html().encode()
    if kind == "certificate":
        return (json.dumps(release["certificate"], indent=1) + "\n").encode()
    table = read_release(json.dumps(release)).to_arrow(margins=True)
    if kind == "parquet":
        stream = io.BytesIO()
        pyarrow.parquet.write_table(table, stream)
        return stream.getvalue()
    words = io.StringIO()
    writer = csv.writer(words)
    writer.writerow([plain(name) for name in table.column_names])
    writer.writerows([[plain(value) for value in row.values()] for row in table.to_pylist()])
    return words.getvalue().encode()


def plain(value: object) -> object:
    """A cell as a spreadsheet should take it: text that looks like a formula is marked as text."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
