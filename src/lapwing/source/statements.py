"""Python statements → statements of the IR."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from typing import cast

from lapwing.kernel.program import ir, types
from lapwing.kernel.program.ir import Integer, List, Tuple, Type, Unknown
from lapwing.kernel.program.spans import Span
from lapwing.source import expressions, iteration, stepping
from lapwing.source.annotations import ANNOTATE, read_type
from lapwing.source.frame import Frame
from lapwing.source.language_words import RESERVED, instead

#: How the element that ``xs[i] = …`` sets is called while its new value is read: no variable of Python's has this name.
THIS = "xs[i]"


def lower_block(frame: Frame, body: Sequence[ast.stmt]) -> tuple[ir.Statement, ...]:
    """The statements for a block; what follows a return, break or continue is refused."""
    out: list[ir.Statement] = []
    for position, statement in enumerate(body):
        _lower(frame, statement, out)
        if isinstance(statement, ast.Return | ast.Break | ast.Continue) and position + 1 < len(body):
            raise frame.scope.refused("P150", body[position + 1], "this can never run", "Remove it")
    return tuple(out)


def _lower(frame: Frame, node: ast.stmt, out: list[ir.Statement]) -> None:
    span = frame.scope.span(node)
    match node:
        case ast.Pass():
            pass
        case ast.Assign(targets=[target], value=value):
            _assign(frame, target, value, out)
        case ast.Assign(targets=targets, value=value):
            _chain(frame, targets, value, out)
        case ast.AnnAssign(target=target, annotation=annotation, value=ast.expr() as value):
            declared = read_type(annotation)
            if declared is None:
                raise frame.scope.refused("P130", annotation, "this type is outside the language", ANNOTATE)
            _assign(frame, target, value, out)
            name = variable(frame, target)
            if not types.fits(frame.types[name], declared):
                raise frame.scope.refused(
                    "P131",
                    node,
                    f"'{name}' is {types.show(frame.types[name])}, not {types.show(declared)}",
                    "Correct one",
                )
        case ast.AugAssign(target=ast.Name(id=name) as target, op=operator, value=value):
            variable(frame, target)
            old = ast.copy_location(ast.Name(name, ast.Load()), target)
            _assign(frame, target, ast.copy_location(ast.BinOp(old, operator, value), node), out)
        case ast.AugAssign(
            target=ast.Subscript(value=ast.Name() | ast.Subscript(value=ast.Name()), slice=ast.expr()) as target,
            op=operator,
            value=value,
        ):
            if frame.noisy(target):  # read and written, it would be drawn twice
                raise frame.scope.refused("P155", target, "the place is drawn here", "Set a variable to it")
            read = ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target)
            _assign(frame, target, ast.copy_location(ast.BinOp(read, operator, value), node), out)
        case ast.If(test=test, body=then, orelse=otherwise):
            condition = expressions.condition(frame, test, out)
            out.append(ir.If(condition, lower_block(frame, then), lower_block(frame, otherwise), span=span))
        case ast.For(target=target, iter=iterable, body=body):
            _loop(frame, node, target, iterable, body, out)
        case ast.While(test=test, body=body):
            _while(frame, node, test, body, out)
        case ast.Break():
            out.append(ir.Break(span=span))
        case ast.Continue():
            out.append(ir.Continue(span=span))
        case ast.Return(value=ast.expr() as value):
            _return(frame, value, out, span)
        case ast.Return():
            raise frame.scope.refused("P153", node, "return without a value", "Return the answer")
        case ast.Expr(value=value):
            _expression(frame, value, out)
        case ast.Assert():
            raise frame.scope.refused(
                "P154",
                node,
                "an assert after the first statement",
                "Move it to the top, and state it of public parameters",
            )
        case ast.AugAssign() | ast.AnnAssign():
            raise frame.scope.refused(
                "P151", node, "this assignment is outside the language", "Assign a value to a plain name"
            )
        case _:
            raise frame.scope.refused(
                "P113", node, "this statement is outside the language", instead(type(node).__name__)
            )


def variable(frame: Frame, node: ast.expr) -> str:
    """The program's name for the plain variable that ``node`` sets."""
    if isinstance(node, ast.Subscript):
        raise frame.scope.refused(
            "P155", node, "an element is assigned here", "Assign one element of a list on a line of its own: xs[i] = x"
        )
    if not isinstance(node, ast.Name):
        raise frame.scope.refused("P151", node, "only plain names can be assigned", "Assign to a variable")
    return frame.renamed.get(node.id, node.id)


