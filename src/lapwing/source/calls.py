"""Calls: noise becomes a draw, another mechanism becomes a call, the language's functions stay expressions."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import cast

from lapwing.kernel.program import ir, types, walk
from lapwing.kernel.program.ir import Boolean, Integer, List, Oracle, Real, Type, Unknown
from lapwing.kernel.program.vocabulary import CLAIM_FUNCTIONS
from lapwing.source import conversions, expressions, helpers, place_of_largest
from lapwing.source.acting import body_of
from lapwing.source.frame import Frame, Lowered, Out
from lapwing.source.language_words import (
    CONDITION_FUNCTIONS,
    CONVERSIONS,
    FUNCTIONS,
    INSTEAD,
    ITERATORS,
    NOISE,
    SAMPLING,
    instead,
)
from lapwing.source.spelling import plainly

#: The type of each draw, and the stem of the name it gets where the source gives none.
_DRAWS: dict[str, tuple[Type, str]] = {
    "laplace": (Real(), "noise"),
    "exponential": (Real(), "noise"),
    "gaussian": (Real(), "noise"),
    "discrete_laplace": (Integer(), "noise"),
    "discrete_gaussian": (Integer(), "noise"),
    "flip": (Boolean(), "coin"),
    "uniform": (Integer(), "pick"),
    "choose": (Integer(), "choice"),
}


def lower_call(frame: Frame, node: ast.Call, out: Out, into: str | None) -> Lowered:
    """The expression that stands for a call; draws and calls of mechanisms go to ``out``."""
    if (function := _function_parameter(frame, node.func)) is not None:
        return _asked(frame, node, *function, out, into)
    word = frame.word(node.func)
    if (callee := frame.callee(node)) is not None:
        if _is_written_out(frame, node, callee):
            written = plainly(frame.scope.mechanisms[callee], frame.scope, helper=True)
            return helpers.lower_helper(frame, node, written, out, into)
        return _mechanism(frame, node, callee, out, into)
    if isinstance(node.func, ast.Name) and node.func.id in frame.scope.helpers:
        return helpers.lower_helper(frame, node, frame.scope.helpers[node.func.id], out, into)
    if word in SAMPLING:
        return _sampled(frame, node, out, into)
    if word in NOISE:
        return _noise(frame, node, word, out, into)
    if word in FUNCTIONS:
        return _function(frame, node, word, out)
    if word in CONVERSIONS:
        return conversions.lower_conversion(frame, node, word, out)
    if word in CLAIM_FUNCTIONS:
        _count(frame, node, word, 1, 1)
        argument, _ = expressions.number(frame, node.args[0], out)
        name = "ln" if word == "log" else word
        # in a claim the real value is meant, in a program that value rounded away from 0
        return ir.Builtin(name if frame.claims else f"~{name}", (argument,), span=frame.scope.span(node)), Real()
    if word in CONDITION_FUNCTIONS and "result" in frame.bound:
        return _of_condition(frame, node, word)
    if word in ITERATORS:
        raise frame.scope.refused("P117", node, f"{word}(…) stands outside a for", f"Write it as 'for … in {word}(…)'")
    if word == "list" and len(node.args) == 1:
        value, kind = expressions.lower(frame, node.args[0], out)
        if isinstance(kind, List) and not node.keywords:
            return ir.Slice(value, None, None, span=frame.scope.span(node)), kind
    if word is None and isinstance(node.func, ast.Attribute):
        if node.func.attr == "index":
            return place_of_largest.lower_place(frame, node, node.func, out)
        if node.func.attr == "append":
            raise frame.scope.refused("P117", node, "append inside an expression", "Write it on a line of its own")
        raise frame.scope.refused(
            "P118", node.func, f"'.{node.func.attr}' is outside the language", instead(node.func.attr, "Attribute")
        )
    raise frame.scope.refused(
        "P118",
        node,
        f"'{word or 'this'}' is neither a mechanism of this file nor a function of the language",
        INSTEAD.get(word or "", "Define it in this file, once and without a decorator, or write out what it computes"),
    )


def _of_condition(frame: Frame, node: ast.Call, word: str) -> Lowered:
    """The words that only conditions on ``result`` have."""
    span = frame.scope.span(node)
    _count(frame, node, word, 1, 1)
    value, kind = expressions.lower(frame, node.args[0], None)
    if kind != List(Boolean()):
        raise frame.scope.refused("P134", node, "all(…) takes truth values", "Write all(x >= 0 for x in result)")
    return ir.Builtin(word, (value,), span=span), Boolean()


def _plain(frame: Frame, node: ast.Call) -> None:
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            raise frame.scope.refused("P113", argument, "arguments cannot be unpacked", instead("Starred"))


def _count(frame: Frame, node: ast.Call, word: str, least: int, most: int | None) -> None:
    _plain(frame, node)
    if node.keywords:
        raise frame.scope.refused("P140", node, f"{word}(…) takes no keywords", "Give plain arguments")
    if len(node.args) < least or (most is not None and len(node.args) > most):
        wanted = f"{least} or more arguments" if most is None else f"{least} argument{'s' if least > 1 else ''}"
        raise frame.scope.refused("P140", node, f"{word}(…) was given {len(node.args)} arguments", f"Give {wanted}")


def _noise(frame: Frame, node: ast.Call, kind: ir.NoiseKind, out: Out, into: str | None) -> Lowered:
    places = arguments(frame, node, kind, NOISE[kind])
    given: list[ir.Expression] = []
    for name, place in zip(NOISE[kind], places, strict=True):
        if name == "scores":
            given.append(_list_of_numbers(frame, place, out)[0])
        elif name == "n":
            given.append(expressions.whole(frame, place, out))
        else:
            given.append(expressions.number(frame, place, out)[0])
    statements = expressions.pure(frame, node, out)
    result, stem = _DRAWS[kind]
    target = into or frame.fresh(stem)
    span = frame.scope.span(node)
    statements.append(ir.Sample(target, kind, tuple(given), frame.site(), span=span))
    frame.assign(target, result, node)
    return ir.Name(target, span=span), result


def _sampled(frame: Frame, node: ast.Call, out: Out, into: str | None) -> Lowered:
    """``sample(xs, p)`` is the list that ``[x for x in xs if flip(p)]`` is."""
    records, chance = arguments(frame, node, "sample", SAMPLING["sample"])
    value, kind = expressions.lower(frame, records, out)
    if not isinstance(kind, List | Unknown):
        problem = f"a list is needed here, and this is {types.show(kind)}"
        raise frame.scope.refused("P138", records, problem, "Give a list of records")
    p, _ = expressions.number(frame, chance, out)
    statements, span = expressions.pure(frame, node, out), frame.scope.span(node)
    target = into if into is not None and into not in walk.names(ir.ListOf((value, p))) else frame.fresh("kept")
    row, coin = frame.fresh("row"), frame.fresh("coin")
    put = ir.Append(target, ir.Name(row, span=span), span=span)
    kept = ir.If(ir.Name(coin, span=span), (put,), (), span=span)
    drawn = ir.Sample(coin, "flip", (p,), frame.site(), span=span)
    statements.append(ir.Assign(target, ir.ListOf((), span=span), span=span))
    statements.append(ir.For(ir.Over(((row, value),), span=span), (drawn, kept), frame.loop(), span=span))
    element = kind.element if isinstance(kind, List) else Unknown()
    for name, held in ((target, List(element)), (row, element), (coin, Boolean())):
        frame.assign(name, held, node)
    return ir.Name(target, span=span), List(element)


def _is_written_out(frame: Frame, node: ast.Call, callee: str) -> bool:
    """Whether a call of a mechanism does what is written there, as a call of a helper does.

    What is proved of a mechanism speaks of its own neighbours, and computed private values seldom are those: nothing
    about ``noisy_count([x for x in rows if x > 0], e)`` follows from what noisy_count claims, and it is a sum over
    rows when it is written out; so it is where the list has a name of its own. A mechanism with asserts is called all
    the same, since those have to refuse; and so is one on a sample, whose neighbours are its own.
    """
    body, parameters = body_of(frame.scope.mechanisms[callee]), frame.callees[callee].parameters
    if isinstance(body[0], ast.Assert) or any(
        isinstance(each, ast.For | ast.While) and _answers(each) for each in body
    ):
        return False
    given = dict(zip((each.name for each in parameters), node.args, strict=False))
    given |= {each.arg: each.value for each in node.keywords if each.arg is not None}
    private = [given[each.name] for each in parameters if each.private and each.name in given]
    handed_on = {each.name for each in frame.signature.parameters if each.private}
    own = [isinstance(each, ast.Name) and (each.id in handed_on or _is_drawn(frame, each.id)) for each in private]
    return not any(map(frame.noisy, private)) and not all(own)


def _is_drawn(frame: Frame, name: str) -> bool:
    """Whether a list is one of draws: set to one, or filled in a loop that draws."""
    for each in ast.walk(frame.scope.mechanisms[frame.signature.name]):
        match each:
            case ast.Assign(targets=[ast.Name(id=known)], value=value) if known == name and frame.noisy(value):
                return True
            case ast.For() | ast.While() if frame.noisy(each) and _fills(each, name):
                return True
    return False


def _fills(loop: ast.stmt, name: str) -> bool:
    """Whether a loop appends to a list that was there before it."""
    parts = list(ast.walk(loop))
    if any(isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Store) for each in parts):
        return False
    return any(
        isinstance(each, ast.Attribute)
        and isinstance(each.value, ast.Name)
        and (each.value.id, each.attr) == (name, "append")
        for each in parts
    )


def _answers(statement: ast.stmt) -> bool:
    return any(isinstance(part, ast.Return) for part in ast.walk(statement))


def _mechanism(frame: Frame, node: ast.Call, callee: str, out: Out, into: str | None) -> Lowered:
    signature = frame.callees[callee]
    places = arguments(frame, node, callee, tuple(parameter.name for parameter in signature.parameters))
    given: list[ir.Expression] = []
    for parameter, place in zip(signature.parameters, places, strict=True):
        value, kind = expressions.lower(frame, place, out)
        if not types.fits(kind, parameter.type):
            raise frame.scope.refused(
                "P141",
                place,
                f"'{parameter.name}' of {callee} is {types.show(parameter.type)}, and this is {types.show(kind)}",
                "Give a value of the parameter's type",
            )
        given.append(value)
    statements = expressions.pure(frame, node, out)
    target = into or frame.fresh("answer")
    span = frame.scope.span(node)
    statements.append(ir.Call(target, callee, tuple(given), frame.site(), span=span))
    frame.assign(target, signature.returns, node)
    return ir.Name(target, span=span), signature.returns


def _function_parameter(frame: Frame, node: ast.expr) -> tuple[str, Oracle] | None:
    """The parameter that a called name stands for, if it is a function; also inside a helper that was given it."""
    if not isinstance(node, ast.Name) or node.id in frame.renamed or node.id in frame.bound:
        return None
    value, kind = frame.values.get(node.id, (None, None))
    if isinstance(value, ir.Name) and isinstance(kind, Oracle):
        return value.name, kind
    found = next((each for each in frame.signature.parameters if each.name == node.id), None)
    return None if found is None or not isinstance(found.type, Oracle) else (found.name, found.type)


def _asked(frame: Frame, node: ast.Call, name: str, function: Oracle, out: Out, into: str | None) -> Lowered:
    """A question to somebody's function."""
    _count(frame, node, name, len(function.arguments), len(function.arguments))
    given: list[ir.Expression] = []
    for wanted, place in zip(function.arguments, node.args, strict=True):
        value, kind = expressions.lower(frame, place, out)
        if not types.fits(kind, wanted):
            problem = f"'{name}' is asked with {types.show(wanted)}, and this is {types.show(kind)}"
            raise frame.scope.refused("P141", place, problem, "Give a value of the type that its annotation says")
        given.append(value)
    statements = expressions.pure(frame, node, out)
    target, span = into or frame.fresh("answer"), frame.scope.span(node)
    statements.append(ir.Asking(target, (ir.Name(name, span=span), *given), span=span))
    frame.assign(target, function.result, node)
    return ir.Name(target, span=span), function.result


