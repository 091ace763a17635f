"""Operands that a statement needs more than once, each computed once under a name of its own.

The one idea: a clip, a floor or a CASE looks at its operand several times. Written out each time, nested words would
double a statement at every level; named, a statement is as long as the question. A name is a column of a SELECT around
the source, and names that use other names are a SELECT further out.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from lapwing.kernel.evidence.expressions import Call, Expression, Kind
from lapwing.query.lowering import sql
from lapwing.query.lowering.dialects import Dialect
from lapwing.query.lowering.sql import Typed, column, named
from lapwing.query.types import ColumnType

#: The alias that everything in a SELECT is of.
FIRST = "a"
_NAME = "let_"


@dataclass(slots=True)
class Names:
    """The columns of a relation under the alias FIRST, and what was named so far."""

    columns: Mapping[str, ColumnType]
    dialect: Dialect
    #: the form of what is named, and its name
    known: dict[Hashable, str] = field(default_factory=dict)
    #: for each depth, what is computed there
    layers: list[list[tuple[str, exp.Expr]]] = field(default_factory=list)
    depths: dict[str, int] = field(default_factory=dict)
    #: expressions that were lowered already, by identity: plans share parts
    lowered: dict[int, tuple[Expression, Typed]] = field(default_factory=dict)
    uses: dict[int, int] = field(default_factory=dict)

    def once(self, value: Typed) -> Typed:
        """The value as something short, to be written as often as needed."""
        return replace(value, sql=self.short(value.sql))

    def short(self, expression: exp.Expr) -> exp.Expr:
        """A name for the expression; itself where a name would not be shorter."""
        if _is_short(expression):
            return expression
        form = _form(expression)
        if form not in self.known:
            used = (self.depths.get(each.name, -1) for each in expression.find_all(exp.Column))
            depth = 1 + max(used, default=-1)
            while len(self.layers) <= depth:
                self.layers.append([])
            name = f"{_NAME}{len(self.known)}"
            self.known[form], self.depths[name] = name, depth
            self.layers[depth].append((name, expression))
        return column(self.known[form], FIRST)

    def cast(self, value: Typed, kind: Kind | None) -> Typed:
        """The value as another kind."""
        return self.dialect.cast(value, kind, self.short)

    def common(self, values: Sequence[Typed], *, text_wins: bool) -> list[Typed]:
        """The values as one kind."""
        return self.dialect.common(values, text_wins=text_wins, once=self.short)

    def number(self, value: Typed) -> Typed:
        """The value as an INTEGER or REAL."""
        return self.dialect.number(value, self.short)

    def real(self, operator: type[exp.Binary], left: exp.Expr, right: exp.Expr) -> exp.Expr:
        """Arithmetic of reals."""
        return self.dialect.real(operator, left, right, self.short)

    def count(self, expression: Expression) -> None:
        """Notes how often each part of a plan's expression is used."""
        self.uses[id(expression)] = self.uses.get(id(expression), 0) + 1
        if isinstance(expression, Call) and self.uses[id(expression)] == 1:
            for argument in expression.arguments:
                self.count(argument)

    def rows(self, source: exp.Query) -> exp.Expr:
        """What to select from: the source, under the alias FIRST, with every name as a column."""
        rows = source
        for layer in self.layers:
            everything = exp.Column(this=exp.Star(), table=exp.to_identifier(FIRST, quoted=True))
            chosen = [everything, *(named(value, name) for name, value in layer)]
            rows = self.dialect.apart(sql.select(chosen, sql.as_relation(rows, FIRST)))
        return sql.as_relation(rows, FIRST)


def _form(part: object) -> Hashable:
    """What two expressions that are written alike have in common; a tenth of the work of writing them."""
    if isinstance(part, exp.Expr):
        return type(part), *((name, _form(value)) for name, value in part.args.items() if value is not None)
    return tuple(map(_form, part)) if isinstance(part, list) else (type(part), part)


def _is_short(expression: exp.Expr) -> bool:
    """Whether naming it would not make it shorter: a column, a constant, or a cast of a constant."""
    if isinstance(expression, exp.Cast) and isinstance(expression.this, exp.Literal):
        return True
    return isinstance(expression, exp.Column | exp.Literal | exp.Null | exp.Boolean)
