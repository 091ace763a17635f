"""The server put together: accounts, desks, the guard and the schedule, behind one doorway."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from lapwing import __version__
from lapwing.errors import LapwingError
from lapwing.server.accounts import Accounts
from lapwing.server.api import Api
from lapwing.server.around_requests import Doorway, to_standard_error
from lapwing.server.desks import Desks
from lapwing.server.free_computations import Computing
from lapwing.server.guard import Guard, NotLoggedIn
from lapwing.server.pacing import Schedule
from lapwing.server.pages import Pages
from lapwing.server.paid_questions import Turns
from lapwing.server.rates import Rates
from lapwing.server.statuses import FORBIDDEN, NOT_ALLOWED, REFUSED, Refusal, as_json, mistake, not_found, status_of


@dataclass(frozen=True, slots=True)
class Settings:
    """How a folder is served. ``secure``: behind a proxy that has TLS, and that is believed about addresses."""

    folder: Path
    schedule: Schedule = field(default_factory=Schedule)
    rates: Rates = field(default_factory=Rates)
    #: processor seconds for a price, a plan or a check
    computing: float = 10.0
    secure: bool = False
    log: Callable[[str], None] = to_standard_error


def application(settings: Settings) -> ASGIApp:
    """The server of a folder; refuses one with a ledger that is not intact."""
    accounts = Accounts.of(settings.folder)
    desks = Desks(settings.folder, settings.log)
    desks.check_ledgers()
    guard = Guard(accounts, settings.rates, settings.secure)
    computing = Computing(settings.computing)
    asking = Turns(accounts, settings.schedule, computing)
    pages = Pages(accounts, desks, guard, asking)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        desks.close()

    async def refused(request: Request, failed: Exception) -> Response:
        """A refusal: a page for people, JSON for programs."""
        assert isinstance(failed, LapwingError)  # noqa: S101  # it is registered for these
        if status_of(failed) == FORBIDDEN:
            await guard.note_forbidden(request)
        if request.url.path.startswith("/api/"):
            headers = failed.headers if isinstance(failed, Refusal) else {}
            return JSONResponse(as_json(failed), status_of(failed), headers)
        return await pages.refused(request, failed)

    async def missing(request: Request, failed: Exception) -> Response:
        """An address or a method that there is not."""
        assert isinstance(failed, HTTPException)  # noqa: S101  # as above
        if failed.status_code == NOT_ALLOWED:
            problem = f"{request.method[:20]} is not what this address is for"
            remedy = "Go back to the page before; /api/openapi.json says what programs may send"
            allowed = dict(failed.headers or {})
            return await refused(request, Refusal(NOT_ALLOWED, "D124", problem, remedy, allowed))
        return await refused(request, not_found())

    async def gone(_: Request, __: Exception) -> Response:
        """Somebody left in the middle of what they sent: no mistake of ours, and nobody is there to be answered."""
        return Response(status_code=REFUSED)

    async def mistaken(request: Request, _: Exception) -> Response:
        """A mistake of ours: the doorway, which hears of it too, writes its type and its place into the log."""
        return await refused(request, mistake())

    app = Starlette(
        routes=[
            Route("/health", _health, methods=["GET"]),
            *Api(accounts, desks, guard, asking).routes(),
            *pages.routes(),
        ],
        exception_handlers={
            LapwingError: refused,
            HTTPException: missing,
            NotLoggedIn: pages.not_logged_in,
            ClientDisconnect: gone,
            Exception: mistaken,
        },
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    return Doorway(app, settings.log, settings.secure)


async def _health(_: Request) -> Response:
    """Whether the server is up, for whoever watches it; says nothing else."""
    return JSONResponse({"status": "ok", "version": __version__})
