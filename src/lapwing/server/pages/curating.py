"""For curators: which tables there are, who spent what, who may come in, and what happened at the door."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from lapwing.errors import LapwingError
from lapwing.ledger import Account as Share
from lapwing.ledger import Chain
from lapwing.policy import Policy, policy_text
from lapwing.server.desks import Desk
from lapwing.server.granting import give, tables_named
from lapwing.server.pages.drawing import page
from lapwing.server.pages.new_tables import unprotected
from lapwing.server.pages.shared import House
from lapwing.server.paid_questions import in_thread

#: Newest charges and events on one page.
SHOWN = 200


@dataclass(frozen=True, slots=True)
class Watched:
    """A table as its curator sees it."""

    name: str
    policy: Policy
    table: Share | None
    chain: Chain
    #: names of accounts that have a share
    asking: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Curating:
    """The pages for curators."""

    house: House

    def routes(self) -> list[Route]:
        """Their addresses."""
        return [
            Route("/curate", self.overview, methods=["GET"]),
            Route("/curate/tables/{name}", self.table, methods=["GET"]),
            Route("/curate/accounts", self.accounts, methods=["GET"]),
            Route("/curate/accounts/add", self.add, methods=["POST"]),
            Route("/curate/accounts/share", self.share, methods=["POST"]),
            Route("/curate/accounts/state", self.state, methods=["POST"]),
            Route("/curate/events", self.events, methods=["GET"]),
        ]

    async def overview(self, request: Request) -> Response:
        """Every table: how much is spent, and whether its record is intact; and files that are no table yet."""
        login = await self.house.curator(request)
        found = await in_thread(lambda: self.house.desks.open_to(login.account))
        names = await in_thread(self._names)
        tables = await in_thread(lambda: [_watched(desk, policy, names) for desk, policy in found])
        files = await in_thread(lambda: unprotected(self.house.desks.folder))
        return page("curate.html", login, tables=tables, files=files)

    async def table(self, request: Request) -> Response:
        """Who spent what on a table, the last questions with their texts, and its policy."""
        login = await self.house.curator(request)
        desk = await self.house.desk(request, login.account)
        policy = await in_thread(desk.policy)
        names = await in_thread(self._names)
        watched = await in_thread(lambda: _watched(desk, policy, names))
        shares = await in_thread(desk.ledger.accounts) if watched.chain.intact else ()
        entries = await in_thread(desk.ledger.entries)
        charges = [entry for entry in reversed(entries) if entry.kind == "charge"]
        return page(
            "ledger.html",
            login,
            watched=watched,
            policy=policy,
            shares=shares,
            names=names,
            charges=charges[:SHOWN],
            more=max(0, len(charges) - SHOWN),
            text=policy_text(policy),
            own=policy.analyst(login.account.name),
            said=request.query_params.get("said", ""),
        )

    async def accounts(self, request: Request) -> Response:
        """Everybody who may come in, with their shares."""
        login = await self.house.curator(request)
        found = await in_thread(self.house.accounts.all)
        tables = [policy for _, policy in await in_thread(lambda: self.house.desks.open_to(login.account))]
        said = request.query_params.get("said", "")
        return page("accounts.html", login, accounts=found, tables=tables, said=said)

    async def add(self, request: Request) -> Response:
        """A new account, with a share of one table if one is chosen."""
        login, fields = await self.house.curators_form(request)
        by, name = login.account.name, fields.get("name", "").strip()
        shares = [(fields["table"], fields.get("epsilon", "").strip())] if fields.get("table") else []
        given = await in_thread(lambda: tables_named(self.house.desks.folder, shares))
        role = fields.get("role", "")
        await in_thread(lambda: self.house.accounts.add(name, role, fields.get("password", ""), by))
        for path, epsilon in given:
            await in_thread(lambda path=path, epsilon=epsilon: give(self.house.accounts, path, name, epsilon, by))  # type: ignore[misc]  # bound now
        return RedirectResponse("/curate/accounts?said=added", 303)

    async def share(self, request: Request) -> Response:
        """A share of a table, or another one than before."""
        login, fields = await self.house.curators_form(request)
        name = fields.get("name", "")
        await in_thread(lambda: self.house.accounts.named(name))
        shares = [(fields.get("table", ""), fields.get("epsilon", "").strip())]
        [(path, epsilon)] = await in_thread(lambda: tables_named(self.house.desks.folder, shares))
        await in_thread(lambda: give(self.house.accounts, path, name, epsilon, login.account.name))
        return RedirectResponse("/curate/accounts?said=given", 303)

    async def state(self, request: Request) -> Response:
        """Shuts an account out, or lets it in again."""
        login, fields = await self.house.curators_form(request)
        name, disabled = fields.get("name", ""), fields.get("state") == "disabled"
        await in_thread(lambda: self.house.accounts.set_disabled(name, disabled, login.account.name))
        return RedirectResponse(f"/curate/accounts?said={'disabled' if disabled else 'enabled'}", 303)

    async def events(self, request: Request) -> Response:
        """What happened at the door, and whether that record is intact."""
        login = await self.house.curator(request)
        found = await in_thread(lambda: self.house.accounts.events(SHOWN))
        broken = await in_thread(self.house.accounts.broken_at)
        return page("events.html", login, events=found, broken=broken)

    def _names(self) -> set[str]:
        """Whoever can come in."""
        return {each.name for each in self.house.accounts.all() if not each.disabled}


def _watched(desk: Desk, policy: Policy, names: set[str]) -> Watched:
    asking = tuple(each.name for each in policy.analysts if each.name in names)
    try:
        chain = desk.ledger.verify()
        whole = next((each for each in desk.ledger.accounts() if each.analyst is None), None) if chain.intact else None
        return Watched(desk.name, policy, whole, chain, asking)
    except LapwingError as refused:
        return Watched(desk.name, policy, None, Chain(False, 0, None, refused.problem), asking)
