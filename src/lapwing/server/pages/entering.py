"""Coming in and going out: the log-in page, one's own account, its tokens and its password."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from lapwing.errors import InvalidInput
from lapwing.server.accounts import SCOPES
from lapwing.server.accounts.vault import secret
from lapwing.server.guard import NotLoggedIn, replayed
from lapwing.server.pages.drawing import page
from lapwing.server.pages.shared import House
from lapwing.server.paid_questions import in_thread
from lapwing.server.request_bodies import read_form
from lapwing.server.statuses import UNKNOWN, malformed

_TEN_MINUTES = 600


@dataclass(frozen=True, slots=True)
class Entering:
    """The pages of an account."""

    house: House

    def routes(self) -> list[Route]:
        """Their addresses."""
        return [
            Route("/login", self.show, methods=["GET"]),
            Route("/login", self.log_in, methods=["POST"]),
            Route("/logout", self.log_out, methods=["POST"]),
            Route("/account", self.account, methods=["GET"]),
            Route("/account/token", self.new_token, methods=["POST"]),
            Route("/account/revoke", self.revoke, methods=["POST"]),
            Route("/account/password", self.password, methods=["POST"]),
            Route("/account/everywhere", self.everywhere, methods=["POST"]),
        ]

    async def show(self, request: Request) -> Response:
        """The form to log in."""
        return self._form(_back(request.query_params.get("next", "/")))

    async def log_in(self, request: Request) -> Response:
        """Name and password; a wrong one is counted, and says nothing of which of the two was wrong."""
        guard, rates = self.house.guard, self.house.guard.rates
        fields = await read_form(request)
        guard.check_origin(request)
        knock = request.cookies.get(guard.knock, "")
        if not knock or not hmac.compare_digest(knock.encode(), fields.get("form", "").encode()):
            raise replayed()
        name, address = fields.get("name", "")[:200], guard.address(request)
        counted = ((rates.addresses, address), (rates.pairs, f"{name}\0{address}"), (rates.names, name))
        for limit, whose in counted:  # before the slow hash, or a crowd of attempts would all be under way at once
            limit.take(whose)
        if not await self._is_password(name, fields.get("password", "")):
            await in_thread(lambda: self.house.accounts.note_refused(name, address))
            return self._form(_back(fields.get("next", "/")), name, wrong=True)
        for limit, whose in counted:
            limit.forgive(whose)
        cookie, _ = await in_thread(lambda: self.house.accounts.log_in(name))
        answer = RedirectResponse(_back(fields.get("next", "/")), 303)
        answer.set_cookie(guard.cookie, cookie, path="/", secure=guard.secure, httponly=True, samesite="lax")
        answer.delete_cookie(guard.knock, path="/", secure=guard.secure, httponly=True, samesite="lax")
        return answer

    async def log_out(self, request: Request) -> Response:
        """The end of this browser session."""
        login, _ = await self.house.sent(request)
        cookie = request.cookies[self.house.guard.cookie]
        await in_thread(lambda: self.house.accounts.log_out(cookie, login.account.name))
        return self._gone()

    async def account(self, request: Request) -> Response:
        """One's own account."""
        login = await self.house.visitor(request)
        tokens = await in_thread(lambda: self.house.accounts.tokens(login.account.name))
        said = request.query_params.get("said", "")
        return page("account.html", login, tokens=tokens, made=None, said=said, address=self._address(request))

    async def new_token(self, request: Request) -> Response:
        """A new token, on the page that answers the form and nowhere else."""
        login, fields = await self.house.sent(request)
        days, name = fields.get("days", ""), login.account.name
        if not days.isdecimal() or len(days) > 5 or fields.get("scope") not in SCOPES:
            raise malformed("a token needs a scope and a number of days", "Choose them in the form")
        made = await in_thread(lambda: self.house.accounts.new_token(name, fields["scope"], int(days), name))
        tokens = await in_thread(lambda: self.house.accounts.tokens(name))
        return page("account.html", login, tokens=tokens, made=made, said="", address=self._address(request))

    async def revoke(self, request: Request) -> Response:
        """The end of a token of one's own."""
        login, fields = await self.house.sent(request)
        name = login.account.name
        await in_thread(lambda: self.house.accounts.revoke(name, fields.get("mark", ""), name))
        return RedirectResponse("/account?said=revoked", 303)

    async def password(self, request: Request) -> Response:
        """Another password, for whoever knows the old one; all browsers have to log in with it."""
        login, fields = await self.house.sent(request)
        name, rates = login.account.name, self.house.guard.rates
        rates.names.take(name)
        if not await self._is_password(name, fields.get("old", "")):
            raise InvalidInput("D119", "the old password is another one", "Give the one that you logged in with")
        rates.names.forgive(name)
        if fields.get("new", "") != fields.get("again", ""):
            raise InvalidInput("D119", "the two new passwords differ", "Write the same one twice")
        await in_thread(lambda: self.house.accounts.set_password(name, fields["new"], name))
        return self._gone()

    async def everywhere(self, request: Request) -> Response:
        """The end of all browser sessions and tokens of the account."""
        login, _ = await self.house.sent(request)
        await in_thread(lambda: self.house.accounts.log_out_everywhere(login.account.name))
        return self._gone()

    async def not_logged_in(self, request: Request, failed: Exception) -> Response:
        """To the log-in page, and back from there; a part of a page says so in its place."""
        if request.headers.get("x-part"):
            return page("parts/gone.html", None, UNKNOWN)
        back = failed.back if isinstance(failed, NotLoggedIn) else "/"
        return RedirectResponse(f"/login?next={back}" if back != "/" else "/login", 303)

    def _address(self, request: Request) -> str:
        """Where programs of this person find us: where their browser does."""
        return f"{'https' if self.house.guard.secure else 'http'}://{request.headers.get('host', '')}"

    async def _is_password(self, name: str, password: str) -> bool:
        """Two at a time: those who wait hold no thread, which others need for their questions."""
        async with self.house.hashing:
            return await in_thread(lambda: self.house.accounts.is_password(name, password))

    def _form(self, back: str, name: str = "", *, wrong: bool = False) -> Response:
        guard, knock = self.house.guard, secret(128)
        answer = page("login.html", None, UNKNOWN if wrong else 200, back=back, name=name, wrong=wrong, knock=knock)
        answer.set_cookie(
            guard.knock, knock, max_age=_TEN_MINUTES, path="/", secure=guard.secure, httponly=True, samesite="lax"
        )
        return answer

    def _gone(self) -> Response:
        guard = self.house.guard
        answer = RedirectResponse("/login", 303)
        answer.delete_cookie(guard.cookie, path="/", secure=guard.secure, httponly=True, samesite="lax")
        return answer


def _back(path: str) -> str:
    """A page of ours to come back to: an address elsewhere would make the log-in page somebody's bait."""
    found = unquote(path)
    safe = found.startswith("/") and not found.startswith(("//", "/\\")) and found.isascii() and found.isprintable()
    return path if safe and "\\" not in found else "/"
