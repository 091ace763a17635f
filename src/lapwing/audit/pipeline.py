"""Our own pipeline under attack: a query on tables that are made up from the policy, with a ledger that is thrown away.

The one idea: the whole road is walked once for each made-up table (plan, price, charge, fetch), which is where a value
could make it fail; the noise is then drawn thousands of times from what was fetched. Both tables of a pair are read
with the same sampling key, because a guarantee is about one key. No row of real data is read: the policy is enough.

Two things are attacked, each with half of the permitted error. *What carries noise*, before anything is made of it:
that says all that an answer could say, and more, and is quickly drawn. And *the answer as it is shown*, with its
margins, which take most of the time: there a mistake after the noise would show.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow.parquet

from lapwing.audit.blackbox import Claim, Listener
from lapwing.audit.finding import Finding
from lapwing.audit.looking import Raised
from lapwing.audit.madeup import People, arrow, people_pairs
from lapwing.audit.pairs import Pair
from lapwing.audit.steps import Work, attacked
from lapwing.engines import open_engine
from lapwing.errors import InvalidInput, LapwingError
from lapwing.kernel.evidence.release import ReleaseCertificate
from lapwing.kernel.evidence.several import Several, parts_of
from lapwing.kernel.release.adding import check_several
from lapwing.ledger import SUFFIX as LEDGER
from lapwing.ledger import Ledger
from lapwing.policy import SUFFIX as POLICY
from lapwing.policy import Analyst, Budget, Policy, read_policy, write_policy
from lapwing.session.asking import Session
from lapwing.session.compounding import Compound
from lapwing.session.noising import noisy
from lapwing.session.places import places
from lapwing.session.release import tables
from lapwing.session.releasing import answers_of
from lapwing.session.road import Inquiry, Repeated, Tables

#: A budget that no audit exhausts, who asks, and the confidence of the ± that answers carry.
ENDLESS, WHO, LEVEL = 10**9, "audit", Fraction(95, 100)
#: The share of the time for what carries noise, and the share of the permitted error.
QUICK, HALF = 0.5, Fraction(1, 2)
#: Which rows of somebody with too many are kept follows from this key, on both sides.
KEY = 20_201_117


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A made-up table that the question was asked of: what was fetched, or what it ended with instead."""

    people: People
    priced: Compound | None
    certificate: ReleaseCertificate | Several | None
    fetched: Sequence[Tables]
    failed: Raised | None = None

    def answer(self) -> object:
        """A fresh answer, with its margins, which are released too: the same fetched numbers with new noise."""
        if self.failed is not None or self.priced is None or self.certificate is None:
            return self.failed
        private = [noisy(part, found) for part, found in zip(parts_of(self.certificate), self.fetched, strict=True)]
        table, margins = tables(answers_of(self.priced, private, LEVEL))
        shown = {
            name: values for name, values in margins.to_pydict().items() if any(each is not None for each in values)
        }
        return table.to_pydict() | {f"± {name}": values for name, values in shown.items()}

    def measured(self) -> object:
        """All that carries noise, drawn afresh: groups and numbers, before anything is left out or made of them."""
        if self.failed is not None or self.certificate is None:
            return self.failed
        found = []
        for part, fetched in zip(parts_of(self.certificate), self.fetched, strict=True):
            groups, values = noisy(part, fetched)
            keys = [column.to_pylist() for column in groups.columns]
            people = None if groups.people is None else groups.people.tolist()
            found.append([groups.count, keys, people, {name: each.tolist() for name, each in values.items()}])
        return found

    def __deepcopy__(self, _: object) -> Asked:
        return self  # nothing in it changes

    def __repr__(self) -> str:
        return repr(self.people)


class Desk:
    """A folder for made-up tables, thrown away at the end."""

    def __init__(self, policy: Policy) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="lapwing-audit-")
        delta = max(policy.budget.delta, Fraction(0))
        moved = tuple(replace(table, path=f"{table.name}.parquet", relation=None) for table in policy.tables)
        self.policy = Policy(
            policy.name, moved, Budget(ENDLESS, delta), policy.neighbours, (Analyst(WHO, ENDLESS, delta),)
        )
        self._made = 0
        self._sides: dict[str, Asked] = {}

    def __enter__(self) -> Desk:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._folder.cleanup()

    def session(self, people: People) -> Session:
        """A session on these tables, with a ledger of its own."""
        self._made += 1
        folder = Path(self._folder.name) / str(self._made)
        folder.mkdir()
        for table in self.policy.tables:
            pyarrow.parquet.write_table(arrow(table, people.tables[table.name]), folder / table.path)
        write_policy(self.policy, folder / f"{self.policy.name}{POLICY}")
        engine = open_engine(self.policy, folder)
        engine.examine()
        ledger = Ledger.create(folder / f"{self.policy.name}{LEDGER}", self.policy)
        ledger.set_snapshot(engine.fingerprint(ledger.secret("snapshot")))
        return Session(self.policy, ledger, engine, WHO)

    def asked(self, people: People, sql: str, epsilon: Fraction) -> Asked:
        """The question asked of these tables, once; what a table makes it fail with is an answer."""
        known = self._sides.get(repr(people))
        if known is None:
            with self.session(people) as session:
                known = self._sides[repr(people)] = _asked(session, people, sql, epsilon)
        return known


