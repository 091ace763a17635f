"""A paying question on its way through the door: repeated for nothing, or asked once, in turn, and let go on time.

The order of this file is its safety. A question with a key is written down before the ledger is charged; one question
at a time is asked of a table, and holds its turn until its answer leaves, so that the wait of the next one tells
nothing of the rows that this one read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from starlette.concurrency import run_in_threadpool

from lapwing import watching
from lapwing.errors import LapwingError
from lapwing.ledger import Ledger
from lapwing.ledger.costs import prices_of, prices_text
from lapwing.server.accounts import Account, Accounts
from lapwing.server.accounts.questions import Begun
from lapwing.server.desks import PATIENCE, Desk
from lapwing.server.free_computations import Computing
from lapwing.server.pacing import Schedule
from lapwing.server.purchases import AdvicePurchase, Bought, Purchase, digest
from lapwing.server.statuses import REFUSED, Refusal, forbidden, too_many
from lapwing.session import Session
from lapwing.session.waiting import Ready

Result = TypeVar("Result")
#: So many questions may wait for their turn at one table.
MOST_WAITING = 64


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question that was made ready, once, and the session it was made ready for."""

    session: Session
    ready: Ready[Bought]

    def on(self, fresh: Session, question: Purchase) -> Ready[Bought]:
        """The question as the table is now; made ready anew only where the table was opened anew."""
        if fresh.policy is self.session.policy and fresh.engine is self.session.engine:
            return _patient(self.ready, fresh.ledger)
        return question.ready(fresh)


@dataclass(slots=True)
class Turns:
    """The way of paying questions, for all tables of a server."""

    accounts: Accounts
    schedule: Schedule
    computing: Computing
    #: by account and key: what the question was, and the answer that is under way
    _under_way: dict[tuple[str, str], tuple[str, asyncio.Task[Bought]]] = field(default_factory=dict)

    async def ask(self, desk: Desk, account: Account, question: Purchase, key: str | None) -> Bought:
        """The answer, and when: at once if it was paid for before, else on the schedule."""
        session = await in_thread(lambda: desk.session(account.name, paying=True))
        if key is None:
            return await self._kept_or_asked(desk, session, question, None)
        place, content = (account.name, key), digest(question, desk.name)
        if place not in self._under_way:
            task = asyncio.ensure_future(self._with_key(desk, session, question, key))
            self._under_way[place] = content, task
            task.add_done_callback(lambda done: self._over(place, done))
        asked, answer = self._under_way[place]
        if asked != content:
            raise _another_question()
        # Whoever comes again with the key while the question is being answered waits for the same answer; and one
        # who leaves does not take it from the other.
        return await asyncio.shield(answer)

    def _over(self, place: tuple[str, str], done: asyncio.Task[Bought]) -> None:
        self._under_way.pop(place, None)
        _ = done.cancelled() or done.exception()  # looked at, or Python would print it where nobody waits any more

    async def _with_key(self, desk: Desk, session: Session, question: Purchase, key: str) -> Bought:
        """What came of the key before; if nothing did, the question is asked, and paid for, under it."""
        earlier = await in_thread(lambda: self.accounts.begun(session.analyst, key))
        charge = None if earlier is None else earlier.charge
        if earlier is not None and earlier.content != digest(question, desk.name):
            raise _another_question()
        if earlier is not None and charge is None:  # the server was stopped in the middle: was it charged?
            async with desk.turn:  # while nothing is under way that could be taken for it, or has not left yet
                charge = await in_thread(lambda: self._charged_since(session, question, earlier))
                await self._finish(session, key, charge)
        if charge is not None:
            return await in_thread(lambda: _kept_for(session, question, charge))
        return await self._kept_or_asked(desk, session, question, key)

    async def _kept_or_asked(self, desk: Desk, session: Session, question: Purchase, key: str | None) -> Bought:
        """What was paid for before, and has left; or the question in its turn.

        What reads no data is computed before that, and once: refusals take no turn.
        """
        asked, found = await self.computing.of(session.analyst, lambda: _made_ready(session, question))
        if found is not None and not desk.holds_back(_charge_of(found)):
            return found
        return await self._in_turn(desk, asked, question, key)

    async def _in_turn(self, desk: Desk, asked: _Asked, question: Purchase, key: str | None) -> Bought:
        """Asks when nobody else does, and holds the turn until the answer leaves."""
        if desk.waiting >= MOST_WAITING:
            raise too_many("too many questions wait for this table", int(self.schedule.pace * MOST_WAITING) + 1)
        desk.waiting += 1
        try:
            async with desk.turn:
                try:
                    return await self._paced(desk, asked, question, key)
                finally:
                    desk.begun = None
        finally:
            desk.waiting -= 1

    async def _paced(self, desk: Desk, asked: _Asked, question: Purchase, key: str | None) -> Bought:
        clock = self.schedule.now
        start = clock()
        # the table, and the place of its ledger, may have changed while waiting; from here on it is one session
        session = await in_thread(lambda: desk.session(asked.session.analyst, paying=True))
        before = await in_thread(lambda: self._begin(desk, session, question, key))

        def progress(_: float) -> None:
            if clock() - start >= self.schedule.timeout:
                raise self.schedule.overdue()

        def answered() -> Bought:
            # whoever watches the engine's progress watches the computing before and after it, too
            with watching.watched(lambda: progress(0.0)):
                return asked.on(session, question).answer(progress)

        try:
            release = await in_thread(answered)
        except BaseException:
            charged = await in_thread(session.ledger.head) != before
            charge = await in_thread(lambda: _newest_charge(session, before[0])) if charged else None
            await self._finish(session, key, charge)
            if charge is not None:  # when this leaves must not tell how far the engine got
                passed = max(self.schedule.timeout, clock() - start)
                await self.schedule.wait(start + self.schedule.departure(passed))
            raise
        await self._finish(session, key, _charge_of(release))
        if not release.repeated:
            await self.schedule.wait(start + self.schedule.departure(clock() - start))
        return release

    def _begin(self, desk: Desk, session: Session, question: Purchase, key: str | None) -> tuple[int, str]:
        """The ledger's last entry before a question whose turn has come; its key is written down."""
        if self.accounts.named(session.analyst).disabled:  # while it waited for its turn
            raise forbidden("this account is disabled; nothing was charged", "Ask the curator to enable it")
        desk.check_room()
        before = session.ledger.head()
        desk.begun = before[0]
        if key is not None:
            begun = Begun(digest(question, desk.name), desk.name, before[0], None)
            if self.accounts.begin(session.analyst, key, begun) is not None:  # another server of the same accounts
                raise _another_question()
        return before

    async def _finish(self, session: Session, key: str | None, charge: int | None) -> None:
        """Notes what came of a key: a charge, or nothing, and then it is free again."""
        if key is not None:
            await in_thread(lambda: self.accounts.finish(session.analyst, key, charge))

    def _charged_since(self, session: Session, question: Purchase, begun: Begun) -> int | None:
        """The charge of a question that was begun and not finished; others of its words, by key or price, are not."""
        claimed, words = self.accounts.claimed(session.analyst, begun.source), question.words(session)
        price = _price(session, question)
        found = [
            entry.sequence
            for entry in session.ledger.entries()
            if entry.sequence > begun.head
            and entry.kind == "charge"
            and entry.analyst == session.analyst
            and entry.text == words
            and price in (entry.price, None)
            and entry.sequence not in claimed
        ]
        return found[0] if found else None


