"""Conditions on two relations at once, taken apart: what is about one of them, and comparisons between the two."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from sqlglot import exp

from lapwing.query.expressions import Kind, Literal, Word
from lapwing.query.names import Scope
from lapwing.query.parsing.places import Spot
from lapwing.query.parsing.words import OPERATORS
from lapwing.query.refusals import Text
from lapwing.query.rowsets import Rows, with_column
from lapwing.query.rules.comparison import comparison
from lapwing.query.rules.where import where
from lapwing.query.scalars import Before, Scalars
from lapwing.query.typed import Typed, condition, literal

_TURNED = {
    Word.EQUAL: Word.EQUAL,
    Word.NOT_EQUAL: Word.NOT_EQUAL,
    Word.LESS: Word.GREATER,
    Word.AT_MOST: Word.AT_LEAST,
    Word.GREATER: Word.LESS,
    Word.AT_LEAST: Word.AT_MOST,
}
_TRUE = literal(Literal(value=True, kind=Kind.BOOLEAN))


def conjuncts(node: exp.Expr) -> Iterator[exp.Expr]:
    """The conditions that must all hold; BETWEEN is two."""
    match node:
        case exp.And():
            yield from conjuncts(node.this)
            yield from conjuncts(node.expression)
        case exp.Paren():
            yield from conjuncts(node.this)
        case exp.Between() if not any(
            value for name, value in node.args.items() if name not in ("this", "low", "high")
        ):
            yield exp.GTE(this=node.this, expression=node.args["low"])
            yield exp.LTE(this=node.this, expression=node.args["high"])
        case _:
            yield node


def shared(node: exp.Expr) -> list[exp.Expr]:
    """Conditions that stand in every branch of an OR, and so hold whichever does."""
    if isinstance(node, exp.Paren):
        return shared(node.this)
    if not isinstance(node, exp.Or):
        return []
    left, right = ([*conjuncts(each), *shared(each)] for each in (node.this, node.expression))
    known = {each.sql() for each in right}
    return [each for each in left if each.sql() in known]


def knows(scope: Scope, node: exp.Column) -> bool:
    """Whether a name means a column of a scope."""
    named = [each for each in scope.bindings if not node.table or each.alias.lower() == node.table.lower()]
    return any(each.find(node.name) is not None for each in named)


def columns_in(node: exp.Expr) -> list[exp.Column]:
    """The columns of an expression, without those of sub-queries."""
    inner = node.walk(prune=lambda each: isinstance(each, exp.Query))
    return [each for each in inner if isinstance(each, exp.Column)]


def within(node: exp.Expr, scope: Scope) -> bool:
    """Whether an expression is about these columns alone."""
    return all(knows(scope, each) for each in columns_in(node))


@dataclass(slots=True)
class Sides:
    """Two relations, and the comparisons between them that conditions come to; ``inner`` names win where both know."""

    text: Text
    outer: Rows
    inner: Rows
    on: list[tuple[str, Word, str]] = field(default_factory=list)
    #: how sub-queries inside conditions on the inner relation are read
    before: Before | None = None

    def add(self, part: exp.Expr) -> bool:
        """Takes a condition in; False where it is no comparison between the two."""
        if within(part, self.inner.scope):
            place = Spot(self.text, part)
            test = condition(Scalars(self.text, self.inner.scope, self.before).read(part), place)
            relation = where(self.inner.relation, test)
            self.inner = replace(self.inner, relation=relation, size=self.inner.size + 1)
            return True
        word = OPERATORS.get(type(part))
        if word not in _TURNED:
            return False
        a, b = part.this, part.expression
        if not self._outer(a) or not within(b, self.inner.scope):
            a, b, word = b, a, _TURNED[word]
        if not self._outer(a) or not columns_in(b) or not within(b, self.inner.scope):
            return False
        self.compare(
            Scalars(self.text, self.outer.scope).read(a), word, Scalars(self.text, self.inner.scope).read(b), part
        )
        return True

    def alone(self, part: exp.Expr) -> bool:
        """Takes in a condition on the outer relation alone: its value is compared with true."""
        if not all(self._is_outer(each) for each in columns_in(part)):
            return False
        test = condition(Scalars(self.text, self.outer.scope).read(part), Spot(self.text, part))
        self.compare(test, Word.EQUAL, _TRUE, part)
        return True

    def compare(self, mine: Typed, word: Word, theirs: Typed, node: exp.Expr) -> None:
        """Takes in one comparison; refuses kinds that do not compare."""
        comparison(word, (mine, theirs), Spot(self.text, node))
        self.outer, first = with_column(self.outer, mine)
        self.inner, second = with_column(self.inner, theirs)
        self.on.append((first, word, second))

    def _outer(self, node: exp.Expr) -> bool:
        found = columns_in(node)
        return bool(found) and all(self._is_outer(each) for each in found)

    def _is_outer(self, node: exp.Column) -> bool:
        return knows(self.outer.scope, node) and not knows(self.inner.scope, node)
