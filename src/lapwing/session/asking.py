"""A session: an analyst, a protected table, and the one road from a question to a private answer.

The one idea: a question becomes a certificate here, and an answer becomes a release. In between it takes the road of
:mod:`lapwing.session.road`, which alone charges and looks.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from lapwing import watching
from lapwing.algebra.exact import Number
from lapwing.algebra.measures import ZCDP, PureDP
from lapwing.algebra.parameters import probability
from lapwing.engines import Engine, Progress
from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.release import price_to_json
from lapwing.kernel.evidence.several import parts_of
from lapwing.kernel.evidence.several_records import several_to_json
from lapwing.ledger import Ledger, Part, Receipt, Remaining
from lapwing.library import Certified
from lapwing.policy import Policy
from lapwing.query import explain as explaining
from lapwing.query.builder import as_sql
from lapwing.query.lowering import lower
from lapwing.query.plan import Query
from lapwing.query.prepare import prepare
from lapwing.session.advice import Advice
from lapwing.session.advising import asked_for_advice
from lapwing.session.applying import Applied, applying
from lapwing.session.certificate import recorded
from lapwing.session.compounding import Compound, aggregates, compound, quoted
from lapwing.session.cutting import cut_parts
from lapwing.session.estimating import Pricing
from lapwing.session.noising import Private, noisy, released
from lapwing.session.planning import Bench, Plan, Terms, divided, presented
from lapwing.session.quoting import Quote, Wish
from lapwing.session.rehearsing import NOTE, rehearsed
from lapwing.session.release import Release, ends, read_release, tables
from lapwing.session.releasing import KEPT_ROWS, answers_of, left_after, made_release
from lapwing.session.rendering import session_text
from lapwing.session.reporting import Report
from lapwing.session.restricting import within
from lapwing.session.road import Repeated, Road, digest_of
from lapwing.session.showing import check_shown, people_needed, shown_notes
from lapwing.session.sizes import sized
from lapwing.session.spreading import arranged
from lapwing.session.together import asked_together
from lapwing.session.waiting import Ready
from lapwing.session.wishing import read_questions


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
        rows: int | None = None,
        anyway: bool = False,
        cut: Number | None = None,
        progress: Progress | None = None,
    ) -> Release:
        """The private answer to a query, at this price: ``epsilon`` buys Laplace noise, ``rho`` Gaussian noise.

        ``text`` is SQL, a query of the builder, or an Ibis expression. The same question at the same price about the
        same data gives the same answer again, for nothing. ``delta`` is only for groups whose keys are unknown: these
        are shown when enough people are in them, and where ``rows`` (your guess of how many a group has) are too few,
        nothing is charged unless you ask ``anyway``. ``cut`` is a further price, in the same currency, for what limits
        and ranges cut: people with too many rows, rows that do not count, values beyond their range.
        """
        asked = ready(
            self, text, epsilon=epsilon, rho=rho, delta=delta, confidence=confidence, rows=rows, anyway=anyway, cut=cut
        )
        return asked.answer(progress)

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
        wish = Wish(wanted, within, rows, _confidence(confidence), expect or {})
        return quoted(query, wish, self.remaining, self._pricing(query, delta))

    def plan(
        self,
        questions: object,
        *,
        epsilon: Number | None = None,
        rho: Number | None = None,
        delta: Number | None = None,
        confidence: Number = "0.95",
    ) -> Plan:
        """Several questions under one price, each as exact as it should be; nothing is charged before ``run()``.

        ``questions`` are objects like ``{"sql": …, "within": 20}``: ``within`` is how far off answers may be (a number,
        ``"2%"``, or one for each column by name), or ``weight`` the share of what is left, or ``epsilon`` or ``rho``
        the question's own price; ``rows`` and ``expect`` as in a quote. Without a price the smallest is found that
        meets all wishes; with one, the smallest common ratio of errors to wishes. A ``delta`` beside ``epsilon`` lets
        Gaussian noise keep (ε, δ), where that is more exact.
        """
        return self._planned(questions, _terms(epsilon, rho, delta, confidence))[0]

    def advise(
        self,
        *,
        epsilon: Number | None = None,
        rho: Number | None = None,
        table: str | None = None,
        columns: Sequence[str] | None = None,
        progress: Progress | None = None,
    ) -> Advice:
        """Ranges for number columns, and limits on rows and groups of a person, found privately; charged at once.

        Needs no ranges and no limits beforehand. By default it looks at the columns of the first private table of which
        the policy says nothing; the price is shared by all that is looked at.
        """
        return ready_to_advise(self, epsilon=epsilon, rho=rho, table=table, columns=columns).answer(progress)

    def people_needed(self, text: object, *, epsilon: Number, delta: Number | None = None) -> int | None:
        """How many people a group needs to be shown, about, at this price; None where every group is shown."""
        return people_needed(self._priced(text, epsilon, None, delta))

    def rehearse(
        self,
        text: object,
        *,
        epsilon: Number | None = None,
        rho: Number | None = None,
        delta: Number | None = None,
        confidence: Number = "0.95",
    ) -> Release:
        """The whole road on made-up rows of the same policy: what the answer will look like. Nothing is charged.

        Without a price it is shown for ε = 1.
        """
        level = _confidence(confidence)
        epsilon = 1 if epsilon is None and rho is None else epsilon
        priced = self._priced(text, epsilon, rho, delta)
        for each in priced.asked:  # what the real engine has no words for is refused here, too
            lower(each.aggregate, self.engine.dialect, 0)
        proof = priced.certificate(self.policy.neighbours)
        made_up = [rehearsed(self.policy, each, self.analyst, self.remaining) for each in priced.asked]
        private = [noisy(part, found) for part, found in zip(parts_of(proof), made_up, strict=True)]
        answers = answers_of(priced, private, level)
        table, margins = tables(answers)
        low, high = ends(answers)
        spent, left = price_to_json(priced.price), left_after(self.policy, priced, self.remaining)
        notes = (NOTE, *priced.notes, *shown_notes(priced, answers.shown))
        return Release(table, margins, float(level), spent, left, {}, notes, several_to_json(proof), low=low, high=high)

    def explain(self, text: object) -> explaining.Node:
        """The plan of a query, for a price in ε: at each node the rule, whose rows there are, what one can change."""
        query, neighbours = self._answerable(text), self.policy.neighbours
        way = arranged(query, neighbours, pure=True)
        return explaining.tree(query, neighbours, way.aggregate, way.told, way.known)

    def apply(self, mechanism: Certified, queries: Sequence[object] | object, /, **public: object) -> Applied:
        """Run a certified mechanism on a vector of queries, charged what its certificate says.

        ``queries`` are counts and sums without groups (a list; of a mechanism for several numbers, one for each of
        them in order), or one query with groups; ``public`` are the public parameters of the mechanism.
        """
        asked = [queries] if isinstance(queries, str) or not isinstance(queries, Sequence) else list(queries)
        return applying(self.road, mechanism, [self._prepared(text) for text in asked], public=public).answer()

    @property
    def road(self) -> Road:
        """The road that every question about the data takes."""
        return Road(self.policy, self.ledger, self.engine, self.analyst, self.part)

    @property
    def remaining(self) -> Remaining:
        """What one more question may cost."""
        return self.ledger.remaining(self.analyst, self.part)

    def partition(self, column: str, table: str | None = None) -> Mapping[object, Session]:
        """A session for each key of a column. What is spent in one costs the others nothing: their people differ.

        The keys must be declared in the policy. With a unit, a person's rows are first kept to the limit, and may lie
        in as many parts; each part is then charged that many times.
        """
        return {part.key: replace(self, part=part) for part in self.road.parts(str(column), table)}

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

    def _planned(self, questions: object, terms: Terms) -> tuple[Plan, Callable[[], Ready[Report]]]:
        """A plan, and what makes one question of it."""
        bench = Bench(
            self._answerable,
            self._pricing,
            lambda each: self.ledger.after(self.analyst, each, self.part),
            self.remaining,
            self.policy.budget.delta,
        )
        plans = divided(bench, read_questions(questions), terms)

        def ready() -> Ready[Report]:
            for line, each in plans:
                check_shown(people_needed(each), line.wanted.guess, anyway=line.wanted.anyway)
            return asked_together(self.road, [each for _, each in plans], made.to_json(), terms.confidence)

        made = presented(bench, plans, terms, lambda progress: ready().answer(progress))
        return made, ready

    def _prepared(self, text: object) -> Query:
        watching.check()
        query = prepare(as_sql(text), self.policy)
        return query if self.part is None else within(query, self.part)

    def _answerable(self, text: object) -> Query:
        """A query that could be run: what cannot be lowered is refused here already, without a look at the data."""
        query = self._prepared(text)
        self._lowered(query)
        return query

    def _lowered(self, query: Query) -> None:
        for each in aggregates(query):
            lower(each.aggregate, self.engine.dialect, 0)

    def _priced(self, text: object, epsilon: Number | None, rho: Number | None, delta: Number | None) -> Compound:
        wanted = _wanted(epsilon, rho)
        return self._pricing(self._prepared(text), delta)(wanted)

    def _pricing(self, query: Query, delta: Number | None) -> Pricing:
        chosen = self._delta(query, delta)
        return lambda at: compound(query, self.policy.neighbours, at, chosen)

    def _delta(self, query: Query, delta: Number | None) -> Fraction | None:
        """The δ for choosing groups: as given, else a hundredth of the table's."""
        wanted = self.policy.budget.delta / 100 if delta is None else probability(delta, "delta")
        if any(each.aggregate.selection is not None for each in aggregates(query)):
            return wanted
        if delta is not None and wanted > 0:
            raise InvalidInput("S148", "a delta is given, and no groups are chosen in private", "Leave the delta out")
        return None