def arguments(frame: Frame, node: ast.Call, word: str, names: Sequence[str]) -> list[ast.expr]:
    """The arguments in the order of ``names``. Keywords may not reorder draws, so they keep the written order."""
    _plain(frame, node)
    given = dict(zip(names, node.args, strict=False))
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg not in names or keyword.arg in given:
            raise frame.scope.refused(
                "P140", keyword, f"{word}(…) has no place for this argument", f"Give {', '.join(names)}"
            )
        given[keyword.arg] = keyword.value
    if len(node.args) > len(names) or len(given) < len(names):
        raise frame.scope.refused(
            "P140",
            node,
            f"{word}(…) was given {len(node.args) + len(node.keywords)} arguments",
            f"Give {', '.join(names)}",
        )
    if list(given) != list(names) and any(frame.noisy(value) for value in given.values()):
        raise frame.scope.refused(
            "P140", node, "arguments with noise out of order", f"Give them in the order {', '.join(names)}"
        )
    return [given[name] for name in names]


def _list_of_numbers(frame: Frame, node: ast.expr, out: Out, *, counting: bool = False) -> Lowered:
    """A list of numbers; of truth values too, where they are counted."""
    value, kind = expressions.lower(frame, node, out)
    if counting and kind == List(Boolean()):
        return _ones(frame, value), List(Integer())
    if isinstance(kind, Unknown) or (isinstance(kind, List) and types.is_number(kind.element)):
        return value, kind
    raise frame.scope.refused(
        "P138", node, f"a list of numbers is needed here, and this is {types.show(kind)}", "Give a list of numbers"
    )


