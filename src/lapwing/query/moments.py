"""What is written about days and moments: their parts, their names, their formats, and how far they lie apart.

The one idea: as in ``phrases``, all of it is said in the few words of ``rules.dates``, on every engine alike.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from sqlglot import exp

from lapwing.query.expressions import Kind, Literal, Word
from lapwing.query.parsing import constants
from lapwing.query.parsing.constants import NULL
from lapwing.query.parsing.places import Spot
from lapwing.query.parsing.shape import needs, only
from lapwing.query.parsing.words import OPERATORS, refuse_function
from lapwing.query.phrases import Reader, concatenated
from lapwing.query.refusals import Refuses
from lapwing.query.rules.arithmetic import arithmetic
from lapwing.query.rules.case import case
from lapwing.query.rules.casts import casts
from lapwing.query.rules.comparison import comparison
from lapwing.query.rules.dates import PARTS, clocked, dated, dates, days_between, shifted, truncated
from lapwing.query.rules.text import text as text_rule
from lapwing.query.typed import DAYS, Typed, literal

_WEEKDAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_NAMED = {
    **{word.value.upper(): word for word in PARTS},
    **dict.fromkeys(("DOW", "DAYOFWEEK"), Word.WEEKDAY),
}
#: Where a part of a moment stands in its text, 2024-12-31 23:59:59: the first letter, and how many.
_LETTERS = {"Y": (1, 4), "m": (6, 2), "d": (9, 2), "H": (12, 2), "M": (15, 2), "S": (18, 2)}
_OF_TIME = frozenset("HMS")
#: Parts of a moment that are read off its text, from 0 to 59.
_SIXTIETHS = {"MINUTE": "M", "SECOND": "S", "MINUTES": "M", "SECONDS": "S"}
#: The parts of TO_CHAR, as STRFTIME writes them.
_TO_CHAR = (("YYYY", "%Y"), ("HH24", "%H"), ("MM", "%m"), ("DD", "%d"), ("MI", "%M"), ("SS", "%S"))
#: How many of each there are in a year.
_A_YEAR = {"month": 12, "quarter": 4, "year": 1}
#: Parts of a day: how many words their number takes, how many letters of a moment tell them, and what is put after.
_CLOCK = {"hour": (1, 13, ":00:00"), "minute": (2, 16, ":00"), "second": (3, 19, "")}
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}


def moment(node: exp.Expr, reader: Reader) -> Typed | None:
    """The meaning of a phrase about days in words that are known; None for everything else."""
    place, read = Spot(reader.text, node), reader.read
    match node:
        case exp.Extract():
            needs(reader.text, node, "this", "expression")
            only(reader.text, node, "this", "expression")
            return _of_difference(node.this.name, node.expression, node, reader) or _part(
                node.this.name, read(node.expression), node, reader
            )
        case exp.Anonymous() if str(node.this).upper() in ("DATE_PART", "DATEPART") and len(node.expressions) == 2:
            name, given = str(read(node.expressions[0]).constant), node.expressions[1]
            return _of_difference(name, given, node, reader) or _part(name, read(given), node, reader)
        case exp.Anonymous() if str(node.this).upper() == "WEEKDAY" and len(node.expressions) == 1:
            return dates(Word.WEEKDAY, (read(node.expressions[0]),), place)
        case exp.DayOfYear() | exp.DayOfWeekIso() | exp.WeekOfYear():
            only(reader.text, node, "this")
            name = {exp.DayOfYear: "DOY", exp.DayOfWeekIso: "ISODOW", exp.WeekOfYear: "WEEK"}[type(node)]
            return _part(name, read(node.this), node, reader)
        case exp.Minute() | exp.Second():
            only(reader.text, node, "this")
            return _part(type(node).__name__, read(node.this), node, reader)
        case exp.Dayname() | exp.Monthname():
            only(reader.text, node, "this")
            return _name_of(
                read(node.this), node, reader, Word.WEEKDAY if isinstance(node, exp.Dayname) else Word.MONTH
            )
        case exp.TimeToStr() | exp.ToChar():
            return _format(node, reader)
        case exp.LastDay():
            only(reader.text, node, "this")
            first = truncated("month", read(node.this), place)
            return shifted(shifted(first, 1, "month", place), -1, "day", place)
        case exp.Date():
            only(reader.text, node, "this")
            return casts(Kind.DATE, read(node.this), place)
        case exp.DateFromParts():
            return _from_parts(node, reader)
        case exp.TimestampTrunc() | exp.DateTrunc():
            only(reader.text, node, "this", "unit")
            unit = node.args.get("unit")
            return _truncated("" if unit is None else unit.name.lower(), read(node.this), node, reader)
        case exp.DateBin():
            return _bucket(node, reader)
        case exp.TimeToUnix():
            only(reader.text, node, "this")
            return _of_difference("EPOCH", node.this, node, reader) or _part("EPOCH", read(node.this), node, reader)
        case exp.GT() | exp.GTE() | exp.LT() | exp.LTE() | exp.EQ() | exp.NEQ() if any(
            isinstance(side, exp.Interval) for side in (node.this, node.expression)
        ):
            return _lasting(node, reader)
        case exp.DateDiff():
            only(reader.text, node, "this", "expression", "unit", "date_part_boundary")
            unit = node.args.get("unit")
            return _between("day" if unit is None else unit.name.lower(), node, reader)
        case exp.DateAdd() if isinstance(node.expression, exp.Interval):
            only(reader.text, node, "this", "expression")
            return _shifted(node, node.this, node.expression, reader)
        case exp.Add() | exp.Sub() if isinstance(node.expression, exp.Interval):
            only(reader.text, node, "this", "expression")
            return _shifted(node, node.this, node.expression, reader)
        case exp.Add() if isinstance(node.this, exp.Interval):
            only(reader.text, node, "this", "expression")
            return _shifted(node, node.expression, node.this, reader)
    return None


def moved(word: Word, given: tuple[Typed, ...], place: Refuses) -> Typed | None:
    """A day plus or minus a constant number of days, or the days between two; None where no day is added to."""
    if word not in (Word.ADD, Word.SUBTRACT) or len(given) != 2 or not any(each.kind in DAYS for each in given):
        return None
    a, b = given
    if word is Word.SUBTRACT and a.kind is b.kind is Kind.DATE:
        return days_between(b, a, place)
    if word is Word.ADD and b.kind is Kind.DATE:
        a, b = b, a
    if a.kind is Kind.DATE and b.number is not None and b.number.denominator == 1:
        return shifted(a, int(b.number) * (-1 if word is Word.SUBTRACT else 1), "day", place)
    raise place.invalid(
        "Q122",
        "to a day a constant number of days is added, and of two moments the days or hours between are counted",
        "Write day + 30, day + INTERVAL 1 MONTH, or DATE_DIFF('hour', a, b)",
    )


def _part(name: str, subject: Typed, node: exp.Expr, reader: Reader) -> Typed:
    place, word = Spot(reader.text, node), _NAMED.get(name.upper())
    if word is not None:
        return dates(word, (subject,), place)
    match name.upper():
        case "DOY" | "DAYOFYEAR":
            reader.few(subject, 2, node)
            before = days_between(truncated("year", subject, place), subject, place)
            counted = arithmetic(Word.ADD, (before, _whole(1)), place)
            return replace(counted, type=replace(counted.type, low=Fraction(1), high=Fraction(366)))
        case "ISODOW":
            reader.few(subject, 2, node)
            day = dates(Word.WEEKDAY, (subject,), place)
            return case((comparison(Word.EQUAL, (day, _whole(0)), place), _whole(7), _from_one(day)), place)
        case "EPOCH":
            return _number_of("second", subject, node, reader)
        case sixtieth if sixtieth in _SIXTIETHS:
            number = casts(Kind.INTEGER, _piece(dated(subject, place), _SIXTIETHS[sixtieth], node, reader), place)
            return replace(number, type=replace(number.type, low=Fraction(0), high=Fraction(59)))
    raise refuse_function(place, f"EXTRACT({name})")


def _from_one(day: Typed) -> Typed:
    """A weekday that is not Sunday, which is 0."""
    return replace(day, type=replace(day.type, low=Fraction(1)))


def _name_of(subject: Typed, node: exp.Expr, reader: Reader, word: Word) -> Typed:
    """'Sunday' to 'Saturday', or 'January' to 'December'."""
    names = enumerate(_WEEKDAYS) if word is Word.WEEKDAY else enumerate(_MONTHS, 1)
    reader.few(subject, len(_MONTHS), node)
    place = Spot(reader.text, node)
    return _chosen(dates(word, (subject,), place), names, place)


def _chosen(subject: Typed, names: Iterable[tuple[int, str]], place: Refuses) -> Typed:
    parts: list[Typed] = []
    for number, name in names:
        parts += [comparison(Word.EQUAL, (subject, _whole(number)), place), _written(name)]
    return case((*parts, literal(NULL)), place)


def _format(node: exp.TimeToStr | exp.ToChar, reader: Reader) -> Typed:
    """A day or a moment in a format, of parts whose text every engine writes alike."""
    only(reader.text, node, "this", "format")
    needs(reader.text, node, "this", "format")
    place = Spot(reader.text, node)
    subject, form = reader.read(node.this), reader.read(node.args["format"])
    if isinstance(subject.constant, str) and form.kind in DAYS:  # either may come first
        subject, form = form, subject
    wanted = form.constant
    if isinstance(wanted, str) and isinstance(node, exp.ToChar):
        for theirs, ours in _TO_CHAR:
            wanted = wanted.replace(theirs, ours)
    if not isinstance(wanted, str) or "%" not in wanted[:-1]:
        raise place.invalid("Q122", "the format is not a constant with parts", "Write STRFTIME(day, '%Y-%m')")
    day, at, pieces = dated(subject, place), 0, list[Typed]()
    reader.few(day, len(wanted), node)
    while at < len(wanted):
        sign = (wanted[at + 1 : at + 2] or "?") if wanted[at] == "%" else ""
        if not sign and isinstance(node, exp.ToChar) and wanted[at].isalpha():
            sign = "?"  # TO_CHAR has many more parts, all of letters
        pieces.append(_piece(day, sign, node, reader) if sign else _written(wanted[at]))
        at += 2 if sign else 1
    return concatenated(pieces, place)


def _piece(day: Typed, sign: str, node: exp.Expr, reader: Reader) -> Typed:
    place = Spot(reader.text, node)
    match sign:
        case "%":
            return _written("%")
        case "A" | "B":
            return _name_of(day, node, reader, Word.WEEKDAY if sign == "A" else Word.MONTH)
        case "a" | "b":
            name = _name_of(day, node, reader, Word.WEEKDAY if sign == "a" else Word.MONTH)
            return text_rule(Word.SUBSTRING, (name, _whole(1), _whole(3)), place)
    if sign not in _LETTERS:
        raise place.invalid(
            "Q122",
            "this part of a format is not known",
            "Use STRFTIME with %Y %m %d %H %M %S %B %b %A and %a",
        )
    whole = casts(Kind.TEXT, casts(Kind.TIMESTAMP if sign in _OF_TIME else Kind.DATE, day, place), place)
    return text_rule(Word.SUBSTRING, (whole, *map(_whole, _LETTERS[sign])), place)


def _from_parts(node: exp.DateFromParts, reader: Reader) -> Typed:
    only(reader.text, node, "year", "month", "day")
    needs(reader.text, node, "year", "month", "day")
    numbers = [reader.read(node.args[part]).number for part in ("year", "month", "day")]
    written = "-".join(
        f"{0 if each is None else int(each):0{digits}d}" for each, digits in zip(numbers, (4, 2, 2), strict=True)
    )
    return literal(constants.day(written, Spot(reader.text, node)))


def _between(unit: str, node: exp.DateDiff, reader: Reader) -> Typed:
    """How many ends of days, months, quarters or years lie between two dates."""
    place = Spot(reader.text, node)
    needs(reader.text, node, "this", "expression")
    first, second = reader.read(node.expression), reader.read(node.this)
    if unit == "day":
        return days_between(first, second, place)
    if unit in _CLOCK:
        a, b = (_number_of(unit, each, node, reader) for each in (first, second))
        return arithmetic(Word.SUBTRACT, (b, a), place)
    if unit not in _A_YEAR:
        raise place.invalid(
            "Q122",
            "differences are counted in seconds, minutes, hours, days, months, quarters or years",
            "Write DATE_DIFF('day', a, b)",
        )
    for each in (first, second):
        reader.few(each, 2, node)
    a, b = (_since_the_start(dated(each, place), unit, place) for each in (first, second))
    return arithmetic(Word.SUBTRACT, (b, a), place)


def _number_of(unit: str, subject: Typed, node: exp.Expr, reader: Reader) -> Typed:
    """The hours, minutes or seconds from the start of 1970 to a moment, those that are over."""
    place = Spot(reader.text, node)
    day = dated(subject, place)
    reader.few(day, 4, node)
    found = days_between(literal(constants.day("1970-01-01", place)), day, place)
    for many, part in ((24, "HOUR"), (60, "MINUTE"), (60, "SECOND"))[: _CLOCK[unit][0]]:
        before = arithmetic(Word.MULTIPLY, (found, _whole(many)), place)
        found = arithmetic(Word.ADD, (before, _part(part, day, node, reader)), place)
    return found


def _of_difference(name: str, given: exp.Expr, node: exp.Expr, reader: Reader) -> Typed | None:
    """The seconds between two moments, of ``EXTRACT(EPOCH FROM (b - a))``; None for everything else."""
    inner = given.unnest()
    if name.upper() != "EPOCH" or not isinstance(inner, exp.Sub):
        return None
    later, earlier = reader.read(inner.this), reader.read(inner.expression)
    a, b = (_number_of("second", each, node, reader) for each in (earlier, later))
    return arithmetic(Word.SUBTRACT, (b, a), Spot(reader.text, node))


def _lasting(node: exp.Expr, reader: Reader) -> Typed | None:
    """``b - a > INTERVAL 7 DAY``: how long something took, in seconds; None for other comparisons with an interval."""
    only(reader.text, node, "this", "expression")
    turned = isinstance(node.this, exp.Interval)
    interval, other = (node.this, node.expression) if turned else (node.expression, node.this)
    count, unit = _amount(interval, reader)
    took = _of_difference("EPOCH", other, node, reader)
    if took is None:
        return None
    place = Spot(reader.text, node)
    if count is None or unit not in _SECONDS:
        raise place.invalid(
            "Q122",
            "how long something took is compared with a constant number of seconds, minutes, hours, days or weeks",
            "Write b - a > INTERVAL 7 DAY",
        )
    sides = (took, _whole(count * _SECONDS[unit]))
    return comparison(OPERATORS[type(node)], sides[::-1] if turned else sides, place)


def _bucket(node: exp.DateBin, reader: Reader) -> Typed:
    """TIME_BUCKET of one minute, hour, day, week, month, quarter or year: what DATE_TRUNC says."""
    only(reader.text, node, "this", "expression")
    needs(reader.text, node, "this", "expression")
    count, unit = _amount(node.this, reader) if isinstance(node.this, exp.Interval) else (None, "")
    known = {
        (7, "day"): "week",
        (3, "month"): "quarter",
        (12, "month"): "year",
        (24, "hour"): "day",
        (60, "minute"): "hour",
    }
    wanted = unit if count == 1 else known.get((count or 0, unit))
    if wanted is None:
        raise Spot(reader.text, node).invalid(
            "Q122",
            "buckets of time are one minute, hour, day, week, month, quarter or year long",
            "Write INTERVAL 1 WEEK, or group by FLOOR(DATE_DIFF('day', DATE '2024-01-01', day) / 14)",
        )
    return _truncated(wanted, reader.read(node.expression), node, reader)


def _truncated(unit: str, subject: Typed, node: exp.Expr, reader: Reader) -> Typed:
    """The first day of a unit, or the first moment of an hour, a minute or a second."""
    place = Spot(reader.text, node)
    if unit not in _CLOCK:
        return truncated(unit, subject, place)
    day, (_, letters, rest) = dated(subject, place), _CLOCK[unit]
    whole = casts(Kind.TEXT, casts(Kind.TIMESTAMP, day, place), place)
    cut = text_rule(Word.SUBSTRING, (whole, _whole(1), _whole(letters)), place)
    found = casts(Kind.TIMESTAMP, concatenated((cut, _written(rest)), place) if rest else cut, place)
    return replace(found, type=clocked(day.type, unit))


def _amount(interval: exp.Interval, reader: Reader) -> tuple[int | None, str]:
    """How many of which unit an interval is; None for a number that is not written out."""
    only(reader.text, interval, "this", "unit")
    unit = interval.args.get("unit")
    amount = None if interval.this is None else reader.read(interval.this)
    count = None if amount is None else amount.number
    if count is None and amount is not None and isinstance(amount.constant, str):
        written = amount.constant.strip()
        count = Fraction(written) if written.removeprefix("-").isdigit() and written.isascii() else None
    whole = count is not None and count.denominator == 1
    return int(count) if whole and count is not None else None, "" if unit is None else unit.name.lower().rstrip("s")


def _since_the_start(day: Typed, unit: str, place: Refuses) -> Typed:
    """The number of the month, quarter or year that a day is in."""
    year = dates(Word.YEAR, (day,), place)
    if unit == "year":
        return year
    before = arithmetic(Word.MULTIPLY, (year, _whole(_A_YEAR[unit])), place)
    return arithmetic(Word.ADD, (before, dates(Word.MONTH if unit == "month" else Word.QUARTER, (day,), place)), place)


def _shifted(node: exp.Expr, day: exp.Expr, interval: exp.Interval, reader: Reader) -> Typed:
    """A date plus or minus an interval."""
    place, (count, unit) = Spot(reader.text, node), _amount(interval, reader)
    if not unit or count is None:
        raise place.invalid("Q122", "this interval is not a constant", "Write INTERVAL 3 DAY")
    if unit in _CLOCK:
        raise place.invalid(
            "Q122",
            "a moment is moved by whole days",
            f"Compare how long it took: b - a > INTERVAL {abs(count)} {unit.upper()}, or DATE_DIFF('{unit}', a, b)",
        )
    times = count * (-1 if isinstance(node, exp.Sub) else 1)
    return shifted(reader.read(day), times, unit, place)


def _whole(number: int) -> Typed:
    return literal(Literal(number, Kind.INTEGER))


def _written(words: str) -> Typed:
    return literal(Literal(words, Kind.TEXT))
