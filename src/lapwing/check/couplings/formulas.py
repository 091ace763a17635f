"""The formulas of a certificate (see :mod:`lapwing.evidence.certificate`), read as terms about two runs."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from fractions import Fraction

from lapwing.check.couplings.doubt import Unproved
from lapwing.check.couplings.runs import FIRST, SECOND, Evaluator, Inputs, State
from lapwing.check.couplings.terms import Term, Terms
from lapwing.errors import InvalidInput
from lapwing.evidence.values import number_from_json

_ARITHMETIC: dict[type, str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_COMPARE: dict[type, str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip


def parse(text: str) -> ast.expr:
    """A formula as a syntax tree; nothing in it is ever run."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Unproved(f"the formula {text[:60]!r} cannot be read") from None
    return tree


def number(node: ast.Constant) -> Fraction:
    """A numeral, as it is written."""
    if isinstance(node.value, bool) or not isinstance(node.value, int | float):
        raise Unproved(f"a formula holds {node.value!r}"[:80])
    try:
        return number_from_json(str(node.value), "a number in a formula")
    except (InvalidInput, ValueError):  # ValueError: more digits than Python writes out
        raise Unproved("a number in a formula cannot be read") from None


@dataclass(frozen=True, slots=True)
class View:
    """What a formula may speak about at one place: the state, and the draw and the ghost where they are there."""

    inputs: Inputs
    state: State
    ghost: Term | None = None
    draw: Term | None = None

    @property
    def terms(self) -> Terms:
        """The terms."""
        return self.inputs.terms

    def truth(self, text: str) -> Term:
        """A formula that is a truth value."""
        return self._truth(parse(text), FIRST)

    def number(self, text: str) -> Term:
        """A formula that is a number."""
        return self._number(parse(text), FIRST)

    def _truth(self, node: ast.expr, run: int) -> Term:
        found = self._value(node, run)
        if not self.terms.is_truth(found):
            raise Unproved(f"{ast.unparse(node)[:60]!r} is not a truth value")
        return found

    def _number(self, node: ast.expr, run: int) -> Term:
        found = self._value(node, run)
        if self.terms.is_truth(found):
            raise Unproved(f"{ast.unparse(node)[:60]!r} is not a number")
        return found

    def _value(self, node: ast.expr, run: int) -> Term:
        terms = self.terms
        match node:
            case ast.Constant(value=bool() as value):
                return terms.truth(value)
            case ast.Constant():
                return terms.number(number(node))
            case ast.Name(id=name) if name in self.state.values:
                return self.state.values[name][run]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return terms.arithmetic("-", terms.number(0), self._number(operand, run))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return terms.negate(self._truth(operand, run))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
                return terms.arithmetic(_ARITHMETIC[type(op)], self._number(left, run), self._number(right, run))
            case ast.BoolOp(op=ast.And(), values=values):
                return terms.both([self._truth(value, run) for value in values])
            case ast.BoolOp(op=ast.Or(), values=values):
                return terms.either([self._truth(value, run) for value in values])
            case ast.Compare(left=left, ops=ops, comparators=comparators) if all(type(op) in _COMPARE for op in ops):
                return self._comparison([left, *comparators], [_COMPARE[type(op)] for op in ops], run)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                then, otherwise = self._value(body, run), self._value(orelse, run)
                if terms.is_truth(then) != terms.is_truth(otherwise):
                    raise Unproved(f"{ast.unparse(node)[:60]!r} mixes numbers and truth values")
                return terms.choose(self._truth(test, run), then, otherwise)
            case ast.Subscript(value=ast.Name(id=name), slice=index) if name in self.inputs.lists:
                return Evaluator(self.inputs, self.state).element(name, self._number(index, run), run)
            case ast.Call(func=ast.Name(id=function), args=arguments, keywords=[]):
                return self._call(node, function, arguments, run)
        raise Unproved(f"{ast.unparse(node)[:60]!r} is not a formula here")

    def _comparison(self, nodes: list[ast.expr], operators: list[str], run: int) -> Term:
        values = [self._value(node, run) for node in nodes]
        for left, operator, right in zip(values, operators, values[1:], strict=False):
            truths = self.terms.is_truth(left), self.terms.is_truth(right)
            if truths[0] != truths[1] or (truths[0] and operator not in ("==", "!=")):
                raise Unproved("a formula compares a truth value with a number, or orders truth values")
        steps = zip(values, operators, values[1:], strict=False)
        return self.terms.both(self.terms.compare(operator, left, right) for left, operator, right in steps)

    def _call(self, node: ast.Call, function: str, arguments: list[ast.expr], run: int) -> Term:
        terms, state, lists = self.terms, self.state, self.inputs.lists
        match function, arguments:
            case "hat", [operand]:
                return terms.arithmetic("-", self._number(operand, SECOND), self._number(operand, FIRST))
            case "other", [operand]:
                return self._value(operand, SECOND)
            case "len", [ast.Name(id=name)] if name in state.lengths:
                return state.lengths[name]
            case "len", [ast.Name(id=name)] if name in lists:
                return lists[name].length
            case "where", [ast.Name(id=name)] if name in lists and lists[name].where is not None:
                return lists[name].where
            case "rising", [ast.Name(id=name)] if name in lists and lists[name].rising is not None:
                return lists[name].rising
            case "cost", [ast.Constant(value=int() as site)] if site in state.costs:
                return state.costs[site]
            case "round", [ast.Constant(value=int() as loop)] if loop in state.rounds:
                return state.rounds[loop]
            case "draw", [] if self.draw is not None:
                return self.draw
            case "output", [] if self.ghost is not None:
                return self.ghost
            case "abs", [operand]:
                return terms.magnitude(self._number(operand, run))
            case (("min" | "max"), [_, _, *_]):
                values = [self._number(argument, run) for argument in arguments]
                best = values[0]
                for other in values[1:]:
                    best = terms.smaller(best, other) if function == "min" else terms.larger(best, other)
                return best
        raise Unproved(f"{ast.unparse(node)[:60]!r} is not a formula here")
