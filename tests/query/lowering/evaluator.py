"""What a plan means, computed row by row in plain Python: the arithmetic that statements are held against.

Whole numbers are Python's, reals are IEEE doubles as they come, and what is floored, weighted and added is exact.
"""

from __future__ import annotations

import calendar
import datetime
import hashlib
import math
import operator
import re
from collections import defaultdict
from fractions import Fraction

from lapwing.query.expressions import LONGEST, Call, Column, Kind, Literal, Word
from lapwing.query.plan import (
    Bounding,
    Foremost,
    Function,
    Match,
    Meeting,
    PerUnit,
    Project,
    PublicJoin,
    Sampled,
    Scan,
    UnitFunction,
    UnitJoin,
    Where,
)

LIMIT = 2**61
MIDNIGHT = datetime.time()
_COMPARE = {
    Word.EQUAL: operator.eq,
    Word.NOT_EQUAL: operator.ne,
    Word.LESS: operator.lt,
    Word.AT_MOST: operator.le,
    Word.GREATER: operator.gt,
    Word.AT_LEAST: operator.ge,
}


def real(value):
    """A double without NaN."""
    return None if value is None or math.isnan(value) else value


def whole(value):
    """A 64-bit integer."""
    return value if value is not None and -(2**63) <= value < 2**63 else None


def stored(value, kind):
    """A cell as its declared kind."""
    return real(value) if kind is Kind.REAL else value


def alike(values):
    """Mixed whole numbers and reals compare as reals, days and moments as moments."""
    if any(isinstance(value, datetime.datetime) for value in values):
        return [
            value
            if value is None or isinstance(value, datetime.datetime)
            else datetime.datetime.combine(value, MIDNIGHT)
            for value in values
        ]
    if any(isinstance(value, float) for value in values):
        return [float(value) if isinstance(value, int) else value for value in values]
    return list(values)


def evaluate(expression, row):
    match expression:
        case Column(name):
            return row[name]
        case Literal(value, Kind.DATE) if value is not None:
            return datetime.date.fromisoformat(value)
        case Literal(value, Kind.TIMESTAMP) if value is not None:
            return datetime.datetime.fromisoformat(value)
        case Literal(value, kind):
            return float(value) if isinstance(value, Fraction) or (kind is Kind.REAL and value is not None) else value
        case Call(word, arguments):
            return call(word, [evaluate(argument, row) for argument in arguments])


def call(word, given):  # one branch a word
    if word in (Word.AND, Word.OR):
        decided = word is Word.OR
        return decided if decided in given else None if None in given else not decided
    if word is Word.IS_NULL:
        return given[0] is None
    if word is Word.COALESCE:
        return next((value for value in alike(given) if value is not None), None)
    if word is Word.CASE:
        values = alike([*given[1:-1:2], given[-1]])
        return next((v for c, v in zip(given[:-1:2], values, strict=False) if c is True), values[-1])
    if word in (Word.LEAST, Word.GREATEST):
        known = alike([value for value in given if value is not None])
        return (min if word is Word.LEAST else max)(known) if known else None
    if word is Word.IN:
        value, *members = given
        if value is None:
            return None
        return True if value in [m for m in members if m is not None] else None if None in members else False
    if None in given:
        return None
    if word is Word.CLIP:
        value, low, high = alike(given)
        return min(max(value, low), high)
    if word in _COMPARE:
        return _COMPARE[word](*alike(given))
    if word in (Word.ADD, Word.SUBTRACT, Word.MULTIPLY):
        function = {Word.ADD: operator.add, Word.SUBTRACT: operator.sub, Word.MULTIPLY: operator.mul}[word]
        left, right = alike(given)
        return whole(function(left, right)) if isinstance(left, int) else real(function(left, right))
    return _single(word, given)


