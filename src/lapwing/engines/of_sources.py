"""What a source says about its columns, for writing a policy: files by themselves, or the room of a database."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from lapwing.engines import describing
from lapwing.engines.listing import Keys
from lapwing.engines.of_policy import drivers
from lapwing.kernel.evidence.expressions import Kind
from lapwing.policy import Column
from lapwing.policy.addresses import database_address, is_address


def describe(path: str | Path, relation: str | None = None, unit: str | None = None) -> tuple[Column, ...]:
    """The columns of a source for writing a policy; the ``unit`` as a kind that keeps people apart."""
    columns: tuple[Column, ...] = _room(path).describe(path, relation, unit)
    return columns


def kinds(path: str | Path, relation: str | None = None) -> dict[str, Kind | None]:
    """All columns of a source, each with its kind; None for those of no kind."""
    found: dict[str, Kind | None] = _room(path).kinds(path, relation)
    return found


def public_keys(path: str | Path, relation: str | None, columns: Sequence[Column]) -> dict[str, Keys]:
    """The different values of each column of a public table, where they are few."""
    found: dict[str, Keys] = _room(path).public_keys(path, relation, columns)
    return found


def _room(address: str | Path) -> ModuleType:
    """What describes files, or tables of a database or a cluster."""
    if not isinstance(address, str) or not is_address(address):
        return describing
    with drivers("Spark" if database_address(address).is_cluster else "PostgreSQL") as name:
        if name == "PostgreSQL":
            from lapwing.engines.postgresql import schemas as of_postgresql

            return of_postgresql
        from lapwing.engines.spark import schemas as of_spark

        return of_spark