def ready(
    session: Session,
    text: object,
    *,
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    confidence: Number = "0.95",
    rows: int | None = None,
    anyway: bool = False,
    cut: Number | None = None,
) -> Ready[Release]:
    """A question for :meth:`Session.sql`, checked and priced, and yet to be charged."""
    level = _confidence(confidence)
    priced = session._priced(text, epsilon, rho, delta)
    if cut is not None:
        own = _wanted(cut, None) if rho is None else _wanted(None, cut)
        priced = replace(priced, cut=cut_parts(priced.query, session.policy.neighbours, own))
    check_shown(people_needed(priced), rows, anyway=anyway)
    proof = priced.certificate(session.policy.neighbours)
    record = recorded(lambda: several_to_json(proof))

    def release(private: list[Private], receipt: Receipt) -> tuple[Release, str | None]:
        made = made_release(session.policy, priced, record, private, receipt, level)
        return made, json.dumps(made.to_json()) if made.table.num_rows <= KEPT_ROWS else None

    digest = digest_of(record, float(level))
    question = released([proof], digest, priced.query.text, release)

    def finish(found: Release | Repeated) -> Release:
        if isinstance(found, Repeated):
            return read_release(found.body, repeated=True, remaining=left_after(session.policy, priced, found.left))
        return found

    return Ready(session.road, question, finish)


