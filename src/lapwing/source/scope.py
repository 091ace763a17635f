"""What a source says outside its mechanisms: where names come from, constants, and which functions are mechanisms.

The one idea: a decorator is read, never run. A name such as ``laplace`` means Lapwing's and ``min`` means Python's, and
a source that binds one of them to something else too, anywhere, is refused rather than misread.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from lapwing.errors import InvalidProgram
from lapwing.kernel.program.spans import Span
from lapwing.kernel.program.vocabulary import CLAIM_FUNCTIONS
from lapwing.source.bindings import STAR, Binding, Level, bindings
from lapwing.source.language_words import DECORATORS, FUNCTIONS, ITERATORS, OURS
from lapwing.source.original import Source

#: Names that a source may bind to nothing else, if its mechanisms use them.
WORDS = OURS | frozenset(FUNCTIONS) | ITERATORS
#: More parts than a constant that a person sets has: one that is made of itself, again and again, doubles.
MAX_PARTS = 2000
TYPES = frozenset({"bool", "float", "int", "list", "List", "tuple", "Tuple", "Callable"})


@dataclass(slots=True)
class Scope:
    """The outer names of one source."""

    source: Source
    #: name → every place that binds it, in the innermost scope that does
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    #: module-level numbers and lists of them, by name: bound there, nowhere else, and never changed
    constants: dict[str, ast.expr] = field(default_factory=dict)
    mechanisms: dict[str, ast.FunctionDef] = field(default_factory=dict)
    #: plain functions, bound once: a mechanism that calls one does what is written there
    helpers: dict[str, ast.FunctionDef] = field(default_factory=dict)
    #: the helpers that are said in plainer words by now
    plain: set[str] = field(default_factory=set)
    #: whether a helper is a mere expression, where that is known
    pure: dict[str, bool] = field(default_factory=dict)

    def span(self, node: ast.AST) -> Span:
        """The place of a node of Python's syntax tree, with its byte offsets turned into characters."""
        line = getattr(node, "lineno", 1)
        end_line = getattr(node, "end_lineno", None) or line
        column = self._characters(line, getattr(node, "col_offset", 0))
        end_column = self._characters(end_line, getattr(node, "end_col_offset", None) or 0)
        return Span(line, column + 1, end_line, end_column + 1)

    def _characters(self, line: int, offset: int) -> int:
        text = self.source.line(line)
        return offset if text.isascii() else len(text.encode()[:offset].decode(errors="replace"))

    def refused(self, code: str, where: ast.AST | Span, problem: str, remedy: str) -> InvalidProgram:
        """The error that refuses the source at a place."""
        span = where if isinstance(where, Span) else self.span(where)
        return InvalidProgram(code, f"{problem} ({span})", remedy, self.source.underline(span))

    def check_letters(self, function: ast.FunctionDef) -> None:
        """Refuse names that may look like others: what is proved of ``epsilon`` is not to be read of its double."""
        for node in ast.walk(function):
            name = node.id if isinstance(node, ast.Name) else node.arg if isinstance(node, ast.arg) else ""
            if not name.isascii():
                remedy = "Write it in the letters a to z: epsilon for ε"
                raise self.refused("P176", node, "a name with letters other than a to z", remedy)

    def underlined(self, error: InvalidProgram) -> InvalidProgram:
        """A refusal by the kernel, which knows only where the program was written, with the place shown."""
        if isinstance(error.where, Span) and not error.place:
            error.place = self.source.underline(error.where)
        return error

    def word(self, node: ast.expr) -> str | None:
        """What a function or decorator expression is called in the language; ``None`` if it has no plain name."""
        if isinstance(node, ast.Name):
            meanings = self.meanings(node.id)
            if len(meanings) == 1 and (None not in meanings or node.id not in WORDS):
                (meaning,) = meanings
                return node.id if meaning is None else meaning
            raise self._foreign(node)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if {each.origin for each in self.bindings.get(node.value.id, ())} == {"math"}:
                return node.attr if node.attr in CLAIM_FUNCTIONS else None
            return node.attr if self.meanings(node.value.id) == {""} else None
        return None

    def meanings(self, name: str) -> set[str | None]:
        """What ``name`` may stand for: a word of the language, '' for the package, ``None`` for anything else."""
        return {binding.ours for binding in self.bindings.get(name, ())} or {name}

    def _foreign(self, node: ast.Name) -> InvalidProgram:
        origins = sorted({each.origin for each in self.bindings[node.id] if each.ours is None})
        source = "the built-ins" if node.id not in OURS and not (self.meanings(node.id) - {None}) else "lapwing"
        problem = f"'{node.id}' comes from {' and '.join(origins)}, not only from {source}"
        if not origins:
            problem = f"'{node.id}' stands for two things of lapwing's"
        return self.refused("P103", node, problem, "Give the other one a name of its own")

    def check_imports(self) -> None:
        """Refuse a source that may give any name another meaning."""
        for star in self.bindings.get(STAR, ()):
            problem = f"anything may come from {star.origin}, also under names of the language"
            raise self.refused("P103", star.where, problem, "Import what is needed by name")

    def check_type(self, annotation: ast.expr | None) -> None:
        """Refuse an annotation whose words the source gives another meaning."""
        for name in () if annotation is None else re.findall(r"\w+", ast.unparse(annotation)):
            for binding in self.bindings.get(name, ()):
                if name in TYPES and binding.origin not in ("typing", "collections.abc"):
                    problem = f"'{name}' comes from {binding.origin}, and is a type of the language"
                    raise self.refused("P103", binding.where, problem, "Give the other one a name of its own")

    def number(self, node: ast.expr) -> ast.expr | None:
        """The number or truth value that an expression at the top of the file is, if it is one."""
        meant = _Meant(self.constants).visit(copy.deepcopy(node))
        return meant if _is_number(meant) else None

    def enter(self, level: Level) -> None:
        """Go into a function or class: what it binds hides what is outside."""
        inner = bindings(level)
        self.bindings.update(inner)
        for name in inner:
            self.constants.pop(name, None)
            self.mechanisms.pop(name, None)
            self.helpers.pop(name, None)
            self.pure.clear()
            self.plain.discard(name)

    def is_mechanism(self, function: ast.FunctionDef) -> bool:
        """Whether one of Lapwing's decorators is on ``function``."""
        return any(self.decorator(decorator) is not None for decorator in function.decorator_list)

    def decorator(self, node: ast.expr) -> str | None:
        """Which of Lapwing's decorators this is; ``None`` for anybody else's, even of the same name."""
        called = node.func if isinstance(node, ast.Call) else node
        if isinstance(called, ast.Name) and self.meanings(called.id) == {None}:
            return None
        word = self.word(called)
        return word if word in DECORATORS else None


