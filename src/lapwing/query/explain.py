"""A typed query as a tree for people: each node, the rule that typed it, and what one person can change there."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from lapwing.algebra.neighbours import Neighbours
from lapwing.query.described import described, number
from lapwing.query.plan import (
    Aggregate,
    Bounding,
    Foremost,
    Function,
    Key,
    Match,
    Measurement,
    PerUnit,
    Project,
    PublicJoin,
    Query,
    Relation,
    Sampled,
    Scan,
    UnitJoin,
    Where,
)
from lapwing.query.sensitivity import change, whole_row
from lapwing.query.sheets import Base, Gather, Meet, Sheet, Stack, View, below
from lapwing.query.typed import DAYS
from lapwing.query.types import ColumnType

#: More keys than this are counted and not listed.
_FEW = 8


@dataclass(frozen=True, slots=True, repr=False)
class Node:
    """A line of the tree, what is known there, and what it is made of."""

    label: str
    facts: tuple[str, ...]
    children: tuple[Node, ...]

    def __str__(self) -> str:
        return "\n".join(_drawn(self))

    __repr__ = __str__


def _drawn(node: Node) -> Iterator[str]:
    """The lines of a tree, as ``lapwing explain`` draws it."""
    yield node.label
    yield from node.facts
    for left, child in enumerate(node.children, start=1 - len(node.children)):
        last = left == 0
        for at, line in enumerate(_drawn(child)):
            guide = ("└── " if last else "├── ") if at == 0 else ("    " if last else "│   ")
            yield guide + line


def tree(
    query: Query,
    neighbours: Neighbours,
    measured: Aggregate | None = None,
    told: Mapping[str, Sequence[tuple[Fraction, str]]] | None = None,
    known: str | None = None,
) -> Node:
    """The whole query: answers, measurements with their sensitivity, and the relations below them.

    ``measured`` is what is measured instead of the sums and counts of the query, where ``told`` says how it tells them.
    ``known`` names a count that is the same on all neighbours.
    """
    facts = [f"{name} = {described(expression)}" for name, expression in query.outputs]
    if query.having is not None:
        facts.append(f"keeps groups with {described(query.having)}")
    facts += [f"ordered by {described(each.expression)}{' descending' * each.descending}" for each in query.order]
    if query.limit is not None or query.offset:
        facts.append(f"limit {'none' if query.limit is None else query.limit}, offset {query.offset}")
    made = tuple(
        Node(f"{answer.name}: {answer.statistic.value} of {', '.join(answer.parts)}", (), ())
        for answer in query.answers
    )
    sums = tuple(_sum(name, parts) for name, parts in (told or {}).items() if [of for _, of in parts] != [name])
    computed = Node("answers (rule post_processing: free)", (*facts, *sums), made)
    sheets = () if query.sheet is None else (_sheet(query.sheet),)
    further = [each.aggregate for each in query.beside]
    aggregates = (
        _aggregate(measured or query.aggregate, neighbours, known),
        *(_aggregate(each, neighbours) for each in further),
    )
    return Node("query", query.notes, (*sheets, computed, *aggregates))


def _sheet(sheet: Sheet) -> Node:
    """What is made of answers, from the last step to the first."""
    match sheet:
        case Base(part):
            return Node(f"answers of aggregate {part + 1}", (), ())
        case View():
            facts = [f"{name} = {described(value)}" for name, value in sheet.outputs]
            facts += [f"{each.name} = {each.function.value} over other answers" for each in sheet.windows]
            facts += [f"keeps {described(each)}" for each in (sheet.kept, sheet.qualify) if each is not None]
            label = "look at answers (rule post_processing: free)"
        case Gather():
            facts = [f"{each.name} = {each.function.value} of answers" for each in sheet.columns]
            label = f"group answers by {', '.join(described(each) for _, each in sheet.keys) or 'nothing'} (free)"
        case Meet():
            label, facts = "put answers side by side (free)", [f"{mine} = {theirs}" for mine, theirs in sheet.on]
        case Stack():
            label, facts = "put answers below one another (free)", []
    return Node(label, tuple(facts), tuple(_sheet(each) for each in below(sheet)))


def _sum(name: str, parts: Sequence[tuple[Fraction, str]]) -> str:
    """A measurement of the query as a sum of what is measured for it."""
    terms = (of if weight == 1 else f"{number(weight)}·{of}" for weight, of in parts if weight)
    return f"{name} = {' + '.join(terms)}"


def _aggregate(aggregate: Aggregate, neighbours: Neighbours, known: str | None = None) -> Node:
    grouped = bool(aggregate.keys)
    measured = [*aggregate.measurements, *([aggregate.selection] if aggregate.selection is not None else [])]
    children = (
        *(_key(key) for key in aggregate.keys),
        *(
            _same_for_all(each) if each.name == known else _measurement(each, neighbours, grouped=grouped)
            for each in measured
        ),
        _relation(aggregate.source),
    )
    label = f"aggregate by {', '.join(key.name for key in aggregate.keys)}" if grouped else "aggregate of all rows"
    return Node(label, (f"neighbours: {neighbours.phrase}",), children)


def _key(key: Key) -> Node:
    if key.values is None:
        known = "unknown keys, chosen privately (costs delta)"
    elif len(key.values) <= _FEW:
        known = "keys " + ", ".join(_on_one_line(str(value)) for value in key.values)
    else:
        known = f"{len(key.values)} known keys"
    return Node(f"key {key.name} = {described(key.expression)} (rule keys)", (known,), ())


def _same_for_all(measurement: Measurement) -> Node:
    same = "one person who is changed does not move it: it is told without noise, for nothing"
    return Node(f"{measurement.name}: all rows (rule count)", (same,), ())


def _measurement(measurement: Measurement, neighbours: Neighbours, *, grouped: bool) -> Node:
    moved = change(measurement, grouped, neighbours)
    of = "" if measurement.argument is None else f" of {described(measurement.argument)}"
    facts = [_bounding(measurement)]
    if measurement.low is not None and measurement.high is not None:
        facts.append(
            f"range [{number(measurement.low)}, {number(measurement.high)}] in steps of {number(measurement.step)}"
        )
    if measurement.function is Function.SHARE:
        places = {1: ("low", "high"), 2: ("low", "middle", "high")}[measurement.degree]
        facts.append(f"a row's weight is divided between {' and '.join(places)}: here is {places[measurement.place]}")
    if measurement.fraction is not None:
        facts.append(f"fraction {measurement.fraction} among {measurement.buckets} buckets")
    if measurement.centre and measurement.function is not Function.SHARE:
        facts.append(f"deviations from {number(measurement.centre * measurement.step)}")
    facts.append(f"one person moves it by at most {_natural(measurement, moved.l1)} in all groups together")
    facts.append(f"in engine steps: sum of changes {moved.l1}, sum of squares {moved.l2_squared}")
    return Node(f"{measurement.name}: {measurement.function.value}{of} (rule {_rule(measurement)})", tuple(facts), ())


def _bounding(measurement: Measurement) -> str:
    rows = measurement.rows_per_unit
    match measurement.bounding:
        case Bounding.NONE:
            return f"a person has at most {rows} here"
        case Bounding.WEIGHTS:
            return f"a person counts as at most {rows}: weights in steps of 1/{measurement.weight_steps}"
        case Bounding.SAMPLE:
            return f"at most {rows} rows of a person are kept, by keyed hash"


def _natural(measurement: Measurement, steps: int) -> str:
    """A change in the unit that people think in."""
    full = Fraction(steps, measurement.weight_steps)
    match measurement.function:
        case Function.TOTAL:
            return number(full * measurement.step)
        case Function.SQUARES:
            return number(full * measurement.step**2)
        case Function.QUANTILE:
            return f"{number(full)} points of score"
        case Function.SHARE:
            return number(full / whole_row(measurement))
        case _:
            return number(full)


def _rule(measurement: Measurement) -> str:
    match measurement.function:
        case Function.ROWS:
            return "count"
        case Function.UNITS | Function.DISTINCT:
            return "count_distinct"
        case Function.TOTAL:
            return "total"
        case Function.SQUARES:
            return "variance"
        case Function.QUANTILE:
            return "quantile"
        case Function.SHARE:
            return "share"


def _relation(relation: Relation) -> Node:
    label, facts, inner = _parts(relation)
    kind = relation.type
    owner = "each row is a person" if kind.unit is None else f"unit {kind.unit}"
    rows = "not bounded" if kind.rows_per_unit is None else f"at most {kind.rows_per_unit}"
    ranges = [f"{name}: {_known(each)}" for name, each in kind.columns.items() if _known(each)]
    return Node(label, (*facts, f"{owner}; rows per person {rows}", *ranges), tuple(_relation(each) for each in inner))


def _parts(relation: Relation) -> tuple[str, tuple[str, ...], tuple[Relation, ...]]:
    match relation:
        case Scan(table):
            return f"scan {table} (rule scan)", (), ()
        case Where(source, condition):
            return f"where {described(condition)} (rule where)", (), (source,)
        case Project(source, columns):
            listed = tuple(f"{name} = {described(each)}" for name, each in columns if described(each) != name)
            return "project (rule project)", listed, (source,)
        case PublicJoin(source, table, on, _, left, unique):
            how = ("the engine checks that its key is unique",) if unique else ()
            return f"{'left ' if left else ''}join public {table} on {_pairs(on)} (rule public_join)", how, (source,)
        case UnitJoin(first, second, on, _, left):
            further = f" and {_pairs(on)}" if on else ""
            return f"{'left ' if left else ''}join on the unit{further} (rule unit_join)", (), (first, second)
        case Match(source, other, on):
            who = "public rows" if relation.public else "rows of the same person"
            by = " and ".join(f"{mine} {word.value} {theirs}" for mine, word, theirs in on)
            label = f"{relation.how.value} match of {who}{f' with {by}' if by else ''} (rule match)"
            return label, () if relation.mark is None else (f"{relation.mark}: whether there is one",), (source, other)
        case Sampled(source, most):
            return f"at most {most} rows of each person, by keyed hash (rule scan)", (), (source,)
        case Foremost(source, most, within, order):
            by = ", ".join(f"{name}{' descending' if down else ''}" for name, down in order)
            each = "".join(f" and {name}" for name in within)
            rows = "row" if most == 1 else "rows"
            return (
                f"the first {most} {rows} of each person{each} by {by or 'keyed hash'} (rule foremost)",
                (),
                (source,),
            )
        case PerUnit(source, keys, columns):
            by = "".join(f", {key}" for key in keys)
            listed = tuple(
                f"{each.name} = {each.function.value}({'*' if each.argument is None else described(each.argument)})"
                for each in columns
            )
            return f"one row for each person{by} (rule per_unit)", listed, (source,)


def _pairs(on: tuple[tuple[str, str], ...]) -> str:
    return " and ".join(f"{mine} = {theirs}" for mine, theirs in on)


def _day(end: Fraction) -> str:
    """A day of the calendar, of which ranges hold the number."""
    return datetime.date.fromordinal(int(end)).isoformat()


def _known(column: ColumnType) -> str:
    """What bounds a column; empty when nothing does."""
    if column.low is not None or column.high is not None:
        shown = _day if column.kind in DAYS else number
        low = "-∞" if column.low is None else shown(column.low)
        high = "∞" if column.high is None else shown(column.high)
        return f"{column.kind.value} in [{low}, {high}]"
    return f"{column.kind.value} of {len(column.keys)} keys" if column.keys else ""


def _on_one_line(text: str) -> str:
    """A key of a public table may hold what a terminal would obey."""
    return "".join(each if each.isprintable() else " " for each in text)
