"""ROUND for engines whose own rounds halves otherwise: the double nearest to floor(|x|·10^d + 1/2)/10^d, with x's sign.

The one idea: the half is never added, since it could be lost; the part behind the point, which is exact, is compared.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from sqlglot import exp

from lapwing.query.lowering import sql
from lapwing.query.lowering.dialects.dialect import Once
from lapwing.query.lowering.sql import binary


def half_away(
    value: exp.Expr,
    digits: int,
    once: Once,
    total: Callable[[type[exp.Binary], exp.Expr, exp.Expr], exp.Expr],
    floor: Callable[[exp.Expr], exp.Expr],
) -> exp.Expr:
    """A real to so many digits; ``total`` is the engine's arithmetic of reals, and ``floor`` its floor of one."""
    value = once(value)
    size, power = exp.Abs(this=value), sql.real(10.0 ** abs(digits))
    moved, back = (exp.Mul, exp.Div) if digits > 0 else (exp.Div, exp.Mul)
    many = once(total(moved, size, power)) if digits else size
    below = floor(many)
    rest = binary(exp.Sub, many, below)  # exact; NaN, and so above 1/2, for an infinity
    up = binary(exp.GTE, rest, sql.real(Fraction(1, 2)))
    whole = once(sql.case([(up, binary(exp.Add, below, sql.real(1)))], below))
    result = once(total(back, whole, power)) if digits else whole
    signed = sql.case([(binary(exp.LT, value, sql.real(0)), exp.Neg(this=sql.bracketed(result)))], result)
    if not digits:
        return signed
    return sql.case([(binary(exp.EQ, many, sql.real(math.inf)), value)], signed)
