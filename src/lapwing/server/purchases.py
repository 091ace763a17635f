"""What can be paid for at the door: an answer, all answers to a plan, advice on a table, an answer of a mechanism.

The one idea: each knows how a session is asked for it, what tells it from every other (for keys that come again), what
the ledger will call it (to find its charge after a crash), and how it is read when it was kept.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from lapwing.algebra.exact import Number
from lapwing.library import NAMES
from lapwing.library.shelf import shipped
from lapwing.query.prepare import prepare
from lapwing.server.statuses import not_found
from lapwing.session import Session
from lapwing.session.advice import Advice
from lapwing.session.advising import concluded_again, questions
from lapwing.session.applying import Applied, application_text, applying, read_applied
from lapwing.session.asking import ready, ready_to_advise, ready_together
from lapwing.session.planning import amounts_left
from lapwing.session.release import Release, read_release
from lapwing.session.reporting import Report, read_report
from lapwing.session.waiting import Ready
from lapwing.session.wishing import Wished


class Bought(Protocol):
    """What came of a purchase."""

    @property
    def repeated(self) -> bool:
        """Whether it was paid for before."""
        ...

    @property
    def receipt(self) -> Mapping[str, object]:
        """What it was charged with."""
        ...

    def to_json(self) -> dict[str, object]:
        """As it leaves the server."""
        ...


class Purchase(Protocol):
    """Something to be paid for."""

    def ready(self, session: Session) -> Ready[Bought]:
        """The question to a session, checked and priced, and yet to be charged."""
        ...

    def words(self, session: Session) -> str:
        """What the ledger calls it."""
        ...

    def kept(self, text: str, session: Session) -> Bought:
        """What was answered before, as it was kept."""
        ...


def digest(purchase: Purchase, table: str) -> str:
    """What must be the same when a key comes again."""
    words = asdict(purchase)  # type: ignore[call-overload]  # each of them is a dataclass
    content = json.dumps([table, type(purchase).__name__, words], sort_keys=True, default=str)
    return hashlib.sha256(content.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class AnswerPurchase:
    """An answer to a query; exactly what a session's ``sql`` takes."""

    sql: str
    epsilon: Number | None = None
    rho: Number | None = None
    delta: Number | None = None
    confidence: Number = "0.95"
    rows: int | None = None
    anyway: bool = False
    cut: Number | None = None

    def ready(self, session: Session) -> Ready[Bought]:
        """The question to a session."""
        return ready(
            session,
            self.sql,
            epsilon=self.epsilon,
            rho=self.rho,
            delta=self.delta,
            confidence=self.confidence,
            rows=self.rows,
            anyway=self.anyway,
            cut=self.cut,
        )

    def words(self, session: Session) -> str:  # noqa: ARG002  # others need it
        """What the ledger calls it."""
        return self.sql

    def kept(self, text: str, session: Session) -> Release:
        """What was answered before."""
        currencies, left = json.loads(text)["left"], session.remaining
        return read_release(text, repeated=True, remaining={name: str(getattr(left, name)) for name in currencies})


@dataclass(frozen=True, slots=True)
class PlanPurchase:
    """All answers to a plan."""

    questions: tuple[Wished, ...]
    price: Mapping[str, Number]

    def ready(self, session: Session) -> Ready[Bought]:
        """The questions to a session."""
        return ready_together(session, self.questions, **self.price)

    def words(self, session: Session) -> str:  # noqa: ARG002  # others need it
        """What the ledger calls it."""
        return ";\n".join(each.sql for each in self.questions)

    def kept(self, text: str, session: Session) -> Report:
        """What was answered before."""
        return read_report(text, repeated=True, remaining=amounts_left(session.remaining))


@dataclass(frozen=True, slots=True)
class AdvicePurchase:
    """Advice on a table."""

    epsilon: Number | None = None
    rho: Number | None = None
    table: str | None = None
    columns: tuple[str, ...] | None = None

    def ready(self, session: Session) -> Ready[Bought]:
        """The questions to a session."""
        return ready_to_advise(session, epsilon=self.epsilon, rho=self.rho, table=self.table, columns=self.columns)

    def words(self, session: Session) -> str:
        """What the ledger calls it."""
        return ";\n".join(each.sql for each in questions(session.policy, self.table, self.columns)[1])

    def kept(self, text: str, session: Session) -> Advice:
        """What was advised before; a policy that follows it asks for less by default, so that what was asked counts."""
        report = read_report(text, repeated=True, remaining=amounts_left(session.remaining))
        return concluded_again(session.policy, report)


@dataclass(frozen=True, slots=True)
class MechanismPurchase:
    """What a mechanism of the library answers."""

    mechanism: str
    queries: tuple[str, ...]
    public: Mapping[str, Any]

    def ready(self, session: Session) -> Ready[Bought]:
        """The question to a session."""
        if self.mechanism not in NAMES:
            raise not_found("there is no mechanism of this name")
        queries = [prepare(each, session.policy) for each in self.queries]
        return applying(session.road, shipped(self.mechanism), queries, public=self.public)

    def words(self, session: Session) -> str:  # noqa: ARG002  # others need it
        """What the ledger calls it."""
        return application_text(self.mechanism, self.queries)

    def kept(self, text: str, session: Session) -> Applied:  # noqa: ARG002  # it says what was left then
        """What was answered before."""
        return read_applied(text, repeated=True)
