"""``xs.index(max(xs))``: the place of the first largest element, which a loop keeps as it goes."""

from __future__ import annotations

import ast

from lapwing.kernel.program import ir, types
from lapwing.source import expressions
from lapwing.source.frame import Frame, Lowered, Out

#: How an element compares with the best so far if it is better.
_BETTER = {"max": ">", "min": "<"}


def lower_place(frame: Frame, node: ast.Call, method: ast.Attribute, out: Out) -> Lowered:
    """The place of the first largest or smallest element of a list that has a name; 0 where the list is empty."""
    match method.value, node:
        case ast.Name(id=name), ast.Call(
            args=[ast.Call(func=function, args=[ast.Name(id=same)], keywords=[])], keywords=[]
        ):
            word = frame.word(function)
        case _:
            name, same, word = "", "?", None
    if name != same or word not in _BETTER:
        raise frame.scope.refused(
            "P118", method, "'.index' is outside the language", "Write xs.index(max(xs)), or the loop that compares"
        )
    listed, kind = expressions.lower(frame, method.value, out)
    if not isinstance(kind, ir.List | ir.Unknown):
        raise frame.scope.refused(
            "P138", method.value, f"a list is needed here, and this is {types.show(kind)}", "Give a list"
        )
    statements, span = expressions.pure(frame, node, out), frame.scope.span(node)
    where, best, place, each = (frame.fresh(stem) for stem in ("where", "best", "place", "each"))
    element = kind.element if isinstance(kind, ir.List) else ir.Unknown()
    for variable, held in ((where, ir.Integer()), (best, element), (place, ir.Integer()), (each, element)):
        frame.assign(variable, held, node)
    first = ir.Compare("==", ir.Name(place, span=span), ir.ZERO, span=span)
    better = ir.Compare(_BETTER[word], ir.Name(each, span=span), ir.Name(best, span=span), span=span)  # type: ignore[arg-type]  # a comparison
    kept = (
        ir.Assign(best, ir.Name(each, span=span), span=span),
        ir.Assign(where, ir.Name(place, span=span), span=span),
    )
    statements += [ir.Assign(where, ir.ZERO, span=span), ir.Assign(best, ir.ZERO, span=span)]
    body = (ir.If(ir.Or((first, better), span=span), kept, (), span=span),)
    statements.append(ir.For(ir.Over(((each, listed),), place, span=span), body, frame.loop(), span=span))
    return ir.Name(where, span=span), ir.Integer()
