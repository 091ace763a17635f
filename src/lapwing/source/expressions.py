"""Python expressions → pure expressions of the IR, with noise taken out in front.

``lower`` returns an expression and its type, and appends to ``out`` the statements that must run before it: draws,
calls, and the branches and loops that conditional expressions, ``and``/``or`` and comprehensions become when there is
noise inside them. Pure operands keep their place: nothing a draw does can change their value. With ``out=None`` the
expression must be pure (claims, distances, asserts).
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from typing import Literal

from lapwing.algebra.exact import exact
from lapwing.kernel.program import ir, types
from lapwing.kernel.program.ir import Boolean, Integer, List, Real, Tuple, Type, Unknown
from lapwing.source import calls, iteration, written_operators
from lapwing.source.frame import Frame, Lowered, Out
from lapwing.source.language_words import instead
from lapwing.source.numerals import REMEDY, is_rounded
from lapwing.source.stepping import step_of
from lapwing.source.unset import NONE, nothing

_COMPARE: dict[type[ast.cmpop], Literal["<", "<=", ">", ">=", "==", "!="]] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}

#: Longer whole numbers are refused; floats end there too.
MAX_LITERAL_BITS = 1024
#: More values than anybody puts into one tuple, those inside its parts included: a tuple of itself twice doubles.
MAX_PARTS = 200


def lower(frame: Frame, node: ast.expr, out: Out, into: str | None = None) -> Lowered:
    """The pure expression for ``node``; ``into`` names the variable that is about to receive its value."""
    span = frame.scope.span(node)
    if isinstance(node, ast.Call | ast.Attribute | ast.Constant):
        _check_something(frame, node)
    match node:
        case ast.Constant(value=bool(value)):
            return ir.Truth(value, span=span), Boolean()
        case ast.Constant(value=int() | float() as value):
            if not (math.isfinite(value) if isinstance(value, float) else value.bit_length() <= MAX_LITERAL_BITS):
                raise frame.scope.refused(
                    "P110", node, "this number is too large", f"Write a finite number below 2^{MAX_LITERAL_BITS}"
                )
            real = isinstance(value, float)
            written = frame.scope.source.line(span.line)[span.column - 1 : span.end_column - 1]
            if isinstance(value, float) and is_rounded(written, value):
                raise frame.scope.refused("P110", node, "this number has more digits than are read", REMEDY)
            return ir.Number(exact(value), real, span=span), Real() if real else Integer()
        case ast.Constant(value=value):
            what = "text" if isinstance(value, str) else repr(value)
            raise frame.scope.refused("P111", node, f"{what} is not a value of the language", instead("JoinedStr"))
        case ast.Name(id=name):
            return _name(frame, node, name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner, negated = number(frame, operand, out)
            return ir.Negate(inner, span=span), negated
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return number(frame, operand, out)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return ir.Not(condition(frame, operand, out), span=span), Boolean()
        case ast.BinOp():
            return written_operators.lower_arithmetic(frame, node, out)
        case ast.Compare():
            return _compare(frame, node, out), Boolean()
        case ast.BoolOp():
            return _logic(frame, node, out), Boolean()
        case ast.IfExp():
            return _conditional(frame, node, out)
        case ast.Call():
            return calls.lower_call(frame, node, out, into)
        case ast.List(elts=elements):
            return _list(frame, node, elements, out)
        case ast.Tuple(elts=elements):
            if len(elements) < 2:
                raise frame.scope.refused("P112", node, "a tuple of fewer than two values", "Write the value alone")
            parts = [lower(frame, element, out) for element in elements]
            kind = Tuple(tuple(t for _, t in parts))
            if next(islice(_parts(kind), MAX_PARTS, None), None) is not None:
                raise frame.scope.refused("P112", node, f"a tuple of more than {MAX_PARTS} values", "Use a list")
            return ir.TupleOf(tuple(e for e, _ in parts), span=span), kind
        case ast.Subscript():
            return _subscript(frame, node, out)
        case ast.ListComp(elt=element, generators=generators) | ast.GeneratorExp(elt=element, generators=generators):
            return iteration.lower_comprehension(frame, node, element, generators, out, into)
    name = type(node.op).__name__ if isinstance(node, ast.UnaryOp) else type(node).__name__
    raise frame.scope.refused("P113", node, "this expression is outside the language", instead(name))


def number(frame: Frame, node: ast.expr, out: Out) -> Lowered:
    """Like :func:`lower`, for what must be a number."""
    expression, kind = lower(frame, node, out)
    if not types.is_number(kind):
        remedy = "Write 1 if it holds else 0" if isinstance(kind, Boolean) else "Give a number"
        raise frame.scope.refused("P132", node, f"a number is needed here, and this is {types.show(kind)}", remedy)
    return expression, kind


def whole(frame: Frame, node: ast.expr, out: Out) -> ir.Expression:
    """Like :func:`lower`, for what must be a whole number."""
    expression, kind = number(frame, node, out)
    if isinstance(kind, Real):
        raise frame.scope.refused(
            "P133", node, "a whole number is needed here, and this is float", "Annotate it as int"
        )
    return expression


def condition(frame: Frame, node: ast.expr, out: Out) -> ir.Expression:
    """Like :func:`lower`, for what must be a truth value."""
    expression, kind = lower(frame, node, out)
    if not isinstance(kind, Boolean | Unknown):
        raise frame.scope.refused(
            "P134", node, f"a truth value is needed here, and this is {types.show(kind)}", "Compare it: x != 0"
        )
    return expression


def _check_something(frame: Frame, node: ast.expr) -> None:
    """Refuse None and what is infinite; where it can be said in other words, it has been."""
    kind = nothing(frame.scope, node)
    if kind is not None:
        remedy = "Return numbers, truth values, lists or tuples; -1 may stand for no place"
        if kind != NONE:
            remedy = "Only compare what begins so (v > best), or begin with the first element"
        raise frame.scope.refused("P111", node, f"{kind} is not a value of the language", remedy)


def _name(frame: Frame, node: ast.Name, name: str) -> Lowered:
    span = frame.scope.span(node)
    if name in frame.values:
        return frame.values[name]
    known = frame.renamed.get(name, name)
    if known in frame.bound:
        return ir.Name(known, span=span), frame.bound[known]
    parameter = next((each for each in frame.signature.parameters if each.name == known), None)
    if parameter is not None:
        return ir.Name(known, span=span), parameter.type
    # the caller's variables mean nothing in a helper: its own all have other names in the program
    if (known in frame.locals or known in frame.fresh_names) and (name in frame.renamed or not frame.helpers):
        return ir.Name(known, span=span), frame.types.get(known, Unknown())
    if name in frame.scope.constants:
        value, kind = lower(frame, frame.scope.constants[name], None)
        return value, kind
    raise frame.scope.refused(
        "P120",
        node,
        f"'{name}' is neither a parameter nor a variable of this mechanism, nor a number set once in this file",
        "Pass it as a parameter",
    )


def _compare(frame: Frame, node: ast.Compare, out: Out) -> ir.Expression:
    # in a chain Python skips later operands once a comparison fails, so noise there is drawn or not
    if len(node.ops) > 1 and any(frame.noisy(later) for later in node.comparators[1:]):
        if any(frame.noisy(middle) for middle in node.comparators[:-1]):
            raise frame.scope.refused(
                "P114", node, "noise in the middle of a chain of comparisons", "Draw it on a line before"
            )
        return _logic(frame, _linked(node), out)
    span = frame.scope.span(node)
    if isinstance(node.ops[0], ast.In | ast.NotIn) and len(node.ops) == 1:
        found = written_operators.member(frame, node, lower(frame, node.left, out), node.comparators[0], out)
        return found if isinstance(node.ops[0], ast.In) else ir.Not(found, span=span)
    operands = [(each, *lower(frame, each, out)) for each in (node.left, *node.comparators)]
    links: list[ir.Expression] = []
    for operator, (_, left, a), (place, right, b) in zip(node.ops, operands, operands[1:], strict=False):
        symbol = _COMPARE.get(type(operator))
        if symbol is None:
            raise frame.scope.refused(
                "P113", node, "this comparison is outside the language", instead(type(operator).__name__)
            )
        truths = symbol in ("==", "!=") and all(isinstance(each, Boolean | Unknown) for each in (a, b))
        if not truths and not (types.is_number(a) and types.is_number(b)):
            raise frame.scope.refused(
                "P135",
                place,
                f"{types.show(a)} {symbol} {types.show(b)} has no meaning",
                "Compare numbers with numbers; use a truth value as it is",
            )
        links.append(ir.Compare(symbol, left, right, span=span))
    return links[0] if len(links) == 1 else ir.And(tuple(links), span=span)


def _linked(node: ast.Compare) -> ast.BoolOp:
    """A chain of comparisons as what it means: ``a < b and b < c``, where b is the same each time."""
    operands = (node.left, *node.comparators)
    links: list[ast.expr] = [
        ast.copy_location(ast.Compare(left, [operator], [right]), node)
        for left, operator, right in zip(operands, node.ops, node.comparators, strict=False)
    ]
    return ast.copy_location(ast.BoolOp(ast.And(), links), node)


def _logic(frame: Frame, node: ast.BoolOp, out: Out) -> ir.Expression:
    span = frame.scope.span(node)
    build = ir.And if isinstance(node.op, ast.And) else ir.Or
    late = next((i for i, value in enumerate(node.values) if i > 0 and frame.noisy(value)), None)
    if late is None:
        return build(tuple(condition(frame, value, out) for value in node.values), span=span)
    # a and b, with noise in b: b is only evaluated (and drawn) when a holds
    first = [condition(frame, value, out) for value in node.values[:late]]
    target = frame.fresh("both" if isinstance(node.op, ast.And) else "either")
    rest = node.values[late] if late + 1 == len(node.values) else ast.BoolOp(node.op, node.values[late:])
    ast.copy_location(rest, node.values[late])
    then: list[ir.Statement] = []
    value = condition(frame, rest, then)
    then.append(ir.Assign(target, value, span=span))
    known = first[0] if late == 1 else build(tuple(first), span=span)
    pure(frame, node, out).append(ir.Assign(target, known, span=span))
    frame.assign(target, Boolean(), node)
    # the test is written out once more, so that whoever reads the branch sees what it is about
    test = known if isinstance(node.op, ast.And) else ir.Not(known, span=span)
    pure(frame, node, out).append(ir.If(test, tuple(then), (), span=span))
    return ir.Name(target, span=span)


def _conditional(frame: Frame, node: ast.IfExp, out: Out) -> Lowered:
    span = frame.scope.span(node)
    test = condition(frame, node.test, out)
    branches: tuple[list[ir.Statement], list[ir.Statement]] = ([], [])
    noisy = frame.noisy(node.body) or frame.noisy(node.orelse)
    then, a = lower(frame, node.body, branches[0] if noisy else out)
    otherwise, b = lower(frame, node.orelse, branches[1] if noisy else out)
    kind = types.join(a, b)
    if kind is None:
        raise frame.scope.refused(
            "P131", node, f"this is {types.show(a)} or {types.show(b)}", "Give both branches one type"
        )
    if not noisy:
        return ir.Conditional(test, then, otherwise, span=span), kind
    target = frame.fresh("value")
    frame.assign(target, kind, node)
    branches[0].append(ir.Assign(target, then, span=span))
    branches[1].append(ir.Assign(target, otherwise, span=span))
    pure(frame, node, out).append(ir.If(test, tuple(branches[0]), tuple(branches[1]), span=span))
    return ir.Name(target, span=span), kind


def _list(frame: Frame, node: ast.List, elements: list[ast.expr], out: Out) -> Lowered:
    kind: Type = Unknown()
    parts: list[ir.Expression] = []
    for element in elements:
        value, found = lower(frame, element, out)
        joined = types.join(kind, found)
        if joined is None:
            raise frame.scope.refused(
                "P131", element, f"{types.show(found)} in a list of {types.show(kind)}", "Use one type per list"
            )
        kind = joined
        parts.append(value)
    return ir.ListOf(tuple(parts), span=frame.scope.span(node)), List(kind)


def _every(frame: Frame, sequence: ir.Expression, step: int) -> ir.Expression:
    """Every ``step``-th element, from the first on."""
    span = sequence.span
    each, place = ir.Name(frame.fresh("each"), span=span), ir.Name(frame.fresh("i"), span=span)
    rest = ir.Builtin("%", (place, ir.Number(Fraction(step), span=span)), span=span)
    test = ir.Compare("==", rest, ir.Number(Fraction(0), span=span), span=span)
    return ir.Comprehension(each, ir.Over(((each.name, sequence),), place.name, span=span), test, span=span)


def _subscript(frame: Frame, node: ast.Subscript, out: Out) -> Lowered:
    span = frame.scope.span(node)
    sequence, kind = lower(frame, node.value, out)
    if isinstance(kind, Tuple):
        match node.slice:
            case ast.Constant(value=int(position)) if 0 <= position < len(kind.elements):
                return ir.Item(sequence, position, span=span), kind.elements[position]
        raise frame.scope.refused(
            "P136", node.slice, f"a tuple of {len(kind.elements)} is read by its positions", "Write t[0], t[1], …"
        )
    if not isinstance(kind, List | Unknown):
        raise frame.scope.refused("P137", node.value, f"{types.show(kind)} cannot be indexed", "Index a list")
    element = kind.element if isinstance(kind, List) else Unknown()
    if isinstance(node.slice, ast.Slice):
        step = 1 if node.slice.step is None else step_of(node.slice.step) or 0
        if step < 1:
            raise frame.scope.refused("P115", node.slice, "a slice with this step", "Write xs[a:b], xs[::2], or a loop")
        start = None if node.slice.lower is None else whole(frame, node.slice.lower, out)
        stop = None if node.slice.upper is None else whole(frame, node.slice.upper, out)
        if start is not None or stop is not None or step == 1:
            sequence = ir.Slice(sequence, start, stop, span=span)
        return (sequence if step == 1 else _every(frame, sequence, step)), kind
    index = whole(frame, node.slice, out)
    if frame.settled and isinstance(element, Unknown):
        raise frame.scope.refused(
            "P131", node, "nothing is ever put into this list, so its elements have no type", "Put a value into it"
        )
    return ir.Index(sequence, index, types.settled(element), span=span), element


def _parts(kind: Type) -> Iterator[Type]:
    """The types of all values in one of this type."""
    if isinstance(kind, Tuple):
        for each in kind.elements:
            yield from _parts(each)
    else:
        yield kind


def pure(frame: Frame, node: ast.AST, out: Out) -> list[ir.Statement]:
    """``out``, which an expression with noise needs; refuses noise where there can be none."""
    if out is None:
        raise frame.scope.refused("P116", node, "noise has no place here", "Use public parameters only")
    return out
