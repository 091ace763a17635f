"""Neighbouring tables under random questions: what moves before noise never costs more than the certificate says.

Four kinds of comparison take turns: random plans over awkward cells, every accepted query of the corpus, random SQL
under random policies, and the same SQL inside the parts of a split table. For SQL the whole certificate is held against
what moved, all of its measurements together: the loss of its mechanisms at the distance that was seen. Only comparisons
that moved are counted; one that did not shows nothing.
"""

import random
from collections import Counter
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa

from lapwing.algebra.measures import ZCDP, PureDP
from lapwing.algebra.metrics import L1, L2, Linf
from lapwing.algebra.neighbours import Neighbours
from lapwing.engines import DuckDB
from lapwing.errors import LapwingError
from lapwing.kernel.evidence.several import parts_of
from lapwing.ledger import Part
from lapwing.noise import Exponential, Gaussian
from lapwing.query.lowering import lower
from lapwing.query.plan import Function
from lapwing.query.prepare import prepare
from lapwing.session.compounding import compound
from lapwing.session.restricting import within
from tests.query import plain, test_neighbouring_tables, test_sql_on_neighbours
from tests.query.lowering.plans import SAMPLING_KEY
from tests.query.questions import Questions
from tests.query.test_neighbouring_tables import distance, fetched

#: What one person may have in a cell besides what the ranges of the policy allow.
ODD = {
    "age": (-1, 100, 2**63 - 1, -(2**63)),
    "pay": (-0.0, 5e-324, 1e308, float("inf"), float("-inf"), float("nan")),
    "nights": (-5, 10, 2**62),
    "cost": (-1.0, 1e300, float("nan"), float("inf")),
}
#: Questions of choices beside those of ``Questions``, which are answered alike by DuckDB.
CHOSEN = (
    "SELECT MEDIAN(age) FROM people",
    "SELECT city, MEDIAN(pay) FROM people GROUP BY city",
    "SELECT sex, QUANTILE(age, 0.9), COUNT(*) FROM people GROUP BY sex",
    "SELECT MIN(pay), MAX(pay) FROM people WHERE member",
    "SELECT name, COUNT(*) FROM people GROUP BY name",
    "SELECT name, COUNT(DISTINCT person), AVG(age) FROM people GROUP BY name",
    "SELECT COUNT(DISTINCT city), COUNT(DISTINCT name) FROM people",
    "SELECT city, COUNT(DISTINCT age) FROM people GROUP BY city",
)
PLANS, ASKED, PEOPLE, NEIGHBOURS = 55, 12, 12, 6


def campaign(count, seed=0):
    """Until so many comparisons moved: how many were compared, moved, and moved too far."""
    found = Counter()
    kinds = (_plans, _fixtures, _questions, _parts)
    turn = 0
    while found["moved"] < count:
        before = Counter(found)
        kinds[turn % len(kinds)](1_000_003 * seed + turn, found)
        name = kinds[turn % len(kinds)].__name__.strip("_")
        found[f"moved: {name}"] += found["moved"] - before["moved"]
        if found["CONTRADICTION"] > before["CONTRADICTION"]:
            print(f"too far: {name}, turn {turn} of seed {seed}", flush=True)
        turn += 1
        if turn % 40 == 0:
            print(f"{found['moved']} moved, {found['CONTRADICTION']} too far", flush=True)
    return found


def _plans(seed, found):
    worse, moved = test_neighbouring_tables.violations(seed, PLANS)
    found += Counter(compared=PLANS, moved=moved, CONTRADICTION=worse)


def _fixtures(seed, found):
    cases = random.Random(seed).sample(test_sql_on_neighbours.ACCEPTED, 25)
    broken, seen, moved = test_sql_on_neighbours.violations(cases, seed, 1)
    found += Counter(compared=seen, moved=moved, CONTRADICTION=broken)


# --- SQL, its certificate, and what moved ----------------------------------------------------------------


def _questions(seed, found):
    r = random.Random(seed)
    with _world(r) as (policy, engines):
        for text in _texts(r):
            try:
                losses = _losses(prepare(text, policy), policy.neighbours, engines, _price(r))
            except LapwingError:  # for every table alike: the text does not say what is in the rows
                found["refused"] += 1
                continue
            _count(found, losses, text)


def _parts(seed, found):
    """The question inside each part; together they move in as few parts as the ledger counts on."""
    r = random.Random(seed)
    with _world(r) as (policy, engines):
        column, people = r.choice(["city", "sex"]), policy.table("people")
        most = people.rows_per_unit
        for text in _texts(r):
            wanted, moved = _price(r), Counter()
            try:
                query = prepare(text, policy)
                inside = [within(query, Part("people", column, key, most)) for key in people.column(column).keys]
                for each in inside:
                    losses = _losses(each, policy.neighbours, engines, wanted)
                    moved.update({at for at, loss, _ in losses if loss > 0})
                    _count(found, losses, text)
            except LapwingError:
                found["refused"] += 1
                continue
            if max(moved.values(), default=0) > most * (2 if policy.neighbours is Neighbours.REPLACED else 1):
                found["CONTRADICTION"] += 1
                print(f"one person is in too many parts: {text}", flush=True)


