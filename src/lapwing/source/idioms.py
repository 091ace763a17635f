"""Idioms of Python's built-ins, said by loops and comprehensions: ``any``, ``all``, ``count``, ``max(…, key=…)``.

The one idea: what only computes is a sum. What draws noise is a loop or a list in front of the statement, and only
where nothing else in the statement is called and Python is sure to come to it once, so that all is drawn in its order.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from lapwing.source.fresh_words import FreshWords, at, names

#: Words that only compute.
_STILL = frozenset({"abs", "min", "max", "len", "sum", "clip", "int", "float", "bool"})
#: What any and all give for no elements.
_FOR_NONE = {"any": False, "all": True}
#: Where Python may come to a part never, or again and again.
_PERHAPS = ast.IfExp | ast.BoolOp | ast.Lambda | ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp

#: Whether a word is Python's own, and nothing else in the file.
BuiltIn = Callable[[str], bool]


class Idioms(ast.NodeTransformer):
    """A function's statements with plainer words for the idioms."""

    def __init__(self, words: FreshWords, built_in: BuiltIn) -> None:
        self.words, self.built_in = words, built_in

    def block(self, block: list[ast.stmt]) -> list[ast.stmt]:
        """The statements, in plainer words."""
        return [made for each in block for made in self.statement(each)]

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        """The statement, after what its idioms draw."""
        before: list[ast.stmt] = []
        match node:
            case ast.If(test=whole) | ast.Return(value=ast.expr() as whole) | ast.Assign(value=whole) | ast.Expr(whole):
                before = self.drawn_before(node, whole)
        for field, inner in ast.iter_fields(node):
            if isinstance(inner, list) and inner and isinstance(inner[0], ast.stmt):
                setattr(node, field, self.block(inner))
            elif isinstance(inner, ast.expr):
                setattr(node, field, self.visit(inner))
        return [*before, node]

    def drawn_before(self, node: ast.stmt, whole: ast.expr) -> list[ast.stmt]:
        """What the one call of an expression that draws is in statements; it is a name in the expression then."""
        calls = [part for part in ast.walk(whole) if isinstance(part, ast.Call)]
        inside = {id(part) for part in ast.walk(calls[0])} if calls else set()
        if not calls or any(id(each) not in inside for each in calls):
            return []
        if any(isinstance(part, _PERHAPS) and calls[0] in ast.walk(part) for part in ast.walk(whole)):
            return []
        made = self.loop(calls[0]) or self.place(calls[0])
        if made is None:
            return []
        statements, value = made
        field = "test" if isinstance(node, ast.If) else "value"
        setattr(node, field, _Put(calls[0], at(value, calls[0])).visit(whole))
        return self.block([at(each, calls[0]) for each in statements])

    def loop(self, node: ast.Call) -> tuple[list[ast.stmt], ast.expr] | None:
        """``any(…)`` and ``all(…)`` of what draws noise: a loop that stops as they do."""
        match node:
            case ast.Call(ast.Name(word), [ast.GeneratorExp(elt, [one]) as inner], []) if word in _FOR_NONE:
                if not self.built_in(word) or not _draws(inner) or names(one.target) & names(one.iter):
                    return None
            case _:
                return None
        none, told = _FOR_NONE[word], self.words.fresh("told")
        ends = elt if not none else ast.UnaryOp(ast.Not(), elt)
        body: ast.stmt = ast.If(ends, [_set(told, ast.Constant(not none)), ast.Break()], [])
        for condition in reversed(one.ifs):
            body = ast.If(condition, [body], [])
        loop = ast.For(one.target, one.iter, [body], [])
        renamed = {name: self.words.fresh(name) for name in names(one.target)}  # the names are the generator's own
        for part in ast.walk(loop):
            if isinstance(part, ast.Name):
                part.id = renamed.get(part.id, part.id)
        return [_set(told, ast.Constant(none)), loop], ast.Name(told, ast.Load())

    def place(self, node: ast.Call) -> tuple[list[ast.stmt], ast.expr] | None:
        """``max(range(n), key=lambda i: …)``: the place of the largest in a list that is made first."""
        match node:
            case ast.Call(
                ast.Name("max" | "min" as word),
                [ast.Call(ast.Name("range"), [_], []) as places],
                [ast.keyword("key", ast.Lambda(ast.arguments([], [place], None, [], [], None, []), value))],
            ) if self.built_in(word) and self.built_in("range") and place.arg not in names(places):
                scores = self.words.fresh("scores")
                one = ast.comprehension(ast.Name(place.arg, ast.Store()), places, [], 0)
                return [_set(scores, ast.ListComp(value, [one]))], _place_in(scores, word)
        return None

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """``max(enumerate(xs), key=lambda pair: pair[1])[0]``: the place of the largest."""
        match node:
            case ast.Subscript(
                ast.Call(
                    ast.Name("max" | "min" as word),
                    [ast.Call(ast.Name("enumerate"), [ast.Name(listed)], [])],
                    [
                        ast.keyword(
                            "key",
                            ast.Lambda(
                                ast.arguments([], [pair], None, [], [], None, []),
                                ast.Subscript(ast.Name(same), ast.Constant(1)),
                            ),
                        )
                    ],
                ),
                ast.Constant(0),
            ) if same == pair.arg and self.built_in(word) and self.built_in("enumerate"):
                return at(_place_in(listed, word), node)
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Idioms that only compute."""
        self.generic_visit(node)
        match node:
            case ast.Call(ast.Attribute(ast.Name() as listed, "count"), [value], []) if not _draws(value):
                each = self.words.fresh("each")
                same = ast.Compare(ast.Name(each, ast.Load()), [ast.Eq()], [value])
                return at(_counted(ast.comprehension(ast.Name(each, ast.Store()), listed, [same], 0)), node)
            case ast.Call(ast.Name(word), [ast.GeneratorExp(elt, [one]) | ast.ListComp(elt, [one]) as inner], []) if (
                word in _FOR_NONE and self.built_in(word) and not _draws(inner)
            ):
                ends = elt if word == "any" else ast.UnaryOp(ast.Not(), elt)
                found = _counted(ast.comprehension(one.target, one.iter, [*one.ifs, ends], 0))
                return at(ast.Compare(found, [ast.Gt() if word == "any" else ast.Eq()], [ast.Constant(0)]), node)
        return node


def _draws(node: ast.AST) -> bool:
    """Whether something is called that may do more than compute."""
    calls = (part.func for part in ast.walk(node) if isinstance(part, ast.Call))
    return any(not (isinstance(each, ast.Name) and each.id in _STILL) for each in calls)


def _set(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _counted(over: ast.comprehension) -> ast.expr:
    return ast.Call(ast.Name("sum", ast.Load()), [ast.GeneratorExp(ast.Constant(1), [over])], [])


def _place_in(listed: str, word: str) -> ast.expr:
    """``xs.index(max(xs))``, which is the first place, too."""
    largest = ast.Call(ast.Name(word, ast.Load()), [ast.Name(listed, ast.Load())], [])
    return ast.Call(ast.Attribute(ast.Name(listed, ast.Load()), "index", ast.Load()), [largest], [])


class _Put(ast.NodeTransformer):
    """One expression in the place of another."""

    def __init__(self, old: ast.expr, new: ast.expr) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        """The new one for the old."""
        return self.new if node is self.old else self.generic_visit(node)
