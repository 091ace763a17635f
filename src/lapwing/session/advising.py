"""Advice: ranges and limits for a policy, found privately, at a price, where nobody could say them beforehand.

The one idea: advice is a handful of ordinary questions. Each counts people in buckets (of a column's values, everybody
with a weight of 1 however many rows they have; of how many rows or groups somebody has), so each is typed, priced,
checked by the kernel and charged like any other, all of them as one charge. What follows from the counts is free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from lapwing.errors import InvalidInput
from lapwing.policy import Column, Policy, Table
from lapwing.query.spelled_names import in_quotes
from lapwing.session.advice import Advice, Cutting, Limited, Suggested
from lapwing.session.buckets import Bucket, Extent, bucket_sql, number_buckets, people_buckets, seen
from lapwing.session.reporting import Report
from lapwing.session.waiting import Ready

#: A range holds this part of the values, and a limit leaves this part of the people all of their rows, or groups.
_VALUES, _PEOPLE = 0.99, 0.95
_NUMBERS = ("integer", "real")
_KEYS = ("text", "boolean")


def advising(policy: Policy) -> Policy:
    """The policy under which advice is asked for: no ranges, keys or limits but one row's weight for each person."""
    return replace(policy, tables=tuple(_bare(table) if table.role == "private" else table for table in policy.tables))


def _bare(table: Table) -> Table:
    columns = tuple(Column(each.name, each.kind) for each in table.columns)
    limit = None if table.unit is None else 1
    return replace(table, columns=columns, rows_per_unit=limit, groups_per_unit=None)


@dataclass(frozen=True, slots=True)
class Looked:
    """One question of advice: about which column, what its buckets are, and its SQL."""

    kind: str
    column: str
    buckets: tuple[Bucket, ...]
    sql: str


def questions(
    policy: Policy, table: str | None = None, columns: Sequence[str] | None = None
) -> tuple[Table, list[Looked]]:
    """What is asked: of number columns without a range, and of how many rows and groups people have."""
    private = [each for each in policy.tables if each.role == "private"]
    wanted = str(private[0].name if table is None else table).lower()
    chosen = next((each for each in private if each.name.lower() == wanted), None)
    if chosen is None:
        names = ", ".join(each.name for each in private)
        raise InvalidInput("S174", f"the policy has no private table {table!r}", f"Name one of {names}")
    if isinstance(columns, str) or not isinstance(columns, Iterable | None):
        columns = [columns]  # one column stands for itself, and what is none is refused as one
    asked = list(_asked(chosen, None if columns is None else [_column(chosen, name) for name in columns]))
    if not asked:
        raise InvalidInput(
            "S174",
            f"there is nothing to find out about {chosen.name!r}: its numbers have ranges, and each row is a person",
            "Name the columns to look at",
        )
    return chosen, asked


def _column(table: Table, name: str) -> Column:
    found = table.column(name) if isinstance(name, str) else None
    if found is None:
        listed = ", ".join(each.name for each in table.columns)
        raise InvalidInput("S174", f"table {table.name!r} has no column {str(name)!r}", f"Name some of {listed}")
    if (
        found.name == table.unit
        or found.kind not in (*_NUMBERS, *_KEYS)
        or (table.unit is None and found.kind in _KEYS)
    ):
        raise InvalidInput(
            "S174",
            f"there is no advice on {found.name!r}: it is of kind {found.kind}, or the unit, or each row is a person",
            "Name columns of numbers, or of texts where a person has several rows",
        )
    return found


def _asked(table: Table, wanted: Sequence[Column] | None) -> Iterator[Looked]:
    others = [each for each in table.columns if each.name != table.unit]
    unknown = [each for each in others if each.keys is None and each.low is None and each.high is None]
    for column in unknown if wanted is None else wanted:
        if column.kind in _NUMBERS:
            yield _values(table, column)
    if table.unit is None:
        return
    if wanted is None:
        every = f"SELECT {in_quotes(table.unit)}, COUNT(*) AS n FROM {in_quotes(table.name)}"  # noqa: S608  # names of the policy
        yield _counted(table.unit, "rows", table.name, every)
    for column in unknown if wanted is None else wanted:
        if column.kind in _KEYS:
            unit, name = in_quotes(table.unit), in_quotes(column.name)
            each = f"SELECT {unit}, {name}, COUNT(*) AS k FROM {in_quotes(table.name)}"  # noqa: S608  # names of the policy
            inner = f"SELECT {unit}, COUNT(*) AS n FROM ({each} GROUP BY {unit}, {name}) AS pairs"  # noqa: S608  # as above
            yield _counted(table.unit, "groups", column.name, inner)


def _values(table: Table, column: Column) -> Looked:
    buckets = tuple(number_buckets(whole=column.kind == "integer"))
    name = in_quotes(column.name)
    chosen = f"{bucket_sql(name, buckets)} AS bucket, COUNT({name}) AS n"
    sql = f"SELECT {chosen} FROM {in_quotes(table.name)} GROUP BY 1"  # noqa: S608  # names of the policy
    return Looked("values", column.name, buckets, sql)