def _single(word, given):
    value = given[0]
    match word:
        case Word.DIVIDE:
            left, right = map(float, given)
            return real(left / right) if right else None
        case Word.MODULO:
            left, right = alike(given)
            if not right:
                return None
            if isinstance(left, int):
                return int(math.copysign(1, left)) * (abs(left) % abs(right))
            return None if math.isinf(left) else math.fmod(left, right)
        case Word.NEGATE:
            return whole(-value) if isinstance(value, int) else -value
        case Word.ABS:
            return whole(abs(value)) if isinstance(value, int) else abs(value)
        case Word.FLOOR | Word.CEIL if isinstance(value, int) or math.isinf(value):
            return value
        case Word.ROUND if (isinstance(value, int) and (len(given) == 1 or given[1] >= 0)) or math.isinf(value):
            return value
        case Word.FLOOR:
            return float(math.floor(value))
        case Word.CEIL:
            return float(math.ceil(value))
        case Word.ROUND:
            return _rounded(float(value), given[1] if len(given) > 1 else 0)
        case Word.SQRT:
            return math.sqrt(value) if value >= 0 else None
        case Word.LN | Word.LOG10:
            return None if value <= 0 else (math.log if word is Word.LN else math.log10)(value)
        case Word.EXP:
            return math.exp(min(max(value, -700), 700))
        case Word.MATCHES:
            return re.search(given[1].replace("$", "\\Z"), value, re.DOTALL) is not None
        case Word.NOT:
            return not value
        case Word.LIKE:
            pattern = "".join({"%": ".*", "_": "."}.get(letter, re.escape(letter)) for letter in given[1])
            return re.fullmatch(pattern, value, re.DOTALL) is not None
        case Word.LOWER:
            return value.lower()
        case Word.UPPER:
            return value.upper()
        case Word.LENGTH:
            return len(value)
        case Word.YEAR | Word.MONTH | Word.DAY:
            return getattr(value, word.value)
        case Word.QUARTER:
            return (value.month - 1) // 3 + 1
        case Word.WEEK:
            return value.isocalendar().week
        case Word.WEEKDAY:
            return value.isoweekday() % 7
        case Word.HOUR:
            return getattr(value, "hour", 0)
        case Word.TRUNCATE:
            return _first_day(_day(given[1]), value)
        case Word.DAYS_BETWEEN:
            return _day(given[1]).toordinal() - _day(value).toordinal()
        case Word.SHIFT:
            return _shifted(value, given[1], given[2])
        case Word.SUBSTRING:
            return value[given[1] - 1 :][: given[2]] if len(given) > 2 else value[given[1] - 1 :]
        case Word.CONCAT:
            return value + given[1] if len(value) + len(given[1]) <= LONGEST else None
        case Word.TRIM:
            return value.strip(" ")
        case Word.SPLIT:
            return dict(enumerate(value.split(given[1]), 1)).get(given[2], "")
        case Word.REPLACE:
            made = value.replace(given[1], given[2])
            return made if len(made) <= LONGEST or len(given[2]) <= len(given[1]) else None
        case Word.ENDING:
            return value[max(0, len(value) - given[1]) :]
        case Word.ILIKE:
            pattern = "".join({"%": ".*", "_": "."}.get(letter, re.escape(letter)) for letter in given[1])
            return re.fullmatch(pattern, value, re.DOTALL | re.IGNORECASE) is not None
        case Word.TO_REAL:
            return float(value) if not isinstance(value, str) else _number(value, float)
        case Word.TO_INTEGER if isinstance(value, float):
            return None if math.isinf(value) or abs(value) >= 2**63 else round(value)
        case Word.TO_INTEGER:
            return _number(value, int) if isinstance(value, str) else int(value)
        case Word.TO_TEXT:
            return str(value).lower()
    raise AssertionError(word)


def _day(value):
    """A date, of a date, a moment, or text."""
    if isinstance(value, str):
        return datetime.date.fromisoformat(value[:10])
    return value.date() if isinstance(value, datetime.datetime) else value


def _first_day(day, unit):
    month = {"year": 1, "quarter": (day.month - 1) // 3 * 3 + 1}.get(unit, day.month)
    if unit == "week":
        return datetime.date.fromordinal(day.toordinal() - day.weekday())
    return day if unit == "day" else datetime.date(day.year, month, 1)


def _shifted(day, amount, unit):
    """So many days later, or months: the last day of a month that is too short."""
    moment = day if isinstance(day, datetime.datetime) else None
    day = _day(day)
    if unit == "month":
        months = day.year * 12 + day.month - 1 + amount
        year, month = divmod(months, 12)
        last = calendar.monthrange(year, month + 1)[1]
        moved = datetime.date(year, month + 1, min(day.day, last))
    else:
        moved = day + datetime.timedelta(days=amount)
    return moved if moment is None else datetime.datetime.combine(moved, moment.time())


def _first(node, within, order, tables, key):
    """The first rows of each person in an order, then those with the smallest keyed hash."""
    people = defaultdict(list)
    for row in rows_of(node.source, tables, key):
        people[(row[node.source.type.unit], *(row[name] for name in within))].append(row)
    for rows in people.values():
        rows.sort(key=lambda row: _row_hash(key, row))
        for name, descending in reversed(order):
            known = [row for row in rows if row[name] is not None]
            known.sort(key=lambda row, name=name: row[name], reverse=descending)
            rows[:] = known + [row for row in rows if row[name] is None]
        yield from rows[: node.most]


def _row_hash(key, row):
    shown = ["-" if cell is None else _text(cell) for cell in row.values()]
    return hashlib.md5("|".join([f"{key:x}", *shown]).encode()).hexdigest()  # noqa: S324  # the engine's own hash


def _text(cell):
    """A cell as the engine writes it."""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float):
        return {math.inf: "inf", -math.inf: "-inf"}.get(cell, repr(cell))
    return str(cell)


