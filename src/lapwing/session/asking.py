"""A session: an analyst, a protected table, and the one road from a question to a private answer.

The one idea: quote, then charge, then look. The engine runs nothing without a receipt, the ledger gives a receipt only
for a charge that is on disk, and the charge is what the mechanisms claim; so the order of this file is its safety.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from lapwing.algebra.exact import Number, exact
from lapwing.algebra.measures import ZCDP, PureDP
from lapwing.algebra.parameters import probability
from lapwing.engines import Engine
from lapwing.errors import InvalidInput, LapwingError
from lapwing.ledger import Ledger, Part, Receipt, Remaining
from lapwing.library import Certified
from lapwing.policy import Policy
from lapwing.query import explain as explaining
from lapwing.query.answers import Answers, answer
from lapwing.query.builder import as_sql
from lapwing.query.lowering import Lowered, Statement, lower
from lapwing.query.plan import Query
from lapwing.query.prepare import prepare
from lapwing.session.applying import Applied, apply
from lapwing.session.certificate import certificate, measure, query_digest
from lapwing.session.groups import Fetched
from lapwing.session.joins import check_joins
from lapwing.session.noising import private_groups, private_measurements
from lapwing.session.partition import within
from lapwing.session.pricing import Priced, price
from lapwing.session.quoting import Quote, Wish, quote
from lapwing.session.release import Release, read_release, tables
from lapwing.session.rendering import percent, session_text

#: Larger releases are not kept for repeating: asking again costs again.
KEPT_ROWS = 20_000
Progress = Callable[[float], None]


@dataclass(frozen=True, slots=True, repr=False)
class Session:
    """Ask about a protected table. Everything that is charged is charged to ``analyst``, and to the table."""

    policy: Policy
    ledger: Ledger
    engine: Engine
    analyst: str
    part: Part | None = None

    # --- asking ------------------------------------------------------------------------------------------

    def sql(
        self,
        text: object,
        *,
        epsilon: Number | None = None,
        rho: Number | None = None,
        delta: Number | None = None,
        confidence: Number = "0.95",
        progress: Progress | None = None,
    ) -> Release:
        """The private answer to a query, at this price: ``epsilon`` buys Laplace noise, ``rho`` Gaussian noise.

        ``text`` is SQL, a query of the builder, or an Ibis expression. The same question at the same price about the
        same data gives the same answer again, for nothing. ``delta`` is only for groups whose keys are unknown.
        """
        self._check_open()
        level = _confidence(confidence)
        priced = self._priced(text, epsilon, rho, delta)
        snapshot = self._snapshot()
        proof = certificate(priced, self.policy.neighbours)
        digest = query_digest(proof, float(level))
        kept = self.ledger.kept(self.analyst, digest, snapshot, priced.price, self.part)
        if kept is not None:
            return read_release(kept, repeated=True, remaining=self._left(priced))
        lowered = self._lowered(priced.query)
        receipt = self.ledger.charge(
            self.analyst,
            priced.price,
            query=digest,
            snapshot=snapshot,
            text=priced.query.text,
            partition=self.part,
        )
        answers = _noisy(priced, self._fetch(receipt, lowered.statements, progress), level)
        release = self._release(priced, proof, answers, receipt, level)
        if release.table.num_rows <= KEPT_ROWS:
            self.ledger.keep(receipt, json.dumps(release.to_json()))
        return release

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
        """What a query would cost and how exact it would be; nothing is charged.

        Give a price, or give ``within`` (how far off each answer may be: a number, or ``"2%"`` of it) to have the price
        derived. ``rows`` is your own guess of how many rows a group has, and ``expect`` of answers and columns, by
        name: ``{"income": 28_000}``. The error of a mean depends on both; without ``expect`` it is the largest that
        values in their range could give.
        """
        query = self._answerable(text)
        wanted = None if epsilon is None and rho is None else _wanted(epsilon, rho)
        level = _confidence(confidence)

        def priced(at: PureDP | ZCDP) -> Priced:
            return price(query, self.policy.neighbours, at, self._delta(query, delta))

        return quote(priced, query, Wish(wanted, within, rows, level, expect or {}), self.remaining)

    def explain(self, text: object) -> explaining.Node:
        """The plan of a query: at each node the rule, whose rows there are, and what one person can change."""
        return explaining.tree(self._answerable(text), self.policy.neighbours)

    def apply(self, mechanism: Certified, queries: Sequence[object] | object, **public: object) -> Applied:
        """Run a certified mechanism on a vector of queries, charged what its certificate says.

        ``queries`` are counts and sums without groups (a list), or one query with groups; ``public`` are the public
        parameters of the mechanism.
        """
        self._check_open()
        asked = [queries] if isinstance(queries, str) or not isinstance(queries, Sequence) else list(queries)
        return apply(self, mechanism, [self._prepared(text) for text in asked], public=public)

    @property
    def remaining(self) -> Remaining:
        """What one more question may cost."""
        return self.ledger.remaining(self.analyst, self.part)

    def partition(self, column: str, table: str | None = None) -> Mapping[object, Session]:
        """A session for each key of a column. What is spent in one costs the others nothing: their people differ.

        The keys must be declared in the policy. With a unit, a person's rows are first kept to the limit, and may lie
        in as many parts; each part is then charged that many times.
        """
        return {part.key: replace(self, part=part) for part in self._parts(column, table)}

    def close(self) -> None:
        """Let go of the data."""
        self.engine.close()

    def __repr__(self) -> str:
        return session_text(self)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- the steps ---------------------------------------------------------------------------------------

    def _check_open(self) -> None:
        """Refuses before anything is charged: an engine that let go of the data cannot answer."""
        if self.engine.closed:
            raise InvalidInput("S147", "the session is closed, and nothing was charged", "Open the table again")

    def _prepared(self, text: object) -> Query:
        query = prepare(as_sql(text), self.policy)
        return query if self.part is None else within(query, self.part)

    def _answerable(self, text: object) -> Query:
        """A query that could be run: what cannot be lowered is refused here already, without a look at the data."""
        query = self._prepared(text)
        lower(query, self.engine.dialect, 0)
        return query

    def _priced(self, text: object, epsilon: Number | None, rho: Number | None, delta: Number | None) -> Priced:
        wanted = _wanted(epsilon, rho)
        query = self._prepared(text)
        return price(query, self.policy.neighbours, wanted, self._delta(query, delta))

    def _delta(self, query: Query, delta: Number | None) -> Fraction | None:
        """The δ for choosing groups: as given, else a hundredth of the table's."""
        wanted = self.policy.budget.delta / 100 if delta is None else probability(delta, "delta")
        if query.aggregate.selection is not None:
            return wanted
        if delta is not None:
            raise InvalidInput("S148", "a delta is given, and no groups are chosen in private", "Leave the delta out")
        return None

    def _lowered(self, query: Query) -> Lowered:
        key = int.from_bytes(self.ledger.secret("sampling")[:8], "big")
        lowered = lower(query, self.engine.dialect, key)
        check_joins(self.engine, lowered.joins)
        return lowered

    def _snapshot(self) -> str:
        """The fingerprint of the data, which must be the one that was protected."""
        expected = self.ledger.expected_snapshot()
        snapshot = self.engine.fingerprint(self.ledger.secret("snapshot"), expected)
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

    def _edition(self, table: str, snapshot: str) -> str:
        """What decides which part a row is in, and which rows of a person are kept before the split."""
        found = self.policy.table(table)
        assert found is not None  # noqa: S101  # parts are of tables in the policy
        columns = [[column.name, column.kind] for column in found.columns]
        words = [snapshot.partition(".")[0], found.unit, found.rows_per_unit, columns, self.engine.release]
        return hashlib.sha256(json.dumps(words).encode()).hexdigest()[:16]

    def _fetch(self, receipt: Receipt, statements: Sequence[Statement], progress: Progress | None) -> list[Fetched]:
        self.ledger.redeem(receipt)
        try:
            found = self.engine.fetch(receipt, [statement.sql for statement in statements], progress)
        except LapwingError as failed:  # the engine's message does not know that this was paid for
            raise LapwingError(failed.code, f"{failed.problem}; the price was charged", failed.remedy) from None
        return [Fetched(statement, table) for statement, table in zip(statements, found, strict=True)]

    def _release(
        self, priced: Priced, proof: Mapping[str, Any], answers: Answers, receipt: Receipt, level: Fraction
    ) -> Release:
        table, margins = tables(answers)
        stamp = {
            "sequence": receipt.sequence,
            "analyst": receipt.analyst,
            "time": receipt.time,
            "query": receipt.query,
            "hash": receipt.hash,
        }
        notes = (*priced.query.notes, *_rank_notes(priced, level))
        return Release(table, margins, float(level), measure(priced.price), self._left(priced), stamp, notes, proof)

    def _left(self, priced: Priced) -> dict[str, str]:
        """What is left, in the currency that was paid in."""
        left = self.remaining
        if isinstance(priced.price, ZCDP):
            return {"rho": str(left.rho)}
        amounts = {"epsilon": str(left.epsilon)}
        return amounts | ({"delta": str(left.delta)} if self.policy.budget.delta else {})

    def _parts(self, column: str, table: str | None) -> Iterator[Part]:
        private = [each for each in self.policy.tables if each.role == "private"]
        if table is None:
            table = private[0].name if self.part is None else self.part.table
        chosen = self.policy.table(table)
        if self.part is not None and chosen is not None and chosen.name != self.part.table:
            raise InvalidInput(
                "S138",
                f"the session is about a part of {self.part.table!r}, and was to be split by a column of {table!r}",
                "Split by columns of one table, or ask in the session of the whole table",
            )
        found = chosen.column(column) if chosen in private and chosen is not None else None
        if chosen is None or found is None or found.keys is None:
            raise InvalidInput(
                "S136",
                f"{column!r} has no list of keys to split by",
                "Declare its keys in the policy: lapwing protect ... --keys COLUMN=A,B,C",
            )
        edition = self._edition(chosen.name, self._snapshot())
        for key in found.keys:
            yield Part(chosen.name, found.name, key, chosen.rows_per_unit or 1, self.part, edition)


def _wanted(epsilon: Number | None, rho: Number | None) -> PureDP | ZCDP:
    if (epsilon is None) == (rho is None):
        raise InvalidInput("S130", "a price is one of epsilon and rho", "Give an epsilon like 0.1, or a rho like 0.01")
    return PureDP(exact(epsilon, "epsilon")) if epsilon is not None else ZCDP(exact(rho or 0, "rho"))


def _confidence(value: Number) -> Fraction:
    level = probability(value, "confidence")
    if not 0 < level < 1:
        raise InvalidInput("S137", "the confidence is not between 0 and 1", "Give 0.95, say")
    return level


def _noisy(priced: Priced, fetched: Sequence[Fetched], level: Fraction) -> Answers:
    """The private answers; past this line nothing exact about people exists."""
    groups = private_groups(priced, fetched)
    measured = private_measurements(priced, fetched, groups, level)
    return answer(priced.query, groups.cells(), measured, groups.count)


def _rank_notes(priced: Priced, level: Fraction) -> Iterator[str]:
    for part in priced.parts:
        error = part.rank_error(level)
        if error is not None:
            yield (
                f"A quantile has no ± in its own units; with {percent(level)} confidence its rank is off by at most "
                f"{float(error):,.1f} rows."
            )
            return
