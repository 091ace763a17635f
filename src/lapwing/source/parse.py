"""Python source → :class:`~lapwing.kernel.program.ir.Module`. One front end for everything that reads mechanisms.

The source is read, never run: from a file, from text, or from the file a live function came from. What is outside
the language is refused at its line and column, underlined, with the nearest thing that is inside.
"""

from __future__ import annotations

import ast
import inspect
import io
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from lapwing.errors import InvalidInput, InvalidProgram
from lapwing.kernel.program import ir, types
from lapwing.kernel.program.spans import Span
from lapwing.kernel.wellformed import nesting, noisy, secrecy, structure
from lapwing.kernel.wellformed.nesting import MAX_DEPTH
from lapwing.source import sharing
from lapwing.source.arranging.in_order import arranged
from lapwing.source.bindings import Level
from lapwing.source.claimed import granted
from lapwing.source.expressions import condition
from lapwing.source.frame import Frame, Signature
from lapwing.source.header import Header, check_public, read_header
from lapwing.source.helpers import stores
from lapwing.source.original import Source
from lapwing.source.quotients import with_quotients
from lapwing.source.real_chances import with_real_chances
from lapwing.source.rounded_scales import with_rounded_scales
from lapwing.source.scope import Scope, add_mechanisms, read_scope
from lapwing.source.spelling import plainly
from lapwing.source.statements import check_name, lower_block
from lapwing.source.syntax_depth import too_deep

DEEP = f"this is nested more than {MAX_DEPTH} deep"
SHALLOWER = "Split it with variables; a long if/elif chain, with a loop or several mechanisms"
#: Rounds of type inference. Each widens some type, and types are shallow: more means a list inside itself.
MAX_ROUNDS = 50


def parse_file(path: str | Path, only: str | None = None) -> ir.Module:
    """The mechanisms of a Python file; with ``only``, that one and those it calls."""
    source = read_source(path)
    return parse_text(source.text, source.name, only)


