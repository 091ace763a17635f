"""What a ``for`` walks over, and comprehensions.

``for x in xs``, ``enumerate``, ``zip`` and their nesting become one form, :class:`~lapwing.program.ir.Over`;
``range`` becomes :class:`~lapwing.program.ir.Range`. A comprehension without noise stays an expression; one with
noise becomes the loop that Python would run.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from fractions import Fraction

from lapwing.program import expressions, ir, types
from lapwing.program.frame import Frame, Lowered, Out
from lapwing.program.ir import Integer, List, Type, Unknown

#: Chooses the program's name for a variable that the source sets.
Naming = Callable[[str], str]


def lower_source(
    frame: Frame, target: ast.expr, iterable: ast.expr, out: Out, naming: Naming
) -> tuple[ir.Over | ir.Range, dict[str, Type]]:
    """What is walked over, and the types of the variables set (under their names in the program)."""
    span = frame.scope.source.span(iterable)
    word = frame.word(iterable.func) if isinstance(iterable, ast.Call) else None
    if isinstance(iterable, ast.Call) and word == "range":
        start, stop = _range(frame, iterable, out)
        name = naming(_variable(frame, target))
        return ir.Range(name, start, stop, span=span), {name: Integer()}
    counter: str | None = None
    if isinstance(iterable, ast.Call) and word == "enumerate":
        if len(iterable.args) != 1 or iterable.keywords:
            raise frame.scope.refused(
                "P142", iterable, "enumerate with a start", "Write enumerate(xs) and add to the counter"
            )
        if not isinstance(target, ast.Tuple) or len(target.elts) != 2:
            raise frame.scope.refused("P143", target, "enumerate gives two values", "Write 'for i, x in enumerate(xs)'")
        counter_target, target = target.elts
        counter = _variable(frame, counter_target)
        iterable = iterable.args[0]
        word = frame.word(iterable.func) if isinstance(iterable, ast.Call) else None
    pairs = [(target, iterable)]
    if isinstance(iterable, ast.Call) and word == "zip":
        if not isinstance(target, ast.Tuple) or len(target.elts) != len(iterable.args) or iterable.keywords:
            raise frame.scope.refused(
                "P143", target, f"zip gives {len(iterable.args)} values", "Write one variable for each list"
            )
        pairs = list(zip(target.elts, iterable.args, strict=True))
    values = [_list(frame, place, out) for _, place in pairs]
    names = [_variable(frame, each) for each, _ in pairs]
    every = names if counter is None else [counter, *names]
    if len(set(every)) < len(every):
        raise frame.scope.refused("P143", target, "one variable is set twice", "Give each its own name")
    index = None if counter is None else naming(counter)
    items = [(naming(name), value, kind) for name, (value, kind) in zip(names, values, strict=True)]
    kinds: dict[str, Type] = {} if index is None else {index: Integer()}
    kinds.update({name: kind for name, _, kind in items})
    return ir.Over(tuple((name, value) for name, value, _ in items), index, span=span), kinds


def _range(frame: Frame, node: ast.Call, out: Out) -> tuple[ir.Expression, ir.Expression]:
    if node.keywords or not 1 <= len(node.args) <= 2:
        raise frame.scope.refused(
            "P142", node, "range with a step", "Write range(n) or range(a, b) and compute the value inside"
        )
    ends = [expressions.whole(frame, argument, out) for argument in node.args]
    zero = ir.Number(Fraction(0), span=frame.scope.source.span(node))
    return (zero, ends[0]) if len(ends) == 1 else (ends[0], ends[1])


def _list(frame: Frame, node: ast.expr, out: Out) -> tuple[ir.Expression, Type]:
    value, kind = expressions.lower(frame, node, out)
    if isinstance(kind, Unknown):
        return value, kind
    if not isinstance(kind, List):
        raise frame.scope.refused(
            "P138", node, f"a list is needed here, and this is {types.show(kind)}", "Walk over a list or a range"
        )
    return value, kind.element


def _variable(frame: Frame, node: ast.expr) -> str:
    if not isinstance(node, ast.Name):
        raise frame.scope.refused("P143", node, "a loop sets plain variables", "Unpack on a line of its own")
    return node.id


def lower_comprehension(
    frame: Frame,
    node: ast.expr,
    element: ast.expr,
    generators: Sequence[ast.comprehension],
    out: Out,
    into: str | None,
) -> Lowered:
    """A comprehension, as an expression or (with noise) as a loop that fills a list."""
    if len(generators) != 1 or len(generators[0].ifs) > 1 or generators[0].is_async:
        raise frame.scope.refused(
            "P144",
            node,
            "a comprehension with more than one for or if",
            "Write a loop with append, or join the ifs with and",
        )
    generator = generators[0]
    test = generator.ifs[0] if generator.ifs else None
    noisy = frame.noisy(element) or frame.noisy(test)
    span = frame.scope.source.span(node)
    names: dict[str, str] = {}

    def naming(name: str) -> str:
        taken = name in frame.locals or name in frame.bound or frame.signature_has(name)
        names[name] = frame.fresh(name) if noisy or taken else name
        return names[name]

    source, kinds = lower_source(frame, generator.target, generator.iter, out, naming)
    renamed, bound = dict(frame.renamed), dict(frame.bound)
    frame.renamed.update(names)
    inner: list[ir.Statement] = []
    if noisy:
        for name, kind in kinds.items():
            frame.assign(name, kind, generator.target)
    else:
        frame.bound.update(kinds)
    condition = None if test is None else expressions.condition(frame, test, inner if noisy else None)
    then: list[ir.Statement] = []
    value, kind = expressions.lower(frame, element, then if noisy else None)
    frame.renamed, frame.bound = renamed, bound
    if not noisy:
        return ir.Comprehension(value, source, condition, span=span), List(kind)
    free = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    target = into if into is not None and into not in free else frame.fresh("values")
    frame.assign(target, List(kind), node)
    then.append(ir.Append(target, value, span=span))
    body = (*inner, *then) if condition is None else (*inner, ir.If(condition, tuple(then), (), span=span))
    statements = expressions.pure(frame, node, out)
    statements.append(ir.Assign(target, ir.ListOf((), span=span), span=span))
    statements.append(ir.For(source, body, span=span))
    return ir.Name(target, span=span), List(kind)
