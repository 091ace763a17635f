"""Every way in which Python gives a name a value within one scope.

The one idea: the source is read, never run, so a name means something only if nothing else can have been put under it.
Assignments in every form, loops, ``with``, ``except``, ``match``, ``del``, imports and definitions count wherever they
stand in the scope, and so does ``global`` in a function: which of two bindings would win is not asked.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from lapwing.kernel.program.vocabulary import CLAIM_FUNCTIONS
from lapwing.source.language_words import OURS

#: The name under which star imports of other packages are kept: they may bind anything.
STAR = "*"

Level = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda


@dataclass(frozen=True, slots=True)
class Binding:
    """One place that binds a name. ``ours``: Lapwing's name for it, '' for the package itself, else ``None``."""

    where: ast.AST
    origin: str
    ours: str | None = None


def bindings(level: Level) -> dict[str, list[Binding]]:
    """Every binding of every name that ``level`` binds in its own scope."""
    found: dict[str, list[Binding]] = {}
    for name, binding in (*_parameters(level), *_inside(level), *_declared(level)):
        found.setdefault(name, []).append(binding)
    return found


def _parameters(level: Level) -> Iterator[tuple[str, Binding]]:
    if not isinstance(level, ast.Module | ast.ClassDef):
        for argument in ast.walk(level.args):
            if isinstance(argument, ast.arg):
                yield argument.arg, _here(argument)


def _declared(level: Level) -> Iterator[tuple[str, Binding]]:
    """Names that a function somewhere inside may set from there."""
    for node in ast.walk(level):
        if isinstance(node, ast.Global | ast.Nonlocal):
            yield from ((name, _here(node)) for name in node.names)


def _here(node: ast.AST) -> Binding:
    return Binding(node, "this file")


def _inside(level: Level) -> Iterator[tuple[str, Binding]]:
    pending: list[ast.AST] = [level.body] if isinstance(level, ast.Lambda) else list(level.body)
    while pending:
        node = pending.pop()
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name, _here(node)
                pending.extend(child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt))
                continue
            case ast.arg():
                pending.extend(ast.iter_child_nodes(node))  # its annotation; the name is the inner function's
                continue
            case ast.Lambda():
                pending.append(node.args)
                continue
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                # its variables are its own, but := inside it sets the scope's
                targets = (part.target for part in ast.walk(node) if isinstance(part, ast.NamedExpr))
                yield from ((target.id, _here(target)) for target in targets)
                continue
            case ast.Import() | ast.ImportFrom():
                yield from _imported(node)
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                yield name, _here(node)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name, _here(node)
            case ast.MatchMapping(rest=str(name)):
                yield name, _here(node)
        pending.extend(ast.iter_child_nodes(node))


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, Binding]]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            ours = "" if alias.name == "lapwing" else None
            yield alias.asname or alias.name.split(".")[0], Binding(node, alias.name, ours)
        return
    module = "." * node.level + (node.module or "")
    language = module in ("lapwing", "lapwing.source") or module.startswith("lapwing.source.")
    for alias in node.names:
        if alias.name == "*" and language:
            yield from ((word, Binding(node, module, word)) for word in OURS)
        else:
            known = language or (module == "math" and alias.name in CLAIM_FUNCTIONS)
            yield alias.asname or alias.name, Binding(node, module, alias.name if known else None)
