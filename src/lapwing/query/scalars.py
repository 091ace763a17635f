"""Expressions of SQL, read as expressions of a plan with their types.

The one idea: this file only recognises words; what they mean for ranges, keys and NULL is in ``rules``. Anything that
is not recognised is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from lapwing.query.expressions import Kind, Literal, Word
from lapwing.query.names import Scope
from lapwing.query.parsing import constants
from lapwing.query.parsing.places import Spot
from lapwing.query.parsing.shape import only
from lapwing.query.parsing.words import KINDS, OPERATORS, refuse_function
from lapwing.query.refusals import Text, quoted
from lapwing.query.rules.arithmetic import arithmetic
from lapwing.query.rules.case import case, coalesce
from lapwing.query.rules.casts import casts
from lapwing.query.rules.comparison import comparison
from lapwing.query.rules.dates import dates
from lapwing.query.rules.limits import limits
from lapwing.query.rules.rounding import rounding
from lapwing.query.rules.text import text as text_rule
from lapwing.query.typed import Typed, literal

_ARITHMETIC = {Word.ADD, Word.SUBTRACT, Word.MULTIPLY, Word.DIVIDE, Word.MODULO, Word.NEGATE, Word.ABS, Word.SQRT}
_PARTS = {"YEAR": Word.YEAR, "MONTH": Word.MONTH, "DAY": Word.DAY}
_ROUNDING = {exp.Floor: Word.FLOOR, exp.Ceil: Word.CEIL, exp.Round: Word.ROUND}
_NULL = literal(constants.NULL)

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
        given = tuple(self.read(part) for part in (node.args.get("this"), node.args.get("expression")) if part)
        place = self._at(node)
        if word in _ARITHMETIC:
            return arithmetic(word, given, place)
        if word in (Word.LOWER, Word.UPPER):
            return text_rule(word, given, place)
        if word in (Word.YEAR, Word.MONTH, Word.DAY):
            return dates(word, given, place)
        return comparison(word, given, place)

    def _special(self, node: exp.Expr) -> Typed:
        """Words whose parts have names of their own."""
        place = self._at(node)
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
                ends = (comparison(Word.AT_LEAST, (value, low), place), comparison(Word.AT_MOST, (value, high), place))
                return comparison(Word.AND, ends, place)
            case exp.In():
                if node.args.get("query") is not None:
                    raise self._subquery(node)
                only(self.text, node, "this", "expressions")
                return comparison(Word.IN, self._all(node.this, *node.expressions), place)
            case exp.Is():
                return self._is(node)
            case exp.Like():
                only(self.text, node, "this", "expression", "negate")
                found = comparison(Word.LIKE, self._all(node.this, node.expression), place)
                return comparison(Word.NOT, (found,), place) if node.args.get("negate") else found
            case exp.Length():
                only(self.text, node, "this")
                return text_rule(Word.LENGTH, self._all(node.this), place)
            case exp.Extract():
                only(self.text, node, "this", "expression")
                part = _PARTS.get(node.this.name.upper())
                if part is None:
                    raise refuse_function(place, f"EXTRACT({node.this.name})")
                return dates(part, self._all(node.expression), place)
            case exp.DateFromParts():
                only(self.text, node, "year", "month", "day")
                numbers = [self.read(node.args[part]).number for part in ("year", "month", "day")]
                written = "-".join(
                    f"{0 if each is None else int(each):0{size}d}"
                    for each, size in zip(numbers, (4, 2, 2), strict=True)
                )
                return literal(constants.day(written, place))
            case exp.IntDiv():
                return self._whole_division(node)
            case exp.Func():
                raise refuse_function(place, node.sql_name())
            case _:
                raise place.invalid(
                    "Q118", f"{quoted(type(node).__name__.upper())} is not understood here", "See the reference of SQL"
                )

    def _all(self, *nodes: exp.Expr | None) -> tuple[Typed, ...]:
        return tuple(self.read(node) for node in nodes if node is not None)

    def _column(self, node: exp.Column) -> Typed:
        only(self.text, node, "this", "table")
        if isinstance(node.this, exp.Star):
            raise self._at(node).invalid("Q118", "* is not a value", "Name a column")
        return self.scope.column(node.name, node.table or None, self._at(node))

    def _cast(self, node: exp.Cast) -> Typed:
        only(self.text, node, "this", "to")
        to = node.args["to"]
        kind = KINDS.get(to.this) if isinstance(to, exp.DataType) and not to.expressions else None
        if kind is None:
            raise self._at(node).invalid(
                "Q119",
                f"nothing is cast to {quoted(to.sql())}",
                "CAST to BIGINT, DOUBLE, VARCHAR, BOOLEAN, DATE or TIMESTAMP",
            )
        return casts(kind, self.read(node.this), self._at(node))

    def _named(self, node: exp.Anonymous) -> Typed:
        only(self.text, node, "this", "expressions")
        if str(node.this).upper() == "CLIP":
            return limits(Word.CLIP, self._all(*node.expressions), self._at(node))
        raise refuse_function(self._at(node), str(node.this))

    def _case(self, node: exp.Case) -> Typed:
        only(self.text, node, "this", "ifs", "default")
        place = self._at(node)
        subject = node.args.get("this")
        parts: list[Typed] = []
        for branch in node.args["ifs"]:
            only(self.text, branch, "this", "true")
            test = self.read(branch.this)
            parts.append(comparison(Word.EQUAL, (self.read(subject), test), place) if subject else test)
            parts.append(self.read(branch.args["true"]))
        otherwise = node.args.get("default")
        return case((*parts, self.read(otherwise) if otherwise else _NULL), place)

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
            "a sub-query inside an expression would look at other people's rows",
            "Join on the unit, or write the number it stands for",
        )

    def _at(self, node: exp.Expr) -> Spot:
        return Spot(self.text, node)
