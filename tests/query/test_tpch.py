"""The page about TPC-H: every question on it is asked of made-up tables, and answered or refused as the page says."""

import importlib.util
import re
from pathlib import Path

import pytest

from lapwing.algebra.measures import PureDP
from lapwing.algebra.neighbours import Neighbours
from lapwing.engines import DuckDB
from lapwing.errors import LapwingError
from lapwing.policy import Budget, Column, Policy, Table
from lapwing.query.prepare import prepare
from lapwing.session.compounding import compound
from lapwing.session.showing import check_shown, people_needed
from tests.query import plain

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "tpch.md").read_text()
PART = re.compile(r"^## Q(\d+): (asked|refused \((\w+)\))\n\n(.*?)```sql\n(.*?)```", re.M | re.S)
FOUND = [(int(number), code, text.strip()) for number, _, code, _, text in PART.findall(PAGE)]
KINDS = {"int64": "integer", "double": "real", "string": "text", "date32[day]": "date", "int32": "integer"}
UNITS = {"customer": ("c_custkey", 1), "orders": ("o_custkey", 60), "lineitem": ("l_custkey", 400)}


def _maker():
    spec = importlib.util.spec_from_file_location("make_tpch", ROOT / "scripts" / "make_tpch.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def world():
    made = _maker()
    tables = made.tables(0.01)
    day = {"low": made.FIRST.isoformat(), "high": "1999-12-31"}
    known = {
        "l_quantity": {"low": 0, "high": 50},
        "l_extendedprice": {"low": 0, "high": 110_000},
        "l_discount": {"low": 0, "high": "0.1"},
        "l_tax": {"low": 0, "high": "0.08"},
        "l_returnflag": {"keys": ("A", "N", "R")},
        "l_linestatus": {"keys": ("F", "O")},
        "l_shipmode": {"keys": made.MODES},
        "o_orderpriority": {"keys": made.PRIORITIES},
        "o_totalprice": {"low": 0, "high": 600_000},
        "c_mktsegment": {"keys": made.SEGMENTS},
        "c_acctbal": {"low": -1000, "high": 10_000},
        "n_name": {"keys": tuple(name for name, _ in made.NATIONS)},
        "r_name": {"keys": made.REGIONS},
        "s_name": {"keys": tuple(tables["supplier"]["s_name"].to_pylist())},
        "ps_supplycost": {"low": 0, "high": 1000},
        "o_orderdate": day, "l_shipdate": day, "l_commitdate": day, "l_receiptdate": day,
    }  # fmt: skip
    listed = []
    for name, table in tables.items():
        columns = tuple(
            Column(field.name, KINDS[str(field.type)], **known.get(field.name, {})) for field in table.schema
        )
        unit, rows = UNITS.get(name, (None, None))
        listed.append(Table(name, f"{name}.parquet", "private" if unit else "public", unit, rows, columns))
    policy = Policy("tpch", tuple(listed), Budget(10**13, "0.01"), Neighbours.ADDED, ())
    with DuckDB.over(tables, public=[name for name in tables if name not in UNITS]) as engine:
        yield tables, policy, engine


def test_all_questions_are_on_the_page():
    assert [number for number, _, _ in FOUND] == list(range(1, 23))
    assert "Thirteen are answered" in PAGE
    assert sum(not code for _, code, _ in FOUND) == 13


@pytest.mark.parametrize(("number", "code", "text"), FOUND, ids=[f"Q{number}" for number, _, _ in FOUND])
def test_a_question_is_answered_or_refused_as_the_page_says(world, number, code, text):
    tables, policy, engine = world
    if code == "S153":  # each group is one person's
        priced = compound(prepare(text, policy), policy.neighbours, PureDP(1), policy.budget.delta)
        with pytest.raises(LapwingError, match=code):
            check_shown(people_needed(priced), 1, anyway=False)
        return
    if code:
        with pytest.raises(LapwingError, match=code):
            prepare(text, policy)
        return
    mine = [tuple(map(plain.plain, row)) for row in plain.lapwing_says(text, tables, engine, policy)]
    theirs = [tuple(map(plain.plain, row)) for row in plain.duckdb_says(text, tables)]
    assert theirs
    shown = [row for row in theirs if any(all(map(_near, row, other)) for other in mine)]
    # of groups chosen privately some of one person stay hidden; all others are the same
    assert len(shown) >= (0.7 * len(theirs) if number == 13 else len(theirs)), (mine[:5], theirs[:5])


def _near(a, b):
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) <= 1e-4 * max(abs(a), abs(b)) + 0.01
    return a == b
