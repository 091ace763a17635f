"""A SELECT, whichever it is: private rows, one row per person, an aggregate of people, or a look at answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from lapwing.policy import Policy
from lapwing.query import clauses
from lapwing.query.afterwards import Afterwards, Inner
from lapwing.query.aggregation import Aggregation
from lapwing.query.answered import Answered
from lapwing.query.comparing import conjuncts
from lapwing.query.expressions import Call, Expression, Word
from lapwing.query.grouping_sets import grouping_sets, has_grouping_sets
from lapwing.query.items import items, starred
from lapwing.query.joined_answers import stacked
from lapwing.query.names import Binding, Scope
from lapwing.query.numbering import (
    chosen_by_distinct,
    chosen_by_qualify,
    is_number,
    kept,
    numbered,
)
from lapwing.query.parsing.aggregates import aggregates_in
from lapwing.query.parsing.places import Spot
from lapwing.query.parsing.shape import only
from lapwing.query.people import People, groups_by_person
from lapwing.query.refusals import InvalidQuery, Text, quoted
from lapwing.query.rowsets import LARGEST_PLAN, Numbering, PublicTable, Rows, Source, is_public, public_rows
from lapwing.query.rules.post_processing import post_processing
from lapwing.query.rules.project import project
from lapwing.query.scalars import Scalars
from lapwing.query.sources import Sources
from lapwing.query.subqueries import Inside, Marks
from lapwing.query.typed import Typed, condition

_CLAUSES = (
    "expressions",
    "from_",
    "joins",
    "where",
    "group",
    "having",
    "order",
    "limit",
    "offset",
    "with_",
    "distinct",
    "qualify",
    "windows",
)


@dataclass(frozen=True, slots=True)
class Selects:
    """Reads SELECT statements over the tables of a policy."""

    text: Text
    policy: Policy

    def outermost(self, node: exp.Query) -> Answered:
        """The whole query, which must end in answers."""
        found = self._read(node, {}, outermost=True)
        if isinstance(found, Answered):
            return found
        raise self._shows_rows(node, public=is_public(found))

    def _shows_rows(self, node: exp.Query, *, public: bool) -> InvalidQuery:
        if public:
            return self._at(node).invalid(
                "Q110", "the query asks about no private table", "Read public tables directly; they cost nothing"
            )
        return self._at(node).invalid(
            "Q100", "this would show rows of people", "Ask for aggregates, such as COUNT(*) or AVG(x)"
        )

    def _read(self, node: exp.Query, named: Mapping[str, Source], *, outermost: bool = False) -> Source:
        found = self._select(node, named, outermost=outermost)
        names = [name.lower() for name, _ in found.outputs] if isinstance(found, Answered) else []
        twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
        if twice is not None:  # a * has one of them
            raise self._at(node).invalid("Q126", f"two columns are called {quoted(twice)}", "Give each its own name")
        return found

    def _select(self, node: exp.Query, named: Mapping[str, Source], *, outermost: bool) -> Source:
        while isinstance(node, exp.Subquery):
            only(self.text, node, "this")
            node = node.this
        if not isinstance(node, exp.Select | exp.SetOperation):
            raise self._at(node).invalid("Q118", "this is not a SELECT", "Write a SELECT between the parentheses")
        if not isinstance(node, exp.Select):
            return self._union(node, named)
        only(self.text, node, *_CLAUSES)
        in_force = self._with(node, named)
        if has_grouping_sets(node):
            listed = [self._answered(each, in_force) for each in grouping_sets(self.text, node)]
            return self._below_one_another(node, listed, in_force, distinct=False)
        sources = Sources(self.text, self.policy, in_force, self._read)
        source = sources.read(node)
        match source:
            case PublicTable():
                if _is_all(self.text, node):
                    return source
                source = public_rows(source)
            case Answered():
                return self._afterwards(node, source, lambda inner: self._read(inner, in_force))
        inside = Inside(
            lambda inner: Sources(self.text, self.policy, in_force, self._read).read(inner),
            lambda inner: self._read(inner, in_force),
        )
        rows = self._filtered(node, source, inside, {each.sql() for each in sources.chosen})
        node = _grouped_if_distinct(node)
        aggregated = node.args.get("group") is not None or any(self._aggregates(node))
        if rows.public and aggregated:
            raise self._at(node).invalid(
                "Q110", "this aggregates public tables alone", "Read them directly, or join them with a private table"
            )
        if not aggregated:
            return self._projected(node, rows, outermost=outermost)
        if not outermost and groups_by_person(self.text, node, rows):
            return People(self.text, node, rows).read()
        clauses.refuse_on_rows(self.text, node, "distinct")
        return Aggregation(self.text, node, rows, lambda inner: self._read(inner, in_force), inside).read()

    def _union(self, node: exp.SetOperation, named: Mapping[str, Source]) -> Answered:
        """UNION ALL and UNION of SELECTs that aggregate."""
        only(self.text, node, "this", "expression", "distinct", "order", "limit", "offset", "with_")
        if not isinstance(node, exp.Union):
            raise self._at(node).invalid(
                "Q103",
                "INTERSECT and EXCEPT are outside this SQL",
                "Of people, write WHERE person IN (SELECT ...), or NOT IN; of answers, UNION ALL or a JOIN",
            )
        in_force = self._with(node, named)
        listed = [self._answered(each, in_force) for each in (node.this, node.expression)]
        return self._below_one_another(node, listed, in_force, distinct=bool(node.args.get("distinct")))

    def _answered(self, node: exp.Query, named: Mapping[str, Source]) -> Answered:
        found = self._read(node, named, outermost=True)
        if isinstance(found, Answered):
            return found
        raise self._at(node).invalid(
            "Q103", "this UNION is of rows of people", "Aggregate in each of its SELECTs, or ask each by itself"
        )

    def _below_one_another(
        self, node: exp.Query, listed: list[Answered], named: Mapping[str, Source], *, distinct: bool
    ) -> Answered:
        found = stacked(self.text, listed, node, distinct=distinct)
        parts = {name: node.args.get(name) for name in ("order", "limit", "offset")}
        if not any(parts.values()):
            return found
        around = exp.Select(expressions=[exp.Star()])
        for name, value in parts.items():
            around.set(name, value)
        return Afterwards.over(self.text, around, found, lambda inner: self._read(inner, named)).read()

    def _with(self, node: exp.Query, named: Mapping[str, Source]) -> dict[str, Source]:
        found = dict(named)
        clause = node.args.get("with_")
        if clause is None:
            return found
        only(self.text, clause, "expressions")
        for each in clause.expressions:
            only(self.text, each, "this", "alias")
            only(self.text, each.args["alias"], "this")
            if not isinstance(each.this, exp.Query):
                raise self._at(each).invalid(
                    "Q102", "WITH holds something that is not a SELECT", "Write a SELECT there"
                )
            found[each.alias.lower()] = self._read(each.this, found)
        return found

    def _aggregates(self, node: exp.Select) -> list[exp.Expr]:
        parts = [
            *node.expressions,
            *(node.args[name] for name in ("having", "order", "qualify") if node.args.get(name) is not None),
        ]
        return [found for part in parts for found in aggregates_in(part)]

    def _filtered(self, node: exp.Select, rows: Rows, inside: Inside, chosen: set[str]) -> Rows:
        """The rows that WHERE keeps; what it says of rows' numbers was ``chosen`` by already."""
        clause = node.args.get("where")
        if clause is None:
            return rows
        only(self.text, clause, "this")
        test = clause.this
        if chosen:
            left = [each.copy() for each in conjuncts(test) if each.sql() not in chosen]
            test = exp.and_(*left, copy=False) if left else None
        return rows if test is None else Marks(self.text, rows, inside).filtered(test)

    def _projected(self, node: exp.Select, rows: Rows, *, outermost: bool) -> Rows:
        """The same rows with the columns selected."""
        listed = items(self.text, node)
        if outermost and any(node.args.get(name) is not None for name in ("order", "limit")):
            raise self._shows_rows(node, public=rows.public)
        if node.args.get("distinct") is not None and node.args["distinct"].args.get("on") is not None:
            clauses.refuse_on_rows(self.text, node, "limit", "offset")
            rows = chosen_by_distinct(self.text, node, rows)
        else:
            clauses.refuse_on_rows(self.text, node, "order", "limit", "offset", "distinct")
        if node.args.get("qualify") is not None:
            rows = chosen_by_qualify(self.text, node, rows, listed)
            listed = [item for item in listed if not is_number(item.node)]
        if node.args.get("having") is not None:
            raise self._at(node.args["having"]).invalid("Q117", "HAVING without an aggregate", "Use WHERE")
        chosen: list[tuple[str, Typed]] = []
        numbers: list[Numbering] = []
        for item in listed:
            place = self._at(item.node)
            if is_number(item.node):
                rows, number = numbered(self.text, item.node, rows, item.name)
                numbers.append(number)
                continue
            scalars = Scalars(self.text, rows.scope)
            if item.star:
                found = starred(self.text, item, rows.scope.all(item.table, place), scalars.read)
            else:
                found = [(item.name, scalars.read(item.node))]
            for name, value in found:
                if value.is_null and not outermost:
                    raise place.invalid("Q120", "a column of NULLs has no kind", "CAST a constant, or leave it out")
                if name.lower() in {each.lower() for each, _ in chosen}:
                    raise place.invalid("Q126", f"two columns are called {quoted(name)}", "Give each its own name")
                chosen.append((name, value))
        if rows.size > LARGEST_PLAN:
            raise self._at(node).invalid("Q105", "the query joins too many relations", "Ask it in simpler steps")
        binding = Binding("", tuple((name, name) for name, _ in chosen))
        beside = kept(rows, numbers, chosen, self._at(node))
        made = project(rows.relation, chosen)
        return Rows(
            made, (binding,), rows.limit, rows.size + 1, groups=rows.groups, public=rows.public, numbered=beside
        )

    def _afterwards(self, node: exp.Select, source: Answered, inner: Inner) -> Answered:
        """A SELECT over answers: post-processing."""
        if source.sheet is not None or _needs_a_sheet(node) or any(self._aggregates(node)) or source.cut:
            return Afterwards.over(self.text, node, source, inner).read()
        scope = Scope((Binding(source.alias, tuple((name, name) for name, _ in source.outputs)),), {})
        known = dict(source.outputs)
        scalars = Scalars(self.text, scope, lambda each: self._known(each, scope, known))
        outputs: list[tuple[str, Typed]] = []
        for item in items(self.text, node):
            if item.star:
                outputs += starred(self.text, item, source.outputs, scalars.read)
            else:
                outputs.append((item.name, scalars.read(item.node)))
        for _, value in outputs:
            post_processing(value.expression, self._at(node))
        names = dict(outputs)
        ordered = replace(scalars, before=lambda each: self._known(each, scope, {**known, **names}))
        order = clauses.order(self.text, node, outputs, ordered.read)
        return replace(
            source,
            outputs=tuple(outputs),
            having=self._kept(node, scalars, source.having),
            order=order or source.order,
            limit=clauses.whole(self.text, node, "limit"),
            offset=clauses.whole(self.text, node, "offset") or 0,
        )

    def _kept(self, node: exp.Select, scalars: Scalars, kept: Expression | None) -> Expression | None:
        for name in ("where", "having"):
            clause = node.args.get(name)
            if clause is not None:
                only(self.text, clause, "this")
                test = condition(scalars.read(clause.this), self._at(clause)).expression
                kept = post_processing(test if kept is None else Call(Word.AND, (kept, test)), self._at(clause))
        return kept

    def _known(self, node: exp.Expr, scope: Scope, known: Mapping[str, Typed]) -> Typed | None:
        if not isinstance(node, exp.Column) or isinstance(node.this, exp.Star):
            return None
        only(self.text, node, "this", "table")
        folded = {name.lower(): value for name, value in known.items()}
        if node.table and node.table.lower() != scope.bindings[0].alias.lower():
            scope.column(node.name, node.table, self._at(node))  # refuses
        if node.name.lower() not in folded:
            scope.column(node.name, None, self._at(node))  # refuses, and names the nearest
        return folded[node.name.lower()]

    def _at(self, node: exp.Expr) -> Spot:
        return Spot(self.text, node)


def _is_all(text: Text, node: exp.Select) -> bool:
    """Whether a SELECT reads a public table as it is."""
    parts = {name for name, value in node.args.items() if value} - {"expressions", "from_", "with_"}
    listed = items(text, node)
    return not parts and len(listed) == 1 and listed[0].everything


def _needs_a_sheet(node: exp.Select) -> bool:
    """Whether a SELECT over answers does more than compute columns of one row."""
    words = ("group", "distinct", "qualify", "joins")
    inside = (exp.Window, exp.Subquery, exp.Select)
    parts = [*node.expressions, *(node.args.get(name) for name in ("where", "having", "order"))]
    return any(node.args.get(name) for name in words) or any(
        isinstance(each, inside) for part in parts if part is not None for each in part.walk()
    )


def _grouped_if_distinct(node: exp.Select) -> exp.Select:
    """SELECT DISTINCT a, b is SELECT a, b GROUP BY a, b."""
    distinct = node.args.get("distinct")
    plain = distinct is not None and distinct.args.get("on") is None and node.args.get("group") is None
    if not plain or any(found for part in node.expressions for found in aggregates_in(part)):
        return node
    grouped = node.copy()
    grouped.set("distinct", None)
    grouped.set("group", exp.Group(all=True))
    return grouped
