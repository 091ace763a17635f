"""Answers beside and below other answers: JOIN, UNION ALL and UNION of SELECTs that aggregate."""

from __future__ import annotations

import math
from dataclasses import replace

from sqlglot import exp

from lapwing.query.answered import Answered, Told, put_together
from lapwing.query.expressions import Column, Kind
from lapwing.query.names import Binding, Scope, fresh
from lapwing.query.parsing.places import Spot
from lapwing.query.parsing.shape import only
from lapwing.query.parsing.spellings import conjuncts
from lapwing.query.refusals import Text
from lapwing.query.rules.post_processing import post_processing
from lapwing.query.scalars import Scalars
from lapwing.query.sheets import Gather, Meet, Sheet, Stack, View, moved
from lapwing.query.typed import NUMBERS, Typed, condition
from lapwing.query.types import ColumnType

#: Pairs of answers that no equality holds together, at most.
MOST_PAIRS = 1_000_000
_SIDES = {"": (False, False), "LEFT": (True, False), "RIGHT": (False, True), "FULL": (True, True)}


def met(text: Text, first: Answered, second: Answered, node: exp.Join) -> Answered:
    """The rows of two SELECTs of answers that a JOIN puts side by side."""
    only(text, node, "this", "on", "using", "side", "kind")
    place = Spot(text, node)
    side, kind = (str(node.args.get(name) or "").upper() for name in ("side", "kind"))
    if side not in _SIDES or kind not in ("", "INNER", "OUTER", "CROSS"):
        raise place.invalid("Q125", f"{side} {kind} JOIN is not understood".strip(), "Use JOIN, LEFT or FULL JOIN")
    mine, theirs = first.on_sheet(), second.on_sheet()
    assert mine.sheet is not None  # noqa: S101  # it is on one now
    assert theirs.sheet is not None  # noqa: S101  # as above
    taken = {binding.alias.lower() for binding in mine.scope.bindings}
    if any(binding.alias.lower() in taken for binding in theirs.scope.bindings):
        raise place.invalid("Q115", "two tables here have one name", "Give each an alias")
    left, right = _SIDES[side]
    parts, numbers = put_together(mine.parts, theirs.parts)
    names: dict[str, str] = {}
    for name, _ in theirs.outputs:
        names[name] = fresh(name, [*(each for each, _ in mine.outputs), *names.values()])
    types = {name: _maybe(value.type, gone=right) for name, value in mine.outputs}
    types |= {names[name]: _maybe(value.type, gone=left) for name, value in theirs.outputs}
    renamed = tuple(
        Binding(each.alias, tuple((written, names[inner]) for written, inner in each.columns))
        for each in theirs.scope.bindings
    )
    using = node.args.get("using") or []
    scope = Scope((*mine.scope.bindings, *renamed), types, frozenset(name.name.lower() for name in using))
    back = {name: inner for inner, name in names.items()}
    pairs, further = _pairs(text, mine, theirs, scope, back, node)
    if further and (left or right):
        raise Spot(text, further[0]).invalid(
            "Q125", "an outer join of answers takes equalities of columns only", "Filter in a sub-query, or with WHERE"
        )
    if not pairs and not (first.single or second.single) and _rows(mine) * _rows(theirs) > MOST_PAIRS:
        raise place.invalid("Q125", "all answers would meet all others", "Join them ON a column that is equal")
    columns = tuple((name, inner) for inner, name in names.items())
    sheet: Sheet = Meet(mine.sheet, moved(theirs.sheet, numbers), tuple(pairs), columns, left, right)
    if further:
        reader = Scalars(text, scope)
        for part in further:
            kept = post_processing(condition(reader.read(part), Spot(text, part)).expression, Spot(text, part))
            sheet = View(sheet, kept, (), tuple((name, Column(name)) for name in types))
    outputs = tuple((name, Typed(Column(name), known)) for name, known in types.items())
    return Answered(parts, outputs, sheet=sheet, bindings=scope.bindings, merged=scope.merged)


def _maybe(known: ColumnType, *, gone: bool) -> ColumnType:
    return replace(known, nullable=True) if gone else known


def _rows(answers: Answered) -> float:
    """How many rows there are at most; endless where keys are unknown."""
    return math.prod(_groups(part) for part in answers.parts)


def _groups(part: Told) -> float:
    return math.prod(math.inf if key.values is None else len(key.values) for key in part.aggregate.keys)


def _pairs(
    text: Text, mine: Answered, theirs: Answered, scope: Scope, back: dict[str, str], node: exp.Join
) -> tuple[list[tuple[str, str]], list[exp.Expr]]:
    """The columns that must be equal, (of the first, of the second), and conditions beyond that."""
    found = []
    for name in node.args.get("using") or []:
        both = [side.scope.column(name.name, None, Spot(text, name)) for side in (mine, theirs)]
        found.append((_name(both[0]), _name(both[1])))
    further = []
    on = node.args.get("on")
    for part in conjuncts(on) if on is not None else []:
        sides = (part.this, part.expression) if isinstance(part, exp.EQ) else ()
        if not sides or not all(isinstance(each, exp.Column) for each in sides):
            further.append(part)
            continue
        a, b = (scope.column(each.name, each.table or None, Spot(text, each)) for each in sides)
        if _name(a) in back:
            a, b = b, a
        if _name(a) in back or _name(b) not in back or not _alike(a.kind, b.kind):
            further.append(part)
        else:
            found.append((_name(a), back[_name(b)]))
    return found, further


def _alike(a: Kind, b: Kind) -> bool:
    return a is b or {a, b} <= set(NUMBERS)


def _name(value: Typed) -> str:
    assert isinstance(value.expression, Column)  # noqa: S101  # a scope gives columns
    return value.expression.name


def stacked(text: Text, listed: list[Answered], node: exp.Expr, *, distinct: bool) -> Answered:
    """UNION ALL: the rows of one below those of another; UNION: each row once."""
    place, first = Spot(text, node), listed[0].on_sheet()
    parts, sheets, columns = first.parts, [], []
    types = [value.type for _, value in first.outputs]
    empty = [value.is_null for _, value in listed[0].outputs]
    for each in listed:
        inner = each.on_sheet()
        if len(inner.outputs) != len(types):
            raise place.invalid("Q118", "the SELECTs of this UNION have different numbers of columns", "Select as many")
        parts, numbers = put_together(parts, inner.parts)
        assert inner.sheet is not None  # noqa: S101  # it is on one
        sheets.append(moved(inner.sheet, numbers))
        columns.append(tuple(name for name, _ in inner.outputs))
        for at, (_, value) in enumerate(each.outputs):
            if value.is_null:
                types[at] = replace(types[at], nullable=True)
            elif empty[at]:
                types[at], empty[at] = replace(value.type, nullable=True), False
            elif not _alike(types[at].kind, value.kind):
                raise place.invalid(
                    "Q123",
                    f"column {at + 1} is {types[at].kind.value} here and {value.kind.value} there",
                    "CAST one of them",
                )
            else:
                kind = types[at].kind if types[at].kind is value.kind else Kind.REAL
                types[at] = ColumnType(kind, types[at].nullable or value.type.nullable)
    sheet: Sheet = Stack(tuple(sheets), tuple(columns))
    if distinct:
        sheet = Gather(sheet, tuple((name, Column(name)) for name in columns[0]), ())
    outputs = tuple((name, Typed(Column(name), known)) for name, known in zip(columns[0], types, strict=True))
    return Answered(parts, outputs, sheet=sheet)