def _asked(session: Session, people: People, sql: str, epsilon: Fraction) -> Asked:
    try:
        priced = session._priced(sql, epsilon, None, None)
        proof = priced.certificate(session.policy.neighbours)
        question: Inquiry[Sequence[Tables], Sequence[Tables]] = Inquiry(
            priced.asked,
            proof.plans,
            f"audit {epsilon}",
            sql,
            (lambda policy: check_several(proof, policy),),
            lambda fetched: fetched,  # noise comes later, and often
            lambda fetched, _receipt: (fetched, None),
            repeats=False,
        )
        fetched = replace(session.road, key=KEY).answer(question)
        assert not isinstance(fetched, Repeated)  # noqa: S101  # nothing is repeated here
        asked = Asked(people, priced, proof, fetched)
        asked.answer()
    except LapwingError as error:
        return Asked(people, None, None, (), Raised(f"{type(error).__name__} {error.code}"))
    return asked


def audit_query(
    source: str, sql: str, claim: Claim, *, seconds: float, squeeze: bool, seed: int | None, listen: Listener
) -> Finding:
    """Audit one query of our own: at this price, on made-up tables of this policy."""
    at = places(source)
    if not at.policy.is_file():
        problem = f"there is no policy {str(at.policy)!r}"
        raise InvalidInput("S121", problem, "Protect the table first: lapwing protect SOURCE --epsilon 1")
    return audit_policy(read_policy(at.policy), sql, claim, seconds=seconds, squeeze=squeeze, seed=seed, listen=listen)


def audit_policy(
    policy: Policy,
    sql: str,
    claim: Claim,
    *,
    seconds: float,
    squeeze: bool = False,
    seed: int | None = None,
    pairs: int = 24,
    listen: Listener = lambda _: None,
) -> Finding:
    """Audit a query under a policy; a query that would be refused for every table is refused here."""
    if claim.epsilon == 0:
        raise InvalidInput("S131", "the price is 0, and an answer for nothing says nothing", "Give an epsilon above 0")
    began = time.monotonic()
    with Desk(policy) as desk:
        made = people_pairs(desk.policy, seed, pairs)
        delta = _delta(desk, made[0], sql, claim.epsilon)
        if claim.delta not in (0, delta):
            problem = f"the query costs a delta of {delta}, and {claim.delta} is claimed"
            raise InvalidInput("Y216", problem, "Leave the delta out: the price says it")
        sides: list[Pair] = [replace(pair, **_sides(desk, pair, sql, claim.epsilon)) for pair in made]
        seconds = max(seconds / 2, seconds - (time.monotonic() - began))  # making tables takes time, too
        half = replace(claim, delta=delta)
        work = Work(_measured, None, half, seconds * QUICK, squeeze, seed, sql, listen, tables=True, share=HALF)
        quick = attacked(work, sides)
        if quick.refuted or quick.shown.get("interrupted") is not None:
            return quick
        whole = attacked(replace(work, function=_answer, seconds=seconds * (1 - QUICK)), sides)
        if whole.refuted:
            return whole
        told = f"The answer as it is shown, with its margins, was attacked with {whole.pairs:,} pairs besides"
        return replace(quick, notes=(*quick.notes, told)).showing(interrupted=whole.shown.get("interrupted"))


def _delta(desk: Desk, pair: Pair, sql: str, epsilon: Fraction) -> Fraction:
    """The δ of the query's price; refuses what would be refused for any table."""
    people = pair.left
    assert isinstance(people, People)  # noqa: S101  # made above
    with desk.session(people) as session:
        price: Any = session._priced(sql, epsilon, None, None).price
    return Fraction(getattr(price, "delta", 0))


def _sides(desk: Desk, pair: Pair, sql: str, epsilon: Fraction) -> Mapping[str, Any]:
    left, right = pair.left, pair.right
    assert isinstance(left, People) and isinstance(right, People)  # noqa: S101, PT018  # made above
    return {"left": desk.asked(left, sql, epsilon), "right": desk.asked(right, sql, epsilon)}


def _answer(asked: object) -> object:
    assert isinstance(asked, Asked)  # noqa: S101  # made above
    return _or_raised(asked.answer())


def _measured(asked: object) -> object:
    assert isinstance(asked, Asked)  # noqa: S101  # made above
    return _or_raised(asked.measured())


def _or_raised(answer: object) -> object:
    if isinstance(answer, Raised):
        raise _named(answer.kind)
    return answer


def _named(kind: str) -> Exception:
    """An exception of this name: that is all an observer of the attack sees."""
    made: type[Exception] = type(kind.replace(" ", "_"), (Exception,), {})
    return made()
