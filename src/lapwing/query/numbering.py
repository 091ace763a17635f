"""The first rows of each person, as SQL asks for them: ROW_NUMBER() with QUALIFY or WHERE, and DISTINCT ON.

The one idea: a number that a row has among its person's rows is nothing to compute with, only to choose by. It is kept
beside the rows until a comparison says how many of them are wanted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sqlglot import exp

from lapwing.query.comparing import conjuncts
from lapwing.query.expressions import Column
from lapwing.query.items import Item
from lapwing.query.names import fresh
from lapwing.query.parsing.places import Spot
from lapwing.query.parsing.shape import only
from lapwing.query.refusals import Text
from lapwing.query.rowsets import Numbering, Rows, with_column
from lapwing.query.rules.foremost import foremost
from lapwing.query.scalars import Scalars
from lapwing.query.typed import Typed

#: Comparisons of a number with a constant, and how many rows they keep.
_KEEPING: dict[type[exp.Expr], int] = {exp.LTE: 0, exp.LT: -1}
#: Columns that rows are numbered by, and numbers of one SELECT, at most.
_MOST = 8
_TURNED: dict[type[exp.Expr], type[exp.Binary]] = {exp.GTE: exp.LTE, exp.GT: exp.LT, exp.EQ: exp.EQ}


def is_number(node: exp.Expr | None) -> bool:
    """Whether this is ROW_NUMBER() OVER (...)."""
    return isinstance(node, exp.Window) and isinstance(node.this, exp.RowNumber)


def numbered(text: Text, node: exp.Expr, rows: Rows, name: str) -> tuple[Rows, Numbering]:
    """The rows with what they are numbered by as columns, and the number under its name."""
    only(text, node, "this", "partition_by", "order", "over")
    order = node.args.get("order")
    return _ordered(
        text, node, rows, name, node.args.get("partition_by") or [], [] if order is None else order.expressions
    )


def chosen_by_qualify(text: Text, select: exp.Select, rows: Rows, listed: Sequence[Item]) -> Rows:
    """QUALIFY ROW_NUMBER() OVER (...) = 1, or the same by the name that the number has in the list."""
    clause = select.args["qualify"]
    only(text, clause, "this")
    place = Spot(text, clause)
    most, compared = _wanted(clause.this)
    if isinstance(compared, exp.Column) and not compared.table:
        named = (each.node for each in listed if (each.alias or "").lower() == compared.name.lower())
        compared = next(named, compared)
    if most is None or compared is None or not is_number(compared):
        raise place.invalid(
            "Q116",
            "QUALIFY looks at private rows",
            "Write ROW_NUMBER() OVER (PARTITION BY person ORDER BY day) = 1, or aggregate first",
        )
    rows, number = numbered(text, compared, rows, "")
    return _first(rows, number, most, place)


def chosen_by_distinct(text: Text, select: exp.Select, rows: Rows) -> Rows:
    """DISTINCT ON (person) ... ORDER BY person, day: the first row of each."""
    on = select.args["distinct"].args["on"].expressions
    order = select.args.get("order")
    by = [] if order is None else [each for each in order.expressions if each.this not in on]
    rows, number = _ordered(text, select.args["distinct"], rows, "", on, by)
    return _first(rows, number, 1, Spot(text, select.args["distinct"]))


def chosen_by_where(text: Text, condition: exp.Expr, rows: Rows) -> tuple[Rows, list[exp.Expr]]:
    """The rows that a number is compared for, and the comparisons that said so."""
    used, by, names = [], set[str](), {each.alias.lower() for each in rows.bindings}

    def of_these(node: exp.Expr | None, number: Numbering) -> bool:
        if not isinstance(node, exp.Column) or node.name.lower() != number.name.lower():
            return False
        return not node.table or node.table.lower() in names

    for each in conjuncts(condition):
        most, compared = _wanted(each)
        number = next((one for one in rows.numbered if of_these(compared, one)), None)
        if number is not None and most is not None:
            if by | {number.name} != {number.name}:  # both count all rows, and not those that the other one left
                raise Spot(text, each).invalid("Q116", "two numbers of a row are compared", "Compare one of them")
            rows = _first(rows, number, most, Spot(text, each))
            used.append(each)
            by.add(number.name)
            continue
        for column in each.find_all(exp.Column):
            if any(of_these(column, one) for one in rows.numbered):
                raise Spot(text, column).invalid(
                    "Q116", "a row's number only says how many are wanted", "Compare it: rn = 1, or rn <= 3"
                )
    return replace(rows, numbered=()), used


def kept(
    rows: Rows, numbers: Iterable[Numbering], chosen: list[tuple[str, Typed]], place: Spot
) -> tuple[Numbering, ...]:
    """The numbers, by columns that are added to those chosen under names that nobody writes."""
    found: list[Numbering] = []
    for number in numbers:
        if len(found) == _MOST or any(number.name.lower() == name.lower() for name, _ in chosen):
            raise place.invalid("Q126", "this number has the name of a column, or there are too many", "Name it anew")
        names = {}
        for each in (*number.within, *(name for name, _ in number.order)):
            names[each] = fresh("numbered by", [name for name, _ in chosen])
            chosen.append((names[each], Typed(Column(each), rows.relation.type.columns[each])))
        within = tuple(names[each] for each in number.within)
        found.append(Numbering(number.name, within, tuple((names[name], down) for name, down in number.order)))
    return tuple(found)


def _ordered(
    text: Text, node: exp.Expr, rows: Rows, name: str, among: Sequence[exp.Expr], by: Sequence[exp.Expr]
) -> tuple[Rows, Numbering]:
    unit, place = rows.relation.type.unit, Spot(text, node)
    values = [Scalars(text, rows.scope).read(each) for each in among]
    if unit is None or not any(value.expression == Column(unit) for value in values):
        raise place.invalid(
            "Q116",
            "rows of several people would be put in order",
            "Number the rows of each person: PARTITION BY the unit of the policy",
        )
    if len(values) + len(by) > _MOST:
        raise place.invalid("Q105", "rows are put in order by too much", f"Name at most {_MOST} columns")
    within, order = [], []
    for value in values:
        if value.expression != Column(unit):
            rows, column = with_column(rows, value, "within")
            within.append(column)
    for each in by:
        only(text, each, "this", "desc", "nulls_first")
        if each.args.get("nulls_first"):
            raise Spot(text, each).invalid("Q118", "NULLs come last in the order of rows", "Leave NULLS FIRST out")
        rows, column = with_column(rows, Scalars(text, rows.scope).read(each.this), "order")
        order.append((column, bool(each.args.get("desc"))))
    return rows, Numbering(name, tuple(within), tuple(order))


def _first(rows: Rows, number: Numbering, most: int, place: Spot) -> Rows:
    relation = foremost(rows.relation, most, number.within, number.order, place)
    return replace(rows, relation=relation, size=rows.size + 1)


def _wanted(node: exp.Expr) -> tuple[int | None, exp.Expr | None]:
    """How many rows a comparison with a number keeps, and what it compares; None where it is another condition."""
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.Binary) and isinstance(node.this, exp.Literal) and type(node) in _TURNED:
        node = _TURNED[type(node)](this=node.expression, expression=node.this)
    if not isinstance(node, exp.Binary) or not isinstance(node.expression, exp.Literal) or node.expression.is_string:
        return None, None
    written = node.expression.this
    number = int(written) if written.isdigit() and len(written) < 9 else None
    if number is not None and isinstance(node, exp.EQ) and number == 1:
        return 1, node.this
    if number is not None and type(node) in _KEEPING:
        return number + _KEEPING[type(node)], node.this
    return None, None
