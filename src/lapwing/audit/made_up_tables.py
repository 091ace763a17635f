"""Tables that are made up from a policy: awkward people, and the same people with one more, one fewer or one changed.

The one idea: a policy says everything public about a table: its columns, ranges, keys, who a person is and how many of
their rows count. So neighbours can be made without a look at the data, and one step between them is one *person*: all
rows of a unit, in all tables at once.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from lapwing.algebra.neighbours import Neighbours
from lapwing.audit.awkward import source_of
from lapwing.audit.neighbouring_inputs import Pair, no_real_rows
from lapwing.errors import InvalidInput
from lapwing.noise.source import Source
from lapwing.noise.uniform import uniform
from lapwing.policy import SUFFIX, Column, Policy, Table, read_policy

Row = dict[str, object]
#: By table, the rows.
Rows = Mapping[str, Sequence[Row]]
#: People who are there anyway, and pairs that are made of them.
CROWDS, PAIRS = (0, 1, 3, 10), 40
#: Rows of somebody of whom any number may count.
MANY = 5
_DAYS = tuple(datetime.date.fromisoformat(day) for day in ("2020-02-29", "1970-01-01", "1999-12-31"))


@dataclass(frozen=True, slots=True)
class People:
    """Made-up tables, by name."""

    tables: Rows

    def __repr__(self) -> str:
        return "; ".join(f"{name}: {[tuple(row.values()) for row in rows]}" for name, rows in self.tables.items())


def people_pairs(
    policy: Policy,
    seed: int | None = None,
    pairs: int = PAIRS,
    *,
    outside: bool = True,
    by_row: bool = False,
    crowds: Sequence[int] = CROWDS,
) -> list[Pair]:
    """Pairs of made-up tables that differ by one person, as the policy's neighbours do.

    Lapwing's own pipeline clips values and drops rows, so that what is ``outside`` the policy is made up for it, too:
    values beyond their range, NULL, and people with more rows than count. ``by_row``, everybody has one row. ``crowds``
    are how many people there are anyway, in turn.
    """
    source = source_of(seed)
    manners = _MANNERS if outside else _INSIDE
    public = {table.name: _public_rows(table) for table in policy.tables if table.role == "public"}
    private = [table for table in policy.tables if table.role == "private"]
    found: dict[str, Pair] = {}
    for number in range(3 * pairs):
        most = 1 if by_row else None if outside else 0
        crowd = [_person(private, place, _usual, source, most) for place in range(crowds[number % len(crowds)])]
        one = _person(private, len(crowd), manners[number % len(manners)], source, most)
        who = "row" if by_row else "person"
        if policy.neighbours is Neighbours.ADDED:
            left, right, relation = crowd, [*crowd, one], f"one {who} more{_with_rows(one)}"
        else:
            other = _person(private, len(crowd), manners[(number // 2 + 1) % len(manners)], source, most)
            left, right, relation = [*crowd, one], [*crowd, other], f"one {who} changed{_with_rows(one, other)}"
        pair = Pair(People(_joined(private, left) | public), People(_joined(private, right) | public), relation)
        found.setdefault(repr((pair.left, pair.right)), pair)
        if len(found) >= pairs:
            break
    return list(found.values())


def _with_rows(*people: Mapping[str, list[Row]]) -> str:
    """How many rows somebody has, where that is more than one."""
    most = max(len(rows) for one in people for rows in one.values())
    return f" ({most} rows)" if most > 1 else ""


def table_pairs(
    function: object,
    file: str,
    neighbours: str | None,
    seed: int | None,
    *,
    outside: bool = False,
    by_row: bool = False,
) -> list[Pair]:
    """Pairs of the policy's private table for a callable: as data frames, Arrow tables or dicts of lists.

    Nobody says that the callable clips values or drops rows, so nothing is made up that the policy would cut off,
    unless that is asked for.
    """
    if not file.endswith(SUFFIX):
        raise no_real_rows(f"{file!r} is no policy")
    policy = read_policy(file)
    if neighbours is not None and neighbours != policy.neighbours.value:
        problem = f"the policy's neighbours are {policy.neighbours.value}, and {neighbours} was asked for"
        raise InvalidInput("Y207", problem, "Leave --neighbours out, or change the policy")
    table = next(table for table in policy.tables if table.role == "private")
    convert = _converter(function)
    made = people_pairs(policy, seed, outside=outside, by_row=by_row)

    def side(people: object) -> object:
        assert isinstance(people, People)  # noqa: S101  # made above
        return convert(table, people.tables[table.name])

    return [Pair(side(pair.left), side(pair.right), pair.relation) for pair in made]


def columns_of(table: Table, rows: Sequence[Row]) -> dict[str, list[object]]:
    """The rows as columns."""
    return {column.name: [row[column.name] for row in rows] for column in table.columns}


def arrow(table: Table, rows: Sequence[Row]) -> Any:  # noqa: ANN401  # Arrow has no types
    """The rows as an Arrow table of the policy's kinds."""
    import pyarrow as pa

    kinds = {
        "integer": pa.int64(), "real": pa.float64(), "text": pa.string(), "boolean": pa.bool_(), "date": pa.date32(),
        "timestamp": pa.timestamp("us"),
    }  # fmt: skip
    found = columns_of(table, rows)
    return pa.table({column.name: pa.array(found[column.name], kinds[column.kind]) for column in table.columns})


