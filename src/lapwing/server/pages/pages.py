"""All pages put together, with the files that they need, and the page for what is refused."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from lapwing.errors import LapwingError
from lapwing.server.accounts import Accounts, Login
from lapwing.server.desks import Desks
from lapwing.server.guard import Guard, NotLoggedIn
from lapwing.server.pages.curating import Curating
from lapwing.server.pages.drawing import page
from lapwing.server.pages.entering import Entering
from lapwing.server.pages.inquiring import Console
from lapwing.server.pages.new_tables import Protecting
from lapwing.server.pages.planner import Planner
from lapwing.server.pages.proofs import Proofs
from lapwing.server.pages.releases import Releases
from lapwing.server.pages.shared import House
from lapwing.server.pages.suggesting import Suggesting
from lapwing.server.paid_questions import Turns
from lapwing.server.statuses import Refusal, not_found, status_of

_STATIC = Path(__file__).resolve().parents[1] / "static"
_FILES = {"lapwing.css": "text/css", "lapwing.js": "text/javascript", "lapwing.svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class Pages:
    """The pages of a server."""

    accounts: Accounts
    desks: Desks
    guard: Guard
    asking: Turns

    def routes(self) -> list[Route]:
        """Every address of a page."""
        house = House(self.accounts, self.desks, self.guard, self.asking)
        parts = (Entering, Console, Releases, Planner, Proofs, Curating, Protecting, Suggesting)
        found = [route for part in parts for route in part(house).routes()]
        return [*found, Route("/static/{file}", self.file, methods=["GET"])]

    async def file(self, request: Request) -> Response:
        """A style sheet, the script, the bird; these alone."""
        name = request.path_params["file"]
        if name not in _FILES:
            raise not_found()
        return FileResponse(_STATIC / name, media_type=_FILES[name], headers={"Cache-Control": "max-age=3600"})

    async def refused(self, request: Request, failed: LapwingError) -> Response:
        """A page that says what was refused and what to do next; a part of a page says so in its place."""
        headers = failed.headers if isinstance(failed, Refusal) else {}
        try:
            login: Login | None = await self.guard.login(request)
        except (NotLoggedIn, LapwingError):
            login = None
        template = "parts/refused.html" if request.headers.get("x-part") else "refused.html"
        answer = page(template, login, status_of(failed), refused=failed)
        answer.headers.update(headers)
        return answer

    async def not_logged_in(self, request: Request, failed: Exception) -> Response:
        """The way to the log-in page."""
        house = House(self.accounts, self.desks, self.guard, self.asking)
        return await Entering(house).not_logged_in(request, failed)
