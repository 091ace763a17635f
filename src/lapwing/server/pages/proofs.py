"""The mechanisms that come proved: source, claim, and the proof step by step."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lapwing.library import NAMES
from lapwing.library.certifying import Certified
from lapwing.library.shelf import shipped
from lapwing.search.privacy.story import story
from lapwing.server.pages.drawing import page
from lapwing.server.pages.shared import House
from lapwing.server.paid_questions import in_thread
from lapwing.server.statuses import not_found


@dataclass(frozen=True, slots=True)
class MechanismPage:
    """What the pages say of a mechanism."""

    name: str
    words: str
    bound: str
    method: str
    source: str
    certificate: str
    statement: str
    story: str


@dataclass(frozen=True, slots=True)
class Proofs:
    """The pages of mechanisms."""

    house: House

    def routes(self) -> list[Route]:
        """Their addresses."""
        return [
            Route("/mechanisms", self.all, methods=["GET"]),
            Route("/mechanisms/{name}", self.show, methods=["GET"]),
        ]

    async def all(self, request: Request) -> Response:
        """All of them."""
        login = await self.house.visitor(request)
        found = await in_thread(lambda: [_described(name, checked=False) for name in NAMES])
        return page("mechanisms.html", login, mechanisms=found)

    async def show(self, request: Request) -> Response:
        """One of them; its certificate is checked, against the source that is shown, before the page says so."""
        login = await self.house.visitor(request)
        name = request.path_params["name"]
        if name not in NAMES:
            raise not_found("there is no mechanism of this name")
        return page("mechanism.html", login, mechanism=await in_thread(lambda: _described(name, checked=True)))


@functools.lru_cache(maxsize=64)  # a check takes a moment, and neither source nor certificate changes while we run
def _described(name: str, *, checked: bool) -> MechanismPage:
    found: Certified = shipped(name)
    certificate = found.certificate
    words = (found.runnable.ir.documentation or "").strip().split("\n\n")[0].replace("``", "")
    statement = _statement(found) if checked else ""
    proof = json.dumps(certificate.to_json(), indent=1)
    told = story(certificate, found.runnable.module) if checked else ""
    return MechanismPage(
        name, words, certificate.bound, certificate.method, found.source.strip(), proof, statement, told
    )


def _statement(found: Certified) -> str:
    """What the checker confirms; it is asked here, and raises where it does not."""
    guarantee = found.guarantee
    private = " and ".join(f"{name} differs by {how}" for name, how in guarantee.neighbours.items())
    kind = {
        "epsilon": "ε-differential privacy with ε",
        "approximate": "(ε, δ)-differential privacy with (ε, δ)",
        "rho": "zero-concentrated differential privacy with ρ",
    }
    what = kind.get(str(guarantee.measure), str(guarantee.measure))
    return f"{what} at most {guarantee.stated}, for all sizes and all public parameters, where {private}."
