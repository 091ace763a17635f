"""A SELECT over answers that does more than compute columns of one row: windows, groups, joins, cuts.

The one idea: the answers below have their noise already, so whatever is written here is a sheet over them, and free.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from sqlglot import exp

from lapwing.query import clauses
from lapwing.query.answered import Answered, put_together
from lapwing.query.expressions import Column, Expression
from lapwing.query.items import Item, items, starred
from lapwing.query.names import fresh
from lapwing.query.parsing.aggregates import aggregates_in, is_aggregate, looks_aside
from lapwing.query.parsing.places import Spot
from lapwing.query.parsing.shape import only
from lapwing.query.refusals import InvalidQuery, Text, quoted
from lapwing.query.rules.post_processing import post_processing
from lapwing.query.scalars import Scalars
from lapwing.query.sheets import Gather, Gathered, Meet, Sheet, View, Windowed, below, moved
from lapwing.query.typed import Typed, condition
from lapwing.query.types import ColumnType
from lapwing.query.windowing import Windows, gathered

#: Reads a sub-query inside an expression.
Inner = Callable[[Any], object]
#: Each answer of a sheet is computed from the one below: deeper ones have no use.
_DEEPEST = 40


@dataclass(slots=True)
class Beside:
    """The sheet that a SELECT reads, with the one-row answers of sub-queries that stand inside its expressions."""

    text: Text
    inner: Inner
    source: Answered
    sheet: Sheet
    types: dict[str, ColumnType]

    def read(self, node: exp.Expr) -> Typed:
        """The one number that a sub-query stands for, as a column beside all rows."""
        name = fresh("beside 1", self.types)
        self.put(name, one_number(self.text, node, self.inner))
        return Typed(Column(name), self.types[name])

    def put(self, name: str, found: Answered) -> None:
        """Puts the one row of some answers beside all rows."""
        inner = found.on_sheet()
        parts, numbers = put_together(self.source.parts, inner.parts)
        self.source = replace(self.source, parts=parts)
        written, value = inner.outputs[0]
        assert inner.sheet is not None  # noqa: S101  # it is on one
        self.sheet = Meet(self.sheet, moved(inner.sheet, numbers), (), ((name, written),), left=True)
        self.types[name] = replace(value.type, nullable=True)


def one_number(text: Text, node: exp.Expr, read: Inner) -> Answered:
    """The answers of a sub-query inside an expression, which must be one number."""
    query = node.this if isinstance(node, exp.Subquery) else node
    found, place = read(query), Spot(text, node)
    if not isinstance(found, Answered):
        raise place.invalid(
            "Q109", "this sub-query would look at rows of people", "Write one that aggregates, such as SELECT AVG(x)"
        )
    if len(found.outputs) != 1 or not found.single:
        raise place.invalid(
            "Q109", "this sub-query has several rows or columns", "Write one that gives one number, without GROUP BY"
        )
    return found


@dataclass(slots=True)
class Afterwards:
    """Reads one SELECT over answers."""

    text: Text
    select: exp.Select
    beside: Beside
    windows: Windows = field(init=False)
    keys: list[tuple[str, Expression]] = field(default_factory=list)
    columns: list[Gathered] = field(default_factory=list)
    known: dict[Expression, Typed] = field(default_factory=dict)
    outputs: list[tuple[str, Typed]] = field(default_factory=list)
    #: whether what is read stands above GROUP BY
    grouped: bool = False

    @classmethod
    def over(cls, text: Text, select: exp.Select, source: Answered, inner: Inner) -> Afterwards:
        """Ready to read a SELECT over these answers."""
        found = source.on_sheet()
        assert found.sheet is not None  # noqa: S101  # it is on one now
        types = {name: value.type for name, value in found.outputs}
        return cls(text, select, Beside(text, inner, found, found.sheet, types))

    def read(self) -> Answered:
        """The answers with what this SELECT makes of them."""
        self.windows = Windows.of(self.text, self.select, self.beside.types)
        kept = self._condition("where")
        if self._aggregates():
            self._gather(kept)
            kept = None
        for item in self._items():
            value = self._reader().read(item.node)
            post_processing(value.expression, Spot(self.text, item.node))
            self.outputs.append((item.name, value))
        having = self._condition("having")
        if having is not None and not self.grouped:
            raise Spot(self.text, self.select.args["having"]).invalid(
                "Q117", "HAVING without an aggregate", "Use WHERE"
            )
        return self._finished(kept if having is None else having)

    # --- clauses -----------------------------------------------------------------------------------------

    def _finished(self, kept: Expression | None) -> Answered:
        order = clauses.order(self.text, self.select, self.outputs, self._reader(aliases=True).read)
        qualify = self._condition("qualify", aliases=True)
        limit, offset = (clauses.whole(self.text, self.select, name) for name in ("limit", "offset"))
        distinct = self.select.args.get("distinct")
        if distinct is None:
            outputs = tuple((name, value.expression) for name, value in self.outputs)
            sheet: Sheet = View(self.beside.sheet, kept, self._under(), outputs, qualify, order, limit, offset or 0)
        else:
            sheet = self._distinct(distinct, kept, qualify)
            named = tuple((name, Column(name)) for name, _ in self.outputs)
            mine = {value.expression: Column(name) for name, value in self.outputs}
            ordered = []
            for each in order:
                if each.expression not in mine:
                    raise Spot(self.text, self.select.args["order"]).invalid(
                        "Q127", "DISTINCT is ordered by something that it does not select", "Order by a selected column"
                    )
                ordered.append(replace(each, expression=mine[each.expression]))
            sheet = View(sheet, None, (), named, None, tuple(ordered), limit, offset or 0)
        if _depth(sheet) > _DEEPEST:
            raise Spot(self.text, self.select).invalid("Q105", "the query nests too deeply", "Ask it in simpler steps")
        return replace(
            self.beside.source,
            outputs=tuple((name, Typed(Column(name), value.type)) for name, value in self.outputs),
            sheet=sheet,
            bindings=(),
            merged=frozenset(),
            alias="",
        )

    def _distinct(self, distinct: exp.Expr, kept: Expression | None, qualify: Expression | None) -> Sheet:
        only(self.text, distinct)
        outputs = tuple((name, value.expression) for name, value in self.outputs)
        shown = View(self.beside.sheet, kept, self._under(), outputs, qualify)
        return Gather(shown, tuple((name, Column(name)) for name, _ in outputs), ())

    def _under(self) -> tuple[Windowed, ...]:
        return self.windows.columns

    def _condition(self, clause: str, *, aliases: bool = False) -> Expression | None:
        node = self.select.args.get(clause)
        if node is None:
            return None
        only(self.text, node, "this")
        place = Spot(self.text, node)
        reader = self._reader(aliases=aliases or clause == "having")
        return post_processing(condition(reader.read(node.this), place).expression, place)

    # --- groups ------------------------------------------------------------------------------------------

    def _aggregates(self) -> bool:
        parts = [*self.select.expressions, *(self.select.args.get(name) for name in ("having", "order", "qualify"))]
        inside = any(found for part in parts if part is not None for found in aggregates_in(part))
        return inside or self.select.args.get("group") is not None

    def _gather(self, kept: Expression | None) -> None:
        """Groups the rows that are left; what is read from here on is about groups."""
        clause = self.select.args.get("group")
        listed = self._items()
        nodes: list[exp.Expr] = []
        if clause is not None:
            only(self.text, clause, "expressions", "all")
            nodes = list(clause.expressions)
            if clause.args.get("all"):
                nodes += [item.node for item in listed if not any(aggregates_in(item.node))]
        for node in nodes:
            self._key(node, listed)
        self.grouped = True
        # what the SELECT list asks of a group is collected before the group is made
        inside = [*(item.node for item in listed)]
        inside += [self.select.args[name] for name in ("having", "order", "qualify") if self.select.args.get(name)]
        for node in inside:
            for each in aggregates_in(node):
                self._column(each)
        rows = self.beside.sheet
        if kept is not None:
            rows = View(rows, kept, (), tuple((name, Column(name)) for name in self.beside.types))
        self.beside.sheet = Gather(rows, tuple(self.keys), tuple(self.columns))
        self.beside.types = {each.name: self.known[Column(each.name)].type for each in self.columns} | {
            name: self.known[expression].type for name, expression in self.keys
        }

    def _key(self, node: exp.Expr, listed: list[Item]) -> None:
        while isinstance(node, exp.Paren):
            node = node.this
        number = clauses.ordinal(self.text, node, len(listed))
        item = listed[number] if number is not None else self._aliased(node, listed)
        inner = item.node if item is not None else node
        value = self._rows().read(inner)
        post_processing(value.expression, Spot(self.text, node))
        if value.expression not in self.known:
            name = fresh(f"key {len(self.keys) + 1}", ())
            self.keys.append((name, value.expression))
            self.known[value.expression] = Typed(Column(name), value.type)

    def _aliased(self, node: exp.Expr, listed: list[Item]) -> Item | None:
        if not isinstance(node, exp.Column) or node.table or self._named(node.name):
            return None
        return next((item for item in listed if (item.alias or "").lower() == node.name.lower()), None)

    def _column(self, node: exp.Expr) -> Typed:
        function, argument, kind = gathered(self.text, node, self._rows().read)
        expression = None if argument is None else argument.expression
        for each in self.columns:
            if (each.function, each.argument) == (function, expression):
                return self.known[Column(each.name)]
        name = fresh(f"gathered {len(self.columns) + 1}", ())
        self.columns.append(Gathered(name, function, expression))
        self.known[Column(name)] = Typed(Column(name), kind)
        return self.known[Column(name)]

    # --- expressions -------------------------------------------------------------------------------------

    def _items(self) -> list[Item]:
        found: list[Item] = []
        for item in items(self.text, self.select):
            if not item.star:
                found.append(item)
                continue
            columns = self.beside.source.scope.all(item.table, Spot(self.text, item.node))
            for name, node in starred(
                self.text, item, ((name, _on_sheet(value)) for name, value in columns), lambda node: node
            ):
                found.append(Item(node, fresh(name, (each.name for each in found)), None))
        return found

    def _rows(self) -> Scalars:
        """Reads expressions over the rows below any grouping."""
        return Scalars(self.text, self.beside.source.scope, self._below)

    def _reader(self, *, aliases: bool = False) -> Scalars:
        before = self._above if self.grouped else self._below
        if not aliases:
            return Scalars(self.text, self.beside.source.scope, before)

        def named(node: exp.Expr) -> Typed | None:
            if isinstance(node, exp.Column) and not node.table:
                mine = next((value for name, value in self.outputs if name.lower() == node.name.lower()), None)
                if mine is not None:
                    return mine
            return before(node)

        return Scalars(self.text, self.beside.source.scope, named)

    def _below(self, node: exp.Expr) -> Typed | None:
        if isinstance(node, exp.Column) and node.meta.get("sheet"):
            return Typed(Column(node.name), self.beside.types[node.name])
        if isinstance(node, exp.Window):
            return self.windows.read(node, self._reader().read)
        if isinstance(node, exp.Subquery | exp.Select):
            return self.beside.read(node)
        return None

    def _above(self, node: exp.Expr) -> Typed | None:
        if isinstance(node, exp.Paren | exp.Literal | exp.Boolean | exp.Null):
            return None
        if isinstance(node, exp.Window | exp.Subquery | exp.Select):
            return self._below(node)
        if is_aggregate(node):
            return self._column(node)
        if any(aggregates_in(node)) or looks_aside(node):
            return None
        try:
            value = self._rows().read(node)
        except InvalidQuery:
            if isinstance(node, exp.Column):
                raise
            return None
        if value.expression in self.known:
            return self.known[value.expression]
        if isinstance(node, exp.Column):
            raise Spot(self.text, node).invalid(
                "Q127",
                f"{quoted(node.name)} is neither a key nor inside an aggregate",
                "Add it to GROUP BY, or aggregate it",
            )
        return None

    def _named(self, name: str) -> bool:
        return any(binding.find(name) is not None for binding in self.beside.source.scope.bindings)


def _on_sheet(value: Typed) -> exp.Expr:
    """A column of the sheet, as something to be read; no name that is written means it."""
    assert isinstance(value.expression, Column)  # noqa: S101  # a scope gives columns
    column = exp.Column(this=exp.to_identifier(value.expression.name, quoted=True))
    column.meta["sheet"] = True
    return column


def _depth(sheet: Sheet) -> int:
    return 1 + max((_depth(each) for each in below(sheet)), default=0)
