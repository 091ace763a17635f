"""The session itself: each method is one request, and gives what the same method of a session on a file gives."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NoReturn

from lapwing.algebra.exact import Number, exact
from lapwing.client.calling import Remote, server
from lapwing.errors import InvalidInput
from lapwing.ledger import Left, Remaining
from lapwing.library import NAMES, Certified
from lapwing.library.shelf import shipped
from lapwing.query.builder import as_sql
from lapwing.query.explain import Node
from lapwing.session.advice import Advice, read_advice
from lapwing.session.applying import Applied, read_applied
from lapwing.session.planning import Plan, read_planned
from lapwing.session.quoting import Offer, Quote
from lapwing.session.release import Release, read_release
from lapwing.session.reporting import Report, read_report
from lapwing.session.wishing import read_questions


@dataclass(frozen=True, slots=True, repr=False)
class RemoteSession:
    """Ask about a table of a server. Everything is charged to the account that the token belongs to."""

    server: Remote
    table: str

    def sql(
        self,
        text: object,
        *,
        epsilon: Number | None = None,
        rho: Number | None = None,
        delta: Number | None = None,
        confidence: Number = "0.95",
        rows: int | None = None,
        anyway: bool = False,
        cut: Number | None = None,
        progress: Callable[[float], None] | None = None,  # noqa: ARG002  # as on a file; a server tells nobody how far it is
    ) -> Release:
        """The private answer to a query, at this price; sent again if the connection fails, and charged once.

        Where groups of ``rows`` rows would be too small to be shown, nothing is charged unless you ask ``anyway``.
        """
        fields: dict[str, object] = {"sql": as_sql(text)}
        fields |= _numbers(epsilon=epsilon, rho=rho, delta=delta, confidence=confidence, cut=cut)
        fields |= ({} if rows is None else {"rows": rows}) | ({"anyway": True} if anyway else {})
        found = self.server.post(fields, "tables", self.table, "run", once=True)
        return read_release(json.dumps(found), repeated=bool(found.get("repeated")))

    def quote(
        self,
        text: object,
        *,
        epsilon: Number | None = None,
        rho: Number | None = None,
        delta: Number | None = None,
        within: Number | None = None,
        rows: int = 1000,
        expect: Mapping[str, Number] | None = None,
        confidence: Number = "0.95",
    ) -> Quote:
        """What a query would cost and how exact it would be; nothing is charged."""
        fields: dict[str, object] = {"sql": as_sql(text), "rows": rows}
        fields |= _numbers(epsilon=epsilon, rho=rho, delta=delta, confidence=confidence)
        if within is not None:
            fields["within"] = str(within)
        if expect:
            fields["expect"] = {name: str(exact(value, name)) for name, value in expect.items()}
        return _quote(self.server.post(fields, "tables", self.table, "quote"))

    def explain(self, text: object) -> Node:
        """The plan of a query: at each node the rule, whose rows there are, and what one person can change."""
        return _node(self.server.post({"sql": as_sql(text)}, "tables", self.table, "explain"))

    def plan(
        self,
        questions: object,
        *,
        epsilon: Number | None = None,
        rho: Number | None = None,
        delta: Number | None = None,
        confidence: Number = "0.95",
    ) -> Plan:
        """Several questions under one price, each as exact as it should be; nothing is charged before ``run()``."""
        wanted = read_questions(questions)
        price = _numbers(epsilon=epsilon, rho=rho, delta=delta, confidence=confidence)
        body = {"questions": [each.fields() for each in wanted], **price}

        def run(_: object) -> Report:
            # each question at the price that was shown: what is paid is what was planned
            asked = [each.fields(given.price) for each, given in zip(wanted, made.questions, strict=True)]
            paid = {"questions": asked, "confidence": price["confidence"]}
            found = self.server.post(paid, "tables", self.table, "plan", "run", once=True)
            return read_report(json.dumps(found), repeated=bool(found.get("repeated")))

        made = read_planned(self.server.post(body, "tables", self.table, "plan"), run)
        return made

    def advise(
        self,
        *,
        epsilon: Number | None = None,
        rho: Number | None = None,
        table: str | None = None,
        columns: Sequence[str] | None = None,
        progress: Callable[[float], None] | None = None,  # noqa: ARG002  # as on a file
    ) -> Advice:
        """Ranges for number columns, and limits on rows and groups of a person, found privately; charged at once."""
        fields: dict[str, object] = {**_numbers(epsilon=epsilon, rho=rho)}
        if table is not None:
            fields["table"] = table
        if columns is not None:
            fields["columns"] = list(columns)
        found = self.server.post(fields, "tables", self.table, "advise", once=True)
        return read_advice(found, read_report(json.dumps(found), repeated=bool(found.get("repeated"))))

    def apply(self, mechanism: Certified, queries: Sequence[object] | object, /, **public: object) -> Applied:
        """Run a mechanism of the library on a vector of queries, charged what its certificate says.

        A server runs the mechanisms that it ships: of others it has no proof that it checked itself.
        """
        name = mechanism.guarantee.function if isinstance(mechanism, Certified) else ""
        if name not in NAMES or shipped(name) is not mechanism:
            raise InvalidInput(
                "S150",
                "a server runs mechanisms of its library alone",
                "Take one of lapwing.library",
            )
        asked = [queries] if isinstance(queries, str) or not isinstance(queries, Sequence) else list(queries)
        fields = {
            "mechanism": name,
            "queries": [as_sql(each) for each in asked],
            "public": {each: _parameter(value, each) for each, value in public.items()},
        }
        return read_applied(json.dumps(self.server.post(fields, "tables", self.table, "apply", once=True)))

    def people_needed(self, text: object, *, epsilon: Number, delta: Number | None = None) -> int | None:
        """How many people a group needs to be shown, about, at this price; None where every group is shown."""
        return self.quote(text, epsilon=epsilon, delta=delta).threshold

    def rehearse(
        self,
        text: object,
        *,
        epsilon: Number | None = None,
        rho: Number | None = None,
        delta: Number | None = None,
        confidence: Number = "0.95",
    ) -> Release:
        """The answer to a query about made-up rows, where the server can make them up; nothing is charged.

        Without a price it is shown for ε = 1.
        """
        epsilon = 1 if epsilon is None and rho is None else epsilon
        fields = {"sql": as_sql(text), **_numbers(epsilon=epsilon, rho=rho, delta=delta, confidence=confidence)}
        return read_release(json.dumps(self.server.post(fields, "tables", self.table, "rehearse")))

    @property
    def remaining(self) -> Remaining:
        """What one more question may cost."""
        found = self.server.get("tables", self.table, "budget")
        return Remaining(_left(found["left"]), _left(found["table"]["left"]))

    def partition(self, column: str, table: str | None = None) -> NoReturn:  # noqa: ARG002  # as on a file
        """Refused: what a server charges is charged to the whole table."""
        raise InvalidInput(
            "D146",
            "a server has no parts of a table to ask one by one",
            f"Ask about all of them at once, with GROUP BY {column}; or open the table where it is",
        )

    @property
    def analyst(self) -> str:
        """Whose account is charged."""
        return str(self.server.get("tables", self.table, "budget")["analyst"])

    @property
    def columns(self) -> dict[str, str]:
        """The columns of the table, with their kinds."""
        found = self.server.get("tables", self.table)
        return {each["name"]: each["kind"] for table in found["tables"] for each in table["columns"]}

    def close(self) -> None:
        """Nothing is held open; here so that a session on a file can be exchanged for one on a server."""

    def __repr__(self) -> str:
        return f"Session of {self.table} at {self.server.scheme}://{self.server.place}{self.server.prefix}"

    def __enter__(self) -> RemoteSession:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def connect(url: str, *, token: str, table: str | None = None, timeout: float = 180.0) -> RemoteSession:
    """A session on a table of a server: ``lapwing.connect("https://stat.example/people", token=…)``.

    The table may be the last word of the address, or ``table``; it can be left out where the account has one only.
    """
    there, named = server(url, token, timeout)
    wanted = table if table is not None else named
    tables = [str(each["name"]) for each in there.get("tables")["tables"]]
    if wanted is None and len(tables) == 1:
        wanted = tables[0]
    if wanted is None or wanted not in tables:
        what = "the address names no table" if wanted is None else f"this account has no table {wanted!r}"
        listed = ", ".join(tables) or "none yet: ask the curator for a share"
        raise InvalidInput("D143", what, f"Name one of its tables at the end of the address: {listed}")
    return RemoteSession(there, wanted)


def _numbers(**given: Number | None) -> dict[str, str]:
    """Numbers as they are sent: exactly."""
    return {name: str(exact(value, name)) for name, value in given.items() if value is not None}


def _parameter(value: object, name: str) -> object:
    """A public parameter as it is sent: numbers exactly."""
    if isinstance(value, list | tuple):
        return [_parameter(each, name) for each in value]
    return value if isinstance(value, bool | str) else str(exact(value, name))  # type: ignore[arg-type]  # or it is refused


def _left(words: Mapping[str, str]) -> Left:
    return Left(*(Fraction(words[name]) for name in ("epsilon", "rho", "delta")))


def _node(words: Mapping[str, Any]) -> Node:
    return Node(str(words["node"]), tuple(words["facts"]), tuple(_node(child) for child in words["children"]))


def _quote(words: Mapping[str, Any]) -> Quote:
    offers = tuple(Offer(each["price"], each["margins"], bool(each["affordable"])) for each in words["offers"])
    return Quote(
        words["query"],
        words["rows"],
        words["confidence"],
        words["expected"],
        tuple(words["at_worst"]),
        tuple(words.get("ranked", ())),
        offers,
        tuple((each["what"], each["price"]) for each in words["measurements"]),
        words["threshold"],
        tuple(words["notes"]),
    )
