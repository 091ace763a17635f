"""A plan as plain data: what a release's certificate records, and a checker reads without this room."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction

from lapwing.query.types import ColumnType

Plain = None | bool | int | str | list["Plain"] | dict[str, "Plain"]


def record(part: object) -> Plain:
    """A node with the name of its class and its fields; exact numbers as text."""
    if isinstance(part, Enum):
        return str(part.value)
    if part is None or isinstance(part, bool | int | str):
        return part
    if isinstance(part, Fraction):
        return str(part)
    if isinstance(part, tuple):
        return [record(each) for each in part]
    if isinstance(part, dict):
        return {str(name): record(value) for name, value in part.items()}
    if is_dataclass(part):
        node: dict[str, Plain] = {} if isinstance(part, ColumnType) else {"node": type(part).__name__}
        return node | {field.name: record(getattr(part, field.name)) for field in fields(part)}
    if hasattr(part, "items"):
        return {str(name): record(value) for name, value in part.items()}
    raise TypeError(f"{type(part).__name__} is not part of a plan")
