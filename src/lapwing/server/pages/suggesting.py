"""For curators: ranges and limits suggested privately, what they would change in the policy, and writing them there."""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from lapwing.policy import Policy, policy_text
from lapwing.server.accounts import Account
from lapwing.server.api import noting_refusals, own_release
from lapwing.server.desks import Desk
from lapwing.server.granting import CHANGING
from lapwing.server.pages.drawing import page
from lapwing.server.pages.shared import House
from lapwing.server.paid_questions import in_thread
from lapwing.server.purchases import AdvicePurchase
from lapwing.server.request_bodies import key_of, text
from lapwing.session.advice import Advice, advised, write_advice
from lapwing.session.advising import concluded_again
from lapwing.session.reporting import read_report


@dataclass(frozen=True, slots=True)
class Suggesting:
    """The pages of advice."""

    house: House

    def routes(self) -> list[Route]:
        """Their addresses."""
        return [
            Route("/curate/tables/{name}/advise", self.ask, methods=["POST"]),
            Route("/curate/tables/{name}/advice/{charge:entry}", self.show, methods=["GET"]),
            Route("/curate/tables/{name}/advice/{charge:entry}/write", self.write, methods=["POST"]),
        ]

    async def ask(self, request: Request) -> Response:
        """Pays for advice, out of the curator's own share, and leads to it."""
        login, fields = await self.house.curators_form(request)
        self.house.guard.rates.questions.take(login.account.name)
        desk = await self.house.desk(request, login.account)
        key = key_of(fields.get("key"))
        purchase = AdvicePurchase(epsilon=text(fields, "epsilon").strip())
        work = self.house.asking.ask(desk, login.account, purchase, key)
        found = await noting_refusals(self.house.accounts, login.account, desk, purchase, work)
        return RedirectResponse(f"/curate/tables/{desk.name}/advice/{found.receipt['sequence']}", 303)

    async def show(self, request: Request) -> Response:
        """Advice that the curator paid for, and what it would change in the policy as it is now."""
        login = await self.house.curator(request)
        desk = await self.house.desk(request, login.account)
        policy = await in_thread(desk.policy)
        charge = request.path_params["charge"]
        found = await in_thread(lambda: _advice(desk, login.account, policy, charge))
        changes = changed_lines(policy, advised(policy, found))
        return page("advice.html", login, name=desk.name, advice=found, changes=changes, charge=charge)

    async def write(self, request: Request) -> Response:
        """Puts the advice into the policy."""
        login, _ = await self.house.curators_form(request)
        desk = await self.house.desk(request, login.account)
        policy = await in_thread(desk.policy)
        found = await in_thread(lambda: _advice(desk, login.account, policy, request.path_params["charge"]))
        await in_thread(lambda: _write(desk, found))
        about = f"{desk.name}: {' '.join(found.arguments)}"
        await in_thread(lambda: self.house.accounts.note(login.account.name, "policy changed", about))
        return RedirectResponse(f"/curate/tables/{desk.name}?said=written", 303)


def changed_lines(before: Policy, after: Policy) -> list[tuple[str, str]]:
    """The lines of a policy that change, each with its sign, and what stands around them."""
    old, new = (policy_text(each).splitlines() for each in (before, after))
    lines = difflib.unified_diff(old, new, lineterm="", n=1)
    return [(line[0], line[1:]) for line in lines if not line.startswith(("---", "+++", "@@"))]


def _write(desk: Desk, found: Advice) -> None:
    with CHANGING:
        write_advice(desk.path, found)


def _advice(desk: Desk, account: Account, policy: Policy, charge: int) -> Advice:
    kept = own_release(desk, account, charge)
    return concluded_again(policy, read_report(json.dumps(kept), repeated=True))
