"""The API: one function for each address, JSON in and out, the same JSON that the command line prints."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from lapwing.errors import LapwingError
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.release.plans import Derived
from lapwing.ledger.as_json import account_json, charge_json
from lapwing.library import NAMES
from lapwing.library.shelf import shipped
from lapwing.server import entry_numbers as entry_numbers  # registers the numbers of its addresses
from lapwing.server.accounts import Account, Accounts
from lapwing.server.desks import Desk, Desks, unknown_table
from lapwing.server.downloads import as_file
from lapwing.server.guard import Guard, curator_only
from lapwing.server.paid_questions import Turns, in_thread
from lapwing.server.payment_requests import advice_purchase, answer_purchase, mechanism_purchase, plan_purchase
from lapwing.server.purchases import Purchase
from lapwing.server.request_bodies import key_of, numbers, read_json, text
from lapwing.server.statuses import malformed, not_found
from lapwing.server.table_json import budget_json, plan_json, policy_json
from lapwing.session import Session
from lapwing.session.verifying import DerivedTogether, verify_application, verify_release, verify_report

Result = TypeVar("Result")
_PRICE = {"sql", "epsilon", "rho", "delta", "confidence"}
_PLAN = {"questions", "epsilon", "rho", "delta", "confidence"}


@dataclass(frozen=True, slots=True)
class Api:
    """What the addresses under /api share."""

    accounts: Accounts
    desks: Desks
    guard: Guard
    asking: Turns

    def routes(self) -> list[Route]:
        """Every address of the API; openapi.json describes the same ones."""
        table = "/api/tables/{name}"
        return [
            Route("/api/openapi.json", self.describe, methods=["GET"]),
            Route("/api/tables", self.tables, methods=["GET"]),
            Route(table, self.table, methods=["GET"]),
            Route(f"{table}/quote", self.quote, methods=["POST"]),
            Route(f"{table}/explain", self.explain, methods=["POST"]),
            Route(f"{table}/rehearse", self.rehearse, methods=["POST"]),
            Route(f"{table}/run", self.run, methods=["POST"]),
            Route(f"{table}/plan", self.plan, methods=["POST"]),
            Route(f"{table}/plan/run", self.run_plan, methods=["POST"]),
            Route(f"{table}/advise", self.advise, methods=["POST"]),
            Route(f"{table}/apply", self.apply, methods=["POST"]),
            Route(f"{table}/budget", self.budget, methods=["GET"]),
            Route(f"{table}/releases", self.releases, methods=["GET"]),
            Route(f"{table}/releases/{{charge:entry}}", self.release, methods=["GET"]),
            Route(f"{table}/releases/{{charge:entry}}/check", self.check, methods=["POST"]),
            Route(f"{table}/releases/{{charge:entry}}/{{kind}}", self.file, methods=["GET"]),
            Route(f"{table}/ledger", self.ledger, methods=["GET"]),
            Route("/api/mechanisms", self.mechanisms, methods=["GET"]),
            Route("/api/mechanisms/{name}", self.mechanism, methods=["GET"]),
        ]

    # --- what there is -----------------------------------------------------------------------------------

    async def describe(self, _: Request) -> Response:
        """The API itself, as OpenAPI; it says nothing about anybody's tables."""
        found = resources.files("lapwing.server").joinpath("openapi.json").read_text(encoding="utf-8")
        return Response(found, media_type="application/json")

    async def tables(self, request: Request) -> Response:
        """The tables that the account may know of."""
        account = await self.guard.bearer(request)
        found = await in_thread(lambda: self.desks.open_to(account))
        return answer({"tables": [policy_json(policy) for _, policy in found]})

    async def table(self, request: Request) -> Response:
        """What is public about a table."""
        account = await self.guard.bearer(request)
        desk = await self._desk(request, account)
        return answer(policy_json(await in_thread(desk.policy)))

    async def mechanisms(self, request: Request) -> Response:
        """The mechanisms that come proved."""
        await self.guard.bearer(request)
        return answer({"mechanisms": list(NAMES)})

    async def mechanism(self, request: Request) -> Response:
        """A mechanism that comes proved: its source and its certificate."""
        await self.guard.bearer(request)
        name = request.path_params["name"]
        if name not in NAMES:
            raise not_found("there is no mechanism of this name")
        return answer(await in_thread(lambda: _mechanism(name)))

    # --- prices ------------------------------------------------------------------------------------------

    async def quote(self, request: Request) -> Response:
        """What a question would cost; nothing is charged and no data is read."""
        session, fields = await self._asked(request, _PRICE | {"within", "rows", "expect"})
        wish = numbers(fields, "epsilon", "rho", "delta", "within", "rows", "confidence")
        expect = fields.get("expect", {})
        if not isinstance(expect, dict):
            raise malformed("the field 'expect' is no object", 'Send {"expect": {"income": 28000}}, say')
        sql, guesses = text(fields, "sql"), numbers(expect, *expect)
        offer = await self._computed(session, lambda: session.quote(sql, **wish, expect=guesses))
        return answer(offer.to_json())

    async def plan(self, request: Request) -> Response:
        """What several questions would cost together, each as exact as it should be; nothing is charged."""
        session, fields = await self._asked(request, _PLAN)
        wanted = plan_purchase(fields)
        plan = await self._computed(session, lambda: session.plan(wanted.questions, **wanted.price))
        return answer(plan.to_json())

    async def explain(self, request: Request) -> Response:
        """How a question is understood, whatever its price; nothing is charged and no data is read."""
        session, fields = await self._asked(request, _PRICE)
        sql, _ = text(fields, "sql"), numbers(fields, "epsilon", "rho", "delta", "confidence")
        return answer(plan_json(await self._computed(session, lambda: session.explain(sql))))

    async def rehearse(self, request: Request) -> Response:
        """The answer to a question about made-up rows; nothing is charged."""
        session, fields = await self._asked(request, _PRICE)
        sql, wish = text(fields, "sql"), numbers(fields, "epsilon", "rho", "delta", "confidence")
        release = await self._computed(session, lambda: session.rehearse(sql, **wish))
        return answer(release.to_json())

    # --- answers -----------------------------------------------------------------------------------------

    async def run(self, request: Request) -> Response:
        """The private answer to a question, at a price."""
        return await self._paid(request, _PRICE | {"rows", "anyway", "cut"}, answer_purchase)

    async def run_plan(self, request: Request) -> Response:
        """All answers to a plan, as one charge."""
        return await self._paid(request, _PLAN, plan_purchase)

    async def advise(self, request: Request) -> Response:
        """Ranges and limits, found privately, as one charge."""
        return await self._paid(request, {"epsilon", "rho", "table", "columns"}, advice_purchase)

    async def apply(self, request: Request) -> Response:
        """What a mechanism of the library answers, at the price of its proof."""
        return await self._paid(request, {"mechanism", "queries", "public"}, mechanism_purchase)

    async def _paid(self, request: Request, known: set[str], read: Callable[[Mapping[str, Any]], Purchase]) -> Response:
        """What is paid for, once for each key."""
        account = await self.guard.bearer(request, paying=True)
        self.guard.rates.questions.take(account.name)
        desk = await self._desk(request, account)
        fields = await read_json(request, known)
        given = request.headers.get("idempotency-key")
        key = None if given is None else key_of(given)
        question = read(fields)
        found = await noting_refusals(
            self.accounts, account, desk, question, self.asking.ask(desk, account, question, key)
        )
        return answer(found.to_json())

    async def releases(self, request: Request) -> Response:
        """The account's own charges on a table, newest first."""
        account = await self.guard.bearer(request)
        desk = await self._desk(request, account)
        charges = await in_thread(lambda: own_charges(desk, account))
        return answer({"releases": [charge_json(entry) for entry in charges]})

    async def release(self, request: Request) -> Response:
        """An answer that the account paid for, as it was kept."""
        account = await self.guard.bearer(request)
        desk = await self._desk(request, account)
        found = await in_thread(lambda: own_release(desk, account, request.path_params["charge"]))
        return answer(found)

    async def file(self, request: Request) -> Response:
        """An answer that the account paid for, as a file for other tools."""
        account = await self.guard.bearer(request)
        desk = await self._desk(request, account)
        charge, kind = request.path_params["charge"], request.path_params["kind"]
        found = await in_thread(lambda: own_release(desk, account, charge))
        return await in_thread(lambda: as_file(found, kind, f"{desk.name}-{charge}"))

    async def check(self, request: Request) -> Response:
        """Whether an answer that the account paid for is what it says: derived again, and looked up in the ledger."""
        account = await self.guard.bearer(request)
        self.guard.rates.quotes.take(account.name)
        desk = await self._desk(request, account)
        found = await in_thread(lambda: own_release(desk, account, request.path_params["charge"]))
        verdict = await self.asking.computing.of(account.name, lambda: verified(found, desk.path))
        if isinstance(verdict, Rejected):
            return answer({"verdict": "rejected", "reason": verdict.reason})
        return answer({"verdict": "accepted", "statement": verdict.statement})

    # --- budgets -----------------------------------------------------------------------------------------

    async def budget(self, request: Request) -> Response:
        """The account's own share of a table, and what is left."""
        account = await self.guard.bearer(request)
        desk = await self._desk(request, account)
        session = await in_thread(lambda: desk.session(account.name))
        return answer(await in_thread(lambda: budget_json(session)))

    async def ledger(self, request: Request) -> Response:
        """Who spent what, and whether the record is intact; for curators."""
        account = await self.guard.bearer(request)
        curator_only(account)
        desk = await self._desk(request, account)
        return answer(await in_thread(lambda: _ledger(desk)))

    # --- shared ------------------------------------------------------------------------------------------

    async def _desk(self, request: Request, account: Account) -> Desk:
        return await in_thread(lambda: desk_for(self.desks, account, request.path_params["name"]))

    async def _computed(self, session: Session, work: Callable[[], Result]) -> Result:
        """What is computed for the account without a look at the data."""
        return await self.asking.computing.of(session.analyst, work)

    async def _asked(self, request: Request, known: set[str]) -> tuple[Session, dict[str, Any]]:
        """A session of the account, and what the body says."""
        account = await self.guard.bearer(request)
        self.guard.rates.quotes.take(account.name)
        desk = await self._desk(request, account)
        fields = await read_json(request, known)
        return await in_thread(lambda: desk.session(account.name)), fields