def _ones(frame: Frame, truths: ir.Expression) -> ir.Expression:
    """A list of truth values as Python counts them: 1 where one holds, else 0."""
    span = truths.span
    one, zero = (ir.Number(Fraction(number), span=span) for number in (1, 0))
    if isinstance(truths, ir.Comprehension):
        return replace(truths, element=ir.Conditional(truths.element, one, zero, span=span))
    name = frame.fresh("each")
    counted = ir.Conditional(ir.Name(name, span=span), one, zero, span=span)
    return ir.Comprehension(counted, ir.Over(((name, truths),), span=span), None, span=span)


def _nested_sum(frame: Frame, node: ast.Call) -> ast.Call | None:
    """``sum(e for x in xs for y in ys)`` as a sum of sums, which needs no list."""
    match node.args:
        case [
            ast.ListComp(elt=element, generators=[first, *rest])
            | ast.GeneratorExp(elt=element, generators=[first, *rest])
        ]:
            if rest and not any(frame.noisy(each) for each in (element, first, *rest)):
                inner = ast.Call(node.func, [ast.GeneratorExp(element, rest)], [])
                outer = ast.Call(node.func, [ast.GeneratorExp(inner, [first])], [])
                for part in (inner, inner.args[0], outer, outer.args[0]):
                    ast.copy_location(part, node)
                return outer
    return None


