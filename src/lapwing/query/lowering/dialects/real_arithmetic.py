"""Arithmetic of reals for an engine that fails where IEEE 754 has an infinity or a zero: PostgreSQL.

The one idea: whether a result leaves the doubles can be told beforehand by the same operation on operands moved by a
power of two, which is exact and stays inside. So the operation is made only where it cannot fail, and the others have
the result that the processor would give. Each case is reached only if those before it were not, and that order is what
keeps the moved operands inside. Constants among the operands are safe, too: PostgreSQL computes what is constant when
it plans, but only in cases whose conditions, which speak of the same constants, are not false.

For one product in many the result is 0 where IEEE 754 has the smallest double: where the exact product is above half of
it by less than the 53rd digit. Every row's value is still a function of that row.
"""

from __future__ import annotations

from sqlglot import exp

from lapwing.query.lowering import sql
from lapwing.query.lowering.sql import binary

_INFINITY, _LARGE, _SMALL = float("inf"), 1e150, 1e-150
_UP, _DOWN = 2.0**540, 2.0**-540
#: Sums with one operand below it cannot overflow: half the distance of the largest doubles is 2^970.
_ADDS = 2.0**900


def total(operator: type[exp.Binary], left: exp.Expr, right: exp.Expr) -> exp.Expr:
    """``left operator right`` of reals that are not NaN, for ``+ - * /``; a divisor is never 0."""
    plain = binary(operator, left, right)
    if operator in (exp.Add, exp.Sub):
        return _sum(operator, left, right, plain)
    return _product(left, right, plain) if operator is exp.Mul else _quotient(left, right, plain)


def _sum(operator: type[exp.Binary], left: exp.Expr, right: exp.Expr, plain: exp.Expr) -> exp.Expr:
    safe = _any(
        _below(left, _ADDS), _below(right, _ADDS), _same(_size(left), _INFINITY), _same(_size(right), _INFINITY)
    )
    quarter = binary(operator, binary(exp.Div, left, sql.real(4)), binary(exp.Div, right, sql.real(4)))
    above = binary(exp.GTE, quarter, sql.real(2.0**1022))
    below = binary(exp.LTE, quarter, sql.real(-(2.0**1022)))
    return sql.case([(safe, plain), (above, sql.real(_INFINITY)), (below, sql.real(-_INFINITY))], plain)


def _product(left: exp.Expr, right: exp.Expr, plain: exp.Expr) -> exp.Expr:
    safe = _any(_same(left, 0), _same(right, 0), *_infinite(left, right), _both_ordinary(left, right))
    far = _size(binary(exp.Mul, _moved(left, _DOWN), _moved(right, _DOWN)))
    near = _size(binary(exp.Mul, _moved(left, _UP), _moved(right, _UP)))
    return sql.case(
        [
            (safe, plain),
            (_all(_above(left, 1), _above(right, 1)), _overflowing(far, left, right, plain)),
            (_all(_below(left, 1), _below(right, 1)), _vanishing(near, plain)),
        ],
        plain,
    )


def _quotient(left: exp.Expr, right: exp.Expr, plain: exp.Expr) -> exp.Expr:
    safe = _any(_same(left, 0), *_infinite(left, right), _both_ordinary(left, right))
    far = _size(binary(exp.Div, _moved(left, _DOWN), _moved(right, _UP)))
    near = _size(binary(exp.Div, _moved(left, _UP), _moved(right, _DOWN)))
    small = binary(exp.GTE, _size(binary(exp.Div, left, _moved(right, _UP))), sql.real(2.0**484))
    return sql.case(
        [
            (safe, plain),
            (_all(_from(left, 1), _below(right, 1)), _overflowing(far, left, right, plain)),
            (_all(_below(left, 1), _from(right, 1)), _vanishing(near, plain)),
            (
                _all(_below(left, 1), _below(right, 1), binary(exp.LT, _size(right), _size(left))),
                sql.case([(small, _infinity_of(left, right))], plain),
            ),
        ],
        plain,
    )


def _overflowing(moved: exp.Expr, left: exp.Expr, right: exp.Expr, plain: exp.Expr) -> exp.Expr:
    return sql.case([(binary(exp.GTE, moved, sql.real(2.0**-56)), _infinity_of(left, right))], plain)


def _vanishing(moved: exp.Expr, plain: exp.Expr) -> exp.Expr:
    return sql.case([(binary(exp.LTE, moved, sql.real(2.0**5)), sql.real(0))], plain)


def _infinity_of(left: exp.Expr, right: exp.Expr) -> exp.Expr:
    alike = binary(exp.EQ, binary(exp.GT, left, sql.real(0)), binary(exp.GT, right, sql.real(0)))
    return sql.case([(alike, sql.real(_INFINITY))], sql.real(-_INFINITY))


def _infinite(left: exp.Expr, right: exp.Expr) -> list[exp.Expr]:
    return [_same(_size(left), _INFINITY), _same(_size(right), _INFINITY)]


def _both_ordinary(left: exp.Expr, right: exp.Expr) -> exp.Expr:
    return _all(*(condition for each in (left, right) for condition in (_from(each, _SMALL), _up_to(each, _LARGE))))


def _moved(value: exp.Expr, by: float) -> exp.Expr:
    return binary(exp.Mul, value, sql.real(by))


def _size(value: exp.Expr) -> exp.Expr:
    return exp.Abs(this=value)


def _same(value: exp.Expr, other: float) -> exp.Expr:
    return binary(exp.EQ, value, sql.real(other))


def _below(value: exp.Expr, end: float) -> exp.Expr:
    return binary(exp.LT, _size(value), sql.real(end))


def _up_to(value: exp.Expr, end: float) -> exp.Expr:
    return binary(exp.LTE, _size(value), sql.real(end))


def _above(value: exp.Expr, end: float) -> exp.Expr:
    return binary(exp.GT, _size(value), sql.real(end))


def _from(value: exp.Expr, end: float) -> exp.Expr:
    return binary(exp.GTE, _size(value), sql.real(end))


def _any(first: exp.Expr, *others: exp.Expr) -> exp.Expr:
    for other in others:
        first = binary(exp.Or, first, other)
    return first


def _all(first: exp.Expr, *others: exp.Expr) -> exp.Expr:
    for other in others:
        first = binary(exp.And, first, other)
    return first
