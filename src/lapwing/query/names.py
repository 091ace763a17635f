"""Names of a query: which column of which relation a name stands for. SQL does not tell upper from lower case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lapwing.query.expressions import Column
from lapwing.query.refusals import Refuses, nearest, quoted
from lapwing.query.typed import Typed
from lapwing.query.types import ColumnType


@dataclass(frozen=True, slots=True)
class Binding:
    """One item of FROM: the name it goes by, and its columns (as written) with their names in the relation."""

    alias: str
    columns: tuple[tuple[str, str], ...]

    def find(self, name: str) -> str | None:
        """The name in the relation of a column as written; None where there is none."""
        folded = name.lower()
        return next((inner for written, inner in self.columns if written.lower() == folded), None)


@dataclass(frozen=True, slots=True)
class Scope:
    """What names mean in one SELECT: the items of its FROM. A name in ``merged`` (USING) is the first item's."""

    bindings: tuple[Binding, ...]
    types: Mapping[str, ColumnType]
    merged: frozenset[str] = frozenset()

    def column(self, name: str, table: str | None, place: Refuses) -> Typed:
        """The column of that name, of that item if one is named."""
        bindings = self._named(table, place) if table is not None else self.bindings
        found = [inner for binding in bindings if (inner := binding.find(name)) is not None]
        different = list(dict.fromkeys(found))
        if not different:
            known = [written for binding in bindings for written, _ in binding.columns]
            raise place.invalid(
                "Q114",
                f"there is no column {quoted(name)}",
                f"Name a column of the policy or of the sub-query{nearest(name, known)}",
            )
        if len(different) > 1 and name.lower() not in self.merged:
            raise place.invalid(
                "Q115", f"{quoted(name)} could be a column of several tables", "Write the table before it: table.column"
            )
        return Typed(Column(different[0]), self.types[different[0]])

    def all(self, table: str | None, place: Refuses) -> list[tuple[str, Typed]]:
        """What * (or table.*) stands for: every column under the name it is written with."""
        bindings = self._named(table, place) if table is not None else self.bindings
        found: dict[tuple[str, str], str] = {}
        for binding in bindings:
            for written, inner in binding.columns:
                if written.lower() in self.merged and any(name.lower() == written.lower() for name, _ in found):
                    continue
                found.setdefault((written, inner), inner)
        return [(written, Typed(Column(inner), self.types[inner])) for (written, _), inner in found.items()]

    def _named(self, table: str, place: Refuses) -> tuple[Binding, ...]:
        found = tuple(binding for binding in self.bindings if binding.alias.lower() == table.lower())
        if not found:
            known = (binding.alias for binding in self.bindings)
            raise place.invalid(
                "Q114", f"no table here is called {quoted(table)}", f"Use a name of FROM{nearest(table, known)}"
            )
        return found


def fresh(wanted: str, taken: Iterable[str]) -> str:
    """The wanted name, or that name with a number, so that it differs from all taken ones in any case of letters."""
    used = {name.lower() for name in taken}
    name, number = wanted, 2
    while name.lower() in used:
        name, number = f"{wanted}_{number}", number + 1
    return name
