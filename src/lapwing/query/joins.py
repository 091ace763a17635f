"""JOIN: which columns must be equal, and which rule joins what stands on the two sides."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from lapwing.query.answered import Answered
from lapwing.query.comparing import Sides, conjuncts, knows
from lapwing.query.expressions import Column, Word
from lapwing.query.names import Binding, Scope
from lapwing.query.parsing.places import Spot
from lapwing.query.parsing.shape import only
from lapwing.query.plan import Meeting
from lapwing.query.refusals import Text, quoted
from lapwing.query.rowsets import LARGEST_PLAN, PublicTable, Rows, Source, is_public, public_rows
from lapwing.query.rules.match import match
from lapwing.query.rules.public_join import public_join
from lapwing.query.rules.unit_join import MOST_UNIT_JOINS, unit_join, unit_joins
from lapwing.query.rules.where import where
from lapwing.query.scalars import Scalars
from lapwing.query.typed import NUMBERS, Typed, condition


@dataclass(frozen=True, slots=True)
class Joins:
    """Reads JOIN clauses."""

    text: Text

    def read(self, left: Source, right: Source, node: exp.Join) -> Rows:
        """The rows that a JOIN makes of what stands before it and of its own item."""
        only(self.text, node, "this", "on", "using", "side", "kind")
        if isinstance(left, Answered) or isinstance(right, Answered):
            raise self._at(node).invalid(
                "Q125",
                "answers meet rows here, and rows are counted before there are answers",
                "Join public tables before the aggregate; write answers you have as constants",
            )
        side, kind = (str(node.args.get(name) or "").upper() for name in ("side", "kind"))
        if side not in ("", "LEFT", "RIGHT") or kind not in ("", "INNER", "OUTER", "CROSS"):
            raise self._at(node).invalid(
                "Q125",
                f"{' '.join(filter(None, (side, kind)))} JOIN is not understood here",
                "Use JOIN, LEFT JOIN, or SEMI and ANTI JOIN with ON",
            )
        if side == "RIGHT" or (is_public(left) and not is_public(right) and side == ""):
            left, right, side = right, left, "LEFT" if side == "RIGHT" else side
        if is_public(left) and not is_public(right):
            raise self._at(node).invalid(
                "Q125",
                "this join keeps public rows that meet nobody, and these are no person's",
                "Write FROM the private table, then JOIN or LEFT JOIN",
            )
        rows = public_rows(left) if isinstance(left, PublicTable) else left
        taken = {binding.alias.lower() for binding in rows.bindings}
        if any(binding.alias.lower() in taken for binding in right.scope.bindings):
            raise self._at(node).invalid("Q115", "two tables here have one name", "Give each an alias")
        pairs, further, merged = self._pairs(rows, right, node)
        outer = side == "LEFT"
        plain = isinstance(right, PublicTable) and not rows.public
        if ((plain and pairs) or not is_public(right)) and not (further and outer):
            joined = (
                self._public(rows, right, pairs, outer=outer)
                if isinstance(right, PublicTable)
                else self._private(rows, right, pairs, node, outer=outer)
            )
        else:
            joined, further = self._matched(rows, right, pairs, further, node, outer=outer)
        joined = replace(joined, merged=joined.merged | merged)
        for part in further:
            wanted = condition(Scalars(self.text, joined.scope).read(part), self._at(part))
            joined = replace(joined, relation=where(joined.relation, wanted), size=joined.size + 1)
        if joined.size > LARGEST_PLAN:
            raise self._at(node).invalid("Q105", "the query joins too many relations", "Ask it in simpler steps")
        return joined

    def _matched(
        self,
        left: Rows,
        right: Rows | PublicTable,
        pairs: list[tuple[str, str]],
        further: list[exp.Expr],
        node: exp.Join,
        *,
        outer: bool,
    ) -> tuple[Rows, list[exp.Expr]]:
        """Rows that meet by comparisons; conditions that are none are left for afterwards, where that is the same."""
        inner = public_rows(right) if isinstance(right, PublicTable) else right
        if left.relation.type.unit is None and not left.public:
            raise self._at(node).invalid(
                "Q125",
                "each row is a person here, and could meet several public rows",
                "Join a public table ON equal columns, or protect the private table with a unit",
            )
        both = Sides(self.text, left, inner)
        both.on += [(mine, Word.EQUAL, theirs) for mine, theirs in pairs]
        later = [part for part in further if not both.add(part) and not (outer and both.alone(part))]
        if later and outer:
            raise self._at(later[0]).invalid(
                "Q125", "a LEFT JOIN takes comparisons of the two sides only", "Filter in a sub-query before the join"
            )
        if not inner.public:
            units = (left.relation.type.unit, Word.EQUAL, inner.relation.type.unit)
            if None in units or units not in both.on:
                raise self._stranger(node)
            both.on.remove(units)
            self._check_meetings(left, inner, node)
        how = Meeting.LEFT if outer else Meeting.INNER
        relation = match(both.outer.relation, both.inner.relation, both.on, how, public=inner.public)
        result = {name: written for written, name in relation.columns}
        bindings = tuple(
            Binding(each.alias, tuple((written, result[name]) for written, name in each.columns))
            for each in both.inner.bindings
        )
        rows = replace(
            both.outer,
            relation=relation,
            bindings=(*both.outer.bindings, *bindings),
            size=both.outer.size + both.inner.size + 1,
        )
        return rows, later

    def _public(self, left: Rows, right: PublicTable, pairs: list[tuple[str, str]], *, outer: bool) -> Rows:
        relation = public_join(left.relation, right.table, pairs, left=outer)
        columns = tuple((written, name) for name, written in relation.columns)
        return replace(
            left, relation=relation, bindings=(*left.bindings, Binding(right.alias, columns)), size=left.size + 1
        )

    def _private(self, left: Rows, right: Rows, pairs: list[tuple[str, str]], node: exp.Join, *, outer: bool) -> Rows:
        units = (left.relation.type.unit, right.relation.type.unit)
        if None in units or units not in pairs:
            raise self._stranger(node)
        rest = [pair for pair in pairs if pair != units]
        self._check_meetings(left, right, node)
        relation = unit_join(left.relation, right.relation, rest, left=outer)
        result = {inner: name for name, inner in relation.columns}
        if not outer:  # the two are equal, so the person is known by either name
            result[str(units[1])] = str(units[0])
        bindings = tuple(
            Binding(each.alias, tuple((written, result[inner]) for written, inner in each.columns))
            for each in right.bindings
        )
        limits = [each for each in (left.limit, right.limit) if each is not None]
        return Rows(
            relation,
            (*left.bindings, *bindings),
            max(limits) if limits else None,
            left.size + right.size + 1,
            left.merged | right.merged,
            min((each for each in (left.groups, right.groups) if each is not None), default=None),
        )

    def _stranger(self, node: exp.Join) -> Exception:
        return self._at(node).invalid(
            "Q108",
            "two private tables meet here on something other than the person",
            "Join them ON the unit of both, so that only rows of one person meet",
        )

    def _check_meetings(self, left: Rows, right: Rows, node: exp.Join) -> None:
        if unit_joins(left.relation) + unit_joins(right.relation) >= MOST_UNIT_JOINS:
            raise self._at(node).invalid(
                "Q105",
                f"private rows meet private rows more than {MOST_UNIT_JOINS} times, and multiply each time",
                "Aggregate each person in one sub-query, or ask in several queries",
            )

    def _pairs(
        self, left: Rows, right: Rows | PublicTable, node: exp.Join
    ) -> tuple[list[tuple[str, str]], list[exp.Expr], frozenset[str]]:
        """The columns that must be equal, conditions beyond that, and names that mean both columns."""
        using = node.args.get("using") or []
        pairs = []
        for name in using:
            sides = [side.scope.column(name.name, None, self._at(name)) for side in (left, right)]
            pairs.append(self._pair(sides[0], sides[1], name))
        further = []
        on = node.args.get("on")
        for part in conjuncts(on) if on is not None else []:
            pair = self._equality(left, right, part)
            if pair is None:
                further.append(part)
            else:
                pairs.append(pair)
        return pairs, further, frozenset(name.name.lower() for name in using)

    def _equality(self, left: Rows, right: Rows | PublicTable, part: exp.Expr) -> tuple[str, str] | None:
        if not (
            isinstance(part, exp.EQ) and isinstance(part.this, exp.Column) and isinstance(part.expression, exp.Column)
        ):
            return None
        both = Scope((*left.scope.bindings, *right.scope.bindings), {})
        first, second = (self._side(left, right, both, column) for column in (part.this, part.expression))
        if first[0] == second[0]:
            return None
        (_, mine), (_, theirs) = (first, second) if first[0] == 0 else (second, first)
        return self._pair(mine, theirs, part)

    def _side(self, left: Rows, right: Rows | PublicTable, both: Scope, node: exp.Column) -> tuple[int, Typed]:
        """Which side of a join a column belongs to, and the column."""
        only(self.text, node, "this", "table")
        known = [knows(side.scope, node) for side in (left, right)]
        if all(known):
            raise self._at(node).invalid(
                "Q115",
                f"{quoted(node.name)} could be a column of several tables",
                "Write the table before it: table.column",
            )
        if not any(known):
            both.column(node.name, node.table or None, self._at(node))  # refuses, and names the nearest
        which = 0 if known[0] else 1
        return which, (left, right)[which].scope.column(node.name, node.table or None, self._at(node))

    def _pair(self, mine: Typed, theirs: Typed, node: exp.Expr) -> tuple[str, str]:
        kinds = {mine.kind, theirs.kind}
        if len(kinds) > 1 and not kinds <= set(NUMBERS):
            raise self._at(node).invalid(
                "Q123",
                f"{mine.kind.value} is joined with {theirs.kind.value}",
                "CAST one in a sub-query before the join",
            )
        assert isinstance(mine.expression, Column)  # noqa: S101  # a scope gives columns
        assert isinstance(theirs.expression, Column)  # noqa: S101  # as above
        return mine.expression.name, theirs.expression.name

    def _at(self, node: exp.Expr) -> Spot:
        return Spot(self.text, node)