def _counted(unit: str, kind: str, column: str, inner: str) -> Looked:
    buckets = tuple(people_buckets())
    people = f"{inner} GROUP BY {in_quotes(unit)}"
    sql = f"SELECT {bucket_sql('n', buckets)} AS bucket, COUNT(*) AS people FROM ({people}) AS each_one GROUP BY 1"  # noqa: S608  # as above
    return Looked(kind, column, buckets, sql)


def concluded(table: Table, asked: Sequence[Looked], report: Report) -> Advice:
    """What follows from the counts."""
    ranges, groups, rows = [], [], None
    for looked, release, planned in zip(asked, report, report.plan["questions"], strict=True):
        name = "n" if looked.kind == "values" else "people"
        found = {row["bucket"]: row[name] for row in release}
        counts = [float(str(found.get(at) or 0)) for at in range(len(looked.buckets))]
        margin = planned["margins"][name]  # that of a full bucket: an empty one's is cut off at 0
        if looked.kind == "values":
            ranges.append(_suggested(looked, seen(counts, margin, ((1 - _VALUES) / 2,) * 2), margin))
        elif looked.kind == "rows":
            rows = _limited(looked, counts, margin)
        else:
            groups.append(_limited(looked, counts, margin))
    return Advice(table.name, tuple(ranges), rows, tuple(groups), report)


def concluded_again(policy: Policy, report: Report) -> Advice:
    """What follows from a report that was kept, whatever the policy says by now; refuses one that is not of advice."""
    wanted = [each["query"] for each in report.plan["questions"]]
    for table in advising(policy).tables:
        every = {each.sql: each for each in (_asked(table, None) if table.role == "private" else ())}
        if all(sql in every for sql in wanted):
            return concluded(table, [every[sql] for sql in wanted], report)
    raise InvalidInput("S141", "this is not advice", "Give what lapwing advise answered")


def is_of_advice(policy: Policy, queries: Sequence[str]) -> bool:
    """Whether all of these are questions that advice asks."""
    private = [table for table in advising(policy).tables if table.role == "private"]
    return set(queries) <= {each.sql for table in private for each in _asked(table, None)}


def _suggested(looked: Looked, found: Extent | None, margin: float) -> Suggested:
    if found is None:
        return Suggested(looked.column, None, None, None, 2 * margin)
    low, high = looked.buckets[found.first].low, looked.buckets[found.last].high
    return Suggested(looked.column, low, high, found.outside, found.unseen)


def _limited(looked: Looked, counts: Sequence[float], margin: float) -> Limited:
    found = seen(counts, margin, (0.0, 1 - _PEOPLE))
    if found is None:
        return Limited(looked.column, None, (), 2 * margin)
    last = seen(counts, margin, (0.0, 0.0))
    assert last is not None  # noqa: S101  # something is seen
    kept = [max(0.0, each) for each in counts[: last.last + 1]]
    sizes = [_size(bucket) for bucket in looked.buckets[: last.last + 1]]
    choices = []
    for at in range(len(kept)):
        limit = looked.buckets[at].high or _size(looked.buckets[at])
        above = sum(kept[at + 1 :]) / sum(kept)
        whole = sum(many * size for many, size in zip(kept, sizes, strict=True))
        cut = sum(many * (size - limit) for many, size in zip(kept[at + 1 :], sizes[at + 1 :], strict=True)) / whole
        choices.append(Cutting(int(limit), above, max(0.0, cut)))
    at = min(found.last, len(choices) - 1)
    shown = tuple(each for place, each in enumerate(choices) if place in _near(at, len(choices)))
    return Limited(looked.column, choices[at].limit, shown, found.unseen)


def _near(at: int, many: int) -> set[int]:
    """The choices that are shown: the one suggested, and some on both sides."""
    return {place for place in (0, at - 2, at - 1, at, at + 1, at + 2, many - 1) if 0 <= place < many}


def _size(bucket: Bucket) -> float:
    """How many rows somebody in a bucket has, about."""
    low = bucket.low or 0.0
    return low if bucket.high is None else (low + bucket.high) / 2


def asked_for_advice(
    policy: Policy,
    ready: Callable[[Policy, list[dict[str, object]]], Ready[Report]],
    table: str | None,
    columns: Sequence[str] | None,
) -> Ready[Advice]:
    """The advice on a table: its questions, made ready under the policy for them, and what follows."""
    chosen, asked = questions(policy, table, columns)
    names = {"values": "values of {}", "rows": "rows per person", "groups": "different {} per person"}
    wanted: list[dict[str, object]] = [
        {"name": names[each.kind].format(each.column), "sql": each.sql, "weight": 1} for each in asked
    ]
    return ready(advising(policy), wanted).then(lambda report: concluded(chosen, asked, report))