def check_name(frame: Frame, node: ast.Name) -> None:
    """Refuse variables named like a function of the language."""
    meant = {node.id, *frame.scope.meanings(node.id)}
    if RESERVED & meant or node.id in frame.scope.mechanisms:
        raise frame.scope.refused(
            "P156", node, f"'{node.id}' is a function here and cannot be a variable", "Rename the variable"
        )


def _assign(frame: Frame, target: ast.expr, value: ast.expr, out: list[ir.Statement]) -> None:
    if isinstance(target, ast.Tuple):
        _unpack(frame, target, value, out)
        return
    if isinstance(target, ast.Subscript):
        _update(frame, target, value, out)
        return
    name = variable(frame, target)
    expression, kind = expressions.lower(frame, value, out, into=name)
    frame.assign(name, kind, target)
    _store(frame, name, expression, target, out)


def _chain(frame: Frame, targets: list[ast.expr], value: ast.expr, out: list[ir.Statement]) -> None:
    """``a = b = value``: one value, and its names from left to right."""
    for each in targets:
        variable(frame, each)  # plain names only
    _assign(frame, targets[0], value, out)
    for each in targets[1:]:
        if isinstance(value, ast.Constant):  # a number has no names: each variable may have a type of its own
            _assign(frame, each, value, out)
            continue
        _assign(frame, each, ast.copy_location(ast.Name(cast(ast.Name, targets[0]).id, ast.Load()), each), out)


def _update(frame: Frame, target: ast.Subscript, value: ast.expr, out: list[ir.Statement]) -> None:
    """``xs[i] = v``: a new list, with v at that place; where there is no such place, the list stays as it is.

    ``xs[i][j] = v`` the same of a list in a list: a new one, with another list at that place.
    """
    span, within = frame.scope.span(target), target.value
    places = [target.slice]
    if isinstance(within, ast.Subscript):
        places, within = [within.slice, target.slice], within.value
    written = within.id if isinstance(within, ast.Name) else ""
    name = frame.renamed.get(written, written)
    if (name not in frame.locals and name not in frame.fresh_names) or written in frame.values:
        raise frame.scope.refused("P158", within, "this is not a list of this mechanism", "Copy it first: xs = q[:]")
    if any(isinstance(each, ast.Slice) for each in places):
        raise frame.scope.refused("P155", target, "a slice is assigned", "Build a new list")
    held = [frame.types.get(name, Unknown())]
    for _ in places:
        held.append(_element(held[-1]))
    walked = [(frame.fresh("i"), frame.fresh("each")) for _ in places]
    alone = not frame.noisy(value)  # what draws goes in front of the update, where no element is at hand
    if alone:
        frame.values[THIS] = ir.Name(walked[-1][1], span=span), held[-1]
        value = _This(target).visit(copy.deepcopy(value))
    item, kind = expressions.lower(frame, value, out)  # Python evaluates the value first
    frame.values.pop(THIS, None)
    indexes = [expressions.whole(frame, each, out) for each in places]
    lists = [ir.Name(name, span=span), *(ir.Name(each, span=span) for _, each in walked[:-1])]
    for index, (counter, each), listed, its in reversed(list(zip(indexes, walked, lists, held[:-1], strict=True))):
        if not isinstance(its, List | Unknown):
            raise frame.scope.refused("P137", target.value, f"{types.show(its)} cannot be indexed", "Index a list")
        here: ir.Expression = ir.Compare("==", ir.Name(counter, span=span), index, span=span)
        if not isinstance(index, ir.Number):  # from the end, where it is below 0
            length = ir.Builtin("len", (listed,), span=span)
            before = ir.Arithmetic("-", ir.Name(counter, span=span), length, span=span)
            here = ir.Or((here, ir.Compare("==", before, index, span=span)), span=span)
        element = ir.Conditional(here, item, ir.Name(each, span=span), span=span)
        item = ir.Comprehension(element, ir.Over(((each, listed),), counter, span=span), None, span=span)
        kind = List(kind)
    frame.assign(name, kind, target)
    statement = ir.Assign(name, item, span=span)
    (frame.updates if len(places) == 1 else frame.cells).append(statement)
    out.append(statement)


