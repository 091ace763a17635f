"""No file is private and public at once: what a public table holds is shown to whoever asks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lapwing.engines import files
from lapwing.engines.files import Source
from lapwing.errors import InvalidInput
from lapwing.policy import Policy, Table

#: A file as the disk knows it, so that a link to it is the same; with the relation inside, for a database.
Place = tuple[int, int, str]


def check_roles(policy: Policy, sources: Mapping[str, Source]) -> None:
    """Refuses a public table that reads a file, or a relation of a database, which a private table reads."""
    private = {
        place for table in policy.tables if table.role == "private" for place in _places(table, sources[table.name])
    }
    for table in policy.tables:
        if table.role == "public" and not private.isdisjoint(_places(table, sources[table.name])):
            raise InvalidInput(
                "E112",
                f"the public table {table.name!r} reads the data of a private table",
                "Take it out of the policy, or give it a file of its own",
            )


def _places(table: Table, source: Source) -> Iterator[Place]:
    relation = (table.relation or "").lower() if source.format == files.DATABASE else ""
    for file in source.files:
        seen = file.stat()
        yield seen.st_dev, seen.st_ino, relation.removeprefix("main.")
