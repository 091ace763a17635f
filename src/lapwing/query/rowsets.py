"""What a FROM clause can hold: private rows, a public table, or answers."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lapwing.policy import Table
from lapwing.query.answered import Answered
from lapwing.query.expressions import Column
from lapwing.query.names import Binding, Scope, fresh
from lapwing.query.plan import Relation, Scan
from lapwing.query.rules.project import project
from lapwing.query.rules.scan import column_type
from lapwing.query.typed import Typed
from lapwing.query.types import ColumnType, RelationType

#: Sub-queries used twice are read twice; a plan that doubles at every step stops here.
LARGEST_PLAN = 200


@dataclass(frozen=True, slots=True)
class Numbering:
    """A number that each row has among its person's, in an order of columns (True where it descends)."""

    name: str
    within: tuple[str, ...]
    order: tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """Private rows, what their columns are called, and the most rows of one person the policy lets count."""

    relation: Relation
    bindings: tuple[Binding, ...]
    limit: int | None
    size: int
    merged: frozenset[str] = frozenset()
    #: the most groups of unknown keys that the policy lets one person be in
    groups: int | None = None
    #: whether these are rows of public tables alone, which are nobody's
    public: bool = False
    #: numbers of rows that a WHERE around may compare
    numbered: tuple[Numbering, ...] = ()

    @property
    def scope(self) -> Scope:
        """What names mean on these rows."""
        return Scope(self.bindings, self.relation.type.columns, self.merged)

    def called(self, alias: str) -> Rows:
        """The same rows as one item under one name."""
        return replace(self, bindings=tuple(Binding(alias, each.columns) for each in self.bindings))


@dataclass(frozen=True, slots=True)
class PublicTable:
    """A table that anyone may read."""

    table: Table
    alias: str

    @property
    def types(self) -> dict[str, ColumnType]:
        """The columns of the table."""
        return {column.name: column_type(column) for column in self.table.columns}

    @property
    def scope(self) -> Scope:
        """What names mean in this table."""
        return Scope((Binding(self.alias, tuple((name, name) for name in self.types)),), self.types)


Source = Rows | Answered | PublicTable


def public_rows(source: PublicTable) -> Rows:
    """The rows of a public table, to be filtered and computed with like others."""
    columns = tuple((name, name) for name in source.types)
    relation = Scan(source.table.name, RelationType(source.types, None, None))
    return Rows(relation, (Binding(source.alias, columns),), None, 1, public=True)


def is_public(source: Source) -> bool:
    """Whether this is of public tables alone."""
    return isinstance(source, PublicTable) or (isinstance(source, Rows) and source.public)


def with_column(rows: Rows, value: Typed, wanted: str = "side") -> tuple[Rows, str]:
    """The rows with a value as one of their columns, and the name of that."""
    if isinstance(value.expression, Column):
        return rows, value.expression.name
    types = rows.relation.type.columns
    name = fresh(wanted, types)
    same = [(each, Typed(Column(each), known)) for each, known in types.items()]
    return replace(rows, relation=project(rows.relation, [*same, (name, value)]), size=rows.size + 1), name


def called(source: Source, alias: str) -> Source:
    """The same under the name it is given in FROM."""
    match source:
        case Rows():
            return source.called(alias)
        case PublicTable():
            return replace(source, alias=alias)
        case _:
            return source.called(alias)