def _rounded(value, digits):
    """Half away from 0; with digits, of the number moved by so many places, as far as doubles go."""
    power = 10.0 ** abs(digits)
    moved = value * power if digits > 0 else value / power
    if math.isinf(moved):
        return value
    whole = math.copysign(float(math.floor(abs(Fraction(moved)) + Fraction(1, 2))), value)
    return whole / power if digits > 0 else whole * power


def _number(text, kind):
    try:
        return real(kind(text))
    except ValueError:
        return None


def rows_of(node, tables, key=0):
    """The rows of a relation; ``key`` decides which are sampled."""
    match node:
        case Sampled():
            return list(_first(node, (), (), tables, key))
        case Foremost():
            return list(_first(node, node.within, node.order, tables, key))
        case Scan(table, known):
            rows = [{n: stored(row[n], t.kind) for n, t in known.columns.items()} for row in tables[table]]
            return [row for row in rows if known.unit is None or row[known.unit] is not None]
        case Where(source, condition, _):
            return [row for row in rows_of(source, tables, key) if evaluate(condition, row) is True]
        case Project(source, columns, _):
            return [{n: evaluate(e, row) for n, e in columns} for row in rows_of(source, tables, key)]
        case PublicJoin():
            return list(_public(node, tables, key))
        case UnitJoin():
            return list(_joined(node, tables, key))
        case Match():
            return list(_matched(node, tables, key))
        case PerUnit():
            return list(_per_unit(node, tables, key))


def _public(node, tables, key):
    public = tables[node.table]
    if node.unique:
        of = [tuple(row[theirs] for _, theirs in node.on) for row in public]
        public = [row for row, each in zip(public, of, strict=True) if of.count(each) == 1]
    for row in rows_of(node.source, tables, key):
        found = [other for other in public if all(row[m] is not None and row[m] == other[t] for m, t in node.on)]
        for other in found or ([dict.fromkeys(public[0])] if node.left else []):
            yield row | {name: other[theirs] for name, theirs in node.columns}


def _joined(node, tables, key):
    second = rows_of(node.second, tables, key)
    pairs = ((node.first.type.unit, node.second.type.unit), *node.on)
    for row in rows_of(node.first, tables, key):
        found = [other for other in second if all(row[m] is not None and row[m] == other[t] for m, t in pairs)]
        for other in found or ([dict.fromkeys(node.second.type.columns)] if node.left else []):
            yield row | {name: other[theirs] for name, theirs in node.columns}


def _matched(node, tables, key):
    others = rows_of(node.other, tables, key)
    own = [] if node.public else [(node.source.type.unit, Word.EQUAL, node.other.type.unit)]
    on = [*own, *node.on]
    for row in rows_of(node.source, tables, key):
        found = [other for other in others if all(call(word, [row[a], other[b]]) is True for a, word, b in on)]
        if node.how is Meeting.MARK:
            yield row | {node.mark: bool(found)}
            continue
        for other in found or ([dict.fromkeys(node.other.type.columns)] if node.how is Meeting.LEFT else []):
            yield row | {name: other[theirs] for name, theirs in node.columns}


def _per_unit(node, tables, key):
    groups = defaultdict(list)
    for row in rows_of(node.source, tables, key):
        groups[(row[node.source.type.unit], *(row[key] for key in node.keys))].append(row)
    for (unit, *keys), rows in groups.items():
        result = {node.type.unit: unit} | dict(zip(node.keys, keys, strict=True))
        for item in node.columns:
            result[item.name] = _unit_value(item, rows)
        yield result


def _unit_value(item, rows):
    if item.argument is None:
        return len(rows)
    values = [value for value in (evaluate(item.argument, row) for row in rows) if value is not None]
    match item.function:
        case UnitFunction.COUNT:
            return len(values)
        case UnitFunction.DIFFERENT:
            return len(set(values))
        case UnitFunction.SUM if item.low is None:
            return whole(sum(values)) if values else None
        case UnitFunction.SUM:
            total = sum(steps(value, item.step, item.low, item.high) for value in values)
            exact = total * item.step
            return None if not values else whole(int(exact)) if isinstance(values[0], int) else float(exact)
        case UnitFunction.LOWER_MEDIAN | UnitFunction.UPPER_MEDIAN:
            at = len(values) // 2 if item.function is UnitFunction.UPPER_MEDIAN else (len(values) - 1) // 2
            return sorted(values)[at] if values else None
        case _:
            return (min if item.function is UnitFunction.MIN else max)(values, default=None)


