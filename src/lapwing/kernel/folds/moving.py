"""Numbers of which is known how far one record moves them at most, and which records do."""

from __future__ import annotations

from collections.abc import Iterable

from lapwing.kernel.folds.symbols import Symbols
from lapwing.kernel.folds.values import Flag, Number, moved_by
from lapwing.kernel.program import ir
from lapwing.kernel.symbolic.terms import (
    ONE,
    TRUE,
    ZERO,
    Term,
    arithmetic,
    choose,
    compare,
    either,
    minus,
)


def moving(symbols: Symbols, touched: Term, most: Term, *, alone: bool, whole: bool) -> Number:
    """A number that a record moves by at most ``most``, and only if it is ``touched`` by it.

    It moves by one of the ends between which it may move: prices are convex in that, so they are highest there. Where
    one record of a pair moves it and the other one does not, only the size of that is told.
    """
    least = minus(ZERO, most) if alone else ZERO
    moves = choose(touched, choose(symbols.of_record(), most, least), ZERO)
    return Number(symbols.number("left"), moves, whole, loose=not alone and touched != TRUE)


def flag(symbols: Symbols, touched: Term, *, alone: bool) -> Flag:
    """A truth value that only records by which it is ``touched`` change."""
    return Flag(moving(symbols, touched, ONE, alone=alone, whole=True))


def of_totals(symbols: Symbols, numbers: Iterable[Number], *, alone: bool) -> Flag:
    """A truth value computed from totals: a record that has no part in them does not change it."""
    return flag(symbols, either(compare("!=", moved_by(each), ZERO) for each in numbers), alone=alone)


def gained(term: Term, was: Term) -> Term:
    """``term - was``, with ``was`` taken away where it is written: most rounds say ``v + something``, or ``v``."""
    match term:
        case _ if term == was:
            return ZERO
        case ir.Conditional(condition, then, otherwise):
            return choose(condition, gained(then, was), gained(otherwise, was))
        case ir.Arithmetic("+", left, right) if right == was:
            return left
        case ir.Arithmetic("+" | "-" as symbol, left, right) if left == was or isinstance(left, ir.Arithmetic):
            return arithmetic(symbol, gained(left, was), right)
    return minus(term, was)