class _This(ast.NodeTransformer):
    """``xs[i] = xs[i] + 1`` reads the very element that it sets: so the new list needs no place but its own."""

    def __init__(self, target: ast.Subscript) -> None:
        self.read = ast.dump(ast.Subscript(target.value, target.slice, ast.Load()))

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """The element, where it is read."""
        if ast.dump(node) == self.read:
            return ast.copy_location(ast.Name(THIS, ast.Load()), node)
        return cast(ast.expr, self.generic_visit(node))

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        """As it is: its variables may have the names of others."""
        return node

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.expr:
        """As it is."""
        return node


def _element(kind: Type) -> Type:
    return kind.element if isinstance(kind, List) else Unknown()


def _store(frame: Frame, name: str, value: ir.Expression, place: ast.AST, out: list[ir.Statement]) -> None:
    if value != ir.Name(name):  # a draw or call went straight into the variable
        out.append(ir.Assign(name, value, span=frame.scope.span(place)))


def _unpack(frame: Frame, target: ast.Tuple, value: ast.expr, out: list[ir.Statement]) -> None:
    names = [variable(frame, each) for each in target.elts]
    if len(set(names)) < len(names):
        raise frame.scope.refused("P143", target, "one variable is set twice", "Give each its own name")
    span = frame.scope.span(target)
    if isinstance(value, ast.Tuple):
        if len(value.elts) != len(names):
            raise frame.scope.refused(
                "P157", value, f"{len(value.elts)} values for {len(names)} names", "Make them match"
            )
        parts = [expressions.lower(frame, each, out) for each in value.elts]
        mentioned = {part.id for part in ast.walk(value) if isinstance(part, ast.Name)}
        if mentioned & {each.id for each in target.elts if isinstance(each, ast.Name)}:
            before = [frame.fresh("held") for _ in names]  # a, b = b, a reads both before it sets either
            for name, (part, kind) in zip(before, parts, strict=True):
                frame.assign(name, kind, target)
                out.append(ir.Assign(name, part, span=span))
            parts = [(ir.Name(name, span=span), kind) for name, (_, kind) in zip(before, parts, strict=True)]
    else:
        record, kind = expressions.lower(frame, value, out)
        if not isinstance(record, ir.Name) or record.name in names:  # evaluated once, before anything is set
            held = frame.fresh("held")
            frame.assign(held, kind, target)
            out.append(ir.Assign(held, record, span=span))
            record = ir.Name(held, span=span)
        if not isinstance(kind, Tuple | Unknown) or (isinstance(kind, Tuple) and len(kind.elements) != len(names)):
            raise frame.scope.refused(
                "P157", value, f"{types.show(kind)} for {len(names)} names", "Unpack a tuple of that size"
            )
        kinds: Sequence[Type] = kind.elements if isinstance(kind, Tuple) else [Unknown()] * len(names)
        parts = [(ir.Item(record, i, span=span), each) for i, each in enumerate(kinds)]
    for name, (part, kind) in zip(names, parts, strict=True):
        frame.assign(name, kind, target)
        _store(frame, name, part, target, out)


def _loop(
    frame: Frame, node: ast.For, target: ast.expr, iterable: ast.expr, body: list[ast.stmt], out: list[ir.Statement]
) -> None:
    if isinstance(iterable, ast.Call) and stepping.goes_by_steps(frame, iterable):
        _stepped(frame, target, iterable, body, out)
        return
    walked = iteration.lower_source(frame, target, iterable, out, lambda name: frame.renamed.get(name, name))
    for name, kind in walked.kinds.items():
        frame.assign(name, kind, target)
    first: list[ir.Statement] = []
    for name, value, kind in walked.computed:
        frame.assign(name, kind, target)
        first.append(ir.Assign(name, value, span=frame.scope.span(target)))
    number, outside = frame.loop(), frame.naturals
    frame.naturals |= iteration.natural_counters(frame, target, iterable, body)
    try:
        rounds = lower_block(frame, body)
    finally:
        frame.naturals = outside
    out.append(ir.For(walked.source, (*first, *rounds), number, span=frame.scope.span(node)))


