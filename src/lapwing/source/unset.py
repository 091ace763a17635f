"""Variables that begin as nothing: ``best = -inf`` or ``None``, to be passed by the first number that is compared.

The one idea: such a variable is a number beside a truth value that says whether it is set. ``v > best`` is "v passes
it, or it is not set", wherever the variable is only set, compared, copied to another such one and asked for ``is
None``. Whoever reads it for anything else might read the nothing, and then nothing is changed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping

from lapwing.source.fresh_words import FreshWords, at
from lapwing.source.scope import Scope

#: What a variable begins as: a number above or below all, or None, which is compared with nothing.
HIGH, LOW, NONE = "inf", "-inf", "None"
#: What is true of any number and an unset one on its right; and the operators seen from the right.
_HOLDS = {ast.Lt: HIGH, ast.LtE: HIGH, ast.Gt: LOW, ast.GtE: LOW}
_MIRRORED = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}
#: Which of two numbers is kept, and what it passes.
_KEPT = {"max": (LOW, ast.Gt), "min": (HIGH, ast.Lt)}

#: How infinity may be written.
_WRITTEN = {"inf": HIGH, "+inf": HIGH, "-inf": LOW, "infinity": HIGH, "+infinity": HIGH, "-infinity": LOW}

#: Which nothing an expression is, if it is one.
Nothing = Callable[[ast.expr], str | None]


def nothing(scope: Scope, node: ast.expr) -> str | None:
    """Which nothing an expression is: ``None``, ``float("-inf")``, ``math.inf`` and the like."""
    match node:
        case ast.Constant(None):
            return NONE
        case ast.UnaryOp(ast.USub(), operand):
            return {HIGH: LOW, LOW: HIGH}.get(nothing(scope, operand) or "")
        case ast.Call(ast.Name("float"), [ast.Constant(str() as text)], []) if "float" not in scope.bindings:
            return _WRITTEN.get(text.strip().lower())
        case ast.Attribute(ast.Name(package), "inf"):
            origins = {each.origin for each in scope.bindings.get(package, ())}
            return HIGH if origins and origins <= {"math", "numpy"} else None
        case ast.Name("inf") if {each.origin for each in scope.bindings.get("inf", ())} == {"math"}:
            return HIGH
    return None


def with_flags(function: ast.FunctionDef, words: FreshWords, of: Nothing) -> None:
    """Give the variables of a function that begin as nothing a truth value that says whether they are set."""
    kinds = _begun(function, of)
    while unclear := {name for name in kinds if not _is_followed(function, name, kinds)}:
        kinds = {name: kind for name, kind in kinds.items() if name not in unclear}
    if kinds:
        flags = {name: words.fresh(f"{name}_is_set") for name in kinds}
        _Flagged(kinds, flags, words, of).generic_visit(function)


def _begun(function: ast.FunctionDef, of: Nothing) -> dict[str, str]:
    """The variables that are set to nothing, of one kind."""
    found: dict[str, set[str]] = {}
    for target, value in _settings(function):
        kind = of(value)
        if kind is not None:
            found.setdefault(target.id, set()).add(kind)
    parameters = {each.arg for each in function.args.args}
    return {name: kinds.pop() for name, kinds in found.items() if len(kinds) == 1 and name not in parameters}


def _settings(function: ast.FunctionDef) -> Iterator[tuple[ast.Name, ast.expr]]:
    """What is set to what, by plain assignments and by tuples that are written out on both sides."""
    for part in ast.walk(function):
        match part:
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)) if len(targets) == len(values):
                pairs = list(zip(targets, values, strict=True))
            case ast.Assign([target], value) | ast.AnnAssign(target, _, ast.expr() as value):
                pairs = [(target, value)]
            case _:
                continue
        yield from ((target, value) for target, value in pairs if isinstance(target, ast.Name))


def _is_followed(function: ast.FunctionDef, name: str, kinds: Mapping[str, str]) -> bool:
    """Whether every place that has the name sets it, compares it, copies it, or asks whether it is None."""
    known: set[int] = set()
    alone = {id(part.value) for part in ast.walk(function) if isinstance(part, ast.Assign | ast.AnnAssign)}
    for target, value in _settings(function):
        if target.id == name:
            known.add(id(target))
            # in a tuple, what is kept cannot be told before the other values
            if id(value) in alone and (kept := _kept(value, kinds.get(name), name)) is not None:
                known.add(id(kept[0]))
        if isinstance(value, ast.Name) and value.id == name and kinds.get(target.id) == kinds[name]:
            known.add(id(value))
    for part in ast.walk(function):
        if isinstance(part, ast.Compare):
            known |= {id(each) for each in _compared(part, kinds) if each.id == name}
    every = (part for part in ast.walk(function) if isinstance(part, ast.Name) and part.id == name)
    return all(id(each) in known for each in every)


def _compared(node: ast.Compare, kinds: Mapping[str, str]) -> list[ast.Name]:
    """The one variable that begins as nothing and is compared here with what cannot be nothing, or with None."""
    match node:
        case ast.Compare(ast.Name(id=name) as left, [ast.Is() | ast.IsNot()], [ast.Constant(None)]):
            return [left] if kinds.get(name) == NONE else []
        case ast.Compare(left, [operator], [right]) if type(operator) in _HOLDS:
            mine = [each for each in (left, right) if isinstance(each, ast.Name) and each.id in kinds]
            return mine if len(mine) == 1 else []
    return []


def _kept(value: ast.expr, kind: str | None, name: str) -> tuple[ast.Name, ast.expr, ast.cmpop] | None:
    """Of ``max(best, v)``, where best begins below all (``min``: above all): best, v, and how v passes it."""
    match value:
        case ast.Call(ast.Name(id=word), [left, right], []) if word in _KEPT and _KEPT[word][0] == kind:
            for old, new in ((left, right), (right, left)):
                if isinstance(old, ast.Name) and old.id == name and not _has(new, name):
                    return old, new, _KEPT[word][1]()
    return None


def _has(node: ast.AST, name: str) -> bool:
    return any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(node))


class _Flagged(ast.NodeTransformer):
    """Statements and comparisons, with the truth values."""

    def __init__(self, kinds: Mapping[str, str], flags: Mapping[str, str], words: FreshWords, of: Nothing) -> None:
        self.kinds, self.flags, self.words, self.of = kinds, flags, words, of

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | list[ast.stmt]:
        """As if it had no annotation, where it may begin as nothing."""
        if isinstance(node.target, ast.Name) and node.target.id in self.kinds and node.value is not None:
            return self.visit_Assign(ast.copy_location(ast.Assign([node.target], node.value), node))
        return self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        """The value, and whether it is one."""
        match node:
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)) if len(targets) == len(values):
                pairs = list(zip(targets, values, strict=True))
                values[:] = []
                for target, value in pairs:
                    followed = isinstance(target, ast.Name) and target.id in self.kinds
                    values.append(self.value(value) if followed else self.visit(value))
                for target, value in pairs:
                    if isinstance(target, ast.Name) and target.id in self.kinds:
                        targets.append(at(ast.Name(self.flags[target.id], ast.Store()), target))
                        values.append(at(self.is_set(value), value))
                return node
            case ast.Assign([ast.Name(id=name) as target], value) if name in self.kinds:
                kept = _kept(value, self.kinds[name], name)
                before = [] if kept is None else [self.held(node, *kept)]
                flag = at(ast.Assign([ast.Name(self.flags[name], ast.Store())], self.is_set(value)), node)
                if kept is None:
                    node.value = self.value(value)
                return [*before, node, flag]
        return self.generic_visit(node)

    def is_set(self, value: ast.expr) -> ast.expr:
        """Whether what a variable is set to is a number."""
        if isinstance(value, ast.Name) and value.id in self.flags:
            return ast.Name(self.flags[value.id], ast.Load())
        return ast.Constant(self.of(value) is None)

    def value(self, value: ast.expr) -> ast.expr:
        """The number that stands for a value."""
        return self.visit(value) if self.of(value) is None else at(ast.Constant(0), value)

    def held(self, node: ast.Assign, old: ast.Name, new: ast.expr, operator: ast.cmpop) -> ast.stmt:
        """``best = max(best, v)``: v, before; then v, or the old number if it is set and not passed."""
        fresh = self.words.fresh("new")
        number = ast.Name(fresh, ast.Load())
        unset = ast.UnaryOp(ast.Not(), ast.Name(self.flags[old.id], ast.Load()))
        passes = ast.Compare(number, [operator], [old])
        node.value = at(ast.IfExp(ast.BoolOp(ast.Or(), [passes, unset]), number, old), node.value)
        return at(ast.Assign([ast.Name(fresh, ast.Store())], self.visit(new)), node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """The comparison, and what it is where nothing is set."""
        mine = _compared(node, self.kinds)
        if not mine:
            return self.generic_visit(node)
        kind, is_set = self.kinds[mine[0].id], ast.Name(self.flags[mine[0].id], ast.Load())
        operator = type(node.ops[0])
        if operator in (ast.Is, ast.IsNot):
            return at(is_set if operator is ast.IsNot else ast.UnaryOp(ast.Not(), is_set), node)
        self.generic_visit(node)
        if kind == NONE:  # Python compares nothing with None
            return node
        if mine[0] is node.left:
            operator = _MIRRORED[operator]
        # what is compared is computed first, as it may draw noise
        if _HOLDS[operator] == kind:
            return at(ast.BoolOp(ast.Or(), [node, ast.UnaryOp(ast.Not(), is_set)]), node)
        return at(ast.BoolOp(ast.And(), [node, is_set]), node)
