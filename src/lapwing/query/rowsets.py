"""What a FROM clause can hold: private rows, a public table, or answers."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lapwing.policy import Table
from lapwing.query.answered import Answered
from lapwing.query.names import Binding, Scope
from lapwing.query.plan import Relation
from lapwing.query.rules.scan import column_type
from lapwing.query.types import ColumnType

#: Sub-queries used twice are read twice; a plan that doubles at every step stops here.
LARGEST_PLAN = 200


@dataclass(frozen=True, slots=True)
class Rows:
    """Private rows, what their columns are called, and the most rows of one person the policy lets count."""

    relation: Relation
    bindings: tuple[Binding, ...]
    limit: int | None
    size: int
    merged: frozenset[str] = frozenset()

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


def called(source: Source, alias: str) -> Source:
    """The same under the name it is given in FROM."""
    match source:
        case Rows():
            return source.called(alias)
        case PublicTable():
            return replace(source, alias=alias)
        case _:
            return source.called(alias)