# --- people ---------------------------------------------------------------------------------------------------

Manner = Callable[[Column, int, Source], object]


def _person(
    private: Sequence[Table], number: int, manner: Manner, source: Source, most: int | None
) -> dict[str, list[Row]]:
    """One person's rows in every private table; the awkward ones have more rows than count, or as many (``most`` 0)."""
    rows: dict[str, list[Row]] = {}
    for table in private:
        limit = 1 if table.unit is None else min(table.rows_per_unit or MANY, MANY)
        counts = (1,) if table.unit is None or most == 1 else (1, limit) if most == 0 else (1, limit, limit + 2)
        count = 1 if manner is _usual else counts[uniform(len(counts), source=source)]
        rows[table.name] = [_row(table, number, manner, turn, source) for turn in range(count)]
    return rows


def _row(table: Table, number: int, manner: Manner, turn: int, source: Source) -> Row:
    def value(column: Column) -> object:
        if column.name == table.unit:
            return f"p{number}" if column.kind == "text" else number
        return manner(column, turn, source)

    return {column.name: value(column) for column in table.columns}


def _usual(column: Column, _turn: int, _source: Source) -> object:
    """The same for everybody."""
    return _values(column)[0]


def _lowest(column: Column, _turn: int, _source: Source) -> object:
    return _values(column)[1]


def _highest(column: Column, _turn: int, _source: Source) -> object:
    return _values(column)[2]


def _outside(column: Column, turn: int, _source: Source) -> object:
    return _odd(column)[turn % len(_odd(column))]


def _missing(_column: Column, _turn: int, _source: Source) -> object:
    return None


def _anything(column: Column, _turn: int, source: Source) -> object:
    values = [*_values(column), *_odd(column), None]
    return values[uniform(len(values), source=source)]


def _somewhere(column: Column, _turn: int, source: Source) -> object:
    values = _values(column)
    return values[uniform(len(values), source=source)]


_INSIDE: tuple[Manner, ...] = (_highest, _lowest, _somewhere, _usual, _somewhere)
_MANNERS: tuple[Manner, ...] = (_highest, _outside, _missing, _lowest, _anything, _usual, _anything)


def _values(column: Column) -> list[object]:
    """An ordinary value, the lowest and the highest of a column."""
    if column.keys is not None:
        keys = [datetime.date.fromisoformat(str(key)) if column.kind == "date" else key for key in column.keys]
        return [keys[0], keys[-1], keys[len(keys) // 2]]
    low, high = column.low if column.low is not None else Fraction(0), column.high
    top = high if high is not None else low + 100
    middle = (low + top) / 2
    ways: dict[str, list[object]] = {
        "integer": [int(middle), int(low), int(top)],
        "real": [float(middle), float(low), float(top)],
        "text": ["usual", "", "z"],
        "boolean": [False, True, True],
        "date": list(_DAYS),
        "timestamp": [datetime.datetime.combine(day, datetime.time(23, 59, 59)) for day in _DAYS],
    }
    return ways[column.kind]


def _odd(column: Column) -> list[object]:
    """Values outside a column's range or keys, that a file may hold all the same."""
    low, high = (0 if column.low is None else column.low), (100 if column.high is None else column.high)
    ways: dict[str, list[object]] = {
        "integer": [int(high) + 1, int(low) - 1, 2**62, -(2**62)],
        "real": [float(high) * 2 + 1, math.nan, math.inf, -math.inf, 5e-324, -1e308],
        "text": ["nobody listed this", "12", "é"],
        "boolean": [None],
        "date": [datetime.date(1, 1, 1), datetime.date(9999, 12, 31)],
        "timestamp": [datetime.datetime(1677, 9, 22), datetime.datetime(2262, 4, 10)],
    }
    return ways[column.kind]


def _public_rows(table: Table) -> list[Row]:
    """A few rows that everybody knows; each value once, so that nobody is multiplied by a join."""
    width = max((len(column.keys) for column in table.columns if column.keys is not None), default=3)

    def value(column: Column, place: int) -> object:
        if column.keys is not None:
            keys = [datetime.date.fromisoformat(str(key)) if column.kind == "date" else key for key in column.keys]
            return keys[place] if place < len(keys) else None
        return [*_values(column), *_odd(column), None][place % 5] if place < 5 else None

    return [{column.name: value(column, place) for column in table.columns} for place in range(min(width, 50))]


def _joined(private: Sequence[Table], people: Sequence[Mapping[str, list[Row]]]) -> dict[str, Sequence[Row]]:
    return {table.name: [row for one in people for row in one[table.name]] for table in private}


def _converter(function: object) -> Callable[[Table, Sequence[Row]], object]:
    """How a callable wants its table, by the annotation of its first parameter: a dict of lists unless it says more."""
    hint = next(iter(getattr(function, "__annotations__", {}).values()), None)
    text = str(hint)
    if "pyarrow" in text or text.endswith("pa.Table"):
        return arrow
    if "DataFrame" in text and "polars" not in text and "pl." not in text:
        return lambda table, rows: arrow(table, rows).to_pandas()
    if "DataFrame" in text:
        import importlib

        return lambda table, rows: importlib.import_module("polars").from_arrow(arrow(table, rows))
    return columns_of
