"""Protecting a table, step by step: a file of the folder, then what the curator says about its columns."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from lapwing.algebra.neighbours import Neighbours
from lapwing.engines import describe
from lapwing.errors import InvalidInput, LapwingError
from lapwing.policy import Column
from lapwing.policy.written_values import number
from lapwing.server.accounts import Login
from lapwing.server.pages.drawing import Fields, page
from lapwing.server.pages.shared import House
from lapwing.server.paid_questions import in_thread
from lapwing.server.statuses import not_found, status_of
from lapwing.session.policy_places import places
from lapwing.session.protecting import Wishes, protect

_GUESSED = (".csv", ".tsv")
_DATA = (".parquet", ".pq", *_GUESSED)
#: The kinds of columns that have a range, and how keys of the others are written.
_RANGED = ("integer", "real", "date", "timestamp")
_WRITTEN = {"text": "north, south, …", "integer": "1, 2, 3, …", "boolean": "true, false", "date": "2024-01-01, …"}
#: A budget beyond which nothing is hidden.
_MOST = 1000


def unprotected(folder: Path) -> list[str]:
    """The data files of a folder that no policy of it is about."""
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() in _DATA and path.is_file())
    return [path.name for path in files if not path.name.startswith(".") and not places(path).policy.exists()]


@dataclass(frozen=True, slots=True)
class Protecting:
    """The pages for protecting a table."""

    house: House

    def routes(self) -> list[Route]:
        """Their addresses."""
        return [
            Route("/curate/protect", self.show, methods=["GET"]),
            Route("/curate/protect", self.protect, methods=["POST"]),
        ]

    async def show(self, request: Request) -> Response:
        """The columns of a file, by its own description; no value of it is read for this page."""
        login = await self.house.curator(request)
        path = await in_thread(lambda: self._file(request.query_params.get("file", "")))
        columns = await in_thread(lambda: describe(path, None, None))
        return await self._form(login, path, columns)

    async def protect(self, request: Request) -> Response:
        """Writes the policy and opens the ledger; a refusal leaves the form as it was."""
        login, fields = await self.house.curators_form(request)
        path = await in_thread(lambda: self._file(fields.get("file", "")))
        columns = await in_thread(lambda: describe(path, None, None))
        try:
            if fields.get("analyst"):
                await in_thread(lambda: self.house.accounts.named(fields["analyst"]))
            policy, _ = await in_thread(lambda: protect(path, _wishes(fields, columns)))
        except LapwingError as refused:
            return await self._form(login, path, columns, Fields(fields), refused)
        by = login.account.name
        about = f"{policy.name}: epsilon {policy.budget.epsilon}, delta {policy.budget.delta}"
        await in_thread(lambda: self.house.accounts.note(by, "table protected", about))
        return RedirectResponse(f"/curate/tables/{policy.name}", 303)

    async def _form(
        self,
        login: Login,
        path: Path,
        columns: tuple[Column, ...],
        fields: Fields | None = None,
        refused: LapwingError | None = None,
    ) -> Response:
        # the kinds of a text file are guesses, which a range corrects: what has one holds numbers, or days
        ranged = (*_RANGED, "text") if path.suffix.lower() in _GUESSED else _RANGED
        status = 200 if refused is None else status_of(refused)
        accounts = await in_thread(self.house.accounts.all)
        return page(
            "protect.html",
            login,
            status,
            file=path.name,
            columns=columns,
            ranged=ranged,
            written=_WRITTEN,
            accounts=[each.name for each in accounts if not each.disabled],
            fields=Fields() if fields is None else fields,
            refused=refused,
        )

    def _file(self, name: str) -> Path:
        """A file of the folder that is offered; any other name leads nowhere."""
        if name not in unprotected(self.house.desks.folder):
            raise not_found(
                "there is no file of this name to protect, or it is protected already",
                "Choose one of the files that Curate lists",
            )
        return self.house.desks.folder / name


def _wishes(fields: Mapping[str, str], columns: tuple[Column, ...]) -> Wishes:
    names = [column.name for column in columns]
    bounds: dict[str, tuple[str, str]] = {}
    keys: dict[str, list[str]] = {}
    for place, name in enumerate(names):
        low, high = (fields.get(f"{end}{place}", "").strip() for end in ("low", "high"))
        if low or high:
            if not low or not high:
                raise InvalidInput("S112", f"the range of {name} has one end", "Give both ends, or none")
            bounds[name] = (low, high)
        listed = fields.get(f"keys{place}", "").strip()
        if listed:
            keys[name] = [key.strip() for key in next(csv.reader([listed], skipinitialspace=True), []) if key.strip()]
    if number(fields.get("epsilon", "").strip() or "none", "epsilon") > _MOST:
        raise InvalidInput("S114", f"a budget of epsilon above {_MOST} protects nobody", "Give 1, say")
    unit, rows = fields.get("unit", ""), fields.get("rows", "").strip()
    if rows and (not rows.isdecimal() or len(rows) > 9):
        raise InvalidInput("S116", "the number of rows of a person is not a count", "Give a whole number from 1")
    words: dict[str, Any] = {"rows_per_unit": int(rows)} if rows and unit else {}
    analyst, share = fields.get("analyst", ""), fields.get("share", "").strip()
    words["analysts"] = {analyst: share or None} if analyst else {}
    return Wishes(
        unit or None,
        fields["epsilon"].strip(),
        fields.get("delta", "").strip() or "0",
        Neighbours.REPLACED if fields.get("neighbours") == "replaced" else Neighbours.ADDED,
        bounds=bounds,
        keys=keys,
        **words,
    )
