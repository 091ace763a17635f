"""Answers that were paid for: as a table, as a picture, as files to keep; and the history of what was asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lapwing.kernel.rejected import Rejected
from lapwing.ledger.as_json import charge_json
from lapwing.server.api import own_charges, own_release, verified
from lapwing.server.desks import Desk
from lapwing.server.downloads import as_file
from lapwing.server.pages.drawing import page
from lapwing.server.pages.reports import shown_answer, shown_report
from lapwing.server.pages.shared import House
from lapwing.server.paid_questions import in_thread

#: More rows than this are in the files only.
SHOWN = 500


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
        template, values = await in_thread(lambda: _shown(desk, found))
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
        template, values = await in_thread(lambda: _shown(desk, found))
        return page(template, login, **{**values, "verdict": (holds, why)}, said="")

    async def download(self, request: Request) -> Response:
        """An answer of one's own as a file."""
        login = await self.house.visitor(request)
        desk = await self.house.desk(request, login.account)
        charge, kind = request.path_params["charge"], request.path_params["kind"]
        found = await in_thread(lambda: own_release(desk, login.account, charge))
        return await in_thread(lambda: as_file(found, kind, f"{desk.name}-{charge}"))


def _shown(desk: Desk, found: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The page for whatever was paid for, and what it shows."""
    if found.get("kind") == "report":
        return "report.html", shown_report(desk.policy(), found)
    if "value" in found:
        return "applied.html", {"table": desk.name, "applied": found, "verdict": None}
    return "release.html", shown_release(desk.name, found)


def shown_release(table: str, release: Mapping[str, Any], *, kept: bool = True) -> dict[str, Any]:
    """What the page of an answer shows."""
    proof = release["certificate"]  # of one aggregate, or of several, each of which has the whole question
    asked = proof["parts"][0]["query"] if "parts" in proof else proof["query"]
    return {"table": table, "asked": asked, **shown_answer(release, SHOWN), "kept": kept, "verdict": None}