def _function(frame: Frame, node: ast.Call, word: str, out: Out) -> Lowered:
    least, most = FUNCTIONS[word]
    _count(frame, node, word, least, most)
    span = frame.scope.span(node)
    if word == "len":
        value, kind = expressions.lower(frame, node.args[0], out)
        if not isinstance(kind, List | Unknown):
            raise frame.scope.refused(
                "P138", node.args[0], f"a list is needed here, and this is {types.show(kind)}", "Give a list"
            )
        return ir.Builtin(word, (value,), span=span), Integer()
    if word == "sum" and (nested := _nested_sum(frame, node)) is not None:
        return _function(frame, nested, word, out)
    if word == "sum" or (word in ("min", "max") and len(node.args) == 1):
        value, kind = _list_of_numbers(frame, node.args[0], out, counting=word == "sum")
        element = kind.element if isinstance(kind, List) else Unknown()
        # of no elements each of these is 0: a whole number, until something else is put in
        return ir.Builtin(word, (value,), span=span), Integer() if isinstance(element, Unknown) else element
    if word == "match":
        (a, left), (b, right) = (expressions.lower(frame, each, out) for each in node.args)
        if types.join(left, right) is None:
            raise frame.scope.refused(
                "P135", node, f"match of {types.show(left)} and {types.show(right)}", "Match two values of one type"
            )
        return ir.Builtin(word, (a, b), span=span), Boolean()
    parts = [expressions.number(frame, argument, out) for argument in node.args]
    kind = parts[0][1]
    for _, other in parts[1:]:
        kind = cast(Type, types.join(kind, other))
    return ir.Builtin(word, tuple(value for value, _ in parts), span=span), kind
