"""Who asks: by a bearer token in the API, by a cookie on the pages, and by nothing else in a request.

A cookie is sent along by the browser whatever page made the request, so on the pages every form also carries a word
that only our own pages know, and says where it comes from. The API takes no cookies, and needs neither.
"""

from __future__ import annotations

import contextlib
import hmac
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from starlette.requests import Request

from lapwing.errors import LapwingError
from lapwing.server.accounts import Account, Accounts, Login
from lapwing.server.paid_questions import in_thread
from lapwing.server.rates import Rates
from lapwing.server.statuses import FORBIDDEN, Refusal, forbidden, unknown

#: The ``__Host-`` makes a browser refuse the cookie unless it is ours alone; it needs TLS.
SECURE_COOKIE, LOCAL_COOKIE = "__Host-lapwing", "lapwing"
#: Before anybody is logged in: ties the form of the log-in page to the browser that was shown it.
SECURE_KNOCK, LOCAL_KNOCK = "__Host-lapwing-knock", "lapwing-knock"
_LONGEST_TOKEN = 200


class NotLoggedIn(Exception):  # no error: the page to log in is shown
    """Nobody is logged in; ``back`` is the page to come back to."""

    def __init__(self, back: str) -> None:
        super().__init__()
        self.back = back


@dataclass(frozen=True, slots=True)
class Guard:
    """``secure`` says that browsers reach us by TLS, through a proxy that we believe about who is behind it."""

    accounts: Accounts
    rates: Rates
    secure: bool

    # --- the API -----------------------------------------------------------------------------------------

    async def bearer(self, request: Request, *, paying: bool = False) -> Account:
        """Whose token came with the request."""
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        token = token.strip()
        if scheme.lower() != "bearer" or not token:
            raise unknown()
        found = await in_thread(lambda: self.accounts.by_token(token)) if len(token) <= _LONGEST_TOKEN else None
        if found is None:
            # only wrong ones are counted: a token cannot be guessed, and a neighbour's guesses should shut out nobody
            address = self.address(request)
            self.rates.addresses.take(address)
            await self._note("(no such token)", "token refused", f"from {address}")
            raise unknown()
        account, kept = found
        request.scope["lapwing.account"] = account.name  # for the log
        if paying and kept.scope != "ask":
            raise forbidden("this token may look at prices only", "Make one with: lapwing account token --scope ask")
        return account

    async def note_forbidden(self, request: Request) -> None:
        """Notes that somebody who is known tried what they may not, or was made to by another site's form."""
        name = request.scope.get("lapwing.account")
        with contextlib.suppress(Refusal):
            if name is not None:
                self.rates.noted.take(name)
                await self._note(name, "not allowed", f"{request.method} {ascii(request.url.path)[1:-1][:200]}")

    async def _note(self, name: str, what: str, about: str) -> None:
        with contextlib.suppress(LapwingError):  # what cannot be noted, as on a full disk, is refused all the same
            await in_thread(lambda: self.accounts.note(name, what, about))

    # --- the pages ---------------------------------------------------------------------------------------

    @property
    def cookie(self) -> str:
        """The name of the cookie."""
        return SECURE_COOKIE if self.secure else LOCAL_COOKIE

    @property
    def knock(self) -> str:
        """The name of the cookie of the log-in page."""
        return SECURE_KNOCK if self.secure else LOCAL_KNOCK

    async def login(self, request: Request) -> Login:
        """Whose browser this is; NotLoggedIn leads to the log-in page."""
        value = request.cookies.get(self.cookie, "")
        found = await in_thread(lambda: self.accounts.by_cookie(value)) if value else None
        if found is None:
            here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
            raise NotLoggedIn(quote(here if request.method == "GET" else "/", safe="/"))
        request.scope["lapwing.account"] = found.account.name  # for the log
        return found

    async def form(self, request: Request, fields: dict[str, str]) -> Login:
        """Whose form this is; refuses one that was not made by our own page for this session."""
        login = await self.login(request)
        self.check_origin(request)
        given = request.headers.get("x-csrf-token") or fields.get("form", "")
        if not hmac.compare_digest(given.encode(), login.form.encode()):
            raise replayed()
        return login

    def check_origin(self, request: Request) -> None:
        """Refuses a form that another site sent."""
        origin = request.headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != request.headers.get("host", ""):
            raise replayed()
        if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise replayed()

    def address(self, request: Request) -> str:
        """Where a request comes from: the proxy's word counts only if we were told that there is one.

        A client may write what it likes into the header; the proxy adds the last address, to its line or in one more.
        """
        forwarded = request.headers.getlist("x-forwarded-for") if self.secure else []
        if forwarded and forwarded[-1]:
            return forwarded[-1].rpartition(",")[2].strip()[:60]
        return request.client.host if request.client is not None else ""


def replayed() -> Refusal:
    """A form that is not from our page, or from one that is too old."""
    return Refusal(
        FORBIDDEN,
        "D129",
        "this form was not made for you, or is too old",
        "Go back, reload, and send it again",
    )


def curator_only(account: Account) -> None:
    """Refuses whoever is no curator."""
    if not account.is_curator:
        raise forbidden("this is for curators", "Ask a curator to do it, or to make you one")
