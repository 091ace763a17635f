"""Reads ``"100 * laplace(10) + 5 * gaussian(20)"``: what `lapwing compose` is asked about.

The one idea: an expression is a sum of counted terms and nothing else. Python's own parser reads it, a short
list of node types is let through, numbers are taken from the *text* (so 0.1 is one tenth), and nothing is
ever evaluated.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from lapwing.algebra import parameters
from lapwing.algebra.accounting.terms import (
    Approx,
    Concentrated,
    Gaussian,
    Laplace,
    Poisson,
    Pure,
    RandomizedResponse,
    Term,
    shown,
)
from lapwing.algebra.exact import exact
from lapwing.algebra.exact import shown as brief
from lapwing.errors import InvalidInput, LapwingError

T = TypeVar("T")

#: Limits that keep a hostile expression from costing more than an honest one.
MAX_LENGTH = 10_000
MAX_DEPTH = 50
MAX_COUNT = 10**9
MAX_DISTINCT = 200

_PARAMETERS: dict[str, tuple[str, ...]] = {
    "laplace": ("scale", "sensitivity", "steps"),
    "gaussian": ("sigma", "sensitivity", "steps"),
    "pure": ("epsilon",),
    "exponential": ("epsilon",),
    "approx": ("epsilon", "delta"),
    "zcdp": ("rho",),
    "randomized_response": ("keep",),
    "poisson": ("rate", "term"),
}
_OPTIONAL = {"sensitivity", "steps"}
_BUILDERS: dict[str, Callable[..., Term]] = {
    "laplace": Laplace,
    "gaussian": Gaussian,
    "pure": Pure,
    "exponential": Pure,
    "approx": Approx,
    "zcdp": Concentrated,
    "randomized_response": RandomizedResponse,
}


@dataclass(frozen=True, slots=True)
class Expression:
    """A sum of counted terms; equal terms are counted together, because the order of composition is irrelevant."""

    terms: tuple[tuple[int, Term], ...]

    @classmethod
    def of(cls, terms: Iterable[tuple[int, Term]]) -> Expression:
        """The sum of ``count`` times each ``term``."""
        counts: dict[Term, int] = {}
        for count, term in terms:
            if not isinstance(term, Term):
                raise InvalidInput(
                    "A515", f"a {type(term).__name__} is not a term", f"Use one of {', '.join(_PARAMETERS)}"
                )
            # A NumPy count would wrap around when it is added up.
            counts[term] = counts.get(term, 0) + parameters.whole(count, "count", least=0)
        if not counts:
            raise InvalidInput("A510", "there is nothing to compose", "Give a sum such as '100 * laplace(10)'")
        for term, count in counts.items():
            if not 1 <= count <= MAX_COUNT:
                raise InvalidInput(
                    "A511", f"{shown(term)} is counted {brief(count)} times", f"Count from 1 to {MAX_COUNT} times"
                )
        if len(counts) > MAX_DISTINCT:
            raise InvalidInput(
                "A512", f"the sum has {len(counts)} different terms", f"Give at most {MAX_DISTINCT} different terms"
            )
        return cls(tuple((count, term) for term, count in counts.items()))

    def times(self, count: int) -> Expression:
        """The whole sum, ``count`` times."""
        return Expression.of((count * each, term) for each, term in self.terms)

    def __str__(self) -> str:
        return " + ".join(shown(term) if count == 1 else f"{count} * {shown(term)}" for count, term in self.terms)


def parse(text: str) -> Expression:
    """The sum that ``text`` denotes; refuses, with the column, whatever is not a sum of counted terms."""
    if len(text) > MAX_LENGTH:
        raise InvalidInput("A513", f"the expression has {len(text)} characters", f"Give at most {MAX_LENGTH}")
    source = " ".join(text.split())  # one line, so that a column says where
    if not source:
        raise InvalidInput("A510", "there is nothing to compose", "Give a sum such as '100 * laplace(10)'")
    if not source.isascii() or "_" in source.replace("randomized_response", "") or _too_deep(source):
        # 1_0 and ９ are numbers to Python but not to a reader; deep nesting exhausts the parser's stack.
        raise _refused(source, 0, "the expression is not a plain sum of terms", _example())
    try:
        tree = ast.parse(source, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        column = (getattr(error, "offset", None) or 1) - 1
        raise _refused(source, column, "the expression cannot be read", _example()) from None
    return Expression.of(_sum(tree.body, source, 1, 0))


def _sum(node: ast.expr, source: str, count: int, depth: int) -> list[tuple[int, Term]]:
    if depth > MAX_DEPTH:
        raise _refused(source, node.col_offset, "the expression is nested too deeply", _example())
    later: list[tuple[int, Term]] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):  # a + b + c leans left: no recursion
        later = [*_sum(node.right, source, count, depth + 1), *later]
        node = node.left
    return [*_product(node, source, count, depth), *later]


def _product(node: ast.expr, source: str, count: int, depth: int) -> list[tuple[int, Term]]:
    match node:
        case ast.BinOp(left, ast.Mult(), right):
            if isinstance(left, ast.Constant):
                return _sum(right, source, count * _count(left, source), depth + 1)
            if isinstance(right, ast.Constant):
                return _sum(left, source, count * _count(right, source), depth + 1)
            raise _refused(
                source, node.col_offset, "a product has no count", "Write N * term, such as 100 * laplace(10)"
            )
        case ast.Call():
            return [(count, _term(node, source, depth))]
    raise _refused(source, node.col_offset, f"{_quoted(node, source)} is not a term", _nearest(node))


def _count(node: ast.Constant, source: str) -> int:
    number = node.value
    if type(number) is not int or not 1 <= number <= MAX_COUNT:
        raise _refused(
            source,
            node.col_offset,
            f"the count {_quoted(node, source)} is not a whole number from 1",
            f"Count to at most {MAX_COUNT}",
        )
    return number


def _term(node: ast.Call, source: str, depth: int) -> Term:
    if not isinstance(node.func, ast.Name) or node.func.id not in _PARAMETERS:
        raise _refused(
            source, node.col_offset, f"{_quoted(node.func, source)} is not a known term", _nearest(node.func)
        )
    name = node.func.id
    given = _arguments(node, name, source)
    if name == "poisson":
        return _poisson(given, source, depth)
    values = {key: _argument(value, key, source) for key, value in given.items()}
    return _built(lambda: _BUILDERS[name](**values), source, node.col_offset)


def _poisson(given: dict[str, ast.expr], source: str, depth: int) -> Term:
    rate, inner = _number(given["rate"], "rate", source), given["term"]
    _built(lambda: parameters.probability(rate, "rate"), source, given["rate"].col_offset)
    if not isinstance(inner, ast.Call) or depth > MAX_DEPTH:
        raise _refused(source, inner.col_offset, "poisson samples for one term", _form("poisson"))
    base = _term(inner, source, depth + 1)
    match base:
        case Poisson(inner_rate, innermost):  # a sample of a sample is a sample
            return _built(lambda: Poisson(rate * inner_rate, innermost), source, inner.col_offset)
        case Laplace() | Gaussian() | Pure() | RandomizedResponse() | Approx():
            return _built(lambda: Poisson(rate, base), source, inner.col_offset)
    raise _refused(
        source,
        inner.col_offset,
        f"no amplification by sampling is known for {shown(base)}",
        "Sample for laplace, gaussian or pure",
    )


def _arguments(node: ast.Call, name: str, source: str) -> dict[str, ast.expr]:
    wanted = _PARAMETERS[name]
    given: dict[str, ast.expr] = dict(zip(wanted, node.args, strict=False))
    extra = node.args[len(wanted) :]
    for keyword in node.keywords:
        if keyword.arg not in wanted or keyword.arg in given:
            raise _refused(source, keyword.col_offset, f"{name} has no such parameter here", _form(name))
        given[keyword.arg] = keyword.value
    if extra or any(key not in given for key in wanted if key not in _OPTIONAL):
        raise _refused(source, node.col_offset, f"{name} is given {len(node.args)} numbers", _form(name))
    return given


def _argument(node: ast.expr, name: str, source: str) -> Fraction | int:
    number = _number(node, name, source)
    if name != "steps":
        return number
    if number.denominator != 1:
        raise _refused(source, node.col_offset, "steps is not a whole number", "Give lattice steps per sensitivity")
    return number.numerator


def _number(node: ast.expr, name: str, source: str) -> Fraction:
    """A number, a quotient or a negative of such, read from the text: ``1/3``, ``2e-5``."""
    match node:
        case ast.Constant(int() | float()) if not isinstance(node.value, bool):
            text = ast.get_source_segment(source, node) or ""
            return _built_number(text, name, source, node.col_offset)
        case ast.UnaryOp(ast.USub(), ast.Constant() as inner):
            return -_number(inner, name, source)
        case ast.BinOp(ast.Constant() as above, ast.Div(), ast.Constant() as below):
            divisor = _number(below, name, source)
            if divisor != 0:
                return _number(above, name, source) / divisor
    raise _refused(
        source, node.col_offset, f"{_quoted(node, source)} is not a number", f"Give {name} as 10, 0.1, 1e-5 or 1/3"
    )


def _built_number(text: str, name: str, source: str, column: int) -> Fraction:
    try:
        return exact(text, name)
    except LapwingError as error:
        raise _refused(source, column, error.problem, error.remedy) from None


def _built(build: Callable[[], T], source: str, column: int) -> T:
    """What is built, or its own refusal with the column added."""
    try:
        return build()
    except LapwingError as error:
        raise type(error)(
            error.code, f"{error.problem}, at column {column + 1} of '{_short(source)}'", error.remedy
        ) from None


def _too_deep(source: str) -> bool:
    depth = deepest = 0
    for character in source:
        depth += (character == "(") - (character == ")")
        deepest = max(deepest, depth)
    return deepest > MAX_DEPTH or "**" in source


def _quoted(node: ast.expr, source: str) -> str:
    return f"'{_short(ast.get_source_segment(source, node) or '')}'"


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def _refused(source: str, column: int, problem: str, remedy: str) -> InvalidInput:
    return InvalidInput("A514", f"{problem}, at column {column + 1} of '{_short(source)}'", remedy)


def _nearest(node: ast.expr) -> str:
    name = node.id if isinstance(node, ast.Name) else ""
    close = difflib.get_close_matches(name.lower(), _PARAMETERS, n=1, cutoff=0.5)
    return f"Perhaps {_written(close[0])} was meant" if close else f"Use one of {', '.join(_PARAMETERS)}"


def _form(name: str) -> str:
    return f"Write {_written(name)}"


def _written(name: str) -> str:
    defaults = {"sensitivity": "sensitivity=1", "steps": "steps=N"}
    return f"{name}({', '.join(defaults.get(key, key) for key in _PARAMETERS[name])})"


def _example() -> str:
    return "Write a sum such as '100 * laplace(10) + 5 * gaussian(20)'"
