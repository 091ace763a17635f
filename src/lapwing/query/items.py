"""The SELECT list: its items with the names they are given, and what a * stands for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from sqlglot import ErrorLevel, exp

from lapwing.query.names import fresh
from lapwing.query.parsing.places import Spot
from lapwing.query.parsing.shape import only
from lapwing.query.refusals import Text, nearest, quoted

_LONGEST_NAME = 60
#: Texts and names in quotes, which keep their capitals.
_TEXTS = re.compile(r"""('(?:[^']|'')*'|"(?:[^"]|"")*")""")
#: The words after a * that change what it stands for.
_CHANGES = ("except_", "replace", "rename")
V = TypeVar("V")


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
    def everything(self) -> bool:
        """Whether this stands for all columns as they are."""
        return self.star and not any(_star(self.node).args.get(name) for name in _CHANGES)

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
            if inner is not _star(inner):
                only(text, inner, "this", "table")
            only(text, _star(inner), *_CHANGES)
            found.append(star)
            continue
        if alias is not None and alias.lower() in {name.lower() for name in names}:
            raise Spot(text, node).invalid("Q126", f"two columns are called {quoted(alias)}", "Give each its own name")
        name = alias or fresh(_name(inner), names)
        names.append(name)
        found.append(Item(inner, name, alias))
    return found


def starred(
    text: Text, item: Item, columns: Iterable[tuple[str, V]], read: Callable[[exp.Expr], V]
) -> list[tuple[str, V]]:
    """What a * stands for: these columns, less those of EXCLUDE, changed by REPLACE, called anew by RENAME."""
    found = list(columns)
    changes = {name: _star(item.node).args.get(name) or [] for name in _CHANGES}
    for node in (*changes["replace"], *changes["rename"]):
        if not isinstance(node, exp.Alias) or not node.alias:
            raise Spot(text, node).invalid("Q118", "a change of * names no column", "Write REPLACE (x + 1 AS x)")
    gone = {_changed(text, node, found) for node in changes["except_"]}
    instead = {_changed(text, node.args["alias"], found): read(node.this) for node in changes["replace"]}
    called = {_changed(text, node.this, found): node.alias for node in changes["rename"]}
    return [
        (called.get(name.lower(), name), instead.get(name.lower(), value))
        for name, value in found
        if name.lower() not in gone
    ]


def _changed(text: Text, node: exp.Expr, columns: list[tuple[str, V]]) -> str:
    """The column that a change of * is about."""
    name, known = node.name, [each for each, _ in columns]
    if name.lower() not in {each.lower() for each in known}:
        raise Spot(text, node).invalid(
            "Q114", f"there is no column {quoted(name)}", f"Name a column that * stands for{nearest(name, known)}"
        )
    return name.lower()


def _star(node: exp.Expr) -> exp.Expr:
    return node.this if isinstance(node, exp.Column) else node


def _name(node: exp.Expr) -> str:
    if isinstance(node, exp.Column):
        return node.name
    # a function that DuckDB lacks has a name all the same, without a word on standard error
    parts = _TEXTS.split(node.sql("duckdb", unsupported_level=ErrorLevel.IGNORE))
    written = "".join(part if at % 2 else part.lower() for at, part in enumerate(parts))
    return written if len(written) <= _LONGEST_NAME and written.isprintable() else "column"
