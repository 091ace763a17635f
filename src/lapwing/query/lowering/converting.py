"""Columns of an engine's scan as kinds: for engines whose statements cannot try a cast."""

from __future__ import annotations

from lapwing.kernel.evidence.expressions import Kind
from lapwing.query.lowering.dialects import dialect_named
from lapwing.query.lowering.sql import Typed, column


def as_kind(name: str, found: Kind, wanted: Kind, dialect: str) -> str:
    """SQL for a column that holds one kind, read as another; NULL where it has no value there."""
    said = dialect_named(dialect)
    return said.printed(said.cast(Typed(column(name), found), wanted).sql)