async def noting_refusals(
    accounts: Accounts, account: Account, desk: Desk, question: Purchase, work: Awaitable[Any]
) -> Any:  # noqa: ANN401  # whatever the work gives
    """What comes of a paying question; a refusal is noted in the chain of events, with the text that was refused."""
    try:
        return await work
    except LapwingError as refused:
        code = refused.code
        with contextlib.suppress(
            LapwingError
        ):  # where it cannot be noted, as on a full disk, it is refused all the same
            await in_thread(
                lambda: accounts.note(account.name, "question refused", f"{code}: {_words(desk, account, question)}")
            )
        raise


def _words(desk: Desk, account: Account, question: Purchase) -> str:
    try:
        return question.words(desk.session(account.name))
    except LapwingError:  # what cannot be asked has no words in the ledger
        return "advice on a table"


def desk_for(desks: Desks, account: Account, name: str) -> Desk:
    """The desk of a table that the account may know of."""
    desk = desks.named(name)
    if not account.is_curator and desk.policy().analyst(account.name) is None:
        raise unknown_table()
    return desk


def own_charges(desk: Desk, account: Account) -> list[Any]:
    """The account's own charges on a table, newest first."""
    entries = desk.ledger.entries()
    return [entry for entry in reversed(entries) if entry.kind == "charge" and entry.analyst == account.name]