def steps(value, step, low, high):
    """floor(clip(value, low, high)/step), exactly."""
    kept = high if value == math.inf else low if value == -math.inf else min(max(Fraction(value), low), high)
    return math.floor(kept / step)


def nearest(value, step, low, high):
    """The nearest whole number of steps, a half up, within the steps of the ends."""
    bottom, top = math.floor(low / step), math.floor(high / step)
    if value in (math.inf, -math.inf):
        return top if value > 0 else bottom
    return min(max(math.floor(Fraction(value) / step + Fraction(1, 2)), bottom), top)


def x_of(measurement, row):
    """X of a row, None where it does not count."""
    value = None if measurement.argument is None else evaluate(measurement.argument, row)
    if measurement.argument is not None and value is None:
        return None
    low, high = measurement.low, measurement.high
    match measurement.function:
        case Function.ROWS | Function.UNITS:
            return 1
        case Function.DISTINCT:
            return value
        case Function.QUANTILE:
            width = (high - low) / measurement.buckets
            return min(steps(value, width, low, high) - steps(low, width, low, high), measurement.buckets - 1)
        case Function.TOTAL:
            return nearest(value, measurement.step, low, high) - measurement.centre
        case Function.SHARE:
            x, most = nearest(value, measurement.step, low, high), int((high - low) / measurement.step)
            x, degree, shift = x - measurement.centre, measurement.degree, measurement.shift
            ends = (most - x) ** degree >> shift, x**degree >> shift
            places = ends if degree == 1 else (ends[0], (most**2 >> shift) - sum(ends), ends[1])
            return places[measurement.place]
        case Function.SQUARES:
            return (nearest(value, measurement.step, low, high) - measurement.centre) ** 2 // 2**measurement.shift


def _plain(value):
    """A value as a list of keys holds it: days are text there."""
    return value.isoformat() if isinstance(value, datetime.date) else value


def measure(aggregate, measurement, tables, sampling_key=0):
    """{keys: value before noise}, or {(*keys, bucket): weight} for a quantile; groups without rows are absent."""
    unit = aggregate.source.type.unit
    rows = []
    for at, row in enumerate(rows_of(aggregate.source, tables, sampling_key)):
        keys = tuple(evaluate(key.expression, row) for key in aggregate.keys)
        if all(key.values is None or _plain(v) in key.values for key, v in zip(aggregate.keys, keys, strict=True)):
            rows.append((at if unit is None else row[unit], keys, x_of(measurement, row)))
    if measurement.function is Function.UNITS:
        rows = list(dict.fromkeys(row for row in rows if row[2] is not None))
    people = defaultdict(list)
    for person, keys, x in rows:
        people[person].append((keys, x))
    result = defaultdict(set if measurement.function is Function.DISTINCT else int)
    if not aggregate.keys and measurement.function is not Function.QUANTILE:
        result[()]  # a query without keys has one group, also when it has no rows
    limit, full = measurement.rows_per_unit, measurement.weight_steps
    for person, theirs in people.items():
        weight = full
        if measurement.bounding is Bounding.WEIGHTS and unit is not None and len(theirs) > limit:
            weight = limit * full // len(theirs)
        if measurement.bounding is Bounding.SAMPLE and unit is not None and len(theirs) > limit:
            named = measurement.argument is not None and measurement.function is not Function.UNITS
            theirs = sorted(theirs, key=lambda row: _hash(sampling_key, person, row, named))[:limit]
        for keys, x in theirs:
            match measurement.function:
                case Function.DISTINCT:
                    result[keys] |= set() if x is None else {x}
                case Function.QUANTILE:
                    if x is not None:
                        result[(*keys, x)] += weight
                case _:
                    result[keys] += weight * (x or 0)
    if measurement.function is Function.DISTINCT:
        return {keys: len(values) * full for keys, values in result.items()}
    return {keys: max(-LIMIT, min(LIMIT, value)) for keys, value in result.items()}


def _hash(key, person, row, named):
    cells = [person, *row[0], *([row[1]] if named else [])]
    shown = ["-" if cell is None else str(cell) for cell in cells]
    text = "|".join(word.lower() if isinstance(cell, bool) else word for word, cell in zip(shown, cells, strict=True))
    return hashlib.md5(f"{key:x}|{text}".encode()).hexdigest()  # noqa: S324  # the engine's own hash
