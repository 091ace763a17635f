"""A question asked of made-up tables, with a ledger that is thrown away: once whole, and then as often as one likes.

The one idea: the road to an answer is walked once for each table (plan, price, charge, fetch), which is where a value
could make it fail. What comes after the fetch is then repeated from what was fetched, by the code of the road itself:
the noise alone, many runs at once (``lanes.py``), and the noise with all that is made of it. And the whole road is
walked again, from the first word to the release, as often as there is time: what only happens there shows there.

Tables of a pair are read with the same sampling key, because a guarantee is about one key.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import TracebackType

import numpy as np
import pyarrow.parquet
from numpy.typing import NDArray

from lapwing.audit.made_up_tables import People, arrow
from lapwing.audit.one_answer import Raised
from lapwing.audit.repeated_runs import measured
from lapwing.engines import open_engine
from lapwing.errors import LapwingError
from lapwing.kernel.evidence.release import ReleaseCertificate
from lapwing.kernel.evidence.several import Several, parts_of
from lapwing.kernel.evidence.several_records import several_to_json
from lapwing.kernel.release.adding import check_several
from lapwing.ledger import SUFFIX as LEDGER
from lapwing.ledger import Ledger, Receipt
from lapwing.policy import SUFFIX as POLICY
from lapwing.policy import Analyst, Budget, Policy, write_policy
from lapwing.session.asking import Session
from lapwing.session.compounding import Compound
from lapwing.session.noising import noisy
from lapwing.session.release import Release
from lapwing.session.releasing import made_release
from lapwing.session.road import Inquiry, Repeated, Road, Tables

#: A budget that no audit exhausts, who asks, and the confidence of the ± that answers carry.
ENDLESS, WHO, LEVEL = 10**9, "audit", Fraction(95, 100)
#: Runs by the whole road when a table is first asked; and analysts of a session in which it is attacked. Each of them
#: asks once, because a second time nothing is drawn.
FIRST, ANALYSTS = 2, 60
#: Which rows of somebody with too many are kept follows from this key, on both sides.
KEY = 20_201_117


@dataclass(frozen=True, slots=True)
class Put:
    """What is asked, and at which price."""

    sql: str
    epsilon: Fraction


@dataclass(frozen=True, slots=True, eq=False)
class Unnoised:
    """What the road has when it has looked at the tables, and nothing carries noise yet."""

    policy: Policy
    priced: Compound
    proof: ReleaseCertificate | Several
    fetched: Sequence[Tables]
    receipt: Receipt

    def released(self) -> Release:
        """A release of it, with fresh noise."""
        private = [noisy(part, found) for part, found in zip(parts_of(self.proof), self.fetched, strict=True)]
        return made_release(self.policy, self.priced, several_to_json(self.proof), private, self.receipt, LEVEL)


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A question to one made-up table: what was looked up for it, or what it ended with instead."""

    desk: Desk
    people: People
    question: Put
    looked: Unnoised | Raised
    #: some answers by the whole road
    walked: tuple[object, ...]

    def measured(self, runs: int) -> Sequence[object] | NDArray[np.float64]:
        """All that carries noise, in so many runs."""
        if isinstance(self.looked, Raised):
            return [self.looked] * runs
        return measured(parts_of(self.looked.proof), self.looked.fetched, runs)

    def answer(self) -> object:
        """A fresh answer: what was fetched with new noise, and what is made of it."""
        if isinstance(self.looked, Raised):
            return self.looked
        return _answered(self.looked.released)

    def whole(self) -> object:
        """A fresh answer by the whole road."""
        return _answered(lambda: self.desk.walked(self.people, self.question))

    def __deepcopy__(self, _: object) -> Asked:
        return self  # nothing in it changes

    def __repr__(self) -> str:
        return repr(self.people)


@dataclass(slots=True)
class _Walk:
    """A session on one table, and the analysts in it who have not asked yet."""

    session: Session
    fresh: Iterator[str]


