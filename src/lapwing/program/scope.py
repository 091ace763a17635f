"""What a source says outside its mechanisms: where names come from, constants, and which functions are mechanisms.

The one idea: a decorator is read, never run. A name such as ``laplace`` means Lapwing's, and a source that binds it
to something else is refused rather than misread.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

from lapwing.errors import InvalidProgram
from lapwing.program.spans import Source, Span
from lapwing.program.vocabulary import DECORATORS, OURS


@dataclass(slots=True)
class Scope:
    """The outer names of one source."""

    source: Source
    #: local name → Lapwing's name, for ``from lapwing import laplace as lap``
    aliases: dict[str, str] = field(default_factory=dict)
    #: names bound to the package itself: ``import lapwing``
    packages: set[str] = field(default_factory=set)
    #: local name → where else it comes from
    foreign: dict[str, str] = field(default_factory=dict)
    #: module-level numbers, by name; bound more than once means not constant
    constants: dict[str, ast.expr] = field(default_factory=dict)
    mechanisms: dict[str, ast.FunctionDef] = field(default_factory=dict)

    def refused(self, code: str, where: ast.AST | Span, problem: str, remedy: str) -> InvalidProgram:
        """The error that refuses the source at a place."""
        span = where if isinstance(where, Span) else self.source.span(where)
        return InvalidProgram(code, f"{problem} ({span})", remedy, self.source.underline(span))

    def word(self, node: ast.expr) -> str | None:
        """What a function or decorator expression is called in the language; ``None`` if it has no plain name."""
        if isinstance(node, ast.Name):
            if node.id in self.foreign and node.id in OURS:
                raise self.refused(
                    "P103",
                    node,
                    f"'{node.id}' comes from {self.foreign[node.id]}, not from lapwing",
                    f"Import it with 'from lapwing import {node.id}', or rename the other one",
                )
            return self.aliases.get(node.id, node.id)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in self.packages:
            return node.attr
        return None

    def is_mechanism(self, function: ast.FunctionDef) -> bool:
        """Whether one of Lapwing's decorators is on ``function``."""
        return any(self.decorator(decorator) is not None for decorator in function.decorator_list)

    def decorator(self, node: ast.expr) -> str | None:
        """Which of Lapwing's decorators this is; ``None`` for anybody else's, even of the same name."""
        called = node.func if isinstance(node, ast.Call) else node
        if isinstance(called, ast.Name) and called.id in self.foreign:
            return None
        word = self.word(called)
        return word if word in DECORATORS else None


def read_scope(source: Source, tree: ast.Module) -> Scope:
    """The outer names of a parsed source."""
    scope = Scope(source)
    bound: set[str] = set()
    for statement in tree.body:
        match statement:
            case ast.ImportFrom(module=module, names=names):
                _read_import_from(scope, module or "", names)
            case ast.Import(names=names):
                for name in names:
                    local = name.asname or name.name.split(".")[0]
                    if name.name == "lapwing":
                        scope.packages.add(local)
                    else:
                        scope.foreign[local] = name.name
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                _bind_constant(scope, bound, name, value)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                _bind_constant(scope, bound, name, value)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                scope.foreign[name] = "this file"
            case ast.AugAssign(target=ast.Name(id=name)):
                bound.add(name)
                scope.constants.pop(name, None)
    add_mechanisms(scope, tree.body)
    return scope


def add_mechanisms(scope: Scope, body: Iterable[ast.stmt]) -> None:
    """Note the mechanisms among ``body``; a later one of the same name would hide the earlier, so it is refused."""
    for statement in body:
        if isinstance(statement, ast.FunctionDef) and scope.is_mechanism(statement):
            known = scope.mechanisms.get(statement.name)
            if known is not None and known.lineno != statement.lineno:
                raise scope.refused(
                    "P104",
                    statement,
                    f"'{statement.name}' is already a mechanism on line {known.lineno}",
                    "Give each mechanism a name of its own",
                )
            scope.mechanisms[statement.name] = statement


def _read_import_from(scope: Scope, module: str, names: list[ast.alias]) -> None:
    for name in names:
        local = name.asname or name.name
        if module == "lapwing" or module.startswith("lapwing."):
            scope.aliases[local] = name.name
        else:
            scope.foreign[local] = module


def _bind_constant(scope: Scope, bound: set[str], name: str, value: ast.expr) -> None:
    if name in bound:
        scope.constants.pop(name, None)
    elif _is_number(value):
        scope.constants[name] = value
    if name in OURS:
        scope.foreign[name] = "this file"
    bound.add(name)


def _is_number(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=value):
            return isinstance(value, int | float)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _is_number(operand)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div(), right=right):
            return _is_number(left) and _is_number(right)
    return False
