"""Numerals that say more than is read: a decimal is read as the number it shows, so it may not be rounded on the way.

The one idea: Python keeps some seventeen digits of a decimal. A claim of ``0.99999999999999999999 * epsilon`` would be
read as ``epsilon`` and proved, and a bound could mean one thing to one reader and another to the next. Such a numeral
is refused wherever one is read.
"""

from __future__ import annotations

import ast
from fractions import Fraction

from lapwing.algebra.exact import exact
from lapwing.errors import InvalidInput

#: What to write instead.
REMEDY = "Write at most 15 digits, or a fraction such as 1 / 3"


def is_rounded(digits: str, value: float) -> bool:
    """Whether a float is another number than the digits it was read from; digits that are no numeral say nothing."""
    try:
        return Fraction(digits.replace("_", "")) != exact(value)
    except (ValueError, ZeroDivisionError, InvalidInput):
        return False


def rounded(text: str, tree: ast.AST) -> bool:
    """Whether some decimal of a text was rounded when the tree was made of it."""
    return any(
        is_rounded(ast.get_source_segment(text, node) or "", node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, float)
    )