def _count(found, losses, text):
    for _, loss, price in losses:
        found["compared"] += 1
        found["moved"] += loss > 0
        if loss > price:
            found["CONTRADICTION"] += 1
            print(f"moved by {loss} at a price of {price}: {text}", flush=True)


def _texts(r):
    drawn = Questions(r.randrange(2**32))
    return [r.choice(CHOSEN) if r.random() < 0.25 else drawn.question() for _ in range(ASKED)]


def _price(r):
    return PureDP(1) if r.random() < 0.5 else ZCDP(Fraction(1, 5))


def _losses(query, neighbours, engines, wanted):
    """For each neighbour and each aggregate of the question: which, what the neighbour costs, what was to be paid."""
    delta = Fraction(1, 10**6) if _unknown(query) else None
    if delta is not None and isinstance(wanted, ZCDP):
        wanted = PureDP(1)  # groups are chosen at a price in epsilon
    priced = compound(query, neighbours, wanted, delta)
    found = []
    for certificate, asked in zip(parts_of(priced.certificate(neighbours)), priced.asked, strict=True):
        statements = lower(asked.aggregate, "duckdb", SAMPLING_KEY).statements
        before, *others = (fetched(engine, statements) for engine in engines)
        price = certificate.price
        paid = price.rho if isinstance(price, ZCDP) else price.epsilon
        for at, after in enumerate(others):
            losses = [
                _loss(part, *distance(part.measurement, before[part.measurement.name], after[part.measurement.name]))
                for part in certificate.noisy
            ]
            found.append((at, sum(losses, Fraction(0)), paid))
    return found


def _unknown(query):
    return any(each.aggregate.selection is not None for each in (query, *query.beside))


def _loss(part, l1, l2_squared):
    """What a mechanism costs at the distance that was seen: each group's own for a choice."""
    mechanism = part.mechanism
    if isinstance(mechanism, Gaussian):
        return mechanism.claim(L2(squared=l2_squared)).rho
    if isinstance(mechanism, Exponential):
        assert part.measurement.function is Function.QUANTILE
        in_rho = isinstance(part.claim, ZCDP)
        return mechanism.zcdp_claim(Linf(l1)).rho if in_rho else mechanism.claim(Linf(l1)).epsilon
    return mechanism.claim(L1(l1)).epsilon


# --- policies and neighbours -----------------------------------------------------------------------------


@contextmanager
def _world(r):
    """A policy of few or many rows, for one person more or changed; a table, and neighbours of it."""
    neighbours = r.choice(list(Neighbours))
    most = {name: r.choice([1, 2, 3, 5, 100]) for name in ("people", "visits")}
    groups = r.choice([None, None, 1, 2])
    tables = [
        replace(table, rows_per_unit=most[table.name], groups_per_unit=groups) if table.name in most else table
        for table in plain.POLICY.tables
    ]
    policy = replace(plain.POLICY, tables=tuple(tables), neighbours=neighbours)
    made, other = (
        {name: _odd(r, table) for name, table in plain.tables(r.randrange(2**32), people=PEOPLE).items()}
        for _ in range(2)
    )
    sides = [made]
    for person in r.sample(range(PEOPLE), NEIGHBOURS):
        side = {name: made[name] if name == "towns" else _of(made[name], person, inside=False) for name in made}
        if neighbours is Neighbours.REPLACED:
            private = [name for name in side if name != "towns"]
            new = {name: pa.concat_tables([side[name], _of(other[name], person, inside=True)]) for name in private}
            side |= new
        sides.append(side)
    with ExitStack() as stack:
        engines = [DuckDB.over(_shuffled(r, side), public=["towns"]) for side in sides]
        yield policy, [stack.enter_context(each) for each in engines]


def _odd(r, table):
    """The table with some cells that no range holds, and some rows of it three times."""
    for name in set(ODD) & set(table.column_names):
        cells = [r.choice(ODD[name]) if r.random() < 0.15 else cell for cell in table[name].to_pylist()]
        place = table.column_names.index(name)
        table = table.set_column(place, name, pa.array(cells, table[name].type, from_pandas=False))
    again = _taken(table, [at for at in range(len(table)) for _ in range(2) if r.random() < 0.1])
    return table if table.column_names[0] == "town" else pa.concat_tables([table, again])


def _of(table, person, *, inside):
    return table.filter(np.array([(cell == person) is inside for cell in table.column(0).to_pylist()]))


def _shuffled(r, side):
    return {name: _taken(table, r.sample(range(len(table)), len(table))) for name, table in side.items()}


def _taken(table, places):
    return table.take(pa.array(places, pa.int64()))
