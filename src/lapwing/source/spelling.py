"""Spellings that mean something simpler: a function as it is written, said in the words that are read.

The one idea: this is Python to Python. Lists that are put together with ``+`` grow by ``append``, a loop that changes
its own variable changes a copy of it, a walk over every k-th place passes over the others, and an assert about a
variable that was set just before is one about the parameters. Whatever is not certainly the same is left as it is.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from lapwing.source.fresh_words import FreshWords, at, bound, names
from lapwing.source.idioms import Idioms
from lapwing.source.leaving_loops import returning_behind, without_else
from lapwing.source.scope import Scope
from lapwing.source.stepping import step_of
from lapwing.source.unset import nothing, with_flags

#: Functions of which an assert may speak by way of a variable.
_STILL = frozenset({"len", "min", "max", "abs", "sqrt", "ln", "log", "exp"})
#: More parts than what a variable means in an assert has.
MAX_SAID = 500


def plainly(function: ast.FunctionDef, scope: Scope, *, helper: bool = False) -> ast.FunctionDef:
    """The function in plainer words; the one that is given stays as it is."""
    found = copy.deepcopy(function)
    words, own = FreshWords.of(found), bound(found)
    found.body = without_else(found.body, words)
    if helper:
        returning_behind(found, words)
    found.body = Idioms(words, lambda word: word not in own and word not in scope.bindings).block(found.body)
    with_flags(found, words, partial(nothing, scope))
    found.body = _asserted(found.body)
    found.body = _Plain(found, words).block(found.body)
    return found


@dataclass(slots=True)
class _Plain:
    function: ast.FunctionDef
    words: FreshWords

    def block(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for each in body:
            for name in ("body", "orelse"):
                if isinstance(getattr(each, name, None), list):
                    setattr(each, name, self.block(getattr(each, name)))
            found += self.statement(_Literals().visit(each))
        return found

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        match node:
            case ast.AugAssign(ast.Name(id=name), ast.Add(), ast.List(elts)) | ast.Assign(
                [ast.Name(id=name)], ast.BinOp(ast.Name(id=str()), ast.Add(), ast.List(elts))
            ) if isinstance(node, ast.AugAssign) or node.value.left.id == name:  # type: ignore[attr-defined]  # a name
                if len(elts) == 1 or not any(name in names(each) for each in elts):
                    return [_append(name, each, node) for each in elts] or [at(ast.Pass(), node)]
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(id=name), "extend"), [more], [])):
                return [self.grown(name, more, node)]
            case ast.Assign([ast.Name(id=name)], ast.BinOp(ast.List() as first, ast.Add(), more)):
                if name not in names(more):
                    return [at(ast.Assign(node.targets, first), node), self.grown(name, more, node)]
            case ast.Assign([ast.Name(id=name)], ast.BinOp(ast.Name() as first, ast.Add(), ast.List(elts))):
                if not any(name in names(each) for each in elts):
                    whole = at(ast.Call(at(ast.Name("list", ast.Load()), node), [first], []), node)
                    return [at(ast.Assign(node.targets, whole), node), *(_append(name, each, node) for each in elts)]
            case ast.Return(ast.BinOp(ast.List() as first, ast.Add(), more)):
                made = self.words.fresh("made")
                start = at(ast.Assign([at(ast.Name(made, ast.Store()), node)], first), node)
                end = at(ast.Return(at(ast.Name(made, ast.Load()), node)), node)
                return [start, self.grown(made, more, node), end]
            case ast.For(orelse=[]):
                return [self.loop(node)]
        return [node]

    def grown(self, name: str, more: ast.expr, node: ast.stmt) -> ast.stmt:
        """The loop that appends what is in a list."""
        each = self.words.fresh("each")
        body = [_append(name, at(ast.Name(each, ast.Load()), node), node)]
        return at(ast.For(at(ast.Name(each, ast.Store()), node), more, body, []), node)

    def loop(self, node: ast.For) -> ast.For:
        """The loop, with copies of those of its variables that it changes; and one place after the other."""
        stored = {part.id for each in node.body for part in ast.walk(each) if _is_stored(part)}  # type: ignore[attr-defined]  # names
        copies: list[ast.stmt] = []
        for part in ast.walk(node.target):
            if isinstance(part, ast.Name) and part.id in stored:
                word, part.id = part.id, self.words.fresh(part.id)
                value = at(ast.Name(part.id, ast.Load()), node.target)
                copies.append(at(ast.Assign([at(ast.Name(word, ast.Store()), node.target)], value), node.target))
        node.body = [*copies, *node.body]
        return self.every_kth(node)

    def every_kth(self, node: ast.For) -> ast.For:
        """``for i in range(0, len(xs), 2)`` that does nothing with i but read at it: all places, and a test."""
        match node:
            case ast.For(
                ast.Name(id=place),
                ast.Call(
                    ast.Name(id="range"),
                    [ast.Constant(0), ast.Call(ast.Name(id="len"), [ast.Name()], []) as end, by],
                    [],
                ),
            ) if (step_of(by) or 0) > 1:
                inside = [part for each in node.body for part in ast.walk(each)]
                read = [part.slice for part in inside if isinstance(part, ast.Subscript)]
                uses = [part for part in inside if isinstance(part, ast.Name) and part.id == place]
                every = [part for part in ast.walk(self.function) if isinstance(part, ast.Name) and part.id == place]
                if len(every) == len(uses) + 1 and all(any(one is use for one in read) for use in uses):
                    rest = at(ast.BinOp(at(ast.Name(place, ast.Load()), node.iter), ast.Mod(), by), node.iter)
                    test = at(ast.Compare(rest, [ast.Eq()], [at(ast.Constant(0), node.iter)]), node.iter)
                    node.iter.args = [end]  # type: ignore[attr-defined]  # a call
                    node.body = [at(ast.If(test, node.body, []), node.body[0])]
        return node


class _Literals(ast.NodeTransformer):
    """``[a] + [b]`` as one list. Statements inside others are looked at when their block is."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """The list of both."""
        self.generic_visit(node)
        if isinstance(node.op, ast.Add) and isinstance(node.left, ast.List) and isinstance(node.right, ast.List):
            return at(ast.List([*node.left.elts, *node.right.elts], ast.Load()), node)
        return node


def _asserted(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements with those asserts at the top that speak of variables which were set before from parameters."""
    meanings: dict[str, ast.expr] = {}
    said: set[str] = set()  # in these; a comprehension that binds one of them would mean another by it
    asserts: list[ast.stmt] = []
    rest: list[ast.stmt] = []
    for position, each in enumerate(body):
        match each:
            case ast.Assert(test) if not bound(test) & {*meanings, *said}:
                asserts.append(at(ast.Assert(_Meant(meanings).visit(test), each.msg), each))
            case ast.Assign([ast.Name(id=name)], value) if _is_still(value):
                meanings[name] = _Meant(meanings).visit(copy.deepcopy(value))
                if sum(1 for _ in ast.walk(meanings[name])) > MAX_SAID:  # x = x * x, again and again, doubles
                    return [*asserts, *rest, *body[position:]]
                said |= names(meanings[name])
                rest.append(each)
            case ast.Expr(ast.Constant()) if position == 0:  # what it says of itself stays first
                asserts.append(each)
            case _:
                return [*asserts, *rest, *body[position:]]
    return [*asserts, *rest]