async def in_thread(work: Callable[[], Result]) -> Result:
    """Runs what blocks where it holds up nobody else."""
    return await run_in_threadpool(work)


def _made_ready(session: Session, question: Purchase) -> tuple[_Asked, Bought | None]:
    """The question made ready, and the answer, where it was paid for before."""
    ready = question.ready(session)
    return _Asked(session, ready), _patient(ready, Ledger(session.ledger.path, PATIENCE)).kept()


def _patient(ready: Ready[Bought], ledger: Ledger) -> Ready[Bought]:
    """The same question to the same ledger, with the patience of this one."""
    return replace(ready, road=replace(ready.road, ledger=ledger))


def _price(session: Session, question: Purchase) -> str | None:
    """What a question costs, as the ledger writes it; None where it cannot be asked any more."""
    try:
        ready = question.ready(session)
        return prices_text(prices_of(ready.road.prices(ready.question)))
    except LapwingError:  # the policy has changed since
        return None


def _another_question() -> Refusal:
    return Refusal(REFUSED, "D126", "this key came with another question before", "Give each question a key of its own")


def _kept_for(session: Session, question: Purchase, charge: int) -> Bought:
    """The answer that came of a charge before the server was stopped, or was asked for again."""
    found = [each for each in session.ledger.entries() if each.sequence == charge and each.kind == "charge"]
    own = bool(found) and found[0].analyst == session.analyst
    if not isinstance(question, AdvicePurchase):  # what advice asks for follows from the policy, which may follow it
        own = own and found[0].text == question.words(session)
    text = session.ledger.kept_for(charge) if own else None  # numbers begin anew where a table was protected anew
    if text is None:
        raise Refusal(
            REFUSED,
            "D127",
            f"this question was charged before, as entry {charge}, and its answer was lost or is too large to keep",
            "Ask it under another key: it is then charged again",
        )
    return question.kept(text, session)


def _charge_of(release: Bought) -> int | None:
    found = release.receipt.get("sequence")
    return found if isinstance(found, int) else None


def _newest_charge(session: Session, head: int) -> int | None:
    charges = (
        entry.sequence
        for entry in session.ledger.entries()
        if entry.sequence > head and entry.kind == "charge" and entry.analyst == session.analyst
    )
    return max(charges, default=None)
