"""FROM: tables of the policy, sub-queries and joins, read as one relation of private rows (or as answers)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from lapwing.policy import Policy
from lapwing.query.answered import Answered
from lapwing.query.comparing import columns_in, conjuncts, knows, shared
from lapwing.query.expressions import Word
from lapwing.query.joined_answers import met
from lapwing.query.joins import Joins
from lapwing.query.names import Binding
from lapwing.query.numbering import chosen_by_where
from lapwing.query.parsing.places import Spot
from lapwing.query.parsing.shape import only
from lapwing.query.parsing.words import OPERATORS, refuse_function
from lapwing.query.refusals import InvalidQuery, Text, nearest, quoted
from lapwing.query.rowsets import PublicTable, Rows, Source, called, is_public, public_rows
from lapwing.query.rules.scan import scan
from lapwing.query.rules.where import where
from lapwing.query.scalars import Scalars
from lapwing.query.typed import condition

#: How many tables a refusal names.
_NAMED = 5
_COMPARED = {Word.EQUAL, Word.NOT_EQUAL, Word.LESS, Word.AT_MOST, Word.GREATER, Word.AT_LEAST}


@dataclass(frozen=True, slots=True)
class Sources:
    """Reads FROM clauses. ``named`` are the WITH clauses in force; ``select`` reads a sub-query."""

    text: Text
    policy: Policy
    named: Mapping[str, Source]
    select: Callable[[exp.Query, Mapping[str, Source]], Source]
    #: conditions of WHERE that rows were chosen by, and that are done with
    chosen: list[exp.Expr] = field(default_factory=list)

    def read(self, node: exp.Select) -> Source:
        """The relation that a SELECT reads from."""
        start = node.args.get("from_")
        if start is None:
            raise self._at(node).invalid("Q110", "the query reads no table", "Add FROM with a table of the policy")
        only(self.text, start, "this")
        joins = node.args.get("joins") or []
        items = [self._item(start.this), *(self._item(join.this) for join in joins)]
        items = [self._numbered(node, each, first=at == 0) for at, each in enumerate(items)]
        if _is_pool(joins) and not any(isinstance(each, Answered) for each in items):
            return self._pooled(node, items, joins)
        source = items[0]
        for other, written in zip(items[1:], joins, strict=True):
            join = self._natural(source, other, written) if written.args.get("method") == "NATURAL" else written
            if isinstance(source, Answered) and isinstance(other, Answered):
                source = met(self.text, source, other, join)
            else:
                source = Joins(self.text).read(source, other, join)
        return source

    def _natural(self, source: Source, other: Source, node: exp.Join) -> exp.Join:
        """NATURAL JOIN as USING of all columns that both have."""
        mine, theirs = ([name for each in side.scope.bindings for name, _ in each.columns] for side in (source, other))
        folded = {name.lower() for name in theirs}
        both = list(dict.fromkeys(name.lower() for name in mine if name.lower() in folded))
        if not both:
            raise self._at(node).invalid("Q125", "the two tables have no column of one name", "Write JOIN ... ON")
        join = node.copy()
        join.set("method", None)
        join.set("using", [exp.to_identifier(name, quoted=True) for name in both])
        return join

    def _numbered(self, node: exp.Select, item: Source, *, first: bool) -> Source:
        """Rows that have numbers, of which WHERE says how many are wanted: they are chosen before rows are joined."""
        if not isinstance(item, Rows) or not item.numbered:
            return item
        sides = {str(join.args.get("side") or "").upper() for join in node.args.get("joins") or []}
        clause = node.args.get("where")
        if clause is None or not sides <= ({"", "LEFT"} if first else {""}):  # WHERE would also drop rows without any
            return replace(item, numbered=())
        rows, used = chosen_by_where(self.text, clause.this, item)
        self.chosen.extend(used)
        return rows

    def _pooled(self, node: exp.Select, items: list[Source], joins: list[exp.Join]) -> Source:
        """Tables with commas between them: what is equal is said in WHERE, and the order of tables means nothing."""
        clause = node.args.get("where")
        given = [part for join in joins if (on := join.args.get("on")) is not None for part in conjuncts(on)]
        pool = [*given, *(conjuncts(clause.this) if clause is not None else ())]
        pool += [each for part in list(pool) for each in shared(part)]
        start = next((at for at, each in enumerate(items) if not is_public(each)), 0)
        waiting = dict(enumerate(items))
        source = waiting.pop(start)
        while waiting:
            at, links = self._next(source, waiting, pool)
            other = waiting.pop(at)
            written = joins[at - 1] if at else joins[0]
            listed = [each.copy() for each in links]
            join = exp.Join(this=written.this.copy(), on=exp.and_(*listed, copy=False) if listed else None)
            join.meta.update(written.meta)
            source = Joins(self.text).read(source, other, join)
        rows = public_rows(source) if isinstance(source, PublicTable) else source
        assert isinstance(rows, Rows)  # noqa: S101  # no answers are among them
        for part in given:  # those of ON are conditions of all rows here
            test = condition(Scalars(self.text, rows.scope).read(part), self._at(part))
            rows = replace(rows, relation=where(rows.relation, test), size=rows.size + 1)
        return rows

    def _next(self, source: Source, waiting: Mapping[int, Source], pool: list[exp.Expr]) -> tuple[int, list[exp.Expr]]:
        """The table to join next: one that most equalities hold to those before."""
        found = {at: [part for part in pool if _links(part, source, each)] for at, each in waiting.items()}
        equal = {at: list(filter(_is_equality, links)) for at, links in found.items()}
        best = max(waiting, key=lambda at: (bool(equal[at]), bool(found[at]), -at))
        return best, equal[best] or found[best]

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
        return Rows(relation, (Binding(alias, columns),), table.rows_per_unit, 1, groups=table.groups_per_unit)

    def _unknown(self, node: exp.Expr, name: str) -> InvalidQuery:
        known = [table.name for table in self.policy.tables]
        listed = ", ".join(known[:_NAMED]) + (", ..." if len(known) > _NAMED else "")
        return self._at(node).invalid(
            "Q110",
            f"the policy has no table {quoted(name)}",
            f"Name one that it lists ({listed}); all else is private{nearest(name, known)}",
        )

    def _alias(self, node: exp.Expr) -> str | None:
        alias = node.args.get("alias")
        if alias is None:
            return None
        only(self.text, alias, "this")
        return alias.name or None

    def _at(self, node: exp.Expr) -> Spot:
        return Spot(self.text, node)


def _is_pool(joins: list[exp.Join]) -> bool:
    """Whether a FROM lists tables by commas, or crosses them."""
    plain = all(
        not each.args.get("side")
        and not each.args.get("using")
        and str(each.args.get("kind") or "").upper() in ("", "INNER", "CROSS")
        and not each.args.get("method")
        for each in joins
    )
    return plain and any(each.args.get("on") is None for each in joins)


def _links(part: exp.Expr, source: Source, other: Source) -> bool:
    """Whether a comparison holds between columns of both, and of nothing else."""
    if OPERATORS.get(type(part)) not in _COMPARED:
        return False
    sides = [columns_in(each) for each in (part.this, part.expression)]
    if not all(sides):
        return False
    scopes = (source.scope, other.scope)
    return any(
        all(knows(scopes[a], each) and not knows(scopes[1 - a], each) for each in sides[0])
        and all(knows(scopes[1 - a], each) and not knows(scopes[a], each) for each in sides[1])
        for a in (0, 1)
    )


def _is_equality(part: exp.Expr) -> bool:
    return isinstance(part, exp.EQ)
