"""Expressions in words a person wrote: for notes, explanations and refusals."""

from __future__ import annotations

from fractions import Fraction

from lapwing.algebra.exact import decimal_down
from lapwing.policy import is_identifier
from lapwing.query.expressions import Call, Column, Constant, Expression, Literal, Word
from lapwing.query.spelled_names import written

_BETWEEN = {
    *(Word.ADD, Word.SUBTRACT, Word.MULTIPLY, Word.DIVIDE, Word.MODULO, Word.EQUAL, Word.NOT_EQUAL, Word.LESS),
    *(Word.AT_MOST, Word.GREATER, Word.AT_LEAST, Word.AND, Word.OR, Word.LIKE, Word.ILIKE),
}
#: What a word is called in SQL, where that is not its own name.
_CALLED = {
    Word.DAYS_BETWEEN: "DATE_DIFF('day', {})",
    Word.TRUNCATE: "DATE_TRUNC({})",
    Word.MATCHES: "REGEXP_MATCHES({})",
    Word.SPLIT: "SPLIT_PART({})",
    Word.ENDING: "RIGHT({})",
}
_CASTS = {
    Word.TO_INTEGER: "BIGINT",
    Word.TO_REAL: "DOUBLE",
    Word.TO_TEXT: "VARCHAR",
    Word.TO_BOOLEAN: "BOOLEAN",
    Word.TO_DATE: "DATE",
    Word.TO_TIMESTAMP: "TIMESTAMP",
}


def described(expression: Expression) -> str:
    """The expression as SQL for people; engines are given theirs by ``lowering``."""
    match expression:
        case Column(name):
            return name if is_identifier(name) else written(name)
        case Literal(value):
            return constant(value)
        case Call(Word.CASE, arguments):
            parts = [described(each) for each in arguments]
            pairs = zip(parts[:-1:2], parts[1::2], strict=False)
            branches = " ".join(f"WHEN {condition} THEN {value}" for condition, value in pairs)
            return f"CASE {branches} ELSE {parts[-1]} END"
        case Call(Word.IN, (subject, *members)):
            return f"{_inside(subject)} IN ({', '.join(described(each) for each in members)})"
        case Call(Word.IS_NULL, (subject,)):
            return f"{_inside(subject)} IS NULL"
        case Call(Word.NOT, (subject,)):
            return f"NOT {_inside(subject)}"
        case Call(Word.NEGATE, (subject,)):
            return f"-{_inside(subject)}"
        case Call(word, (subject,)) if word in _CASTS:
            return f"CAST({described(subject)} AS {_CASTS[word]})"
        case Call(word, (first, *rest)) if word in _BETWEEN and rest:
            return f" {word.value.upper()} ".join(_inside(each) for each in (first, *rest))
        case Call(Word.SHIFT, (day, Literal(int() as count), Literal(unit))):
            return f"{described(day)} {'-' if count < 0 else '+'} INTERVAL {abs(count)} {str(unit).upper()}"
        case Call(Word.SHIFT, (day, count, _)):
            return f"{described(day)} + {described(count)}"
        case Call(word, arguments) if word in _CALLED:
            return _CALLED[word].format(", ".join(described(each) for each in arguments))
        case Call(word, arguments):
            return f"{word.value.upper()}({', '.join(described(each) for each in arguments)})"


def constant(value: Constant) -> str:
    """A constant as it would be written."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return number(Fraction(value))


def number(value: Fraction) -> str:
    """A number as a decimal: exact where that is short."""
    if value.denominator == 1 and abs(value) < 10**18:
        return str(value.numerator)
    return decimal_down(value)


def _inside(expression: Expression) -> str:
    shown = described(expression)
    return f"({shown})" if isinstance(expression, Call) and (expression.word in _BETWEEN) else shown