def _stepped(frame: Frame, target: ast.expr, iterable: ast.Call, body: list[ast.stmt], out: list[ir.Statement]) -> None:
    """A loop by steps, whose variable nothing else may set in a round."""
    own, span = variable(frame, target), frame.scope.span(target)
    word = target.id if isinstance(target, ast.Name) else own
    parts = [part for each in body for part in ast.walk(each)]
    if any(isinstance(part, ast.Name) and part.id == word and isinstance(part.ctx, ast.Store) for part in parts):
        raise frame.scope.refused("P143", target, f"'{word}' is set inside its own loop", "Use another variable there")
    goes_on = any(isinstance(part, ast.Continue) for part in parts)  # then the counter is raised at once

    def inside(counter: str) -> list[ir.Statement]:
        frame.assign(own, Integer(), target)
        kept = ir.Assign(own, ir.Name(counter, span=span), span=span)  # what it holds behind the loop
        before = frame.renamed
        frame.renamed = before if goes_on else {**before, word: counter}
        try:
            return [kept, *lower_block(frame, body)]
        finally:
            frame.renamed = before

    ends = [expressions.whole(frame, argument, out) for argument in iterable.args]
    stepping.lower_steps(frame, iterable, ends, frame.fresh(word), inside, out)


def _while(frame: Frame, node: ast.While, test: ast.expr, body: list[ast.stmt], out: list[ir.Statement]) -> None:
    span = frame.scope.span(node)
    before: list[ir.Statement] = []
    number = frame.loop()
    condition = expressions.condition(frame, test, before)
    if not before:
        out.append(ir.While(condition, lower_block(frame, body), number, span=span))
        return
    # noise in the condition is drawn anew before every round
    stop = ir.If(ir.Not(condition, span=span), (ir.Break(span=span),), (), span=span)
    rounds = (*before, stop, *lower_block(frame, body))
    out.append(ir.While(ir.Truth(True, span=span), rounds, number, span=span))


def _return(frame: Frame, value: ast.expr, out: list[ir.Statement], span: Span) -> None:
    expression, kind = expressions.lower(frame, value, out)
    wanted = frame.signature.returns
    if not types.fits(kind, wanted):
        raise frame.scope.refused(
            "P139",
            value,
            f"this is {types.show(kind)}, and the mechanism returns {types.show(wanted)}",
            "Make the annotation and the value agree",
        )
    if isinstance(expression, ir.Name) and expression.name in frame.types:
        frame.assign(expression.name, _filled(frame.types[expression.name], wanted), value)
    out.append(ir.Return(expression, span=span))


def _filled(kind: Type, wanted: Type) -> Type:
    """``kind`` with the element of a list that is still unknown taken from what the mechanism returns."""
    if isinstance(kind, List) and isinstance(kind.element, Unknown) and isinstance(wanted, List):
        return wanted
    return kind


def _expression(frame: Frame, value: ast.expr, out: list[ir.Statement]) -> None:
    span = frame.scope.span(value)
    match value:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name) as owner, attr="append"), args=[element], keywords=[]):
            target = frame.renamed.get(name, name)
            if target not in frame.locals and target not in frame.fresh_names:
                raise frame.scope.refused(
                    "P158", owner, f"'{name}' is not a list of this mechanism", "Start a new list: out = []"
                )
            item, kind = expressions.lower(frame, element, out)
            frame.assign(target, List(kind), value)
            out.append(ir.Append(target, item, span=span))
        case ast.Call(func=ast.Attribute(attr=attribute)):
            raise frame.scope.refused(
                "P118", value, f"'.{attribute}' is outside the language", instead(attribute, "Attribute")
            )
        case ast.Yield() | ast.YieldFrom() | ast.Await():
            raise frame.scope.refused("P113", value, "this is outside the language", instead(type(value).__name__))
        case ast.Call(func=ast.Name(id="print")):
            raise frame.scope.refused("P118", value, "'print' is outside the language", instead("print"))
        case _:
            raise frame.scope.refused("P159", value, "the value of this line is not used", "Assign it to a variable")
