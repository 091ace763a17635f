"""Which expressions take statements: those that draw, call a mechanism, or need a loop of their own.

The one idea: an expression of the IR is pure. Python's conditional expressions, ``and``, ``or`` and comprehensions
with such a part inside become branches and loops, so this is asked before anything is read.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from lapwing.source.language_words import CONDITION_FUNCTIONS, NOISE, OURS, RESERVED, SAMPLING
from lapwing.source.scope import Scope

#: Words that only compute.
_KNOWN = OURS | RESERVED | CONDITION_FUNCTIONS | {"log"}


def acts(scope: Scope, node: ast.AST, inside: tuple[str, ...] = ()) -> bool:
    """Whether evaluating ``node`` takes statements; ``inside`` are the helpers being looked at."""
    match node:
        case ast.Call(func=ast.Name(id=name)) if name in scope.mechanisms:
            return True
        case ast.Call(func=ast.Name(id=name)) if name in scope.helpers and name not in inside:
            if not is_pure(scope, scope.helpers[name], inside):
                return True
        case ast.Call(func=function) if scope.word(function) in (NOISE.keys() | SAMPLING.keys()):
            return True
        case ast.Call(func=ast.Attribute(attr="index")):
            return True  # a loop that looks for it
        case ast.Call(func=ast.Name(id=name)) if name not in scope.helpers and scope.word(node.func) not in _KNOWN:
            return True  # a function among the parameters
        case ast.Call(func=function, args=[ast.ListComp() | ast.GeneratorExp() as inner]) if (
            scope.word(function) == "sum"
        ):
            return any(acts(scope, each, inside) for each in ast.iter_child_nodes(inner))  # a sum of sums
        case ast.BinOp(op=ast.Pow(), right=power) if not isinstance(power, ast.Constant):
            return True  # a loop that multiplies
        case ast.ListComp(generators=[_, _, *_]) | ast.GeneratorExp(generators=[_, _, *_]):
            return True
    return any(acts(scope, each, inside) for each in ast.iter_child_nodes(node))


def is_pure(scope: Scope, helper: ast.FunctionDef, inside: tuple[str, ...] = ()) -> bool:
    """Whether a helper is an expression: assignments, branches and returns, nothing drawn, nothing repeated."""
    if helper.name not in scope.pure:
        scope.pure[helper.name] = _is_pure(scope, body_of(helper), (*inside, helper.name))
    return scope.pure[helper.name]


def _is_pure(scope: Scope, block: Sequence[ast.stmt], inside: tuple[str, ...]) -> bool:
    for statement in block:
        match statement:
            case ast.Pass():
                continue
            case ast.Assign(targets=[ast.Name()], value=ast.expr() as value) | ast.Return(value=ast.expr() as value):
                pass
            case ast.AnnAssign(target=ast.Name(), value=ast.expr() as value):
                pass
            case ast.AugAssign(target=ast.Name(), value=value):
                pass
            case ast.If(test=value, body=then, orelse=otherwise):
                if not (_is_pure(scope, then, inside) and _is_pure(scope, otherwise, inside)):
                    return False
            case _:
                return False
        if acts(scope, value, inside):
            return False
    return True


def body_of(function: ast.FunctionDef) -> list[ast.stmt]:
    """The statements of a function, without its docstring."""
    return function.body[1:] if ast.get_docstring(function, clean=False) is not None else list(function.body)
