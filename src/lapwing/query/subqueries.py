"""EXISTS and IN (SELECT ...) on rows: whether a row meets public rows, or others of the same person.

The one idea: each is a mark, a truth value beside the row. It depends on the row's person alone, so what it is used for
(WHERE, CASE, FILTER, a key) is typed as any other column.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from sqlglot import exp

from lapwing.query.answered import Answered
from lapwing.query.comparing import Sides, conjuncts
from lapwing.query.expressions import Column, Word
from lapwing.query.parsing.aggregates import aggregates_in
from lapwing.query.parsing.constants import NULL
from lapwing.query.parsing.places import Spot
from lapwing.query.parsing.shape import only
from lapwing.query.plan import Meeting
from lapwing.query.refusals import Text
from lapwing.query.rowsets import PublicTable, Rows, Source, public_rows
from lapwing.query.rules.case import case
from lapwing.query.rules.comparison import comparison
from lapwing.query.rules.match import match
from lapwing.query.rules.unit_join import MOST_MARKS, marks
from lapwing.query.rules.where import where
from lapwing.query.scalars import Scalars
from lapwing.query.typed import Typed, condition, literal

_NOTHING = literal(NULL)
_UNDERSTOOD = ("expressions", "from_", "joins", "where", "distinct", "kind")


@dataclass(frozen=True, slots=True)
class Inside:
    """How sub-queries are read: what their FROM is, and what one is as a whole."""

    start: Callable[[exp.Select], Source]
    whole: Callable[[Any], Source]


@dataclass(slots=True)
class Marks:
    """Rows, and the marks that conditions on them put beside them."""

    text: Text
    rows: Rows
    inside: Inside
    #: what was marked already, by how it is written
    known: dict[str, Typed] = field(default_factory=dict)

    def scalars(self) -> Scalars:
        """Reads expressions over the rows; what it marks is in ``rows`` afterwards."""
        return Scalars(self.text, self.rows.scope, self.before)

    def filtered(self, node: exp.Expr) -> Rows:
        """The rows of which a condition is true."""
        inside = any(isinstance(each, exp.Query) for each in node.walk())
        for part in conjuncts(node) if inside else [node]:
            # where only what is true counts, a mark says all of an IN
            wanted = self._in(part, sure=True) if _has_query(part) else self.scalars().read(part)
            test = condition(wanted, Spot(self.text, part if inside else node.parent or node))
            relation = where(self.rows.relation, test)
            self.rows = replace(self.rows, relation=relation, size=self.rows.size + 1)
        return self.rows

    def before(self, node: exp.Expr) -> Typed | None:
        """Reads EXISTS and IN (SELECT ...)."""
        if not isinstance(node, exp.Exists) and not _has_query(node):
            return None
        written = node.sql("duckdb")
        if written not in self.known:
            exists = isinstance(node, exp.Exists)
            self.known[written] = self._marked(node.this, [], node) if exists else self._in(node, sure=False)
        return self.known[written]

    def _in(self, node: exp.Expr, *, sure: bool) -> Typed:
        """Whether a value, or several, are among those of a sub-query; NULL where SQL does not know."""
        only(self.text, node, "this", "query")
        place = Spot(self.text, node)
        listed = node.this.expressions if isinstance(node.this, exp.Tuple) else [node.this]
        subjects = [self.scalars().read(each) for each in listed]
        query = node.args["query"]
        found = self._marked(query, subjects, node)
        if sure:
            return found
        if len(subjects) > 1:
            raise place.invalid("Q109", "whether several values are among others is asked here", "Use EXISTS")
        parts: list[Typed] = [found, found]
        if subjects[0].type.nullable:
            some = self._marked(query, [], node)
            gone = comparison(Word.IS_NULL, (subjects[0],), place)
            parts += [comparison(Word.AND, (gone, some), place), _NOTHING]
        parts += [self._marked(query, [], node, empty=True), _NOTHING]
        return case((*parts, found), place)

    def _marked(self, query: exp.Expr, subjects: list[Typed], node: exp.Expr, *, empty: bool = False) -> Typed:
        """A mark: whether a row of the sub-query has these values (with ``empty``: whether one has NULL)."""
        while isinstance(query, exp.Subquery | exp.Paren):
            query = query.this
        place = Spot(self.text, node)
        if not isinstance(query, exp.Select):
            raise place.invalid("Q109", "this is not one SELECT", "Write one SELECT in each IN, with AND or OR between")
        both = self._compared(query, node)
        listed = query.expressions
        if (subjects or empty) and (len(listed) != max(len(subjects), 1) or isinstance(listed[0], exp.Star)):
            raise place.invalid("Q118", "the sub-query selects another number of columns", "Select the one to compare")
        for at, subject in enumerate(subjects):
            inner = listed[at].this if isinstance(listed[at], exp.Alias) else listed[at]
            both.compare(subject, Word.EQUAL, self._column(both, query, at, inner), node)
        if empty:
            inner = listed[0].this if isinstance(listed[0], exp.Alias) else listed[0]
            missing = comparison(Word.IS_NULL, (self._column(both, query, 0, inner),), place)
            both.inner = replace(both.inner, relation=where(both.inner.relation, missing))
        on = both.on if both.inner.public else self._of_one_person(both, place, sure=not empty)
        if marks(both.outer.relation) >= MOST_MARKS:
            raise place.invalid("Q105", "so many sub-queries look at the same person's rows", "Ask in several queries")
        relation = match(both.outer.relation, both.inner.relation, on, Meeting.MARK, public=both.inner.public)
        self.rows = replace(both.outer, relation=relation, size=both.outer.size + both.inner.size)
        return Typed(Column(str(relation.mark)), relation.type.columns[str(relation.mark)])

    def _column(self, both: Sides, query: exp.Select, at: int, node: exp.Expr) -> Typed:
        """A value that the sub-query selects: of a grouped one the column itself."""
        if not _is_grouped(query):
            return Scalars(self.text, both.inner.scope).read(node)
        name = list(both.inner.bindings[0].columns)[at][1]
        return Typed(Column(name), both.inner.relation.type.columns[name])

    def _compared(self, query: exp.Select, node: exp.Expr) -> Sides:
        """The rows of the sub-query that pass its own conditions, and its comparisons with the rows outside."""
        if _is_grouped(query):
            return Sides(self.text, self.rows, self._rows_of(self.inside.whole(query), node))
        only(self.text, query, *_UNDERSTOOD)
        inner = Marks(self.text, self._rows_of(self.inside.start(query), node), self.inside)
        both = Sides(self.text, self.rows, inner.rows)
        clause = query.args.get("where")
        for part in conjuncts(clause.this) if clause is not None else []:
            inner.rows = both.inner
            if any(isinstance(each, exp.Query) for each in part.walk()):
                both.inner = inner.filtered(part)
            elif not both.add(part):
                raise Spot(self.text, part).invalid(
                    "Q109",
                    "this condition is no comparison of a value inside with one outside",
                    "Compare them with =, <, <=, >, >= or <>",
                )
        return both

    def _rows_of(self, source: Source, node: exp.Expr) -> Rows:
        if isinstance(source, Answered):
            raise Spot(self.text, node).invalid(
                "Q109",
                "rows are compared with answers, which there are only after all rows were counted",
                "Ask for the answers first, and write them as constants",
            )
        return public_rows(source) if isinstance(source, PublicTable) else source

    def _of_one_person(self, both: Sides, place: Spot, *, sure: bool) -> list[tuple[str, Word, str]]:
        """The comparisons besides that of the units, which must be among them."""
        units = (both.outer.relation.type.unit, Word.EQUAL, both.inner.relation.type.unit)
        if None not in units and units in both.on:
            return [each for each in both.on if each != units]
        if not sure and None not in units:
            return both.on
        raise place.invalid(
            "Q108",
            "this sub-query looks at other people's rows",
            "Compare the person inside with the person outside, so that each sees their own rows alone",
        )


def _has_query(node: exp.Expr) -> bool:
    return isinstance(node, exp.In) and node.args.get("query") is not None


def _is_grouped(query: exp.Select) -> bool:
    return query.args.get("group") is not None or any(
        found for each in query.expressions for found in aggregates_in(each)
    )
