"""FROM: tables of the policy, sub-queries and joins, read as one relation of private rows (or as answers)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from lapwing.policy import Policy
from lapwing.query.joins import Joins
from lapwing.query.names import Binding
from lapwing.query.parsing.places import Spot
from lapwing.query.parsing.shape import only
from lapwing.query.parsing.words import refuse_function
from lapwing.query.refusals import InvalidQuery, Text, nearest, quoted
from lapwing.query.rowsets import PublicTable, Rows, Source, called
from lapwing.query.rules.scan import scan


@dataclass(frozen=True, slots=True)
class Sources:
    """Reads FROM clauses. ``named`` are the WITH clauses in force; ``select`` reads a sub-query."""

    text: Text
    policy: Policy
    named: Mapping[str, Source]
    select: Callable[[exp.Query, Mapping[str, Source]], Source]

    def read(self, node: exp.Select) -> Source:
        """The relation that a SELECT reads from."""
        start = node.args.get("from_")
        if start is None:
            raise self._at(node).invalid("Q110", "the query reads no table", "Add FROM with a table of the policy")
        only(self.text, start, "this")
        source = self._item(start.this)
        for join in node.args.get("joins") or []:
            source = Joins(self.text).read(source, self._item(join.this), join)
        return source

    def _item(self, node: exp.Expr) -> Source:
        match node:
            case exp.Table():
                return self._table(node)
            case exp.Subquery():
                only(self.text, node, "this", "alias")
                found = self.select(node.this, self.named)
                return called(found, self._alias(node) or "")
            case _:
                raise self._at(node).invalid(
                    "Q113", "this reads something that is not a table of the policy", "Name a table of the policy"
                )

    def _table(self, node: exp.Table) -> Source:
        if not isinstance(node.this, exp.Identifier):
            refusal = refuse_function(self._at(node.this), type(node.this).__name__)
            if refusal.code == "Q111":
                raise self._at(node).invalid("Q113", "a table function is not a table", "Name a table of the policy")
            raise refusal
        if node.args.get("db") is not None or node.args.get("catalog") is not None:
            raise self._unknown(node, node.sql())
        only(self.text, node, "this", "alias")
        alias = self._alias(node) or node.name
        known = self.named.get(node.name.lower())
        if known is not None:
            return called(known, alias)
        table = self.policy.table(node.name)
        if table is None:
            raise self._unknown(node, node.name)
        if table.role == "public":
            return PublicTable(table, alias)
        relation = scan(table)
        columns = tuple((name, name) for name in relation.type.columns)
        return Rows(relation, (Binding(alias, columns),), table.rows_per_unit, 1)

    def _unknown(self, node: exp.Expr, name: str) -> InvalidQuery:
        known = [table.name for table in self.policy.tables]
        return self._at(node).invalid(
            "Q110",
            f"the policy has no table {quoted(name)}",
            f"Name one that it lists; all else is private{nearest(name, known)}",
        )

    def _alias(self, node: exp.Expr) -> str | None:
        alias = node.args.get("alias")
        if alias is None:
            return None
        only(self.text, alias, "this")
        return alias.name or None

    def _at(self, node: exp.Expr) -> Spot:
        return Spot(self.text, node)