def own_release(desk: Desk, account: Account, charge: int) -> dict[str, Any]:
    """An answer of the account's own; of what others paid for it is not even said that it is there."""
    # asked before, so that no is said as quickly whether it is ready or not; and after, for a question begun meanwhile
    kept = None if desk.holds_back(charge) else desk.ledger.kept_for(charge)
    found: dict[str, Any] = json.loads(kept) if kept is not None and kept.startswith("{") else {}
    if not found or found["receipt"]["analyst"] != account.name or desk.holds_back(charge):
        raise not_found(
            "you have no answer of this number, or it was too large to keep, or it has not left yet",
            "Look at the list of your answers",
        )
    return found


def verified(found: Mapping[str, Any], source: Path) -> Derived | DerivedTogether | Rejected:
    """Whether something that was paid for is what it says, whichever kind it is of."""
    if found.get("kind") == "report":
        return verify_report(found, source)
    return (verify_application if "value" in found else verify_release)(found, source)


def answer(content: object, status: int = 200) -> Response:
    """JSON that nobody on the way keeps a copy of."""
    return JSONResponse(content, status)


def _mechanism(name: str) -> dict[str, object]:
    found = shipped(name)
    certificate = found.certificate
    return {
        "name": name,
        "bound": certificate.bound,
        "source": found.source,
        "certificate": certificate.to_json(),
    }


def _ledger(desk: Desk) -> dict[str, object]:
    book = desk.ledger
    chain = book.verify()
    charges = [entry for entry in book.entries() if entry.kind == "charge"]
    return {
        "intact": chain.intact,
        "entries": chain.entries,
        "first_bad": chain.first_bad,
        "reason": chain.reason,
        "accounts": [account_json(each) for each in book.accounts()] if chain.intact else [],
        "charges": [charge_json(entry) for entry in charges],
    }