class _Meant(ast.NodeTransformer):
    def __init__(self, meanings: dict[str, ast.expr]) -> None:
        self.meanings = meanings

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """What the variable was set to."""
        found = self.meanings.get(node.id)
        return node if found is None else _placed(copy.deepcopy(found), node)


def _is_still(value: ast.expr) -> bool:
    """Whether a value is a number computed from names, that nothing but its names decides."""
    match value:
        case ast.Name() | ast.Constant():
            return True
        case ast.BinOp(left, _, right):
            return _is_still(left) and _is_still(right)
        case ast.UnaryOp(_, operand):
            return _is_still(operand)
        case ast.Call(ast.Name(id=word), arguments, []) if word in _STILL:
            return all(map(_is_still, arguments))
    return False


def _is_stored(part: ast.AST) -> bool:
    return isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)


def _append(name: str, value: ast.expr, node: ast.stmt) -> ast.stmt:
    method = at(ast.Attribute(at(ast.Name(name, ast.Load()), node), "append", ast.Load()), node)
    return at(ast.Expr(at(ast.Call(method, [value], []), node)), node)


def _placed(made: ast.expr, node: ast.AST) -> ast.expr:
    for part in ast.walk(made):
        if isinstance(part, ast.expr):
            ast.copy_location(part, node)
    return made
