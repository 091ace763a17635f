"""Words that are short for others: parts of texts, signs, lists of values, comparisons that know NULL.

The one idea: nothing here is new to an engine or to the kernel. Each phrase is built of words whose rules are known, so
its range, its keys and its NULLs follow from theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Protocol

from sqlglot import exp

from lapwing.query.expressions import Kind, Literal, Word
from lapwing.query.parsing import regular
from lapwing.query.parsing.constants import NULL
from lapwing.query.parsing.places import Spot
from lapwing.query.parsing.shape import needs, only
from lapwing.query.refusals import Refuses, Text, quoted
from lapwing.query.rules.arithmetic import arithmetic
from lapwing.query.rules.case import case, coalesce
from lapwing.query.rules.casts import casts
from lapwing.query.rules.clipping import limits
from lapwing.query.rules.comparison import comparison
from lapwing.query.rules.rounding import rounding
from lapwing.query.rules.text import text as text_rule
from lapwing.query.typed import MOST_KEYS, Typed, literal, numeric

#: What stands before and after the part that is looked for.
_HOLDING: dict[type[exp.Expr] | str, tuple[str, str]] = {
    **dict.fromkeys((exp.Contains, "CONTAINS"), ("%", "%")),
    **dict.fromkeys((exp.StartsWith, "PREFIX"), ("", "%")),
    **dict.fromkeys((exp.EndsWith, "SUFFIX"), ("%", "")),
}
#: A place in a text compared with a number that asks only whether there is one; True where it asks for none.
_PLACED = {(exp.GT, "0"): False, (exp.GTE, "1"): False, (exp.NEQ, "0"): False, (exp.EQ, "0"): True, (exp.LT, "1"): True}


class Reader(Protocol):
    """What reads the parts of a phrase, and refuses to write a value out too often."""

    @property
    def text(self) -> Text:
        """The query."""

    def read(self, node: exp.Expr) -> Typed:
        """The expression that a node stands for."""

    def few(self, value: Typed, times: int, node: exp.Expr) -> None:
        """Refuses a value that would be written out too often."""


def phrase(node: exp.Expr, reader: Reader) -> Typed | None:
    """The meaning of a phrase in words that are known; None for everything else."""
    place, read = Spot(reader.text, node), reader.read
    match node:
        case exp.Contains() | exp.StartsWith() | exp.EndsWith():
            needs(reader.text, node, "this", "expression")
            only(reader.text, node, "this", "expression")
            return holding(read(node.this), read(node.expression), place, *_HOLDING[type(node)])
        case exp.Anonymous() if (ends := _HOLDING.get(str(node.this).upper())) and len(node.expressions) == 2:
            return holding(read(node.expressions[0]), read(node.expressions[1]), place, *ends)
        case exp.Anonymous() if str(node.this).upper() == "ISNULL" and len(node.expressions) == 1:
            return comparison(Word.IS_NULL, (read(node.expressions[0]),), place)
        case exp.GT() | exp.GTE() | exp.NEQ() | exp.EQ() | exp.LT() if isinstance(node.this, exp.StrPosition):
            return _placed(node, reader)
        case exp.EQ() if isinstance(node.expression, exp.Any):
            return _any(node, reader)
        case exp.Escape() if isinstance(node.this, exp.Like):
            return _escaped(node, reader)
        case exp.EQ() if isinstance(node.this, exp.Tuple) and isinstance(node.expression, exp.Tuple):
            return _one_of(node, node.this, [node.expression], reader)
        case exp.In() if isinstance(node.this, exp.Tuple) and node.args.get("query") is None:
            only(reader.text, node, "this", "expressions")
            return _one_of(node, node.this, node.expressions, reader)
        case exp.ConcatWs():  # before CONCAT, of which it is a kind to the parser
            only(reader.text, node, "expressions", "coalesce", "safe")
            return _separated([read(each) for each in node.expressions], node, reader)
        case exp.Concat():
            only(reader.text, node, "expressions", "coalesce")
            return _without_nulls([read(each) for each in node.expressions], place)
        case exp.NullSafeEQ() | exp.NullSafeNEQ():
            only(reader.text, node, "this", "expression")
            a, b = read(node.this), read(node.expression)
            for each in (a, b):
                reader.few(each, 2, node)
            alike = _same(a, b, place)
            return alike if isinstance(node, exp.NullSafeEQ) else comparison(Word.NOT, (alike,), place)
        case exp.Sign() | exp.Trunc():
            only(reader.text, node, "this")
            value = numeric(read(node.this), place)
            reader.few(value, 3, node)
            return _sign(value, place) if isinstance(node, exp.Sign) else _towards_zero(value, place)
        case exp.WidthBucket():
            return _width_bucket(node, reader)
        case exp.Nvl2():
            only(reader.text, node, "this", "true", "false")
            needs(reader.text, node, "this", "true", "false")
            absent = comparison(Word.IS_NULL, (read(node.this),), place)
            return case((absent, read(node.args["false"]), read(node.args["true"])), place)
    return None


def _width_bucket(node: exp.WidthBucket, reader: Reader) -> Typed:
    """1 to n for the parts of a range that are equally wide, 0 below it and n + 1 from its end on."""
    only(reader.text, node, "this", "min_value", "max_value", "num_buckets")
    needs(reader.text, node, "this", "min_value", "max_value", "num_buckets")
    place, value = Spot(reader.text, node), numeric(reader.read(node.this), Spot(reader.text, node.this))
    low, high, many = (reader.read(node.args[name]).number for name in ("min_value", "max_value", "num_buckets"))
    if (
        low is None
        or high is None
        or many is None
        or low >= high
        or many.denominator != 1
        or not 1 <= many <= MOST_KEYS
    ):
        raise place.invalid(
            "Q122", "the ends and the number of buckets are not constants", "Write WIDTH_BUCKET(x, 0, 100, 10)"
        )
    reader.few(value, 3, node)
    first, last, one, count = (literal(Literal(_plainly(each), _kind(each))) for each in (low, high, Fraction(1), many))
    above = arithmetic(Word.MULTIPLY, (arithmetic(Word.SUBTRACT, (value, first), place), count), place)
    width = literal(Literal(_plainly(high - low), _kind(high - low)))
    part = rounding(Word.FLOOR, (arithmetic(Word.DIVIDE, (above, width), place),), place)
    number = casts(Kind.INTEGER, arithmetic(Word.ADD, (part, one), place), place)
    inside = limits(Word.CLIP, (number, one, count), place)
    beyond = literal(Literal(int(many) + 1, Kind.INTEGER))
    branches: list[Typed] = []  # a value that is never outside has no bucket there, which would be a group of nobody
    if value.range.low is None or value.range.low < low:
        branches += [comparison(Word.LESS, (value, first), place), literal(Literal(0, Kind.INTEGER))]
    if value.range.high is None or value.range.high >= high:
        branches += [comparison(Word.AT_LEAST, (value, last), place), beyond]
    return case((*branches, inside), place) if branches else inside


def _kind(value: Fraction) -> Kind:
    return Kind.INTEGER if value.denominator == 1 else Kind.REAL


def _plainly(value: Fraction) -> int | Fraction:
    return int(value) if value.denominator == 1 else value


def concatenated(pieces: Sequence[Typed], place: Refuses) -> Typed:
    """Texts one after the other; numbers and days beside them are written as texts."""
    as_text = [each if each.is_null else casts(Kind.TEXT, each, place) for each in pieces]
    return _halved(as_text, lambda a, b: text_rule(Word.CONCAT, (a, b), place))


def holding(subject: Typed, part: Typed, place: Refuses, before: str, after: str) -> Typed:
    """Whether a text has this part: anywhere, or at its start or its end."""
    if not isinstance(part.constant, str):
        raise place.invalid("Q122", "the part to look for is not a constant", "Write it as 'text'")
    if not set(part.constant) & set("%_"):
        return comparison(Word.LIKE, (subject, _written(f"{before}{part.constant}{after}")), place)
    escaped = _literally(part.constant)
    made = regular.pattern(f"{'' if before else '^'}{escaped}{'' if after else '$'}", place, whole=False)
    return comparison(Word.MATCHES, (subject, _written(made)), place)


def _placed(node: exp.Binary, reader: Reader) -> Typed | None:
    """STRPOS(x, 'part') > 0, which is whether x has the part."""
    number, position = node.expression, node.this
    if not isinstance(number, exp.Literal) or (type(node), number.this) not in _PLACED:
        return None
    only(reader.text, position, "this", "substr")
    place = Spot(reader.text, node)
    found = holding(reader.read(position.this), reader.read(position.args["substr"]), place, "%", "%")
    return comparison(Word.NOT, (found,), place) if _PLACED[type(node), number.this] else found


def _escaped(node: exp.Escape, reader: Reader) -> Typed:
    """LIKE '10!%' ESCAPE '!': after the sign that is named, % and _ are themselves."""
    only(reader.text, node, "this", "expression")
    only(reader.text, node.this, "this", "expression", "negate")
    place = Spot(reader.text, node)
    pattern, sign = reader.read(node.this.expression).constant, reader.read(node.expression).constant
    if not isinstance(pattern, str) or not isinstance(sign, str) or len(sign) != 1 or sign in "%_":
        raise place.invalid("Q122", "the pattern or its ESCAPE is not a constant", "Write LIKE '10!%' ESCAPE '!'")
    made, at = "", 0
    while at < len(pattern):
        itself = pattern[at] == sign
        at += itself
        letter = pattern[at : at + 1]
        if itself and letter not in ("%", "_", sign):
            raise place.invalid("Q122", f"{quoted(sign)} does not stand before %, _ or itself", "Write it twice")
        made += {"%": ".*", "_": "."}[letter] if letter in "%_" and not itself else _literally(letter)
        at += 1
    expression = literal(Literal(regular.pattern(made, place, whole=True), Kind.TEXT))
    found = comparison(Word.MATCHES, (reader.read(node.this.this), expression), place)
    return comparison(Word.NOT, (found,), place) if node.this.args.get("negate") else found


def _literally(words: str) -> str:
    """A text as a regular expression for it."""
    return "".join(sign if sign.isalnum() or sign > "\x7f" else f"\\{sign}" for sign in words)


def _any(node: exp.EQ, reader: Reader) -> Typed | None:
    """X = ANY(ARRAY['a', 'b']), which is IN."""
    listed = node.expression.this
    while isinstance(listed, exp.Paren):
        listed = listed.this
    if not isinstance(listed, exp.Array | exp.Tuple):
        return None
    members = tuple(reader.read(each) for each in listed.expressions)
    return comparison(Word.IN, (reader.read(node.this), *members), Spot(reader.text, node))


def _one_of(node: exp.Expr, subject: exp.Tuple, members: Sequence[exp.Expr], reader: Reader) -> Typed:
    """(a, b) IN ((1, 2), (3, 4)): some member is equal in every place."""
    place = Spot(reader.text, node)
    values = [reader.read(each) for each in subject.expressions]
    lists = [each.expressions if isinstance(each, exp.Tuple) else [] for each in members]
    if not lists or any(len(each) != len(values) for each in lists):
        raise place.invalid("Q118", "these lists are not of one length", "Give each as many values")
    for value in values:
        reader.few(value, len(lists), node)
    equal = []
    for each in lists:
        pairs = zip(values, map(reader.read, each), strict=True)
        equal.append(_all(Word.AND, [comparison(Word.EQUAL, pair, place) for pair in pairs], place))
    return _all(Word.OR, equal, place)


def _all(word: Word, conditions: Sequence[Typed], place: Refuses) -> Typed:
    return _halved(conditions, lambda a, b: comparison(word, (a, b), place))


def _halved(parts: Sequence[Typed], put: Callable[[Typed, Typed], Typed]) -> Typed:
    """Many parts put together two by two, so that a long list is not a deep tree."""
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    return put(_halved(parts[:middle], put), _halved(parts[middle:], put))


def _without_nulls(given: Sequence[Typed], place: Refuses) -> Typed:
    """CONCAT leaves NULLs out."""
    pieces = [casts(Kind.TEXT, each, place) for each in given if not each.is_null]
    if not pieces:
        raise place.invalid("Q137", "'CONCAT' has nothing to put together", "Give it texts")
    known = [coalesce((each, _written("")), place) if each.type.nullable else each for each in pieces]
    return concatenated(known, place)


def _separated(given: Sequence[Typed], node: exp.Expr, reader: Reader) -> Typed:
    """CONCAT_WS(', ', a, b): the separator stands before each text that is there, and the first one is taken away."""
    place = Spot(reader.text, node)
    between = given[0].constant if given else None
    if not isinstance(between, str) or len(given) < 2:
        raise place.invalid("Q122", "the separator is not a constant before texts", "Write CONCAT_WS(', ', a, b)")
    if not between:
        return _without_nulls(given[1:], place)
    pieces = [concatenated((given[0], each), place) for each in given[1:] if not each.is_null]
    joined = _without_nulls(pieces, place)
    return text_rule(Word.SUBSTRING, (joined, _whole(len(between) + 1)), place)


def _same(a: Typed, b: Typed, place: Refuses) -> Typed:
    """IS NOT DISTINCT FROM: two NULLs are alike, and NULL is like nothing else."""
    never = literal(Literal(value=False, kind=Kind.BOOLEAN))
    equal = coalesce((comparison(Word.EQUAL, (a, b), place), never), place)
    absent, other = (comparison(Word.IS_NULL, (each,), place) for each in (a, b))
    return comparison(Word.OR, (equal, comparison(Word.AND, (absent, other), place)), place)


def _sign(number: Typed, place: Refuses) -> Typed:
    """-1, 0 or 1."""
    parts: list[Typed] = []
    for word, answer in ((Word.GREATER, 1), (Word.EQUAL, 0), (Word.LESS, -1)):
        parts += [comparison(word, (number, _whole(0)), place), _whole(answer)]
    return case((*parts, literal(NULL)), place)


def _towards_zero(number: Typed, place: Refuses) -> Typed:
    """The whole part of a number."""
    floor, ceil = (rounding(word, (number,), place) for word in (Word.FLOOR, Word.CEIL))
    if number.range.low is not None and number.range.low >= 0:
        return floor
    return case((comparison(Word.LESS, (number, _whole(0)), place), ceil, floor), place)


def _whole(number: int) -> Typed:
    return literal(Literal(number, Kind.INTEGER))


def _written(words: str) -> Typed:
    return literal(Literal(words, Kind.TEXT))
