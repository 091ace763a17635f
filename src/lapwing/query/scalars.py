"""Expressions of SQL, read as expressions of a plan with their types.

The one idea: this file only recognises words; what they mean for ranges, keys and NULL is in ``rules``. Anything that
is not recognised is refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from sqlglot import exp

from lapwing.query.expressions import Kind, Literal, Word, size
from lapwing.query.moments import moment, moved
from lapwing.query.names import Scope
from lapwing.query.parsing import constants, regular
from lapwing.query.parsing.places import Spot, written
from lapwing.query.parsing.shape import needs, only
from lapwing.query.parsing.words import KINDS, OPERATORS, refuse_function
from lapwing.query.phrases import concatenated, phrase
from lapwing.query.refusals import Text, quoted
from lapwing.query.rules.arithmetic import arithmetic
from lapwing.query.rules.case import case, coalesce
from lapwing.query.rules.casts import casts
from lapwing.query.rules.clipping import limits
from lapwing.query.rules.comparison import comparison
from lapwing.query.rules.dates import PARTS, dates
from lapwing.query.rules.rounding import rounding
from lapwing.query.rules.text import text as text_rule
from lapwing.query.typed import Typed, literal

_ARITHMETIC = {Word.ADD, Word.SUBTRACT, Word.MULTIPLY, Word.DIVIDE, Word.MODULO, Word.NEGATE, Word.ABS, Word.SQRT} | {
    *(Word.LN, Word.EXP),
}
#: Larger powers have no use on rows.
_LARGEST_POWER = 8
_ROUNDING = {exp.Floor: Word.FLOOR, exp.Ceil: Word.CEIL, exp.Round: Word.ROUND}
_NULL = literal(constants.NULL)
#: The parts that a word has no meaning without.
_NEEDED: dict[type[exp.Expr], tuple[str, ...]] = {
    **dict.fromkeys((exp.Floor, exp.Ceil, exp.Round, exp.Least, exp.Greatest, exp.Coalesce), ("this",)),
    **dict.fromkeys((exp.Length, exp.Trim, exp.SplitPart, exp.Replace, exp.Right), ("this",)),
    **dict.fromkeys((exp.Nullif, exp.Like, exp.IntDiv, exp.Is), ("this", "expression")),
    exp.If: ("this", "true"),
    exp.Between: ("this", "low", "high"),
    exp.In: ("this",),
    exp.Case: ("ifs",),
}
#: A subject is written out at every comparison with it, so nested ones are kept to this many words.
_LARGEST = 2_000

#: Reads a node in a special way (an aggregate, a group key), or leaves it by returning None.
Before = Callable[[exp.Expr], Typed | None]


@dataclass(frozen=True, slots=True)
class Scalars:
    """Reads expressions over the columns of a scope."""

    text: Text
    scope: Scope
    before: Before | None = None

    def read(self, node: exp.Expr) -> Typed:
        """The expression that a node of the syntax tree stands for."""
        if self.before is not None and (known := self.before(node)) is not None:
            return known
        said = phrase(node, self) or moment(node, self)
        if said is not None:
            return said
        match node:
            case exp.Paren():
                only(self.text, node, "this")
                return self.read(node.this)
            case exp.Column():
                return self._column(node)
            case exp.Literal():
                place = Spot(self.text, node)
                return literal(Literal(node.this, Kind.TEXT) if node.is_string else constants.number(node.this, place))
            case exp.Boolean():
                return literal(Literal(bool(node.this), Kind.BOOLEAN))
            case exp.Null():
                return _NULL
            case exp.Cast():  # also TRY_CAST
                return self._cast(node)
            case exp.Anonymous():
                return self._named(node)
            case exp.Window() | exp.WithinGroup() | exp.Filter():
                raise self._at(node).invalid(
                    "Q116",
                    "window functions and ordered aggregates are not computed on private rows",
                    "Aggregate with GROUP BY",
                )
            case exp.Query() | exp.Exists() | exp.Any() | exp.All():
                raise self._subquery(node)
            case exp.AggFunc():
                raise self._at(node).invalid(
                    "Q117", f"{quoted(node.sql_name())} cannot stand here", "Aggregate in the SELECT list"
                )
            case _ if (word := OPERATORS.get(type(node))) is not None:
                return self._operator(word, node)
            case _:
                return self._special(node)

    def _operator(self, word: Word, node: exp.Expr) -> Typed:
        only(self.text, node, "this", "expression")
        needs(self.text, node, *(name for name in ("this", "expression") if node.arg_types.get(name)))
        given = tuple(self.read(part) for part in (node.args.get("this"), node.args.get("expression")) if part)
        place = self._at(node)
        if word in _ARITHMETIC:
            return moved(word, given, place) or arithmetic(word, given, place)
        if word is Word.CONCAT and not any(each.is_null for each in given):
            return concatenated(given, place)
        if word in (Word.LOWER, Word.UPPER, Word.CONCAT):
            return text_rule(word, given, place)
        if word in PARTS:
            return dates(word, given, place)
        return comparison(word, given, place)

    def _special(self, node: exp.Expr) -> Typed:
        """Words whose parts have names of their own."""
        place = self._at(node)
        needs(self.text, node, *_NEEDED.get(type(node), ()))
        match node:
            case exp.Floor() | exp.Ceil() | exp.Round():
                only(self.text, node, "this", "decimals")
                return rounding(_ROUNDING[type(node)], self._all(node.this, node.args.get("decimals")), place)
            case exp.Least() | exp.Greatest():
                only(self.text, node, "this", "expressions")
                word = Word.LEAST if isinstance(node, exp.Least) else Word.GREATEST
                return limits(word, self._all(node.this, *node.expressions), place)
            case exp.Coalesce():
                only(self.text, node, "this", "expressions")
                return coalesce(self._all(node.this, *node.expressions), place)
            case exp.Nullif():
                only(self.text, node, "this", "expression")
                value, other = self._all(node.this, node.expression)
                self.few(value, 2, node)
                return case((comparison(Word.EQUAL, (value, other), place), _NULL, value), place)
            case exp.Case():
                return self._case(node)
            case exp.If():
                only(self.text, node, "this", "true", "false")
                otherwise = node.args.get("false")
                return case(
                    (*self._all(node.this, node.args["true"]), self.read(otherwise) if otherwise else _NULL), place
                )
            case exp.Between():
                only(self.text, node, "this", "low", "high")
                value, low, high = self._all(node.this, node.args["low"], node.args["high"])
                self.few(value, 2, node)
                ends = (comparison(Word.AT_LEAST, (value, low), place), comparison(Word.AT_MOST, (value, high), place))
                return comparison(Word.AND, ends, place)
            case exp.In():
                if node.args.get("query") is not None:
                    raise self._subquery(node)
                only(self.text, node, "this", "expressions")
                return comparison(Word.IN, self._all(node.this, *node.expressions), place)
            case exp.Is():
                return self._is(node)
            case exp.Like() | exp.ILike():
                only(self.text, node, "this", "expression", "negate")
                word = Word.LIKE if isinstance(node, exp.Like) else Word.ILIKE
                found = comparison(word, self._all(node.this, node.expression), place)
                return comparison(Word.NOT, (found,), place) if node.args.get("negate") else found
            case exp.Length() | exp.Trim():
                only(self.text, node, "this")
                word = Word.LENGTH if isinstance(node, exp.Length) else Word.TRIM
                return text_rule(word, self._all(node.this), place)
            case exp.IntDiv():
                return self._whole_division(node)
            case exp.Log():
                return self._logarithm(node)
            case exp.RegexpLike() | exp.RegexpFullMatch() | exp.SimilarTo():
                return self._matches(node)
            case exp.Pow():
                return self._power(node)
            case exp.Substring():
                only(self.text, node, "this", "start", "length")
                given = self._all(node.this, node.args.get("start"), node.args.get("length"))
                return text_rule(Word.SUBSTRING, given, place)
            case exp.SplitPart():
                only(self.text, node, "this", "delimiter", "part_index")
                return text_rule(
                    Word.SPLIT, self._all(node.this, node.args.get("delimiter"), node.args.get("part_index")), place
                )
            case exp.Replace():
                only(self.text, node, "this", "expression", "replacement")
                return text_rule(
                    Word.REPLACE, self._all(node.this, node.args.get("expression"), node.args.get("replacement")), place
                )
            case exp.Right():
                only(self.text, node, "this", "expression")
                return text_rule(Word.ENDING, self._all(node.this, node.args.get("expression")), place)
            case exp.Left():
                only(self.text, node, "this", "expression")
                first = literal(Literal(1, Kind.INTEGER))
                return text_rule(Word.SUBSTRING, (self.read(node.this), first, self.read(node.expression)), place)
            case exp.Func():
                raise refuse_function(place, node.sql_name())
            case _:
                raise place.invalid(
                    "Q118", f"{quoted(written(place))} is not understood here", "See the reference of SQL"
                )

    def _all(self, *nodes: exp.Expr | None) -> tuple[Typed, ...]:
        return tuple(self.read(node) for node in nodes if node is not None)

    def _column(self, node: exp.Column) -> Typed:
        only(self.text, node, "this", "table")
        if isinstance(node.this, exp.Star):
            raise self._at(node).invalid("Q118", "* is not a value", "Name a column")
        place = self._at(node)
        if node.this.quoted and not node.table and not any(each.find(node.name) for each in self.scope.bindings):
            raise place.invalid(
                "Q114", f"there is no column {quoted(node.name)}", "Write a text in single quotes, or name a column"
            )
        return self.scope.column(node.name, node.table or None, place)

    def _cast(self, node: exp.Cast) -> Typed:
        only(self.text, node, "this", "to")
        to = node.args["to"]
        if isinstance(to, exp.DataType) and to.this is exp.DType.DECIMAL:
            return self._decimal(node, to)
        kind = KINDS.get(to.this) if isinstance(to, exp.DataType) and not to.expressions else None
        if kind is None:
            raise self._at(node).invalid(
                "Q119",
                f"nothing is cast to {quoted(to.sql())}",
                "CAST to BIGINT, DOUBLE, VARCHAR, BOOLEAN, DATE or TIMESTAMP",
            )
        return casts(kind, self.read(node.this), self._at(node))

    def _decimal(self, node: exp.Cast, to: exp.DataType) -> Typed:
        """CAST AS DECIMAL(p, s) rounds to s digits, 3 where it does not say."""
        sizes = [each.this.this for each in to.expressions if isinstance(each.this, exp.Literal)]
        digits = sizes[1] if len(sizes) > 1 else "0" if sizes else "3"
        value = casts(Kind.REAL, self.read(node.this), self._at(node))
        return rounding(Word.ROUND, (value, literal(constants.number(digits, self._at(node)))), self._at(node))

    def _named(self, node: exp.Anonymous) -> Typed:
        only(self.text, node, "this", "expressions")
        name, given = str(node.this).upper(), self._all(*node.expressions)
        if name == "CLIP":
            return limits(Word.CLIP, given, self._at(node))
        raise refuse_function(self._at(node), str(node.this))

    def _case(self, node: exp.Case) -> Typed:
        only(self.text, node, "this", "ifs", "default")
        place = self._at(node)
        written = node.args.get("this")
        subject = None if written is None else self.read(written)
        if subject is not None:
            self.few(subject, len(node.args["ifs"]), node)
        parts: list[Typed] = []
        for branch in node.args["ifs"]:
            only(self.text, branch, "this", "true")
            test = self.read(branch.this)
            parts.append(test if subject is None else comparison(Word.EQUAL, (subject, test), place))
            parts.append(self.read(branch.args["true"]))
        otherwise = node.args.get("default")
        return case((*parts, self.read(otherwise) if otherwise else _NULL), place)

    def _logarithm(self, node: exp.Log) -> Typed:
        """LOG(x) is to base 10; LOG(b, x) to a constant base."""
        only(self.text, node, "this", "expression")
        place = self._at(node)
        if node.args.get("expression") is None:
            return arithmetic(Word.LOG10, self._all(node.this), place)
        base = self.read(node.this).number
        if base is None or base <= 0 or base == 1:
            raise place.invalid("Q122", "the base of a logarithm is not a constant above 0", "Write LN(x) or LOG10(x)")
        if base == 10:
            return arithmetic(Word.LOG10, self._all(node.expression), place)
        above = arithmetic(Word.LN, self._all(node.expression), place)
        below = literal(Literal(Fraction(math.log(base)), Kind.REAL))
        return arithmetic(Word.DIVIDE, (above, below), place)

    def _matches(self, node: exp.RegexpLike | exp.RegexpFullMatch | exp.SimilarTo) -> Typed:
        """REGEXP_MATCHES looks for a part of the text; ~, SIMILAR TO and REGEXP_FULL_MATCH are about all of it."""
        only(self.text, node, "this", "expression", "negate", "full_match")
        place, written = self._at(node), self.read(node.expression).constant
        if not isinstance(written, str):
            raise place.invalid("Q122", "the pattern is not a constant", "Write the pattern as 'text'")
        called = isinstance(node.meta.get("start"), int)  # a function has a place for its name, an operator none
        whole = not isinstance(node, exp.RegexpLike) or not called
        made = literal(Literal(regular.pattern(written, place, whole=whole), Kind.TEXT))
        found = comparison(Word.MATCHES, (self.read(node.this), made), place)
        return comparison(Word.NOT, (found,), place) if node.args.get("negate") else found

    def _power(self, node: exp.Pow) -> Typed:
        """X to a small whole power: x·x·…, of which an even one is not negative."""
        only(self.text, node, "this", "expression")
        place, times = self._at(node), self.read(node.expression).number
        if times == Fraction(1, 2):
            return arithmetic(Word.SQRT, self._all(node.this), place)
        if times is None or times.denominator != 1 or not 1 <= times <= _LARGEST_POWER:
            raise place.invalid("Q122", "a power is not a whole number from 1 to 8", "Write POWER(x, 2)")
        value = self.read(node.this)
        self.few(value, int(times), node)
        result = value
        for _ in range(int(times) - 1):
            result = arithmetic(Word.MULTIPLY, (result, value), place)
        low = result.type.low
        if times % 2 == 0 and (low is None or low < 0) and result.expression != value.expression:
            result = replace(result, type=replace(result.type, low=Fraction(0)))
        return result

    def few(self, value: Typed, times: int, node: exp.Expr) -> None:
        """Refuses a value that is used so often that a plan of nested ones would grow beyond all measure."""
        if times * size(value.expression, _LARGEST) > _LARGEST:
            raise self._at(node).invalid(
                "Q105", "the query computes too much here", "Name the inner value in a sub-query"
            )

    def _is(self, node: exp.Is) -> Typed:
        only(self.text, node, "this", "expression")
        place = self._at(node)
        subject = self.read(node.this)
        if isinstance(node.expression, exp.Null):
            return comparison(Word.IS_NULL, (subject,), place)
        if isinstance(node.expression, exp.Boolean):  # IS TRUE, IS FALSE: never NULL themselves
            wanted = subject if node.expression.this else comparison(Word.NOT, (subject,), place)
            return coalesce((wanted, literal(Literal(value=False, kind=Kind.BOOLEAN))), place)
        raise place.invalid("Q118", "IS takes NULL, TRUE or FALSE", "Compare with =")

    def _whole_division(self, node: exp.IntDiv) -> Typed:
        only(self.text, node, "this", "expression")
        place = self._at(node)
        a, b = self._all(node.this, node.expression)
        if a.range.low is None or a.range.low < 0 or b.range.low is None or b.range.low <= 0:
            raise place.invalid(
                "Q122", "// rounds differently below 0, and the signs are not known", "Write FLOOR(a / b)"
            )
        quotient = rounding(Word.FLOOR, (arithmetic(Word.DIVIDE, (a, b), place),), place)
        return casts(Kind.INTEGER, quotient, place)

    def _subquery(self, node: exp.Expr) -> Exception:
        return self._at(node).invalid(
            "Q109",
            "a sub-query that gives one value is not computed beside rows",
            "Join on the unit, or write the number it stands for",
        )

    def _at(self, node: exp.Expr) -> Spot:
        return Spot(self.text, node)
