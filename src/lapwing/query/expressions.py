"""Scalar expressions, as the kernel's plans hold them."""

from __future__ import annotations

from lapwing.kernel.evidence.expressions import (
    LONGEST,
    Call,
    Column,
    Constant,
    Expression,
    Kind,
    Literal,
    Word,
    columns_of,
)

__all__ = ["LONGEST", "Call", "Column", "Constant", "Expression", "Kind", "Literal", "Word", "columns_of", "size"]


def size(expression: Expression, most: int) -> int:
    """How many words an expression has when it is written out; counting ends above ``most``."""
    found, waiting = 0, [expression]
    while waiting and found <= most:
        each = waiting.pop()
        found += 1
        if isinstance(each, Call):
            waiting.extend(each.arguments)
    return found
