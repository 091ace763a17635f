"""Loops that end in two ways: ``else`` after a loop, and a helper's ``return`` from inside one.

The one idea: this is Python to Python. What follows a loop that was not left is asked for by a truth value, which each
``break`` sets; where it only sets what each ``break`` sets anew, it is set before the loop instead. A helper's answer
is a variable that the loop is left with.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lapwing.source.fresh_words import FreshWords, at, names

_Loop = ast.For | ast.While
#: What an answer begins as, by the type that a helper says it has.
_ZEROS: dict[str, int | bool] = {"int": 0, "float": 0, "bool": False}
#: What may stand between a variable that is set and the ``break`` that follows it.
_STRAIGHT = ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Pass


def without_else(block: Sequence[ast.stmt], words: FreshWords) -> list[ast.stmt]:
    """The statements, with no ``else`` after a loop."""
    found: list[ast.stmt] = []
    for each in block:
        for field in ("body", "orelse"):
            if isinstance(getattr(each, field, None), list) and not isinstance(each, ast.FunctionDef):
                setattr(each, field, without_else(getattr(each, field), words))
        if isinstance(each, _Loop) and each.orelse:
            otherwise, each.orelse = each.orelse, []
            found += _followed(each, otherwise, words)
        else:
            found.append(each)
    return found


def _followed(loop: _Loop, otherwise: list[ast.stmt], words: FreshWords) -> list[ast.stmt]:
    """A loop, and what is done where it is not left."""
    if not list(_breaks(loop.body)):
        return [loop, *otherwise]
    if _is_set_anew(loop, otherwise):
        return [*otherwise, loop]
    left = words.fresh("left")
    loop.body = _noted(loop.body, left)
    test = at(ast.UnaryOp(ast.Not(), ast.Name(left, ast.Load())), loop)
    return [_set(left, ast.Constant(False), loop), loop, at(ast.If(test, otherwise, []), loop)]


def _breaks(block: Sequence[ast.stmt]) -> Iterator[list[ast.stmt]]:
    """The blocks of a loop's body in which it is left, up to where it is."""
    for place, each in enumerate(block):
        match each:
            case ast.Break():
                yield list(block[:place])
            case ast.If():
                yield from (*_breaks(each.body), *_breaks(each.orelse))


def _is_set_anew(loop: _Loop, otherwise: Sequence[ast.stmt]) -> bool:
    """Whether plain values are set, to variables that the loop sets on its way out, every time, and nowhere else."""
    leaving = list(_breaks(loop.body))
    parts = [part for part in ast.walk(loop) if isinstance(part, ast.Name)]
    for each in otherwise:
        match each:
            case ast.Assign([ast.Name(id=name)], value) if is_plain(value):
                uses = [part for part in parts if part.id == name]
                if names(value) & {part.id for part in parts if isinstance(part.ctx, ast.Store)}:
                    return False
                if len(uses) != len(leaving) or not all(_sets(before, name) for before in leaving):
                    return False
            case _:
                return False
    return True


def _sets(before: Sequence[ast.stmt], name: str) -> bool:
    """Whether a variable is set for sure right before the end of a block."""
    for each in reversed(before):
        match each:
            case ast.Assign([ast.Name(id=target)]) if target == name:
                return True
            case _ if not isinstance(each, _STRAIGHT):
                return False
    return False


def is_plain(value: ast.expr) -> bool:
    """Whether a value is a number, a name or a length, or a sum or a product of these: it can be computed anywhere."""
    match value:
        case ast.Constant() | ast.Name():
            return True
        case ast.UnaryOp(ast.USub(), operand):
            return is_plain(operand)
        case ast.BinOp(left, ast.Add() | ast.Sub() | ast.Mult(), right):
            return is_plain(left) and is_plain(right)
        case ast.Call(ast.Name("len"), [ast.Name()], []):
            return True
    return False


def _noted(block: Sequence[ast.stmt], left: str) -> list[ast.stmt]:
    """A loop's body that notes when the loop is left."""
    found: list[ast.stmt] = []
    for each in block:
        if isinstance(each, ast.If):
            each.body, each.orelse = _noted(each.body, left), _noted(each.orelse, left)
        found += [_set(left, ast.Constant(True), each), each] if isinstance(each, ast.Break) else [each]
    return found


# --- a helper's return ----------------------------------------------------------------------------------------


