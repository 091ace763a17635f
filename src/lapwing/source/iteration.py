"""What a ``for`` walks over, and comprehensions.

``for x in xs``, ``enumerate``, ``zip`` and their nesting become one form, :class:`~lapwing.kernel.program.ir.Over`;
``range`` becomes :class:`~lapwing.kernel.program.ir.Range`. A comprehension without noise stays an expression; one with
noise becomes the loop that Python would run.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from lapwing.kernel.program import ir, types, walk
from lapwing.kernel.program.ir import Integer, List, Tuple, Type, Unknown
from lapwing.kernel.program.spans import Span
from lapwing.kernel.run import evaluate
from lapwing.source import expressions, stepping
from lapwing.source.frame import Frame, Lowered, Out

#: Chooses the program's name for a variable that the source sets.
Naming = Callable[[str], str]
#: A variable of the source, under its name in the program, with its value and type.
Computed = tuple[str, ir.Expression, Type]


@dataclass(frozen=True, slots=True)
class Walked:
    """What a loop walks over, the types of the variables that this sets, and what each round computes from them first.

    ``range`` with a step and ``enumerate`` with a start count from 0 under a name of their own; a tuple that is taken
    apart has a name, too: ``for x, y in rows`` walks over rows, and begins with x and y as the parts of one.
    """

    source: ir.Over | ir.Range
    kinds: dict[str, Type]
    computed: tuple[Computed, ...] = ()


def lower_source(frame: Frame, target: ast.expr, iterable: ast.expr, out: Out, naming: Naming) -> Walked:
    """What is walked over; ``naming`` chooses the names of the variables that the source sets."""
    span = frame.scope.span(iterable)
    word = frame.word(iterable.func) if isinstance(iterable, ast.Call) else None
    if isinstance(iterable, ast.Call) and word == "range":
        return _counted(frame, target, iterable, out, naming)
    if isinstance(iterable, ast.Call) and word == "reversed":
        return _reversed(frame, target, iterable, out, naming)
    counter: str | None = None
    begin: ast.expr | None = None
    if isinstance(iterable, ast.Call) and word == "enumerate":
        starts = [*iterable.args[1:], *(each.value for each in iterable.keywords if each.arg == "start")]
        if not iterable.args or len(starts) > 1 or len(iterable.args) + len(iterable.keywords) > 2:
            raise frame.scope.refused("P142", iterable, "enumerate of something else", "Write enumerate(xs)")
        if not isinstance(target, ast.Tuple) or len(target.elts) != 2:
            raise frame.scope.refused("P143", target, "enumerate gives two values", "Write 'for i, x in enumerate(xs)'")
        if iterable.keywords and not starts:
            raise frame.scope.refused("P142", iterable, "enumerate of something else", "Write enumerate(xs)")
        counter_target, target = target.elts
        counter = _variable(frame, counter_target)
        iterable = iterable.args[0]
        if starts and not (isinstance(starts[0], ast.Constant) and starts[0].value == 0):
            begin = starts[0]
        word = frame.word(iterable.func) if isinstance(iterable, ast.Call) else None
    pairs = [(target, iterable)]
    if isinstance(iterable, ast.Call) and word == "zip":
        if not isinstance(target, ast.Tuple) or len(target.elts) != len(iterable.args) or iterable.keywords:
            raise frame.scope.refused(
                "P143", target, f"zip gives {len(iterable.args)} values", "Write one variable for each list"
            )
        pairs = list(zip(target.elts, iterable.args, strict=True))
    values = [_list(frame, place, out) for _, place in pairs]
    start = None if begin is None else expressions.whole(frame, begin, out)
    every = [*([] if counter is None else [counter]), *(name for each, _ in pairs for name in _variables(frame, each))]
    if len(set(every)) < len(every):
        raise frame.scope.refused("P143", target, "one variable is set twice", "Give each its own name")
    index = None if counter is None else naming(counter) if begin is None else frame.fresh(counter)
    kinds: dict[str, Type] = {} if index is None else {index: Integer()}
    computed: list[Computed] = []
    items: list[tuple[str, ir.Expression]] = []
    for (each, _), (value, kind) in zip(pairs, values, strict=True):
        name = naming(each.id) if isinstance(each, ast.Name) else frame.fresh("row")
        items.append((name, value))
        kinds[name] = kind
        if not isinstance(each, ast.Name):
            computed += _taken_apart(frame, each, ir.Name(name, span=span), kind, naming)
    source = ir.Over(tuple(items), index, span=span)
    if begin is None or start is None or counter is None or index is None:
        return Walked(source, kinds, tuple(computed))
    first = _held(frame, start, begin, out)
    counted = ir.Arithmetic("+", ir.Name(index, span=span), first, span=span)
    return Walked(source, kinds, ((naming(counter), counted, Integer()), *computed))


def _variables(frame: Frame, target: ast.expr) -> list[str]:
    """The variables that a target sets: a plain one, or those of a tuple, however deep."""
    if isinstance(target, ast.Tuple):
        return [name for each in target.elts for name in _variables(frame, each)]
    return [_variable(frame, target)]


def _taken_apart(
    frame: Frame, target: ast.expr, value: ir.Expression, kind: Type, naming: Naming
) -> Iterator[Computed]:
    """The variables of a tuple that a loop takes apart, each with its part of what is walked over."""
    if not isinstance(target, ast.Tuple):
        yield naming(_variable(frame, target)), value, kind
        return
    if not isinstance(kind, Tuple | Unknown) or (isinstance(kind, Tuple) and len(kind.elements) != len(target.elts)):
        problem = f"{types.show(kind)} for {len(target.elts)} names"
        raise frame.scope.refused("P157", target, problem, "Unpack a tuple of that size")
    for place, each in enumerate(target.elts):
        inner = kind.elements[place] if isinstance(kind, Tuple) else Unknown()
        yield from _taken_apart(frame, each, ir.Item(value, place, span=value.span), inner, naming)


def _counted(frame: Frame, target: ast.expr, node: ast.Call, out: Out, naming: Naming) -> Walked:
    """``range``, whose step is a whole number, above or below 0, that is written there."""
    if node.keywords or not 1 <= len(node.args) <= 3:
        raise frame.scope.refused("P142", node, "this is no range", "Write range(n), range(a, b) or range(a, b, 2)")
    span = frame.scope.span(node)
    step = 1
    if len(node.args) == 3:
        step = stepping.step_of(node.args[2]) or 0
        if step == 0:
            problem, remedy = "the step of this range is no whole number that is written there", "Write range(a, b, 2)"
            raise frame.scope.refused("P142", node, problem, f"{remedy}, range(n - 1, -1, -1), or a loop by itself")
    ends = [expressions.whole(frame, argument, out) for argument in node.args[:2]]
    zero = ir.Number(Fraction(0), span=span)
    start, stop = (zero, ends[0]) if len(ends) == 1 else (ends[0], ends[1])
    if step == 1:
        name = naming(_variable(frame, target))
        return Walked(ir.Range(name, start, stop, span=span), {name: Integer()})
    start = _held(frame, start, node, out)
    by = ir.Number(Fraction(abs(step)), span=span)
    within = _less(stop, start) if step > 0 else _less(start, stop)
    more = ir.Arithmetic("+", within, ir.Number(Fraction(abs(step) - 1), span=span), span=span)
    # as many multiples of the step as are between
    rounds: ir.Expression = within if step == -1 else ir.Builtin("//", (more, by), span=span)
    if not walk.names(rounds):
        found = evaluate.constant(rounds)
        rounds = ir.Number(max(found, Fraction(0)), span=span)
    variable = _variable(frame, target)
    inner = frame.fresh(variable)
    place = ir.Name(inner, span=span)
    counted: ir.Expression = place if step == -1 else ir.Arithmetic("*", by, place, span=span)
    if start != zero or step < 0:
        counted = ir.Arithmetic("+" if step > 0 else "-", start, counted, span=span)
    return Walked(
        ir.Range(inner, zero, rounds, span=span), {inner: Integer()}, ((naming(variable), counted, Integer()),)
    )


def _less(start: ir.Expression, stop: ir.Expression) -> ir.Expression:
    """``start - stop``, with n for (n - 1) - -1: that is how people count down."""
    match start, stop:
        case _, ir.Number(value) if value == 0:
            return start
        case ir.Arithmetic("-", number, ir.Number(one)), ir.Negate(ir.Number(other)) if one == other:
            return number
    return ir.Arithmetic("-", start, stop, span=start.span)


def _reversed(frame: Frame, target: ast.expr, node: ast.Call, out: Out, naming: Naming) -> Walked:
    """``reversed(range(…))``, or of a list, whose length is taken once, as Python does."""
    if node.keywords or len(node.args) != 1:
        raise frame.scope.refused("P142", node, "this is no reversed", "Write reversed(xs) or reversed(range(n))")
    span, inner = frame.scope.span(node), node.args[0]
    one, zero = ir.Number(Fraction(1), span=span), ir.Number(Fraction(0), span=span)
    if isinstance(inner, ast.Call) and frame.word(inner.func) == "range" and len(inner.args) < 3:
        walked = _counted(frame, target, inner, out, frame.fresh)
        assert isinstance(walked.source, ir.Range)  # noqa: S101  # without a step it is one
        start, stop = (_held(frame, each, node, out) for each in (walked.source.start, walked.source.stop))
        counter = walked.source.target
        last: ir.Expression = ir.Arithmetic("-", stop, one, span=span)
        length: ir.Expression = stop if start == zero else ir.Arithmetic("-", stop, start, span=span)
        value: ir.Expression = ir.Arithmetic("-", last, ir.Name(counter, span=span), span=span)
        kind: Type = Integer()
    else:
        items, kind = _list(frame, inner, out)
        if not isinstance(items, ir.Name):
            raise frame.scope.refused("P142", node, "reversed of an expression", "Give the list a name first")
        length = _held(frame, ir.Builtin("len", (items,), span=span), node, out)
        counter = frame.fresh("i")
        last = ir.Arithmetic("-", length, one, span=span)
        place = ir.Arithmetic("-", last, ir.Name(counter, span=span), span=span)
        value = ir.Index(items, place, types.settled(kind), span=span)
    name = naming(_variable(frame, target))
    return Walked(ir.Range(counter, zero, length, span=span), {counter: Integer()}, ((name, value, kind),))


def _held(frame: Frame, value: ir.Expression, place: ast.AST, out: Out) -> ir.Expression:
    """The value as it is before the loop: a variable, where the loop might change what it is made of."""
    if out is None or not walk.names(value) & (frame.locals | frame.fresh_names):
        return value
    name = frame.fresh("held")
    frame.assign(name, Integer(), place)
    out.append(ir.Assign(name, value, span=frame.scope.span(place)))
    return ir.Name(name, span=frame.scope.span(place))


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
        raise frame.scope.refused("P143", node, "a loop sets variables", "Write names, or tuples of names")
    return node.id


def lower_comprehension(
    frame: Frame,
    node: ast.expr,
    element: ast.expr,
    generators: Sequence[ast.comprehension],
    out: Out,
    into: str | None,
) -> Lowered:
    """A comprehension, as an expression or (with noise, or with two ``for``) as a loop that fills a list."""
    if any(each.is_async for each in generators):
        raise frame.scope.refused("P144", node, "an asynchronous comprehension", "Write an ordinary for")
    looped = len(generators) > 1 or any(frame.noisy(each) for each in (element, *generators[0].ifs))
    span = frame.scope.span(node)
    kept = dict(frame.renamed), dict(frame.bound), dict(frame.values)
    try:
        if not looped:
            return _expression(frame, element, generators[0], out, span)
        free = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        target = into if into is not None and into not in free else frame.fresh("values")
        statements: list[ir.Statement] = []
        kind = _nested(frame, element, generators, target, statements, span)
    finally:
        frame.renamed, frame.bound, frame.values = kept
    frame.assign(target, List(kind), node)
    before = expressions.pure(frame, node, out)
    before.append(ir.Assign(target, ir.ListOf((), span=span), span=span))
    before.extend(statements)
    return ir.Name(target, span=span), List(kind)


def _expression(frame: Frame, element: ast.expr, generator: ast.comprehension, out: Out, span: Span) -> Lowered:
    walked = _entered(frame, generator, out, looped=False)
    frame.bound.update(walked.kinds)
    tests = [expressions.condition(frame, test, None) for test in generator.ifs]
    value, kind = expressions.lower(frame, element, None)
    test = None if not tests else tests[0] if len(tests) == 1 else ir.And(tuple(tests), span=span)
    return ir.Comprehension(value, walked.source, test, span=span), List(kind)


def _nested(
    frame: Frame,
    element: ast.expr,
    generators: Sequence[ast.comprehension],
    target: str,
    out: list[ir.Statement],
    span: Span,
) -> Type:
    """The loops of a comprehension, the first ``for`` outermost; gives the type of what is put into ``target``."""
    if not generators:
        value, kind = expressions.lower(frame, element, out)
        out.append(ir.Append(target, value, span=span))
        return kind
    generator = generators[0]
    if isinstance(generator.iter, ast.Call) and stepping.goes_by_steps(frame, generator.iter):
        return _stepped(frame, element, generators, target, out, span)
    walked = _entered(frame, generator, out, looped=True)
    number = frame.loop()
    body: list[ir.Statement] = []
    for name, kind in walked.kinds.items():
        frame.assign(name, kind, generator.target)
    for name, computed, kind in walked.computed:
        frame.assign(name, kind, generator.target)
        body.append(ir.Assign(name, computed, span=span))
    kind = _tested(frame, element, generators, generator.ifs, target, body, span)
    out.append(ir.For(walked.source, tuple(body), number, span=span))
    return kind


def _stepped(
    frame: Frame,
    element: ast.expr,
    generators: Sequence[ast.comprehension],
    target: str,
    out: list[ir.Statement],
    span: Span,
) -> Type:
    """The first ``for`` of a comprehension where it goes by steps."""
    generator, kinds = generators[0], list[Type]()
    word = _variable(frame, generator.target)

    def inside(counter: str) -> list[ir.Statement]:
        frame.renamed[word] = counter
        frame.values.pop(word, None)
        body: list[ir.Statement] = []
        kinds.append(_tested(frame, element, generators, generator.ifs, target, body, span))
        return body

    assert isinstance(generator.iter, ast.Call)  # noqa: S101  # asked before
    ends = [expressions.whole(frame, argument, out) for argument in generator.iter.args]
    stepping.lower_steps(frame, generator.iter, ends, frame.fresh(word), inside, out)
    return kinds[0]


def _tested(
    frame: Frame,
    element: ast.expr,
    generators: Sequence[ast.comprehension],
    tests: Sequence[ast.expr],
    target: str,
    out: list[ir.Statement],
    span: Span,
) -> Type:
    """The rest of a round under its tests, one inside the other: a later test draws only where the earlier holds."""
    if not tests:
        return _nested(frame, element, generators[1:], target, out, span)
    condition = expressions.condition(frame, tests[0], out)
    then: list[ir.Statement] = []
    kind = _tested(frame, element, generators, tests[1:], target, then, span)
    out.append(ir.If(condition, tuple(then), (), span=span))
    return kind


def _entered(frame: Frame, generator: ast.comprehension, out: Out, *, looped: bool) -> Walked:
    """What a ``for`` of a comprehension walks over; its variables have their meaning from here on."""
    names: dict[str, str] = {}

    def naming(name: str) -> str:
        taken = name in frame.locals or name in frame.bound or frame.signature_has(name) or bool(frame.helpers)
        names[name] = frame.fresh(name) if looped or taken else name
        return names[name]

    walked = lower_source(frame, generator.target, generator.iter, out, naming)
    for name in names:
        frame.values.pop(name, None)
    frame.renamed.update(names)
    if not looped:
        written = {known: name for name, known in names.items()}
        for known, computed, kind in walked.computed:
            frame.renamed.pop(written[known], None)
            frame.values[written[known]] = computed, kind
    return walked


def natural_counters(frame: Frame, target: ast.expr, iterable: ast.expr, body: list[ast.stmt]) -> frozenset[str]:
    """The counter of a loop over a range from 0, or from a number as written, which is never below 0 in a round."""
    match target, iterable:
        case ast.Name(id=name), ast.Call(func=function, args=[_] | [ast.Constant(), _], keywords=[]):
            word = "range"
        case ast.Tuple(elts=[ast.Name(id=name), _]), ast.Call(func=function, args=[_], keywords=[]):
            word = "enumerate"
        case _:
            return frozenset()
    parts = (part for each in body for part in ast.walk(each))
    again = any(isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Store) for part in parts)
    return frozenset() if again or frame.word(function) != word else frozenset({frame.renamed.get(name, name)})
