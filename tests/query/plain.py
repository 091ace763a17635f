"""The same SQL asked of Lapwing, at a price that leaves no noise, and of DuckDB: the words must mean the same.

People have at most as many rows as count, every value is in its range, and every key is listed, so that nothing but
the meaning of words can make a difference.
"""

from __future__ import annotations

import datetime
import math
import random
from fractions import Fraction

import duckdb
import pyarrow as pa

from lapwing.algebra.measures import PureDP
from lapwing.algebra.neighbours import Neighbours
from lapwing.engines import DuckDB
from lapwing.kernel.evidence.several import parts_of
from lapwing.ledger import Receipt
from lapwing.policy import Budget, Column, Policy, Table
from lapwing.query.lowering import lower
from lapwing.query.prepare import prepare
from lapwing.session.compounding import aggregates, compound
from lapwing.session.groups import Fetched
from lapwing.session.noising import noisy
from lapwing.session.releasing import answers_of

CITIES, SEXES = ("Bonn", "Oslo", "Rome"), ("f", "m")
DAYS = (datetime.date(2020, 1, 1), datetime.date(2021, 12, 31))
#: So much that no noise is left.
ENOUGH = PureDP(10**12)
NO_RECEIPT = Receipt(0, "", "tester", (), "", "", None, None, "")  # type: ignore[arg-type]  # opens made-up rows only


def _ordinal(day: datetime.date) -> int:
    return day.toordinal()


PEOPLE = (
    Column("person", "integer"),
    Column("city", "text", keys=CITIES),
    Column("sex", "text", keys=SEXES),
    Column("age", "integer", 0, 99),
    Column("pay", "real", 0, 1000),
    Column("day", "date", DAYS[0].isoformat(), DAYS[1].isoformat()),
    Column("seen", "timestamp"),
    Column("member", "boolean"),
    Column("name", "text"),
)
VISITS = (
    Column("guest", "integer"),
    Column("room", "text", keys=("a", "b")),
    Column("nights", "integer", 0, 9),
    Column("cost", "real", 0, 100),
    Column("came", "date", DAYS[0].isoformat(), DAYS[1].isoformat()),
)
TOWNS = (
    Column("town", "text", keys=(*CITIES, "Kyiv")),
    Column("country", "text", keys=("DE", "IT", "NO", "UA")),
    Column("size", "integer", 0, 10),
    Column("low", "integer", 0, 99),
    Column("high", "integer", 0, 99),
)
POLICY = Policy(
    "plain",
    (
        Table("people", "people.parquet", "private", "person", 100, PEOPLE),
        Table("visits", "visits.parquet", "private", "guest", 100, VISITS),
        Table("towns", "towns.parquet", "public", None, None, TOWNS),
    ),
    Budget(10**13, "0.01"),
    Neighbours.ADDED,
    (),
)
NAMES = ("Anna", "bert", "Carl-Otto", " dora ", "", "Émile", "x%y", None)


def tables(seed: int = 1, people: int = 60) -> dict[str, pa.Table]:
    """Made-up rows, NULLs among them."""
    r = random.Random(seed)
    length = _ordinal(DAYS[1]) - _ordinal(DAYS[0])

    def maybe(value: object) -> object:
        return None if r.random() < 0.1 else value

    def day() -> datetime.date:
        return DAYS[0] + datetime.timedelta(days=r.randint(0, length))

    mine = [
        (who, maybe(r.choice(CITIES)), maybe(r.choice(SEXES)), maybe(r.randint(0, 99)),
         maybe(r.randint(0, 8000) / 8), maybe(day()),
         maybe(datetime.datetime.combine(day(), datetime.time(r.randint(0, 23), r.randint(0, 59)))),
         maybe(r.random() < 0.5), r.choice(NAMES))
        for who in range(people) for _ in range(r.randint(1, 4))
    ]  # fmt: skip
    visits = [
        (who, maybe(r.choice("ab")), maybe(r.randint(0, 9)), maybe(r.randint(0, 800) / 8), maybe(day()))
        for who in range(0, people + 5)
        for _ in range(r.randint(0, 3))
    ]
    towns = [("Oslo", "NO", 3, 0, 29), ("Rome", "IT", 7, 30, 59), ("Bonn", "DE", 1, 50, 99), ("Kyiv", "UA", 9, 90, 99)]
    kinds = {
        "integer": pa.int64(), "real": pa.float64(), "text": pa.string(), "date": pa.date32(),
        "timestamp": pa.timestamp("us"), "boolean": pa.bool_(),
    }  # fmt: skip
    return {
        name: pa.table({c.name: pa.array([row[i] for row in rows], kinds[c.kind]) for i, c in enumerate(columns)})
        for name, columns, rows in (("people", PEOPLE, mine), ("visits", VISITS, visits), ("towns", TOWNS, towns))
    }


def lapwing_says(text: str, given: dict[str, pa.Table], engine: object = None, policy: Policy = POLICY):
    """The answers to a question at a price that leaves no noise, each row a tuple."""
    query = prepare(text, policy)
    asked = DuckDB.over(given, public=["towns"]) if engine is None else engine
    try:
        chosen = any(each.aggregate.selection is not None for each in aggregates(query))
        priced = compound(query, policy.neighbours, ENOUGH, Fraction(1, 2) if chosen else None)
        private = [_private(part, each, asked) for part, each in zip(
            parts_of(priced.certificate(policy.neighbours)), priced.asked, strict=True
        )]  # fmt: skip
        answers = answers_of(priced, private, Fraction(95, 100))
    finally:
        if engine is None:
            asked.close()
    columns = []
    for cells in answers.columns:
        values = cells.values.tolist()
        columns.append([None if gone else value for value, gone in zip(values, cells.missing.tolist(), strict=True)])
    return list(zip(*columns, strict=True))


def _private(proof, query, engine):
    statements = lower(query.aggregate, engine.dialect, 0).statements
    found = engine.fetch(NO_RECEIPT, [each.sql for each in statements])
    return noisy(proof, [Fetched(s, t) for s, t in zip(statements, found, strict=True)])


def duckdb_says(text: str, given: dict[str, pa.Table]):
    """DuckDB's own answer to the same text."""
    with duckdb.connect() as connection:
        for name, table in given.items():
            connection.register(name, table)
        return connection.execute(text).fetchall()


def plain(value: object) -> object:
    """A cell to be compared: numbers as reals, days as text."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, datetime.date | datetime.datetime):
        return value.isoformat().removesuffix("T00:00:00")
    number = float(value)
    return None if math.isnan(number) else number


def same(mine: list[tuple], theirs: list[tuple], *, ordered: bool = False) -> bool:
    """Whether two answers are alike, numbers up to the steps that reals are counted in."""
    if len(mine) != len(theirs):
        return False
    given = [[tuple(map(plain, row)) for row in rows] for rows in (mine, theirs)]
    if not ordered:
        given = [sorted(rows, key=_key) for rows in given]
    return all(len(a) == len(b) and all(map(_close, a, b)) for a, b in zip(*given, strict=True))


def _key(row: tuple) -> list:
    return [
        (value is not None, isinstance(value, float), str(round(value, 3)) if isinstance(value, float) else str(value))
        for value in row
    ]


def _close(a: object, b: object) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-3)
    return a == b