def ready_together(
    session: Session,
    questions: object,
    *,
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    confidence: Number = "0.95",
) -> Ready[Report]:
    """The questions of a :meth:`Session.plan`, checked and priced as one, and yet to be charged."""
    return session._planned(questions, _terms(epsilon, rho, delta, confidence))[1]()


def ready_to_advise(
    session: Session,
    *,
    epsilon: Number | None = None,
    rho: Number | None = None,
    table: str | None = None,
    columns: Sequence[str] | None = None,
) -> Ready[Advice]:
    """A question for :meth:`Session.advise`, checked and priced, and yet to be charged."""
    _wanted(epsilon, rho)
    if session.part is not None:
        raise InvalidInput("S174", "advice is about a whole table", "Ask in the session of the whole table")

    def ready(policy: Policy, wanted: list[dict[str, object]]) -> Ready[Report]:
        return ready_together(replace(session, policy=policy), wanted, epsilon=epsilon, rho=rho)

    return asked_for_advice(session.policy, ready, table, columns)


def _wanted(epsilon: Number | None, rho: Number | None) -> PureDP | ZCDP:
    if (epsilon is None) == (rho is None):
        raise InvalidInput("S130", "a price is one of epsilon and rho", "Give an epsilon like 0.1, or a rho like 0.01")
    return PureDP(sized(epsilon, "epsilon")) if epsilon is not None else ZCDP(sized(rho or 0, "rho"))


def _terms(epsilon: Number | None, rho: Number | None, delta: Number | None, confidence: Number) -> Terms:
    level = _confidence(confidence)
    paid = None if epsilon is None and rho is None else _wanted(epsilon, rho)
    return Terms(paid, None if delta is None else probability(delta, "delta"), level)


def _confidence(value: Number) -> Fraction:
    level = probability(value, "confidence")
    if not 0 < level < 1:
        raise InvalidInput("S137", "the confidence is not between 0 and 1", "Give 0.95, say")
    return level
