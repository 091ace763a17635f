"""Turns: the tables one may ask, and the console, with the price as one types and a button that names it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from lapwing.errors import InvalidInput, LapwingError
from lapwing.server.accounts import Login
from lapwing.server.api import noting_refusals
from lapwing.server.desks import Desk
from lapwing.server.pages.drawing import page
from lapwing.server.pages.examples import examples
from lapwing.server.pages.offers import buttons, price_of_cut
from lapwing.server.pages.releases import shown_release
from lapwing.server.pages.shared import House, budget
from lapwing.server.paid_questions import in_thread
from lapwing.server.purchases import AnswerPurchase
from lapwing.server.request_bodies import key_of, text
from lapwing.server.statuses import status_of
from lapwing.session import Session
from lapwing.session.quoting import Quote
from lapwing.session.releasing import KEPT_ROWS

#: What the form of the console holds before anybody wrote into it.
EMPTY = {"sql": "", "epsilon": "", "within": "", "rows": "1000", "expect": "", "cut": "", "currency": "epsilon"}


@dataclass(frozen=True, slots=True)
class Console:
    """The pages for asking."""

    house: House

    def routes(self) -> list[Route]:
        """Their addresses."""
        return [
            Route("/", self.tables, methods=["GET"]),
            Route("/tables/{name}", self.show, methods=["GET"]),
            Route("/tables/{name}/price", self.price, methods=["POST"]),
            Route("/tables/{name}/plan", self.plan, methods=["POST"]),
            Route("/tables/{name}/ask", self.ask, methods=["POST"]),
        ]

    async def tables(self, request: Request) -> Response:
        """The tables that one may know of, and what is left of each share."""
        login = await self.house.visitor(request)
        found = await in_thread(lambda: self.house.desks.open_to(login.account))
        rows = await in_thread(lambda: [(policy, _left(desk, login)) for desk, policy in found])
        return page("tables.html", login, tables=rows)

    async def show(self, request: Request) -> Response:
        """The console; a question in the address is written into it, and not asked."""
        login = await self.house.visitor(request)
        given = {name: request.query_params.get(name, usual)[:20_000] for name, usual in EMPTY.items()}
        desk = await self.house.desk(request, login.account)
        session = await in_thread(lambda: desk.session(login.account.name))
        return await self._console(session, login, given)

    async def price(self, request: Request) -> Response:
        """What the question in the form would cost; alone, for the script, or within the whole page."""
        login, fields = await self.house.sent(request)
        self.house.guard.rates.quotes.take(login.account.name)
        desk = await self.house.desk(request, login.account)
        session = await in_thread(lambda: desk.session(login.account.name))
        offer, refused = await self._priced(session, fields)
        if request.headers.get("x-part"):
            return page("parts/price.html", login, **await in_thread(lambda: _offered(session, fields, offer, refused)))
        return await self._console(session, login, {**EMPTY, **fields}, offer, refused)

    async def plan(self, request: Request) -> Response:
        """How the question in the form is understood."""
        login, fields = await self.house.sent(request)
        self.house.guard.rates.quotes.take(login.account.name)
        desk = await self.house.desk(request, login.account)
        session = await in_thread(lambda: desk.session(login.account.name))
        sql = text(fields, "sql")
        plan, refused = None, None
        try:
            plan = await self.house.asking.computing.of(session.analyst, lambda: session.explain(sql))
        except LapwingError as error:
            refused = error
        if request.headers.get("x-part"):
            return page("parts/plan.html", login, plan=plan, refused=refused)
        return await self._console(session, login, {**EMPTY, **fields}, None, refused, plan)

    async def ask(self, request: Request) -> Response:
        """Pays, and leads to the answer; a form that is sent twice is charged once."""
        login, fields = await self.house.sent(request)
        self.house.guard.rates.questions.take(login.account.name)
        desk = await self.house.desk(request, login.account)
        currency = "rho" if fields.get("currency") == "rho" and not fields.get("within", "").strip() else "epsilon"
        price: dict[str, Any] = {currency: text(fields, "pay")}
        question = AnswerPurchase(text(fields, "sql"), **price, cut=price_of_cut(fields.get("telling", "")))
        key = key_of(fields.get("key"))
        try:
            release = await noting_refusals(
                self.house.accounts,
                login.account,
                desk,
                question,
                self.house.asking.ask(desk, login.account, question, key),
            )
        except LapwingError as refused:
            session = await in_thread(lambda: desk.session(login.account.name))
            return await self._console(session, login, {**EMPTY, **fields}, None, refused)
        paid = "again" if release.repeated else "paid"
        if release.table.num_rows > KEPT_ROWS:  # it is on no shelf: this is the only time it is seen
            return page("release.html", login, **shown_release(desk.name, release.to_json(), kept=False), said=paid)
        return RedirectResponse(f"/tables/{desk.name}/releases/{release.receipt['sequence']}?said={paid}", 303)

    async def _priced(self, session: Session, fields: Mapping[str, str]) -> tuple[Quote | None, LapwingError | None]:
        """The offers, or why there are none; neither while nothing is asked."""
        if not fields.get("sql", "").strip():
            return None, None
        try:
            sql, wish, _ = text(fields, "sql"), wishes(fields), price_of_cut(fields.get("cut", ""))
            return await self.house.asking.computing.of(session.analyst, lambda: session.quote(sql, **wish)), None
        except LapwingError as refused:
            return None, refused

    async def _console(
        self,
        session: Session,
        login: Login,
        given: Mapping[str, str],
        offer: Quote | None = None,
        refused: LapwingError | None = None,
        plan: object = None,
    ) -> Response:
        return page(
            "console.html",
            login,
            200 if refused is None else status_of(refused),
            given=given,
            plan=plan,
            **await in_thread(lambda: _offered(session, given, offer, refused)),
        )


def _offered(
    session: Session, given: Mapping[str, str], offer: Quote | None, refused: LapwingError | None
) -> dict[str, Any]:
    """What the part of the console with the prices shows."""
    known = budget(session)
    cut = None if offer is None else price_of_cut(given.get("cut", ""))
    found = buttons(offer, cut, known["remaining"])
    return {
        **known,
        "offer": offer,
        "buttons": found,
        "cut": cut,
        "refused": refused,
        "examples": examples(session.policy),
    }


def wishes(fields: Mapping[str, str]) -> dict[str, Any]:
    """What a form wishes for: an accuracy, else a price, else the usual prices; with one's own guesses."""
    found: dict[str, Any] = {}
    within, price = fields.get("within", "").strip(), fields.get("epsilon", "").strip()
    if within:
        found["within"] = within
    elif price:
        found["rho" if fields.get("currency") == "rho" else "epsilon"] = price
    rows = fields.get("rows", "").strip()
    if rows:
        if not rows.isdecimal() or len(rows) > 12:
            raise InvalidInput("S139", "the guessed number of rows is not a count", "Give a whole number from 1")
        found["rows"] = int(rows)
    guesses = [each for each in fields.get("expect", "").replace("\n", ",").split(",") if each.strip()]
    expect = {}
    for each in guesses:
        name, equals, value = each.rpartition("=")
        if not equals or not name.strip():
            raise InvalidInput("S143", f"the expectation {each.strip()[:60]!r} is not NAME=VALUE", "Write income=28000")
        expect[name.strip()] = value.strip()
    return {**found, "expect": expect} if expect else found


def _left(desk: Desk, login: Login) -> Mapping[str, Any] | None:
    """What is left of somebody's share; None for those without one, or where the table cannot be opened."""
    try:
        return budget(desk.session(login.account.name))
    except LapwingError:
        return None