def read_scope(source: Source, tree: ast.Module) -> Scope:
    """The outer names of a parsed source."""
    scope = Scope(source, bindings(tree))
    for name, value in _settings(tree.body):
        meant = _Meant(scope.constants).visit(copy.deepcopy(value))
        once = len(scope.bindings[name]) == 1 and sum(1 for _ in ast.walk(meant)) <= MAX_PARTS
        if once and (_is_number(meant) or (_is_listed(meant) and not _may_change(tree, name))):
            scope.constants[name] = meant
    add_mechanisms(scope, tree.body)
    return scope


def _settings(body: Iterable[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    """What names are set to at the top of a file, also several at once."""
    for statement in body:
        match statement:
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)) if len(targets) == len(values):
                pairs = zip(targets, values, strict=True)
                yield from ((target.id, value) for target, value in pairs if isinstance(target, ast.Name))
            case ast.Assign([ast.Name(id=name)], value) | ast.AnnAssign(ast.Name(id=name), _, ast.expr() as value):
                yield name, value


class _Meant(ast.NodeTransformer):
    """An expression in which names of constants are what they were set to before."""

    def __init__(self, constants: Mapping[str, ast.expr]) -> None:
        self.constants = constants

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """What the name was set to."""
        return copy.deepcopy(self.constants.get(node.id, node))


def add_mechanisms(scope: Scope, body: Iterable[ast.stmt]) -> None:
    """Note the mechanisms and helpers among ``body``; a second mechanism of the same name is refused."""
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
        elif isinstance(statement, ast.FunctionDef) and not statement.decorator_list:
            once = len(scope.bindings.get(statement.name, ())) == 1 and scope.meanings(statement.name) == {None}
            scope.helpers.update({statement.name: statement} if once else {})


def _is_listed(node: ast.expr) -> bool:
    """Whether an expression is a list or a tuple of numbers, or of lists of them."""
    return isinstance(node, ast.List | ast.Tuple) and all(_is_number(each) or _is_listed(each) for each in node.elts)


def _may_change(tree: ast.Module, name: str) -> bool:
    """Whether a list that is set once may be another later: one of its methods is called, or a place in it is set."""
    return any(
        part.value.id == name
        for part in ast.walk(tree)
        if isinstance(part, ast.Attribute) or (isinstance(part, ast.Subscript) and not isinstance(part.ctx, ast.Load))
        if isinstance(part.value, ast.Name)
    )


def _is_number(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=value):
            return isinstance(value, int | float)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _is_number(operand)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div(), right=right):
            return _is_number(left) and _is_number(right)
    return False
