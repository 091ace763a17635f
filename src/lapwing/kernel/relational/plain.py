"""A mechanism in fewer words: list comprehensions, sums and largest elements written as loops.

The one idea: expressions are pure and total, so what stands inside one may be computed just before it, by a loop that
says the same. A ``continue`` that ends a branch leaves what follows to the other branch, and where no draw follows, an
answer may wait until the end. The program that is walked is then one with numbers in variables and lists that grow, and
means what the one that runs means.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from lapwing.errors import InvalidProgram
from lapwing.kernel.formulas.margins import renamed
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.types import bound_types, settled, type_of, types_of
from lapwing.kernel.program.walk import Block
from lapwing.kernel.relational.membership import members
from lapwing.kernel.relational.tupled import tupled
from lapwing.kernel.relational.unbranched import ends, unbranched, zeros
from lapwing.kernel.wellformed.secrecy import with_variables


def plain(mechanism: ir.Mechanism) -> ir.Mechanism:
    """The mechanism without comprehensions, sums and extremes of lists, where they stand in plain statements."""
    if any(isinstance(each, ir.Call) for each in walk.statements(mechanism.body)):
        return mechanism
    mechanism = tupled(mechanism)
    source, mechanism = mechanism.body, members(mechanism)
    whole = mechanism
    writing = _Writing(dict(types_of(mechanism)), {each.name for each in mechanism.parameters}, walk.walked(mechanism))
    flat = unbranched(mechanism.body, mechanism.returns, writing.fresh)
    if flat != mechanism.body:
        mechanism = replace(mechanism, body=(*zeros(mechanism), *flat))
    body = writing.block(writing.answering(mechanism), ends=False)
    if body == source:
        return mechanism
    variables = tuple(ir.Variable(name, kind, False, False) for name, kind in writing.variables())
    try:
        return with_variables(replace(mechanism, body=_numbered(body, iter(range(1, 10_000))), variables=variables), {})
    except InvalidProgram:
        return whole  # a list that is filled in rounds looks as if their number were private


def _numbered(block: Block, numbers: Iterator[int]) -> Block:
    """The block with its loops numbered in program order."""
    found: list[ir.Statement] = []
    for each in block:
        numbered = replace(each, number=next(numbers)) if isinstance(each, ir.For | ir.While) else each
        found.append(walk.with_blocks(numbered, lambda inner: _numbered(inner, numbers)))
    return tuple(found)


@dataclass(slots=True)
class _Writing:
    """The types of all names, which of them are parameters, and what comprehensions and loops walk with."""

    types: dict[str, ir.Type]
    parameters: set[str]
    taken: set[str]
    _before: list[ir.Statement] = field(default_factory=list)

    def variables(self) -> list[tuple[str, ir.Type]]:
        return [(name, settled(kind)) for name, kind in self.types.items() if name not in self.parameters]

    def block(self, block: Block, *, ends: bool) -> Block:
        """The block, each statement after the loops that compute what stands in it.

        ``ends`` says that nothing follows the block in the round of a loop, so that to continue is to do nothing more.
        """
        found: list[ir.Statement] = []
        for position, statement in enumerate(block):
            rest = block[position + 1 :]
            if ends and not any(isinstance(each, ir.For | ir.While) for each in walk.statements(rest)):
                match statement:
                    case ir.If(_, (*then, ir.Continue()), otherwise):
                        apart = replace(statement, then=tuple(then), otherwise=(*otherwise, *rest))
                        return (*found, *self.statement(apart, ends=True))
                    case ir.If(_, then, (*otherwise, ir.Continue())):
                        apart = replace(statement, then=(*then, *rest), otherwise=tuple(otherwise))
                        return (*found, *self.statement(apart, ends=True))
            found += self.statement(statement, ends=ends and not rest)
        return tuple(found)

    def statement(self, statement: ir.Statement, *, ends: bool) -> Block:
        """One statement after what is computed before it."""
        outer, self._before = self._before, []
        match statement:
            case ir.Assign(target, ir.Comprehension() as made) if target not in walk.names(made) and self.fits(made):
                self.collected(target, made)
                found = tuple(self._before)
            case ir.Assign() | ir.Append() | ir.Return() | ir.If() | ir.For(ir.Over()):
                changed = walk.with_expressions(statement, self.written)
                before = tuple(self._before)
                ends = ends or isinstance(statement, ir.For)
                found = (*before, walk.with_blocks(changed, lambda inner: self.block(inner, ends=ends)))
            case _:
                found = (walk.with_blocks(statement, lambda inner: self.block(inner, ends=True)),)
        self._before = outer
        return found

    # --- expressions ------------------------------------------------------------------------------------------

    def written(self, node: ir.Expression) -> ir.Expression:
        """The expression with names for what is computed before it."""
        match node:
            case ir.Comprehension() if self.fits(node):
                name = self.fresh("listed", type_of(node, self.types))
                self.collected(name, node)
                return ir.Name(name)
            case ir.Builtin("sum" | "min" | "max" as function, (listed,)) if self.fits(listed):
                return self.accumulated(function, listed)
            case ir.Builtin("len", (ir.Comprehension() as listed,)) if self.fits(listed):
                return self.accumulated("len", listed)
            case ir.Comprehension() | ir.Slice():
                return node
        return walk.with_parts(node, self.written)

    def fits(self, node: ir.Expression) -> bool:
        """Whether a list is one that a loop can walk: named, or a comprehension over such that hides no name."""
        if isinstance(node, ir.Name):
            return True
        if not isinstance(node, ir.Comprehension):
            return False
        inner = [part for part in walk.nodes(node) if isinstance(part, ir.Comprehension) and part is not node]
        hidden = set(node.source.targets) | set(self.types)
        if any(set(part.source.targets) & hidden for part in inner):
            return False
        lists = [each for _, each in node.source.items] if isinstance(node.source, ir.Over) else []
        return all(isinstance(each, ir.Name) for each in lists)

    def fresh(self, name: str, kind: ir.Type) -> str:
        """A new variable."""
        number = 1
        while f"{name}_{number}" in self.types or f"{name}_{number}" in self.taken:
            number += 1
        self.types[f"{name}_{number}"] = kind
        return f"{name}_{number}"

    def walked(self, listed: ir.Expression) -> tuple[ir.Over | ir.Range, ir.Expression, ir.Expression | None]:
        """What a loop walks over, with variables of its own, the element of each round, and whether it counts."""
        if not isinstance(listed, ir.Comprehension):
            kind = type_of(listed, self.types)
            name = self.fresh("item", kind.element if isinstance(kind, ir.List) else ir.Real())
            return ir.Over(((name, listed),)), ir.Name(name), None
        kinds = bound_types(listed.source, self.types)
        listed = renamed(listed, {name: self.fresh(name, kind) for name, kind in kinds.items()})
        return listed.source, listed.element, listed.condition

    def collected(self, target: str, made: ir.Comprehension) -> None:
        """A list that grows by an element in each round that counts."""
        source, element, condition = self.walked(made)
        self._before.append(ir.Assign(target, ir.ListOf(())))
        self.loop(made, source, [ir.Append(target, element, span=made.span)], condition)

    def accumulated(self, function: str, listed: ir.Expression) -> ir.Expression:
        """A sum, count or extreme, over one list."""
        source, element, condition = self.walked(listed)
        kind = ir.Integer() if function == "len" else type_of(element, self.types)
        total = self.fresh({"len": "count"}.get(function, function), kind)
        self._before.append(ir.Assign(total, ir.ZERO))
        name = ir.Name(total)
        match function:
            case "len":
                body: list[ir.Statement] = [ir.Assign(total, ir.Arithmetic("+", name, ir.ONE))]
            case "sum":
                body = [ir.Assign(total, ir.Arithmetic("+", name, element))]
            case _:
                seen = self.fresh("seen", ir.Boolean())
                self._before.append(ir.Assign(seen, ir.Truth(False)))
                further = ir.Compare("<" if function == "min" else ">", element, name)
                body = [
                    ir.If(ir.Or((ir.Not(ir.Name(seen)), further)), (ir.Assign(total, element),), ()),
                    ir.Assign(seen, ir.Truth(True)),
                ]
        self.loop(listed, source, body, condition)
        return name

    def loop(
        self, place: ir.Node, source: ir.Over | ir.Range, body: Sequence[ir.Statement], condition: ir.Expression | None
    ) -> None:
        """A loop that is walked before the statement; what stands in its own expressions is computed inside it."""
        inside: Block = tuple(body) if condition is None else (ir.If(condition, tuple(body), ()),)
        outer, self._before = self._before, []
        written = self.block(inside, ends=True)
        self._before = outer
        self._before.append(ir.For(source, written, 1, span=place.span))

    # --- answers ----------------------------------------------------------------------------------------------

    def answering(self, mechanism: ir.Mechanism) -> Block:
        """The body, where the last draw is followed by tests only: with one answer at the end, set by them."""
        body = mechanism.body
        start = next((at for at, each in enumerate(body) if any(_is_return(s) for s in walk.statements((each,)))), 0)
        rest = list(walk.statements(body[start:]))
        plain = isinstance(mechanism.returns, ir.Real | ir.Integer | ir.Boolean)
        if not plain or isinstance(body[start], ir.Return) or not all(map(self.is_simple, rest)):
            return body
        if not ends(body):
            return body
        answer, done = self.fresh("answer", mechanism.returns), self.fresh("done", ir.Boolean())
        zero = ir.Truth(False) if isinstance(mechanism.returns, ir.Boolean) else ir.ZERO
        first = (ir.Assign(answer, zero), ir.Assign(done, ir.Truth(False)))
        return (*body[:start], *first, *self.answered(body[start:], answer, done), ir.Return(ir.Name(answer)))

    def is_simple(self, statement: ir.Statement) -> bool:
        """Whether a statement neither draws nor touches a list."""
        match statement:
            case ir.Assign(target):
                return not isinstance(self.types[target], ir.List | ir.Tuple)
            case ir.If() | ir.For() | ir.Return():
                return True
        return False

    def answered(self, block: Block, answer: str, done: str) -> Block:
        """The block, in which who has answered does nothing more."""
        found: list[ir.Statement] = []
        for position, statement in enumerate(block):
            if isinstance(statement, ir.Return):
                return (*found, ir.Assign(answer, statement.value), ir.Assign(done, ir.Truth(True)))
            if not any(_is_return(each) for each in walk.statements((statement,))):
                found.append(statement)
                continue
            rest = self.answered(block[position + 1 :], answer, done)
            on = ir.Not(ir.Name(done))
            match statement:
                case ir.If():
                    found.append(walk.with_blocks(statement, lambda inner: self.answered(inner, answer, done)))
                case ir.For(_, body):
                    found.append(replace(statement, body=(ir.If(on, self.answered(body, answer, done), ()),)))
            return (*found, ir.If(on, rest, ())) if rest else tuple(found)
        return tuple(found)


def _is_return(statement: ir.Statement) -> bool:
    return isinstance(statement, ir.Return)
