"""HAVING, ORDER BY, LIMIT and arithmetic over answers: post-processing, which costs nothing."""

from __future__ import annotations

from lapwing.query.expressions import Call, Expression, Word
from lapwing.query.refusals import Refuses, quoted

_ON_ROWS_ONLY = {Word.MODULO, Word.TO_BOOLEAN, Word.MATCHES}
#: An expression over answers that is larger than this came from nesting SELECTs into each other.
_LARGEST = 10_000


def post_processing(expression: Expression, place: Refuses) -> Expression:
    """An expression over answers.

    It reads answers, which already have their noise, and never a row: whatever it computes is as private as they are.
    """
    size = 0
    waiting = [expression]
    while waiting:
        each = waiting.pop()
        size += 1
        if size > _LARGEST:
            raise place.invalid("Q105", "the query computes too much from its answers", "Ask it in simpler steps")
        if isinstance(each, Call):
            if each.word in _ON_ROWS_ONLY:
                raise place.invalid(
                    "Q128", f"{quoted(each.word.value.upper())} is not computed from answers", "Use it on rows instead"
                )
            waiting.extend(each.arguments)
    return expression
