"""Constants as they are written in SQL: exact numbers, text, truth values, days and moments."""

from __future__ import annotations

import datetime
import re
from fractions import Fraction

from lapwing.query.expressions import Kind, Literal
from lapwing.query.refusals import Refuses

NULL = Literal(None, None)
#: Numbers beyond this have no exact meaning in any engine.
LARGEST = Fraction(10) ** 38
_TRUTHS = {
    **dict.fromkeys(("true", "t", "yes", "y", "1"), True),
    **dict.fromkeys(("false", "f", "no", "n", "0"), False),
}
_NUMBER = re.compile(r"(\d{0,60})(?:\.(\d{0,60}))?(?:[eE]([+-]?\d{1,3}))?", re.ASCII)


def number(written: str, place: Refuses) -> Literal:
    """A numeral: a whole number when it has neither point nor exponent."""
    match = _NUMBER.fullmatch(written.replace("_", ""))
    if match is None or not (match[1] or match[2]):
        raise place.invalid("Q107", "this number cannot be read", "Write it with at most 60 digits")
    whole = match[2] is None and match[3] is None and "." not in written
    value = Fraction(int((match[1] or "0") + (match[2] or ""))) * Fraction(10) ** (
        int(match[3] or 0) - len(match[2] or "")
    )
    return settled(value, Kind.INTEGER if whole else Kind.REAL, place)


def settled(value: Fraction, kind: Kind, place: Refuses) -> Literal:
    """A number as a literal, if it is of a size that engines hold."""
    if abs(value) > LARGEST or (value and abs(value) < 1 / LARGEST):
        raise place.invalid("Q107", "this number is beyond 10^±38", "Write one of ordinary size")
    return Literal(int(value), kind) if kind is Kind.INTEGER else Literal(value, kind)


def truth(written: str) -> bool | None:
    """A truth value written as 'true', 'yes' or '1', in any case, as casts read them; None where it is none."""
    return _TRUTHS.get(written.strip(" ").lower())


def day(written: str, place: Refuses) -> Literal:
    """A date written as '2024-12-31'."""
    try:
        value = datetime.date.fromisoformat(written.strip())
    except ValueError:
        raise place.invalid("Q107", "this is not a date", "Write it as '2024-12-31'") from None
    return Literal(value.isoformat(), Kind.DATE)


def moment(written: str, place: Refuses) -> Literal:
    """A timestamp written as '2024-12-31 23:59:59'."""
    try:
        value = datetime.datetime.fromisoformat(written.strip())
    except ValueError:
        raise place.invalid("Q107", "this is not a timestamp", "Write it as '2024-12-31 23:59:59'") from None
    if value.tzinfo is not None:
        raise place.invalid("Q107", "this timestamp has a time zone", "Write it without one")
    return Literal(value.isoformat(sep=" "), Kind.TIMESTAMP)
