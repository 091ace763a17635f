"""What all pages stand on: the accounts, the desks, the guard and the way of paying questions."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request

from lapwing.server.accounts import Account, Accounts, Login
from lapwing.server.api import desk_for
from lapwing.server.desks import Desk, Desks
from lapwing.server.guard import Guard, curator_only
from lapwing.server.paid_questions import Turns, in_thread
from lapwing.server.request_bodies import read_form
from lapwing.session import Session


@dataclass(frozen=True, slots=True)
class House:
    """The parts of a server that pages use."""

    accounts: Accounts
    desks: Desks
    guard: Guard
    asking: Turns
    #: passwords that are being looked at
    hashing: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(2))

    async def visitor(self, request: Request) -> Login:
        """Whoever looks at a page."""
        return await self.guard.login(request)

    async def sent(self, request: Request) -> tuple[Login, dict[str, str]]:
        """Whoever sends a form, and its fields; refuses a form that is not of our own page."""
        await self.guard.login(request)  # before anything of the body is read
        fields = await read_form(request)
        return await self.guard.form(request, fields), fields

    async def curator(self, request: Request) -> Login:
        """A curator who looks at a page."""
        login = await self.visitor(request)
        curator_only(login.account)
        return login

    async def curators_form(self, request: Request) -> tuple[Login, dict[str, str]]:
        """A curator who sends a form."""
        login, fields = await self.sent(request)
        curator_only(login.account)
        return login, fields

    async def desk(self, request: Request, account: Account) -> Desk:
        """The table that the address names, if the account may know of it."""
        return await in_thread(lambda: desk_for(self.desks, account, request.path_params["name"]))


def budget(session: Session) -> dict[str, Any]:
    """What pages say of somebody's share of a table."""
    own = next(each for each in session.ledger.accounts() if each.analyst == session.analyst)
    return {"own": own, "remaining": session.remaining, "policy": session.policy}
