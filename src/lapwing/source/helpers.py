"""Helpers: plain functions of the same file, of which a call does what is written there.

The one idea: there are no functions in the IR. A helper that only computes (assignments, branches, returns) becomes one
expression; one that draws, loops or appends becomes its statements, under names of their own, in front of the place
that calls it. A parameter that the helper does not set stands for its argument, so a scale stays the formula it was.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from lapwing.kernel.program import ir, types, walk
from lapwing.kernel.program.ir import Unknown
from lapwing.source import calls, expressions, statements, written_operators
from lapwing.source.acting import body_of, is_pure
from lapwing.source.annotations import read_type
from lapwing.source.frame import Frame, Lowered, Out, Signature

#: More helpers than any mechanism calls: a chain of helpers that each call another twice ends here.
MAX_INLINED = 500
#: How a helper's answer is called while its statements are read: no variable of Python's has this name.
ANSWER = "return"


def lower_helper(frame: Frame, node: ast.Call, helper: ast.FunctionDef, out: Out, into: str | None) -> Lowered:
    """What a call of ``helper`` gives (to the variable ``into``, if there is one); what it does goes to ``out``."""
    if helper.name in frame.helpers:
        chain = " → ".join((*frame.helpers[frame.helpers.index(helper.name) :], helper.name))
        raise frame.scope.refused("P119", node, f"functions call each other in a circle: {chain}", "Write a loop")
    frame.inlined += 1
    if frame.inlined > MAX_INLINED:
        raise frame.scope.refused("P119", node, f"there are more than {MAX_INLINED} calls of functions", "Write a loop")
    names = _parameters(frame, helper)
    places = calls.arguments(frame, _with_defaults(frame, node, helper), helper.name, names)
    given = [expressions.lower(frame, place, out) for place in places]
    for place, parameter, (_, kind) in zip(places, helper.args.args, given, strict=True):
        wanted = read_type(parameter.annotation)
        if wanted is not None and not types.fits(kind, wanted):
            problem = f"'{parameter.arg}' of {helper.name} is {types.show(wanted)}, and this is {types.show(kind)}"
            raise frame.scope.refused("P141", place, problem, "Give a value of the parameter's type")
    if is_pure(frame.scope, helper):
        with _inside(frame, helper, dict(zip(names, given, strict=True)), {}):
            value, kind = _computed(frame, helper, body_of(helper))
        return written_operators.small(frame, value, node), kind
    return _acted(frame, node, helper, dict(zip(names, given, strict=True)), expressions.pure(frame, node, out), into)


def _parameters(frame: Frame, helper: ast.FunctionDef) -> tuple[str, ...]:
    frame.scope.check_letters(helper)
    odd = helper.args.vararg or helper.args.kwarg or next(iter(helper.args.kwonlyargs), None)
    if odd is not None or helper.args.posonlyargs:
        where = odd or helper.args.posonlyargs[0]
        raise frame.scope.refused("P163", where, "only plain parameters are in the language", "Write the names alone")
    for parameter in helper.args.args:
        statements.check_name(frame, ast.copy_location(ast.Name(parameter.arg), parameter))
        frame.scope.check_type(parameter.annotation)
    return tuple(parameter.arg for parameter in helper.args.args)


def _with_defaults(frame: Frame, node: ast.Call, helper: ast.FunctionDef) -> ast.Call:
    """The call with the defaults of those parameters that it does not give, each in its place."""
    order = [each.arg for each in helper.args.args]
    keywords = list(node.keywords)
    for name, default in zip(reversed(order), reversed(helper.args.defaults), strict=False):
        if order.index(name) < len(node.args) or any(each.arg in (name, None) for each in keywords):
            continue
        value = frame.scope.number(default)
        if value is None:
            raise frame.scope.refused("P163", default, "this default is not a number", "Give it in each call")
        later = [
            at for at, each in enumerate(keywords) if each.arg in order and order.index(each.arg) > order.index(name)
        ]
        keywords.insert(later[0] if later else len(keywords), ast.keyword(name, ast.copy_location(value, node)))
    return ast.copy_location(ast.Call(node.func, node.args, keywords), node)


@contextmanager
def _inside(
    frame: Frame, helper: ast.FunctionDef, values: Mapping[str, Lowered], renamed: Mapping[str, str]
) -> Iterator[None]:
    """Names mean what they mean in the helper: its parameters and variables, and what is outside all functions."""
    outer = frame.signature, frame.locals, frame.renamed, frame.bound, frame.values
    frame.signature = Signature(helper.name, (), Unknown())
    frame.locals = frozenset((*renamed, *renamed.values()))
    frame.renamed, frame.bound, frame.values = dict(renamed), {}, dict(values)
    frame.helpers = (*frame.helpers, helper.name)
    taken, frame.words = frame.words, frame.words | {each.name for each in outer[0].parameters}
    try:
        yield
    finally:
        frame.signature, frame.locals, frame.renamed, frame.bound, frame.values = outer
        frame.helpers, frame.words = frame.helpers[:-1], taken


# --- a helper that only computes ------------------------------------------------------------------------------


def _computed(frame: Frame, helper: ast.FunctionDef, block: Sequence[ast.stmt]) -> Lowered:
    """The value that the statements return, where ``frame.values`` has the variables so far."""
    for position, statement in enumerate(block):
        rest = block[position + 1 :]
        match statement:
            case ast.Return(value=ast.expr() as value):
                if rest:
                    raise frame.scope.refused("P150", rest[0], "this can never run", "Remove it")
                return expressions.lower(frame, value, None)
            case ast.Assign(targets=[ast.Name(id=name) as target], value=value):
                _set(frame, target, name, value)
            case ast.AnnAssign(target=ast.Name(id=name) as target, value=ast.expr() as value):
                _set(frame, target, name, value)
            case ast.AugAssign(target=ast.Name(id=name) as target, op=operator, value=value):
                old = ast.copy_location(ast.Name(name, ast.Load()), target)
                _set(frame, target, name, ast.copy_location(ast.BinOp(old, operator, value), statement))
            case ast.If(test=test, body=then, orelse=otherwise):
                condition = expressions.condition(frame, test, None)
                if any(isinstance(part, ast.Return) for each in (*then, *otherwise) for part in ast.walk(each)):
                    sides = [
                        _branch(frame, helper, (*side, *(rest if _goes_on(side) else ()))) for side in (then, otherwise)
                    ]
                    return _either(frame, statement, condition, *sides)
                _merge(frame, statement, condition)
    raise frame.scope.refused("P171", helper, f"{helper.name} can end without a return", "Return on every path")


def _set(frame: Frame, target: ast.Name, name: str, value: ast.expr) -> None:
    statements.check_name(frame, target)
    found, kind = expressions.lower(frame, value, None)
    frame.values[name] = written_operators.small(frame, found, target), kind


def _branch(frame: Frame, helper: ast.FunctionDef, block: Sequence[ast.stmt]) -> Lowered:
    before = dict(frame.values)
    frame.inlined += 1  # the rest of the helper is read once for each branch
    if frame.inlined > MAX_INLINED:
        raise frame.scope.refused("P119", helper, f"{helper.name} has too many ways through it", "Write fewer ifs")
    try:
        return _computed(frame, helper, block)
    finally:
        frame.values = before


def _either(frame: Frame, node: ast.If, condition: ir.Expression, then: Lowered, otherwise: Lowered) -> Lowered:
    kind = types.join(then[1], otherwise[1])
    if kind is None:
        problem = f"this is {types.show(then[1])} or {types.show(otherwise[1])}"
        raise frame.scope.refused("P131", node, problem, "Give both branches one type")
    value = ir.Conditional(condition, then[0], otherwise[0], span=frame.scope.span(node))
    return written_operators.small(frame, value, node), kind


def _merge(frame: Frame, node: ast.If, condition: ir.Expression) -> None:
    """After a branch that only assigns: every variable is a conditional expression."""
    before = dict(frame.values)
    sides: list[dict[str, Lowered]] = []
    for side in (node.body, node.orelse):
        frame.values = dict(before)
        for statement in side:
            match statement:
                case ast.If(test=test):
                    _merge(frame, statement, expressions.condition(frame, test, None))
                case ast.Pass():
                    pass
                case ast.Assign(targets=[ast.Name(id=name) as target], value=value):
                    _set(frame, target, name, value)
                case ast.AnnAssign(target=ast.Name(id=name) as target, value=ast.expr() as value):
                    _set(frame, target, name, value)
                case ast.AugAssign(target=ast.Name(id=name) as target, op=operator, value=value):
                    old = ast.copy_location(ast.Name(name, ast.Load()), target)
                    _set(frame, target, name, ast.copy_location(ast.BinOp(old, operator, value), statement))
        sides.append(frame.values)
    then, otherwise = sides
    merged = {name: then[name] for name in then if name in otherwise}  # what one branch leaves unset is not set
    for name in merged:
        if then[name] != otherwise[name]:
            merged[name] = _either(frame, node, condition, then[name], otherwise[name])
    frame.values = merged


def _goes_on(block: Sequence[ast.stmt]) -> bool:
    """Whether what follows a block is ever reached."""
    match block[-1] if block else None:
        case ast.Return():
            return False
        case ast.If(body=then, orelse=otherwise):
            return _goes_on(then) or _goes_on(otherwise)
    return True


# --- a helper that acts ---------------------------------------------------------------------------------------


def _acted(
    frame: Frame,
    node: ast.Call,
    helper: ast.FunctionDef,
    given: Mapping[str, Lowered],
    out: list[ir.Statement],
    into: str | None,
) -> Lowered:
    body = body_of(helper)
    span = frame.scope.span(node)
    stored = {part.id: part for part in stores(body)}
    for part in stored.values():
        statements.check_name(frame, part)
    held = {name for name in given if name in stored or _makes_lists(given[name][0])}
    kept = None if into is None or any(into in walk.names(value) for value, _ in given.values()) else into
    answers = {ast.unparse(each.value) for each in _returns(body) if each.value is not None}
    # where the answer is one of the helper's variables, that is the caller's: no list has two names for it
    own = {name: kept for name in answers & (set(stored) - held) if kept is not None and len(answers) == 1}
    renamed = {name: own.get(name) or frame.fresh(name) for name in (*stored, *(held - set(stored)))}
    for name in sorted(held, key=list(given).index):
        frame.assign(renamed[name], given[name][1], node)
        out.append(ir.Assign(renamed[name], given[name][0], span=span))
    values = {name: value for name, value in given.items() if name not in held}
    if len(list(_returns(body))) > 1 or not isinstance(body[-1], ast.Return):
        body = _tail(frame, helper, body)
    match body:
        case [*before, ast.Return(value=ast.expr() as value)]:
            with _inside(frame, helper, values, renamed):
                out.extend(statements.lower_block(frame, before))
                return expressions.lower(frame, value, out)
    answer = next(iter(own.values()), None) or frame.fresh("answer")
    with _inside(frame, helper, values, {**renamed, ANSWER: answer}):
        out.extend(statements.lower_block(frame, body))
    return ir.Name(answer, span=span), frame.types.get(answer, Unknown())


def _makes_lists(value: ir.Expression) -> bool:
    """Whether a value is a new list each time it is written, where Python has one."""
    return any(isinstance(part, ir.ListOf | ir.Comprehension | ir.Slice) for part in walk.nodes(value))


def _returns(body: Sequence[ast.stmt]) -> Iterator[ast.Return]:
    yield from (part for each in body for part in ast.walk(each) if isinstance(part, ast.Return))


def _tail(frame: Frame, helper: ast.FunctionDef, block: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The block with every return at the end of its branch, and as an assignment to the answer."""
    done: list[ast.stmt] = []
    for position, statement in enumerate(block):
        rest = list(block[position + 1 :])
        match statement:
            case ast.Return(value=ast.expr() as value):
                if rest:
                    raise frame.scope.refused("P150", rest[0], "this can never run", "Remove it")
                target = ast.copy_location(ast.Name(ANSWER, ast.Store()), statement)
                done.append(ast.copy_location(ast.Assign([target], value), statement))
                return done
            case ast.If(test=test, body=then, orelse=otherwise) if any(
                isinstance(part, ast.Return) for part in ast.walk(statement)
            ):
                frame.inlined += 1
                if frame.inlined > MAX_INLINED:
                    raise frame.scope.refused(
                        "P119", helper, f"{helper.name} has too many ways through it", "Write fewer ifs"
                    )
                sides = [_tail(frame, helper, [*side, *(rest if _goes_on(side) else [])]) for side in (then, otherwise)]
                done.append(ast.copy_location(ast.If(test, *sides), statement))
                return done
            case ast.For() | ast.While():
                if any(isinstance(part, ast.Return) for part in ast.walk(statement)):
                    problem = f"{helper.name} returns from inside a loop"
                    remedy = "Set a variable, break, and return it after the loop"
                    raise frame.scope.refused("P119", statement, problem, remedy)
        done.append(statement)
    raise frame.scope.refused("P171", helper, f"{helper.name} can end without a return", "Return on every path")


def stores(body: Sequence[ast.stmt]) -> Iterator[ast.Name]:
    """Every plain name that a body sets, outside comprehensions."""
    pending: list[ast.AST] = list(reversed(body))
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node
        if not isinstance(node, ast.ListComp | ast.GeneratorExp | ast.FunctionDef | ast.Lambda):
            pending.extend(reversed(list(ast.iter_child_nodes(node))))