@dataclass(slots=True)
class Desk:
    """A folder for made-up tables, thrown away at the end."""

    policy: Policy
    _folder: tempfile.TemporaryDirectory[str] = field(
        default_factory=lambda: tempfile.TemporaryDirectory(prefix="lapwing-audit-")
    )
    _made: int = 0
    _known: dict[tuple[str, Put], Asked] = field(default_factory=dict)
    _walks: dict[str, _Walk] = field(default_factory=dict)

    @classmethod
    def of(cls, policy: Policy) -> Desk:
        """A desk for tables like those of a policy, with a budget without end."""
        delta = max(policy.budget.delta, Fraction(0))
        moved = tuple(replace(table, path=f"{table.name}.parquet", relation=None) for table in policy.tables)
        return cls(
            Policy(policy.name, moved, Budget(ENDLESS, delta), policy.neighbours, (Analyst(WHO, ENDLESS, delta),))
        )

    def __enter__(self) -> Desk:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for walk in self._walks.values():
            walk.session.close()
        self._folder.cleanup()

    def session(self, people: People, analysts: Sequence[str] = (WHO,)) -> Session:
        """A session on these tables, with a ledger of its own."""
        self._made += 1
        folder = Path(self._folder.name) / str(self._made)
        folder.mkdir()
        delta = self.policy.budget.delta
        policy = replace(self.policy, analysts=tuple(Analyst(name, ENDLESS, delta) for name in analysts))
        for table in policy.tables:
            pyarrow.parquet.write_table(arrow(table, people.tables[table.name]), folder / table.path)
        write_policy(policy, folder / f"{policy.name}{POLICY}")
        engine = open_engine(policy, folder)
        engine.examine()
        ledger = Ledger.create(folder / f"{policy.name}{LEDGER}", policy)
        ledger.set_snapshot(engine.fingerprint(ledger.secret("snapshot")))
        return Session(policy, ledger, engine, analysts[0])

    def asked(self, people: People, question: Put) -> Asked:
        """The question asked of these tables, once; what a table makes it fail with is an answer."""
        place = repr(people), question
        if place not in self._known:
            self._known[place] = self._asked(people, question)
        return self._known[place]

    def _asked(self, people: People, question: Put) -> Asked:
        names = [f"{WHO} {number}" for number in range(FIRST)]
        looked: Unnoised | Raised
        try:
            with self.session(people, [WHO, *names]) as session:
                walked = tuple(_answered(partial(_walked, session, name, question)) for name in names)
                looked = _looked(session, question)
                looked.released()
        except LapwingError as error:
            looked = _raised(error)
            walked = (looked,)
        return Asked(self, people, question, looked, walked)

    def walked(self, people: People, question: Put) -> Release:
        """The release of somebody who has not asked before, by the whole road."""
        place = repr(people)
        while True:
            if place not in self._walks:
                names = [f"{WHO} {number}" for number in range(ANALYSTS)]
                self._walks[place] = _Walk(self.session(people, names), iter(names))
            walk = self._walks[place]
            analyst = next(walk.fresh, None)
            if analyst is not None:
                return _walked(walk.session, analyst, question)
            self._walks.pop(place).session.close()


class _Keyed(Session):
    """A session like every other, in which the sampling key is that of the audit."""

    __slots__ = ()

    @property
    def road(self) -> Road:
        return replace(super().road, key=KEY)


def _walked(session: Session, analyst: str, question: Put) -> Release:
    """The whole road, for one analyst."""
    asking = _Keyed(session.policy, session.ledger, session.engine, analyst)
    return asking.sql(question.sql, epsilon=question.epsilon, confidence=LEVEL, anyway=True)


def _looked(session: Session, question: Put) -> Unnoised:
    """The whole road up to the noise."""
    priced = session._priced(question.sql, question.epsilon, None, None)
    proof = priced.certificate(session.policy.neighbours)
    inquiry: Inquiry[Sequence[Tables], Unnoised] = Inquiry(
        f"audit {question.epsilon}",
        question.sql,
        (lambda policy: check_several(proof, policy),),
        lambda fetched: fetched,  # noise comes later, and often
        lambda fetched, receipt: (Unnoised(session.policy, priced, proof, fetched, receipt), None),
        repeats=False,
    )
    found = replace(session.road, key=KEY).answer(inquiry)
    assert not isinstance(found, Repeated)  # noqa: S101  # nothing is repeated here
    return found


def _answered(make: Callable[[], Release]) -> object:
    """What an analyst sees of a release; not the receipt, which tells one charge from the next."""
    try:
        release = make()
    except LapwingError as error:
        return _raised(error)
    found: dict[str, object] = dict(release.table.to_pydict())
    beside = {"±": release.margins, "from": release.low, "to": release.high}
    for name, table in beside.items():
        if table is not None:
            shown = {column: values for column, values in table.to_pydict().items() if set(values) != {None}}
            found |= {f"{name} {column}": values for column, values in shown.items()}
    return [found, dict(release.spent), list(release.notes)]


def _raised(error: LapwingError) -> Raised:
    return Raised(f"{type(error).__name__} {error.code}")
