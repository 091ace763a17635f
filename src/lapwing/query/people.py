"""A sub-query that groups by the person: one row for each, still private."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from lapwing.query import clauses
from lapwing.query.earliest import first_of
from lapwing.query.expressions import Column, Expression, Kind, Literal
from lapwing.query.items import Item, items
from lapwing.query.names import Binding, Scope, fresh
from lapwing.query.parsing.aggregates import Name, aggregates_in, is_aggregate, wanted
from lapwing.query.parsing.constants import NULL
from lapwing.query.parsing.places import Spot
from lapwing.query.parsing.shape import only
from lapwing.query.plan import PerUnit, Relation, UnitFunction
from lapwing.query.refusals import InvalidQuery, Text, quoted
from lapwing.query.rowsets import Rows
from lapwing.query.rules.case import case
from lapwing.query.rules.per_unit import PerUnitColumns, per_unit
from lapwing.query.rules.project import project
from lapwing.query.rules.where import where
from lapwing.query.scalars import Scalars
from lapwing.query.typed import Typed, condition, literal
from lapwing.query.types import ColumnType

_ONE = literal(Literal(1, Kind.INTEGER))
_NOTHING = literal(NULL)


def grouped_nodes(text: Text, select: exp.Select, rows: Rows) -> list[exp.Expr]:
    """What a SELECT groups by, with places, aliases and ALL resolved to what they stand for."""
    clause = select.args.get("group")
    if clause is None:
        return []
    listed = [item for item in items(text, select) if not item.star]
    found = []
    for each in clause.expressions:
        node = each
        while isinstance(node, exp.Paren):
            node = node.this
        number = clauses.ordinal(text, node, len(listed))
        item = aliased(node, listed, rows) if number is None else listed[number]
        found.append(node if item is None else item.node)
    if clause.args.get("all"):
        found += [item.node for item in listed if not any(aggregates_in(item.node))]
    return found


def aliased(node: exp.Expr, listed: list[Item], rows: Rows) -> Item | None:
    """The item that a name of GROUP BY is the alias of; a column of that name comes first."""
    if not isinstance(node, exp.Column) or node.table:
        return None
    if any(binding.find(node.name) is not None for binding in rows.bindings):
        return None
    return next((item for item in listed if item.alias is not None and item.alias.lower() == node.name.lower()), None)


def groups_by_person(text: Text, select: exp.Select, rows: Rows) -> bool:
    """Whether the unit is among the keys."""
    unit = rows.relation.type.unit
    if unit is None:
        return False
    columns = [node for node in grouped_nodes(text, select, rows) if isinstance(node, exp.Column)]
    known = (each for each in columns if any(binding.find(each.name) is not None for binding in rows.bindings))
    return any(Scalars(text, rows.scope).read(node).expression == Column(unit) for node in known)


@dataclass(slots=True)
class People:
    """Reads one sub-query that groups by the person."""

    text: Text
    select: exp.Select
    rows: Rows
    columns: PerUnitColumns = field(init=False)
    written: dict[Expression, str] = field(default_factory=dict)
    #: the column that holds each FIRST(x ORDER BY day), by how it is written
    firsts: dict[str, Typed] = field(default_factory=dict)

    def read(self) -> Rows:
        """One row per person, with what the sub-query selects."""
        clauses.refuse_on_rows(self.text, self.select, "order", "limit", "offset", "distinct")
        group = self.select.args["group"]
        only(self.text, group, "expressions", "all")
        source, keys = self._keys()
        source = self._with_firsts(source, keys)
        self.columns = PerUnitColumns(source, {*source.type.columns})
        reader = Scalars(self.text, Scope((), {}), self._answer)
        chosen = [(item.name, reader.read(item.node)) for item in self._items()]
        having = self.select.args.get("having")
        kept = None
        if having is not None:
            only(self.text, having, "this")
            kept = condition(reader.read(having.this), Spot(self.text, having))
        grouped: PerUnit = per_unit(source, keys, self.columns)
        filtered: Relation = grouped if kept is None else where(grouped, kept)
        known = filtered.type.columns
        chosen = [(name, _learned(value, known)) for name, value in chosen]
        result = project(filtered, chosen)
        binding = Binding("", tuple((name, name) for name, _ in chosen))
        return Rows(result, (binding,), self.rows.limit, self.rows.size + 4, groups=self.rows.groups)

    def _items(self) -> list[Item]:
        listed = items(self.text, self.select)
        star = next((item for item in listed if item.star), None)
        if star is not None:
            raise Spot(self.text, star.node).invalid("Q118", "* does not stand beside GROUP BY", "Name the columns")
        return listed

    def _keys(self) -> tuple[Relation, tuple[str, ...]]:
        """The relation with each key as a column, and the names of the keys besides the person."""
        source = self.rows.relation
        unit = source.type.unit
        assert unit is not None  # noqa: S101  # groups_by_person saw it
        self.written[Column(unit)] = unit
        keys: list[str] = []
        added: list[tuple[str, Typed]] = []
        taken = list(source.type.columns)
        for node in grouped_nodes(self.text, self.select, self.rows):
            value = Scalars(self.text, self.rows.scope).read(node)
            if value.expression in self.written:
                continue
            if isinstance(value.expression, Column):
                name = value.expression.name
            else:
                name = fresh("key", taken)
                taken.append(name)
                added.append((name, value))
            self.written[value.expression] = name
            keys.append(name)
        if added:
            same = [(name, Typed(Column(name), known)) for name, known in source.type.columns.items()]
            source = project(source, [*same, *added])
        return source, tuple(keys)

    def _with_firsts(self, source: Relation, keys: tuple[str, ...]) -> Relation:
        """The rows, each with the values that FIRST, LAST, ARG_MIN and ARG_MAX have for its person."""
        having = self.select.args.get("having")
        for part in (*self.select.expressions, *(() if having is None else (having,))):
            for node in aggregates_in(part):
                asked = wanted(self.text, node)
                if asked.name is Name.FIRST and node.sql() not in self.firsts:
                    if keys:
                        raise Spot(self.text, node).invalid(
                            "Q136", "the first row is taken of all rows of a person", "Group by the person alone there"
                        )
                    source, self.firsts[node.sql()] = first_of(self.text, node, asked, self.rows, source)
        return source

    def _answer(self, node: exp.Expr) -> Typed | None:
        if isinstance(node, exp.Paren | exp.Literal | exp.Boolean | exp.Null):
            return None
        if is_aggregate(node):
            return self._column(node)
        if any(aggregates_in(node)):
            return None
        try:
            value = Scalars(self.text, self.rows.scope).read(node)
        except InvalidQuery:
            if isinstance(node, exp.Column):
                raise
            return None
        name = self.written.get(value.expression)
        if name is not None:
            return Typed(Column(name), value.type)
        if isinstance(node, exp.Column):
            raise Spot(self.text, node).invalid(
                "Q127",
                f"{quoted(node.name)} is neither a key nor inside an aggregate",
                "Add it to GROUP BY, or aggregate it",
            )
        return None

    def _column(self, node: exp.Expr) -> Typed:
        asked = wanted(self.text, node)
        place = Spot(self.text, node)
        if asked.name is Name.FIRST:
            return self.columns.extreme(UnitFunction.MIN, self.firsts[node.sql()], place)
        reader = Scalars(self.text, self.rows.scope)
        value = None if asked.argument is None else reader.read(asked.argument)
        if asked.name is Name.COUNT_IF and value is not None:
            value = case((condition(value, place), _ONE, _NOTHING), place)
        if asked.filter is not None:
            test = condition(reader.read(asked.filter), place)
            value = case((test, _ONE if value is None else value, _NOTHING), place)
        if value is None or asked.name in (Name.COUNT, Name.COUNT_IF):
            return self.columns.count(value)
        match asked.name:
            case Name.SUM:
                return self.columns.total(value, place)
            case Name.MEAN:
                return self.columns.mean(value, place)
            case Name.MIN:
                return self.columns.extreme(UnitFunction.MIN, value, place)
            case Name.MAX:
                return self.columns.extreme(UnitFunction.MAX, value, place)
            case Name.ANY:
                return self.columns.extreme(UnitFunction.MAX, condition(value, place), place)
            case Name.EVERY:
                return self.columns.extreme(UnitFunction.MIN, condition(value, place), place)
            case Name.COUNT_DISTINCT:
                return self.columns.different(value)
            case Name.SOME:  # any will do; the least does not depend on the order of rows
                return self.columns.extreme(UnitFunction.MIN, value, place)
            case Name.QUANTILE if asked.setting is None:
                return self.columns.median(value, place)
            case _:
                raise place.invalid(
                    "Q136",
                    f"{quoted(asked.name.value.upper())} is not computed for each person",
                    "Use COUNT, COUNT(DISTINCT x), SUM, AVG, MEDIAN, MIN, MAX, FIRST, LAST, BOOL_OR or BOOL_AND there",
                )


def _learned(value: Typed, known: Mapping[str, ColumnType]) -> Typed:
    """What HAVING says of a column that is selected as it is."""
    return Typed(value.expression, known[value.expression.name]) if isinstance(value.expression, Column) else value
