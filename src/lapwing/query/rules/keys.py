"""GROUP BY: which groups there are, from public knowledge; where there is none they are chosen privately."""

from __future__ import annotations

import datetime
import math
import re
from fractions import Fraction

from lapwing.query.expressions import Call, Column, Constant, Expression, Kind, Literal, Word
from lapwing.query.plan import Foremost, Key, Match, Project, PublicJoin, Relation, Sampled, Where
from lapwing.query.refusals import Refuses, quoted
from lapwing.query.rules.casts import casts
from lapwing.query.typed import MOST_KEYS, Typed
from lapwing.query.types import ColumnType

#: What makes whole numbers of whole numbers.
_STAY_WHOLE = {
    *(Word.ADD, Word.SUBTRACT, Word.MULTIPLY, Word.MODULO, Word.NEGATE, Word.ABS, Word.TO_REAL),
    *(Word.LEAST, Word.GREATEST, Word.CLIP, Word.COALESCE),
}
#: What hands the columns of its rows on as they are.
_PASSING = (Where, Sampled, Foremost, Match, PublicJoin)
#: The most groups a query may have when all are known.
MOST_GROUPS = 2_000_000


def keys(name: str, argument: Typed, source: Relation, place: Refuses) -> Key:
    """A column to group by, with all its values where they are known before anyone looks.

    A listed key is shown whether or not anyone has it, and a row whose key is not listed (NULL too) is in no group: so
    which groups are shown tells nothing. Keys without a list are those of people, and are shown by private choice only.
    """
    if source.type.unit is not None and argument.expression == Column(source.type.unit):
        raise place.invalid(
            "Q131",
            "a group for every person would show who is in the table",
            "Group by the person in a sub-query, and aggregate that",
        )
    if argument.is_null:
        raise place.invalid("Q120", "NULL is not a key", "Group by a column")
    if argument.kind is Kind.REAL and _is_rounded(argument.expression, source):
        argument = casts(Kind.INTEGER, argument, place)
    if argument.kind is Kind.REAL:
        raise place.invalid(
            "Q133",
            "real numbers make no groups: almost every row has its own",
            "Group by FLOOR(CLIP(x, low, high) / width), by a CASE, or by what a public table is joined on",
        )
    if argument.type.keys == ():
        raise place.invalid(
            "Q139",
            f"no known key of {quoted(name)} is left by the conditions, so that every group would be empty",
            "Correct the condition, or declare the keys or the range that it asks for in the policy",
        )
    values = _values(argument.type)
    if any(isinstance(value, int) and not -(2**63) <= value < 2**63 for value in values or ()):
        raise place.invalid("Q138", "a key is beyond the whole numbers of 64 bits", "Group by smaller numbers")
    return Key(name, argument.expression, argument.type, values)


def _is_rounded(expression: Expression, source: Relation) -> bool:
    """Whether a real number is a whole one, as it is written: FLOOR(x / 10) * 10, whatever range x has.

    A mistake would make other groups and nothing worse: whatever is here becomes a whole number, or NULL.
    """
    match expression:
        case Column(name):
            made = _written(name, source)
            return made is not None and _is_rounded(*made)
        case Literal(int()) | Literal(None):
            return True
        case Literal(Fraction() as value):
            return value.denominator == 1
        case Call(Word.FLOOR | Word.CEIL | Word.ROUND, (_,)):
            return True
        case Call(Word.ROUND, (_, Literal(int() as digits))):
            return digits <= 0
        case Call(Word.CASE, arguments):
            return all(_is_rounded(each, source) for each in (*arguments[1::2], arguments[-1]))
        case Call(word, arguments) if word in _STAY_WHOLE:
            return all(_is_rounded(each, source) for each in arguments)
        case _:
            return False


def _written(name: str, source: Relation) -> tuple[Expression, Relation] | None:
    """What a column of a sub-query was written as, and over which rows; None for one that is stored, or joined."""
    while not isinstance(source, Project):
        if not isinstance(source, _PASSING) or name not in source.source.type.columns:
            return None
        source = source.source
    return dict(source.columns)[name], source.source


def _values(known: ColumnType) -> tuple[Constant, ...] | None:
    if known.keys and (known.kind is not Kind.TIMESTAMP or all(map(_is_plain, known.keys))):
        return tuple(each for each in known.keys if each is not None)
    if known.kind is Kind.BOOLEAN:
        return (False, True)
    if known.kind is Kind.DATE and known.low is not None and known.high is not None:
        first, last = int(known.low), int(known.high)
        if last - first < MOST_KEYS:
            return tuple(datetime.date.fromordinal(day).isoformat() for day in range(first, last + 1))
    if known.kind is Kind.INTEGER and known.low is not None and known.high is not None:
        first, last = math.ceil(known.low), math.floor(known.high)
        if last - first < MOST_KEYS:
            return tuple(range(first, last + 1)) or None
    return None


def _is_plain(moment: Constant) -> bool:
    """Whether a moment is written as the groups of an answer are: 2024-12-31 23:00:00. There are many other ways."""
    return re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", str(moment), re.ASCII) is not None


def groups_of(found: tuple[Key, ...]) -> int | None:
    """How many groups there are; None where some keys are not known."""
    listed = [key.values for key in found]
    return None if None in listed else max(1, math.prod(len(values) for values in listed if values is not None))


def check_size(found: tuple[Key, ...], place: Refuses) -> None:
    """Refuses more groups than fit in an answer."""
    groups = math.prod(len(key.values) for key in found if key.values is not None)
    if groups > MOST_GROUPS:
        raise place.invalid(
            "Q134",
            f"the keys make {groups} groups, and at most {MOST_GROUPS} are answered",
            "Group by fewer or coarser keys",
        )