def read_source(path: str | Path) -> Source:
    """The text of a Python file."""
    try:
        return Source(Path(path).read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InvalidInput("P101", f"{str(path)!r} cannot be read: {reason}", "Give a Python file") from None


@lru_cache(maxsize=32)  # whoever looks for a proof has every certificate checked against the text again
def parse_text(text: str, name: str = "<text>", only: str | None = None) -> ir.Module:
    """The mechanisms of a Python text; with ``only``, that one and those it calls."""
    scope, _ = _scope(Source(text, name))
    if only is not None and only not in scope.mechanisms:
        known = ", ".join(scope.mechanisms) or "none"
        raise InvalidInput("P106", f"there is no mechanism '{only}' in {name}", f"Name one of its mechanisms: {known}")
    return _read(scope, list(scope.mechanisms) if only is None else [only])


def mechanism_names(text: str, name: str = "<text>") -> tuple[str, ...]:
    """The names of the mechanisms in a Python text, in order, without reading their bodies."""
    scope, _ = _scope(Source(text, name))
    return tuple(scope.mechanisms)


def source_of(function: Callable[..., object]) -> tuple[Source, int]:
    """The text that a live function came from, and the line of its first decorator."""
    try:
        lines, _ = inspect.findsource(function)
        name = inspect.getsourcefile(function) or "<text>"
    except (OSError, TypeError):
        raise InvalidInput(
            "P107", f"the source of '{function.__name__}' is not available", "Define the mechanism in a file"
        ) from None
    return Source("".join(lines), name), function.__code__.co_firstlineno


def parse_at(source: Source, name: str, line: int) -> ir.Module:
    """The mechanism ``name`` whose first line (with decorators) is ``line``, also inside a function or class."""
    scope, tree = _scope(source)
    for around, parent, function in _functions(tree):
        if function.name == name and line in range(_first_line(function), function.lineno + 1):
            for level in around:
                scope.enter(level)
            scope.mechanisms.pop(name, None)
            beside = (each for each in ast.iter_child_nodes(parent) if isinstance(each, ast.FunctionDef))
            add_mechanisms(scope, (each for each in beside if each.name != name or each is function))
            return _read(scope, [name], live=True)
    raise InvalidInput("P107", f"the source of '{name}' has changed since it was loaded", "Load it again")


def _check_encoding(source: Source) -> None:
    """Refuse a source that Python would decode in another way than it was read here."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source.text.encode("utf-8", "surrogatepass")).readline)
    except SyntaxError:
        encoding = "an unknown encoding"
    if encoding not in ("utf-8", "utf-8-sig"):
        raise InvalidProgram("P102", f"{source.name} declares {encoding}, and is read as UTF-8", "Save it as UTF-8")


def _scope(source: Source) -> tuple[Scope, ast.Module]:
    _check_encoding(source)
    try:
        tree = ast.parse(source.text)
    except SyntaxError as error:
        line, column = error.lineno or 1, error.offset or 1
        span = Span(line, column, error.end_lineno or line, max(error.end_offset or 0, column + 1))
        problem = f"this is not Python: {error.msg} ({span})"
        raise InvalidProgram("P102", problem, "Correct the line", source.underline(span)) from None
    except (ValueError, RecursionError, MemoryError):  # null bytes; nesting that Python itself gives up on
        raise InvalidProgram("P102", f"{source.name} cannot be read as Python", "Give a Python file") from None
    return read_scope(source, tree), tree


def _check_depth(scope: Scope, tree: ast.AST) -> None:
    if (place := too_deep(tree)) is not None:
        raise scope.refused("P102", place, DEEP, SHALLOWER)


def _functions(tree: ast.Module) -> Iterator[tuple[tuple[Level, ...], ast.AST, ast.FunctionDef]]:
    """Every function with the node it stands in and the scopes around it, outermost first."""
    pending: list[tuple[ast.AST, tuple[Level, ...]]] = [(tree, ())]
    while pending:
        node, around = pending.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef):
                yield around, node, child
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
                pending.append((child, (*around, child)))
            else:
                pending.append((child, around))


def _first_line(function: ast.FunctionDef) -> int:
    return min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])


def _read(scope: Scope, names: list[str], *, live: bool = False) -> ir.Module:
    """The mechanisms ``names`` with those they call. A ``live`` one is at hand, whatever its name stands for later."""
    scope.check_imports()
    headers: dict[str, Header] = {}
    done: dict[str, ir.Mechanism] = {}

    def visit(name: str, path: tuple[str, ...], where: ast.AST) -> None:
        if name in done:
            return
        if name in path:
            chain = " → ".join((*path[path.index(name) :], name))
            raise scope.refused("P119", where, f"mechanisms call each other in a circle: {chain}", "Write a loop")
        node = scope.mechanisms[name]
        others = [each.where for each in scope.bindings[name] if each.where is not node]
        if others and not (live and not path):
            raise scope.refused(
                "P104", others[0], f"'{name}' is a mechanism and is bound again here", "Give each a name of its own"
            )
        _check_depth(scope, node)
        headers[name] = headers.get(name) or read_header(scope, node)
        for part in _calls(scope, node):
            visit(part.func.id, (*path, name), part)  # type: ignore[attr-defined]  # a call by name
        callees = {each: header.signature for each, header in headers.items() if each in done}
        try:
            mechanism, changes = _mechanism(scope, node, headers[name], callees)
        except RecursionError:  # flat syntax with so much noise that it nests
            raise scope.refused("P102", node, DEEP, SHALLOWER) from None
        if (span := nesting.too_deep(mechanism)) is not None:
            raise scope.refused("P102", span, DEEP, SHALLOWER)
        try:
            structure.check(mechanism)
            sharing.check(mechanism, done, changes)
            mechanism = arranged(mechanism)
            noisy.check(mechanism, done)
            done[name] = secrecy.with_variables(with_quotients(mechanism, done), done)
        except InvalidProgram as error:
            raise scope.underlined(error) from None

    for name in names:
        visit(name, (), scope.mechanisms[name])
    return ir.Module(tuple(done.values()))


def _calls(scope: Scope, node: ast.FunctionDef) -> list[ast.Call]:
    """The calls of mechanisms in a function, also by way of its helpers, which are in plainer words from here on."""
    found: list[ast.Call] = []
    pending, seen = [node], {node.name}
    while pending:
        function = pending.pop()
        for part in ast.walk(function):
            if isinstance(part, ast.Call) and isinstance(part.func, ast.Name):
                name = part.func.id
                if name in scope.mechanisms:
                    found.append(part)
                elif name in scope.helpers and name not in seen:
                    seen.add(name)
                    _check_depth(scope, scope.helpers[name])
                    if name not in scope.plain:
                        scope.helpers[name] = plainly(scope.helpers[name], scope, helper=True)
                        scope.plain.add(name)
                    pending.append(scope.helpers[name])
    return found


def _mechanism(
    scope: Scope, node: ast.FunctionDef, header: Header, callees: dict[str, Signature]
) -> tuple[ir.Mechanism, sharing.Changes]:
    """A mechanism as it is read, and those of its assignments that stand for ``xs[i] = v``."""
    node = plainly(node, scope)
    body = list(node.body)
    documentation = ast.get_docstring(node)
    if documentation is not None:
        body.pop(0)
    asserts: list[ast.Assert] = []
    while body and isinstance(body[0], ast.Assert):
        asserts.append(body.pop(0))  # type: ignore[arg-type]  # mypy does not narrow body[0] for pop
    stored: dict[str, ast.Name] = {}
    for part in stores(body):
        stored.setdefault(part.id, part)
    frame = Frame(scope, header.signature, callees, words=_words(node), locals=frozenset(stored))
    for part in stored.values():
        check_name(frame, part)
    before = replace(frame, settled=True, locals=frozenset())  # nothing is assigned yet
    preconditions = tuple(_precondition(before, each) for each in asserts)
    for _ in range(MAX_ROUNDS):
        frame.restart()
        statements = (*_reassigned(frame, stored), *lower_block(frame, body))
        if frame.settled:
            break
        frame.settled = not frame.changed  # then once more, to refuse what is unknown still
    else:
        raise scope.refused("P131", node, f"the types of {node.name} do not settle", "Do not put a list inside itself")
    mechanism = ir.Mechanism(
        node.name,
        header.signature.parameters,
        header.signature.returns,
        preconditions,
        statements,
        header.claim,
        header.accuracy,
        header.flow,
        # the walk over the finished program says which of these are public
        tuple(ir.Variable(name, types.settled(kind), False, False) for name, kind in frame.types.items()),
        documentation or "",
        span=scope.span(node),
    )
    mechanism = with_real_chances(with_rounded_scales(mechanism))
    mechanism = replace(mechanism, preconditions=(*preconditions, *granted(mechanism)))
    return mechanism, sharing.Changes(tuple(frame.updates), tuple(frame.cells))


def _precondition(frame: Frame, node: ast.Assert) -> ir.Expression:
    expression = condition(frame, node.test, None)
    check_public(frame, expression, node.test, "an assert")
    return expression


def _reassigned(frame: Frame, stored: dict[str, ast.Name]) -> list[ir.Statement]:
    """Parameters keep their value: one that the body assigns is copied to a variable, used from there on."""
    copies: list[ir.Statement] = []
    for parameter in frame.signature.parameters:
        if parameter.name in stored:
            name = frame.fresh(parameter.name)
            frame.renamed[parameter.name] = name
            frame.assign(name, parameter.type, stored[parameter.name])
            copies.append(ir.Assign(name, ir.Name(parameter.name, span=parameter.span), span=parameter.span))
    return copies


def _words(node: ast.FunctionDef) -> frozenset[str]:
    found = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    return frozenset(found | {argument.arg for argument in node.args.args})
