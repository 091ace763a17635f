"""ORDER BY, LIMIT and OFFSET, where they order answers; on private rows they are refused."""

from __future__ import annotations

import re
from collections.abc import Callable

from sqlglot import exp

from lapwing.query.parsing.places import Spot
from lapwing.query.parsing.shape import only
from lapwing.query.plan import Order
from lapwing.query.refusals import Text
from lapwing.query.rules.post_processing import post_processing
from lapwing.query.typed import Typed

#: More rows than there can be: tools write a large LIMIT where all are wanted.
_ALL = 10**15
_ON_ROWS = {
    "order": "the order of private rows tells about them",
    "limit": "which rows a LIMIT keeps depends on private rows",
    "offset": "which rows an OFFSET drops depends on private rows",
    "distinct": "whether two rows are alike depends on several people",
}


def refuse_on_rows(text: Text, select: exp.Select, *clauses: str) -> None:
    """Refuses clauses that look at rows of several people at once."""
    for clause in clauses:
        node = select.args.get(clause)
        if node is not None:
            raise Spot(text, node).invalid(
                "Q116", _ON_ROWS[clause], "Aggregate first; order and cut the answers in the outermost SELECT"
            )


def order(
    text: Text, select: exp.Select, outputs: list[tuple[str, Typed]], read: Callable[[exp.Expr], Typed]
) -> tuple[Order, ...]:
    """The items of ORDER BY; a whole number is the place of a column."""
    clause = select.args.get("order")
    if clause is None:
        return ()
    only(text, clause, "expressions")
    found = []
    for item in clause.expressions:
        if not isinstance(item, exp.Ordered):
            raise Spot(text, item).invalid("Q118", "this does not say what to order by", "Name a column")
        only(text, item, "this", "desc", "nulls_first")
        place = Spot(text, item)
        descending, first = bool(item.args.get("desc")), bool(item.args.get("nulls_first"))
        if isinstance(item.this, exp.Var) and item.this.name.upper() == "ALL":
            found += [Order(post_processing(each.expression, place), descending, first) for _, each in outputs]
            continue
        number = ordinal(text, item.this, len(outputs))
        value = outputs[number][1] if number is not None else read(item.this)
        found.append(Order(post_processing(value.expression, place), descending, first))
    return tuple(found)


def ordinal(text: Text, node: exp.Expr, columns: int) -> int | None:
    """The place of the column that a whole number stands for, from 0; None for anything else."""
    if not isinstance(node, exp.Literal) or node.is_string:
        return None
    if not node.this.isdigit() or not 1 <= int(node.this[:9]) <= columns or len(node.this) > 9:
        raise Spot(text, node).invalid("Q127", "there is no column at this place", f"Write 1 to {columns}, or a name")
    return int(node.this) - 1


def whole(text: Text, select: exp.Select, clause: str) -> int | None:
    """The number in LIMIT or OFFSET; None without one."""
    node = select.args.get(clause)
    if node is None:
        return None
    if isinstance(node, exp.Fetch):  # FETCH FIRST 3 ROWS ONLY
        options = node.args.get("limit_options")
        if options is not None:
            only(text, options, "rows")
        only(text, node, "direction", "count", "limit_options")
        value = node.args.get("count") or exp.Literal.number(1)
    elif isinstance(node, exp.Limit | exp.Offset):
        only(text, node, "expression")
        value = node.expression
    else:
        raise Spot(text, node).invalid("Q118", "this limit is not understood", "Write LIMIT with a whole number")
    if not isinstance(value, exp.Literal) or value.is_string or not re.fullmatch("[0-9]+", value.this):
        raise Spot(text, node).invalid(
            "Q118", f"{clause.upper()} takes a whole number", f"Write {clause.upper()} 10, for example"
        )
    return _ALL if len(value.this) > len(str(_ALL)) else min(int(value.this), _ALL)
