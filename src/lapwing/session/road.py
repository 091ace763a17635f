"""The one road from a question to a private answer: check, charge, look, noise, release.

The one idea: the order of this file is its safety. The kernel derives what the certificate costs *before* the ledger
charges, and that price is the one charged; the engine is asked for the plans of that certificate and for nothing else,
with a receipt that only a charge on disk gives; and noise is added before anything leaves. Queries and mechanisms
both come this way, and nothing else in Lapwing looks at the data.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Generic, TypeVar

from lapwing.engines.engine import Engine, Progress
from lapwing.errors import InvalidInput, LapwingError
from lapwing.kernel.evidence.plan import Aggregate
from lapwing.kernel.evidence.release import Price
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.release.plans import Derived, Protection
from lapwing.ledger import Ledger, Part, Receipt, Remaining
from lapwing.policy import Policy
from lapwing.query.lowering import Lowered, lower
from lapwing.session.groups import Fetched
from lapwing.session.joins import check_joins
from lapwing.session.partition import is_within, parts

N = TypeVar("N")
R = TypeVar("R")
Tables = Sequence[Fetched]


@dataclass(frozen=True, slots=True)
class Inquiry(Generic[N, R]):
    """What is asked: ``checks`` are the kernel's, of certificates; ``noise`` makes private what their plans find.

    The price is what all checks derive, together: one charge. ``noise`` is given the tables of each plan in turn.
    ``digest`` tells one question from every other. Where ``repeats``, an answer that was paid for is given again.
    """

    digest: str
    text: str
    checks: tuple[Callable[[Protection], Derived | Rejected], ...]
    noise: Callable[[Sequence[Tables]], N]
    #: what is made of the private answer, and what the ledger keeps of it (None: nothing)
    release: Callable[[N, Receipt], tuple[R, str | None]]
    repeats: bool


@dataclass(frozen=True, slots=True)
class Repeated:
    """An answer that was paid for before, as the ledger kept it, and what is left now."""

    body: str
    left: Remaining


@dataclass(frozen=True, slots=True)
class Road:
    """Where a question is asked: by whom, about what."""

    policy: Policy
    ledger: Ledger
    engine: Engine
    analyst: str
    part: Part | None
    #: which rows of somebody with too many are kept follows from this number; None: from the ledger's secret
    key: int | None = None

    def answer(self, question: Inquiry[N, R], progress: Progress | None = None) -> R | Repeated:
        """Check, charge, look, noise, in this order; one connection to the ledger for all of it."""
        derived = self.derived(question)
        prices = tuple(each.price for each in derived)
        with self.ledger.during() as ledger:
            snapshot = self.snapshot(ledger)
            if (kept := self.kept(question, prices, ledger, snapshot)) is not None:
                return kept
            lowered = [self.lowered(plan, ledger) for each in derived for plan in each.plans]
            receipt = ledger.charge(
                self.analyst,
                prices,
                query=question.digest,
                snapshot=snapshot,
                text=question.text,
                partition=self.part,
                redeemed=True,
            )
            try:
                private = question.noise(self._fetched(receipt, lowered, progress))
                # past this line nothing exact about people exists
                release, body = question.release(private, receipt)
                if body is not None:
                    ledger.keep(receipt, body)
            except LapwingError as failed:  # whoever refuses here does not know that it was paid for
                raise LapwingError(failed.code, f"{failed.problem}; the price was charged", failed.remedy) from None
        return release

    def kept(
        self, question: Inquiry[N, R], prices: tuple[Price, ...], ledger: Ledger, snapshot: str
    ) -> Repeated | None:
        """What was paid for before; None if the question is yet to be paid for."""
        kept = ledger.kept(self.analyst, question.digest, snapshot, prices, self.part) if question.repeats else None
        return None if kept is None else Repeated(kept, ledger.remaining(self.analyst, self.part))

    def prices(self, question: Inquiry[N, R]) -> tuple[Price, ...]:
        """What the kernel derives that the question costs."""
        return tuple(each.price for each in self.derived(question))

    def derived(self, question: Inquiry[N, R]) -> tuple[Derived, ...]:
        """What the kernel confirms, and of which plans; refuses, before any charge, what it does not follow."""
        protection = protection_of(self.policy)
        found = [check(protection) for check in question.checks]
        derived = tuple(each for each in found if not isinstance(each, Rejected))
        doubt = next((each.reason for each in found if isinstance(each, Rejected)), None)
        if self.part is not None and not all(
            is_within(plan.source, self.part) for each in derived for plan in each.plans
        ):
            doubt = "a plan looks outside of the part that would be charged"
        if not derived or doubt is not None:
            raise LapwingError(
                "S149",
                f"the kernel does not confirm what this costs, and nothing was charged: {doubt}",
                "Please report the query and the policy: this is a mistake in Lapwing",
            )
        return derived

    def lowered(self, plan: Aggregate, ledger: Ledger) -> Lowered:
        """The statements of a plan; refuses joins that multiply people."""
        key = int.from_bytes(ledger.secret("sampling")[:8], "big") if self.key is None else self.key
        lowered = lower(plan, self.engine.dialect, key)
        check_joins(self.engine, lowered.joins)
        return lowered

    def _fetched(self, receipt: Receipt, lowered: Sequence[Lowered], progress: Progress | None) -> list[Tables]:
        statements = [statement for each in lowered for statement in each.statements]
        found = self.engine.fetch(receipt, [statement.sql for statement in statements], progress)
        tables = iter([Fetched(statement, table) for statement, table in zip(statements, found, strict=True)])
        return [tuple(islice(tables, len(each.statements))) for each in lowered]

    def snapshot(self, ledger: Ledger) -> str:
        """The fingerprint of the data, which must be the one that was protected; of live data, that of this moment."""
        if self.policy.data == "live":
            if self.part is not None:
                self._check_whole()
            return self.engine.fingerprint(ledger.secret("snapshot"))
        expected = ledger.expected_snapshot()
        snapshot = self.engine.fingerprint(ledger.secret("snapshot"), expected)
        if expected is not None and snapshot != expected:
            raise InvalidInput(
                "S134",
                f"the data of {self.policy.name!r} has changed since it was protected",
                "Put the old data back, or let the curator accept the new with: lapwing protect SOURCE --renew",
            )
        steps = self.part.path() if self.part is not None else ()
        if any(step.edition != self._edition(step.table, snapshot) for step in steps):
            raise InvalidInput(
                "S134", "the data has changed since the session was split", "Open the table and split it again"
            )
        return snapshot

    def _check_whole(self) -> None:
        """Refuses parts of live data: a person who moves from one part to another between two questions is in both."""
        if self.policy.data == "live":
            raise InvalidInput(
                "S164",
                "a live table is not split: people can move from part to part between two questions",
                "Ask in the session of the whole table, or protect a fixed copy",
            )

    def parts(self, column: str, table: str | None) -> list[Part]:
        """The parts by the keys of a column, as the data is now."""
        self._check_whole()
        found = list(parts(self.policy, self.part, column, table))
        snapshot = self.snapshot(self.ledger)
        return [replace(part, edition=self._edition(part.table, snapshot)) for part in found]

    def _edition(self, table: str, snapshot: str) -> str:
        """What decides which part a row is in, and which rows of a person are kept before the split."""
        found = self.policy.table(table)
        assert found is not None  # noqa: S101  # parts are of tables in the policy
        columns = [[column.name, column.kind] for column in found.columns]
        words = [snapshot.partition(".")[0], found.unit, found.rows_per_unit, columns, self.engine.release]
        return hashlib.sha256(json.dumps(words).encode()).hexdigest()[:16]


def protection_of(policy: Policy) -> Protection:
    """Whom a policy protects, as the kernel is told."""
    units = {table.name: table.unit for table in policy.tables if table.role == "private"}
    public = frozenset(table.name for table in policy.tables if table.role == "public")
    return Protection(policy.neighbours, units, public)


def digest_of(*documents: object) -> str:
    """What tells one question, and one answer, from every other."""
    return hashlib.sha256(json.dumps(documents, sort_keys=True).encode()).hexdigest()