def returning_behind(function: ast.FunctionDef, words: FreshWords) -> None:
    """Let a helper give its answers behind its loops, where there is something to begin the answer with."""
    if any(_returns(part) for part in ast.walk(function) if isinstance(part, _Loop)):
        values = [each.value for each in _returns(function)]
        first = next((each for each in values if each is not None and not names(each) and is_plain(each)), None)
        if first is None and isinstance(function.returns, ast.Name) and function.returns.id in _ZEROS:
            first = ast.Constant(_ZEROS[function.returns.id])
        function.body = _Returning(words, first).block(function.body)


def _returns(node: ast.AST) -> list[ast.Return]:
    return [part for part in ast.walk(node) if isinstance(part, ast.Return)]


@dataclass(frozen=True, slots=True)
class _Returning:
    words: FreshWords
    #: an answer of the right type, if one is written as a number or a truth value
    first: ast.expr | None

    def block(self, block: Sequence[ast.stmt]) -> list[ast.stmt]:
        """The statements, with loops that give no answer."""
        found: list[ast.stmt] = []
        for place, each in enumerate(block):
            if isinstance(each, ast.If):
                each.body, each.orelse = self.block(each.body), self.block(each.orelse)
            if not isinstance(each, _Loop) or not _returns(each):
                found.append(each)
                continue
            match block[place + 1 :]:
                case [ast.Return(ast.expr() as value)] if is_plain(value) and _is_one(value, each):
                    return [*found, *self.answered(each, None, value)]
                case [ast.Return(ast.expr() as value)] if is_plain(value) and not names(value) & _changed(each):
                    return [*found, *self.answered(each, self.words.fresh("answer"), value)]
            found += [each] if self.first is None else self.asked(each, self.first)
        return found

    def answered(self, loop: _Loop, answer: str | None, value: ast.expr) -> list[ast.stmt]:
        """A loop behind which a plain value is returned: that is the answer, unless the loop is left with another."""
        deep = any(_returns(part) for part in ast.walk(loop) if isinstance(part, _Loop) and part is not loop)
        left = self.words.fresh("left") if deep else None
        begun = [] if answer is None else [_set(answer, value, loop)]
        begun += [] if left is None else [_set(left, ast.Constant(False), loop)]
        loop.body = _left(loop.body, answer, left)
        given = value if answer is None else ast.Name(answer, ast.Load())
        return [*begun, loop, at(ast.Return(given), loop)]

    def asked(self, loop: _Loop, first: ast.expr) -> list[ast.stmt]:
        """A loop behind which it is asked whether there is an answer."""
        answer, left = self.words.fresh("answer"), self.words.fresh("left")
        endless = isinstance(loop, ast.While) and isinstance(loop.test, ast.Constant) and loop.test.value is True
        ends = endless and not list(_breaks(loop.body))
        loop.body = _left(loop.body, answer, left)
        given = at(ast.Return(ast.Name(answer, ast.Load())), loop)
        behind = given if ends else at(ast.If(ast.Name(left, ast.Load()), [given], []), loop)
        return [_set(answer, first, loop), _set(left, ast.Constant(False), loop), loop, behind]


def _is_one(value: ast.expr, loop: _Loop) -> bool:
    """Whether a loop returns this wherever it returns."""
    return all(each.value is not None and ast.dump(each.value) == ast.dump(value) for each in _returns(loop))


def _changed(loop: _Loop) -> set[str]:
    """The names of what a loop may change, also what a list holds."""
    found = {part.id for part in ast.walk(loop) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    parts = (part for part in ast.walk(loop) if isinstance(part, ast.Attribute | ast.Subscript))
    held = [each.value for each in parts if isinstance(each, ast.Attribute) or not isinstance(each.ctx, ast.Load)]
    return found | {name for each in held for name in names(each)}


def _left(block: Sequence[ast.stmt], answer: str | None, left: str | None) -> list[ast.stmt]:
    """A loop's body that is left where it returned."""
    found: list[ast.stmt] = []
    for each in block:
        match each:
            case ast.Return(ast.expr() as value):
                found += [] if answer is None else [_set(answer, value, each)]
                found += [] if left is None else [_set(left, ast.Constant(True), each)]
                found.append(at(ast.Break(), each))
            case ast.If():
                each.body, each.orelse = _left(each.body, answer, left), _left(each.orelse, answer, left)
                found.append(each)
            case ast.For() | ast.While() if left is not None and _returns(each):
                each.body = _left(each.body, answer, left)
                found += [each, at(ast.If(ast.Name(left, ast.Load()), [at(ast.Break(), each)], []), each)]
            case _:
                found.append(each)
    return found


def _set(name: str, value: ast.expr, node: ast.AST) -> ast.stmt:
    return at(ast.Assign([ast.Name(name, ast.Store())], copy.deepcopy(value)), node)
