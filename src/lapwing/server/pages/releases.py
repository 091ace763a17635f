"""Answers that were paid for: as a table, as a picture, as files to keep; and the history of what was asked."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow.parquet
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lapwing.kernel.rejected import Rejected
from lapwing.server.api import own_charges, own_release, verified
from lapwing.server.pages.drawing import page
from lapwing.server.pages.reports import shown_report
from lapwing.server.pages.shared import House
from lapwing.server.shown import charge_json
from lapwing.server.statuses import not_found
from lapwing.server.turns import in_thread
from lapwing.session.charts import charts
from lapwing.session.release import read_release
from lapwing.session.reporting import read_report

#: More rows than this are in the files only.
SHOWN = 500
_KINDS = {
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "json": "application/json",
    "certificate": "application/json",
    "page": "text/html; charset=utf-8",
}
#: A cell that begins so is a formula to a spreadsheet, whoever wrote it.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Releases:
    """The pages of answers."""

    house: House

    def routes(self) -> list[Route]:
        """Their addresses."""
        return [
            Route("/tables/{name}/releases", self.history, methods=["GET"]),
            Route("/tables/{name}/releases/{charge:entry}", self.show, methods=["GET"]),
            Route("/tables/{name}/releases/{charge:entry}/check", self.check, methods=["POST"]),
            Route("/tables/{name}/releases/{charge:entry}/{kind}", self.download, methods=["GET"]),
        ]

    async def history(self, request: Request) -> Response:
        """The budget, and everything that one has asked of a table."""
        login = await self.house.visitor(request)
        desk = await self.house.desk(request, login.account)
        session = await in_thread(lambda: desk.session(login.account.name))
        charges = await in_thread(lambda: own_charges(desk, login.account))
        accounts = await in_thread(session.ledger.accounts)
        own = next(each for each in accounts if each.analyst == session.analyst)
        remaining = await in_thread(lambda: session.remaining)
        listed = [charge_json(entry) for entry in charges[:SHOWN]]
        return page(
            "history.html",
            login,
            policy=session.policy,
            own=own,
            remaining=remaining,
            charges=listed,
            more=len(charges) - len(listed),
        )

    async def show(self, request: Request) -> Response:
        """An answer of one's own."""
        login = await self.house.visitor(request)
        desk = await self.house.desk(request, login.account)
        charge = request.path_params["charge"]
        found = await in_thread(lambda: own_release(desk, login.account, charge))
        said = request.query_params.get("said", "")
        template, values = _shown(desk.name, found)
        return page(template, login, **values, said=said)

    async def check(self, request: Request) -> Response:
        """An answer of one's own, derived again and looked up in the ledger."""
        login, _ = await self.house.sent(request)
        self.house.guard.rates.quotes.take(login.account.name)
        desk = await self.house.desk(request, login.account)
        charge = request.path_params["charge"]
        found = await in_thread(lambda: own_release(desk, login.account, charge))
        verdict = await self.house.asking.computing.of(login.account.name, lambda: verified(found, desk.path))
        holds = not isinstance(verdict, Rejected)
        why = verdict.reason if isinstance(verdict, Rejected) else verdict.statement
        template, values = _shown(desk.name, found)
        return page(template, login, **{**values, "verdict": (holds, why)}, said="")

    async def download(self, request: Request) -> Response:
        """An answer of one's own as a file."""
        login = await self.house.visitor(request)
        kind = request.path_params["kind"]
        if kind not in _KINDS:
            raise not_found()
        desk = await self.house.desk(request, login.account)
        charge = request.path_params["charge"]
        found = await in_thread(lambda: own_release(desk, login.account, charge))
        if kind not in _kinds_of(found):
            raise not_found()
        content = await in_thread(lambda: _file(found, kind))
        ending = {"certificate": "certificate.json", "page": "html"}.get(kind, kind)
        headers = {"Content-Disposition": f'attachment; filename="{desk.name}-{charge}.{ending}"'}
        return Response(content, headers=headers, media_type=_KINDS[kind])


def _shown(table: str, found: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The page for whatever was paid for, and what it shows."""
    if found.get("kind") == "report":
        return "report.html", shown_report(table, found)
    if "value" in found:
        return "applied.html", {"table": table, "applied": found, "verdict": None}
    return "release.html", shown_release(table, found)


def _kinds_of(found: Mapping[str, Any]) -> tuple[str, ...]:
    """The files that there are of it."""
    if found.get("kind") == "report":
        return ("json", "page")
    return ("json",) if "value" in found else ("csv", "parquet", "json", "certificate")


def shown_release(table: str, release: Mapping[str, Any], *, kept: bool = True) -> dict[str, Any]:
    """What the page of an answer shows."""
    noisy = {name for name in release["columns"] if any(row[name] is not None for row in release["margins"])}
    return {
        "table": table,
        "release": release,
        "pairs": list(zip(release["rows"], release["margins"], strict=True))[:SHOWN],
        "more": max(0, len(release["rows"]) - SHOWN),
        "noisy": noisy,
        "pictures": charts(release),
        "kept": kept,
        "verdict": None,
    }


def _file(release: Mapping[str, Any], kind: str) -> bytes:
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
    writer.writerow([_plain(name) for name in table.column_names])
    writer.writerows([[_plain(value) for value in row.values()] for row in table.to_pylist()])
    return words.getvalue().encode()


def _plain(value: object) -> object:
    """A cell as a spreadsheet should take it: text that looks like a formula is marked as text."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
