"""The SELECT list: its items with the names they are given."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from lapwing.query.names import fresh
from lapwing.query.parsing.places import Spot
from lapwing.query.parsing.shape import only
from lapwing.query.refusals import Text, quoted

_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Item:
    """One item: an expression with its name, or a * (of one table, if named), which has none."""

    node: exp.Expr
    name: str
    alias: str | None

    @property
    def star(self) -> bool:
        """Whether this stands for all columns."""
        return isinstance(self.node, exp.Star) or (
            isinstance(self.node, exp.Column) and isinstance(self.node.this, exp.Star)
        )

    @property
    def table(self) -> str | None:
        """The table before the star."""
        return (self.node.table or None) if isinstance(self.node, exp.Column) else None


def items(text: Text, select: exp.Select) -> list[Item]:
    """The items of a SELECT list, each under a name of its own."""
    found: list[Item] = []
    names: list[str] = []
    for node in select.expressions:
        inner, alias = node, None
        if isinstance(node, exp.Alias):
            only(text, node, "this", "alias")
            inner, alias = node.this, node.alias
        while isinstance(inner, exp.Paren):
            inner = inner.this
        star = Item(inner, "", None)
        if star.star:
            only(text, inner, "this", "table")
            only(text, inner.this if isinstance(inner, exp.Column) else inner)  # no EXCLUDE, REPLACE or RENAME
            found.append(star)
            continue
        if alias is not None and alias.lower() in {name.lower() for name in names}:
            raise Spot(text, node).invalid("Q126", f"two columns are called {quoted(alias)}", "Give each its own name")
        name = alias or fresh(_name(inner), names)
        names.append(name)
        found.append(Item(inner, name, alias))
    return found


def _name(node: exp.Expr) -> str:
    if isinstance(node, exp.Column):
        return node.name
    written = node.sql("duckdb").lower()
    return written if len(written) <= _LONGEST_NAME and written.isprintable() else "column"
