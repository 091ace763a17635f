"""A planner for people without SQL: choose statistics, say how exact, see what all of it costs, and pay once."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from lapwing.errors import InvalidInput, LapwingError
from lapwing.policy import Column, Table
from lapwing.query.spelled_names import written
from lapwing.server.api import noting_refusals
from lapwing.server.pages.drawing import Fields, page
from lapwing.server.pages.examples import main_table
from lapwing.server.pages.reports import shown_report
from lapwing.server.pages.shared import House, budget
from lapwing.server.paid_questions import in_thread
from lapwing.server.payment_requests import plan_purchase
from lapwing.server.request_bodies import key_of, parsed, text
from lapwing.server.statuses import malformed, status_of
from lapwing.session import Session
from lapwing.session.planning import Plan
from lapwing.session.releasing import KEPT_ROWS
from lapwing.session.reporting import Report
from lapwing.session.wishing import read_questions

_NUMBER = re.compile(r"[-+]?\d{1,30}(\.\d{1,30})?", re.ASCII)
#: Statistics in one plan.
LINES = 5
_STATISTICS = {
    "count": ("How many", "COUNT(*)"),
    "mean": ("Average of", "AVG({})"),
    "sum": ("Total of", "SUM({})"),
    "median": ("Median of", "MEDIAN({})"),
}
_COMPARED = {"=": "is", "<>": "is not", "<": "is below", ">=": "is at least"}


@dataclass(frozen=True, slots=True)
class Offered:
    """A plan as the page shows it, and what the button sends: every question at the price that is shown."""

    plan: Plan
    questions: str
    consoles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Planner:
    """The pages of the planner."""

    house: House

    def routes(self) -> list[Route]:
        """Their addresses."""
        return [
            Route("/tables/{name}/planner", self.show, methods=["GET"]),
            Route("/tables/{name}/planner", self.plan, methods=["POST"]),
            Route("/tables/{name}/planner/pay", self.pay, methods=["POST"]),
        ]

    async def show(self, request: Request) -> Response:
        """The form."""
        login = await self.house.visitor(request)
        desk = await self.house.desk(request, login.account)
        session = await in_thread(lambda: desk.session(login.account.name))
        values = await in_thread(lambda: _form(session))
        return page("planner.html", login, **values, fields=Fields(), offered=None, refused=None)

    async def plan(self, request: Request) -> Response:
        """The form with prices; nothing is charged, and no data is read."""
        login, fields = await self.house.sent(request)
        self.house.guard.rates.quotes.take(login.account.name)
        desk = await self.house.desk(request, login.account)
        session = await in_thread(lambda: desk.session(login.account.name))
        offered, refused = None, None
        try:
            offered = await self.house.asking.computing.of(session.analyst, lambda: _offered(session, fields))
        except LapwingError as error:
            refused = error
        values = {**await in_thread(lambda: _form(session)), "fields": Fields(fields)}
        status = 200 if refused is None else status_of(refused)
        return page("planner.html", login, status, **values, offered=offered, refused=refused)

    async def pay(self, request: Request) -> Response:
        """Pays for a plan, and leads to its answers; a form that is sent twice is charged once."""
        login, fields = await self.house.sent(request)
        self.house.guard.rates.questions.take(login.account.name)
        desk = await self.house.desk(request, login.account)
        key = key_of(fields.get("key"))
        try:
            found = parsed(text(fields, "questions"))
        except (ValueError, RecursionError):
            raise malformed("the form holds no plan", "Go back, and plan it again") from None
        purchase = plan_purchase({"questions": found})
        work = self.house.asking.ask(desk, login.account, purchase, key)
        report = await noting_refusals(self.house.accounts, login.account, desk, purchase, work)
        assert isinstance(report, Report)  # noqa: S101  # a plan gives one
        paid = "again" if report.repeated else "paid"
        if (
            sum(each.table.num_rows for each in report) > KEPT_ROWS
        ):  # it is on no shelf: this is the only time it is seen
            return page("report.html", login, **shown_report(desk.policy(), report.to_json(), kept=False), said=paid)
        return RedirectResponse(f"/tables/{desk.name}/releases/{report.receipt['sequence']}?said={paid}", 303)


def _form(session: Session) -> dict[str, Any]:
    main = main_table(session.policy)
    return {
        **budget(session),
        "statistics": {name: words for name, (words, _) in _STATISTICS.items()},
        "compared": _COMPARED,
        "measured": [column for column in main.columns if column.low is not None and column.high is not None],
        "grouped": [column for column in main.columns if column.keys is not None and column.name != main.unit],
        "others": [column for column in main.columns if column.name != main.unit],
        "count": LINES,
    }


def _offered(session: Session, fields: Mapping[str, str]) -> Offered | None:
    chosen = [number for number in range(LINES) if fields.get(f"statistic{number}") in _STATISTICS]
    if not chosen:
        return None
    wanted = read_questions([_question(session, fields, number) for number in chosen])
    most = fields.get("most", "").strip()
    plan = session.plan(wanted, **({"epsilon": most} if most else {}))
    paid = [each.fields(given.price) for each, given in zip(wanted, plan.questions, strict=True)]
    consoles = tuple(
        f"/tables/{session.policy.name}?{urlencode({'sql': each.sql, 'rows': each.rows})}" for each in wanted
    )
    return Offered(plan, json.dumps(paid), consoles)


def _question(session: Session, fields: Mapping[str, str], number: int) -> dict[str, object]:
    statistic, column = fields[f"statistic{number}"], fields.get(f"column{number}", "")
    words = _STATISTICS[statistic][0] + ("" if statistic == "count" else f" {column}")
    rows = fields.get("rows", "").strip() or "1000"
    if not rows.isdecimal() or len(rows) > 12:
        raise InvalidInput("S139", "the guessed number of rows is not a count", "Give a whole number from 1")
    found: dict[str, object] = {
        "name": f"{number + 1}. {words}",
        "sql": _sql(main_table(session.policy), statistic, column, fields),
        "rows": int(rows),
    }
    within, guess = (fields.get(f"{name}{number}", "").strip() for name in ("within", "guess"))
    if within and statistic == "median":
        problem = f"a median is off by some ranks of people, and not by {within[:30]}"
        raise InvalidInput("S171", problem, f"Leave it empty for {words}, and say what to pay in all")
    if not within and not fields.get("most", "").strip():
        more = "" if statistic == "median" else "how far off it may be, or "
        raise InvalidInput("S172", f"nothing says how exact {words} should be", f"Say {more}what to pay in all")
    if within.endswith("%") and not guess and statistic != "count":
        problem = f"{within[:30]} of something means nothing while nobody says how large it is"
        raise InvalidInput(
            "S173", problem, f"Say what you expect of {words}, about, or give a number for it to be off by"
        )
    return {**found, **({"within": within} if within else {}), **({"expect": {"answer": guess}} if guess else {})}


def _sql(table: Table, statistic: str, column: str, fields: Mapping[str, str]) -> str:
    """The question that a line means; names come from the policy, and values are written as SQL's own constants."""
    answer = _STATISTICS[statistic][1]
    if statistic != "count":
        answer = answer.format(written(_column(table, column).name))
    key = fields.get("by", "")
    group = written(_column(table, key).name) if key else ""
    where = ""
    if fields.get("only", ""):
        found = _column(table, fields["only"])
        how = fields.get("how", "=") if fields.get("how", "=") in _COMPARED else "="
        where = f" WHERE {written(found.name)} {how} {_constant(found, fields.get('value', ''))}"
    chosen = f"{group}, {answer} AS answer" if group else f"{answer} AS answer"
    return f"SELECT {chosen} FROM {written(table.name)}{where}" + (f" GROUP BY {group}" if group else "")  # noqa: S608  # see above


def _column(table: Table, name: str) -> Column:
    found = table.column(name)
    if found is None:
        raise InvalidInput("D120", "a statistic is of no column", "Choose one in the form")
    return found


def _constant(column: Column, value: str) -> str:
    if column.kind in ("integer", "real"):
        found = value.strip()
        if not _NUMBER.fullmatch(found):  # as SQL writes it: no exponent, so that a short text is no enormous number
            raise InvalidInput("D120", f"{column.name} holds numbers, and the value is none", "Write one, such as 2.5")
        return found
    if column.kind == "boolean":
        return "TRUE" if value.strip().lower() in ("true", "yes", "1") else "FALSE"
    quoted = value.replace("'", "''")
    return f"DATE '{quoted}'" if column.kind == "date" else f"'{quoted}'"
