"""Formulas about one run, as the one reader reads them, with words of their own.

``round(k)`` (rounds of loop k that have ended), ``draws(k)`` and ``noise(k)`` (how often site k has drawn, and the sum
of what it drew), ``gamma(k)`` (the margin that each draw of site k stays within) and ``ghost(k)`` (the one position
considered by the k-th ``all`` of the condition).
"""

from __future__ import annotations

from fractions import Fraction

from lapwing.kernel.doubt import Unproved
from lapwing.kernel.formulas import reading
from lapwing.kernel.program import ir, walk
from lapwing.kernel.symbolic.terms import Outside

WORDS = ("round", "draws", "noise", "gamma", "ghost")
_FUNCTIONS = frozenset((*WORDS, "abs", "min", "max", "len", "sum", "ln", "exp", "sqrt", "all"))


def formula(text: str) -> ir.Expression:
    """A formula as an expression. Elements are called numbers: whoever evaluates them knows better."""
    try:
        found = reading.formula(text, frozenset())
    except Unproved as doubt:
        raise Outside(str(doubt)) from None
    for part in walk.nodes(found):
        if isinstance(part, ir.Builtin) and part.function not in _FUNCTIONS:
            raise Outside(f"{part.function}(…) means nothing here")
    return found


def word(function: str, position: int) -> ir.Expression:
    """A word such as ``gamma(2)``."""
    return ir.Builtin(function, (ir.Number(Fraction(position)),))
