"""Which variables still matter after a statement: states that differ only in the others are one state.

The one idea: the classical backward analysis (a variable is live when some path reads it before writing it), run once
per mechanism; every statement's answer is kept under the statement's identity.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from lapwing.kernel.program import ir, walk

Names = frozenset[str]
_NONE: Names = frozenset()


def uses(expression: ir.Expression) -> Counter[str]:
    """How often each variable is read; inside a comprehension a variable counts twice, as it is read many times."""
    found: Counter[str] = Counter()
    _collect(expression, found, _NONE, 1)
    return found


def _collect(node: ir.Node, found: Counter[str], bound: Names, times: int) -> None:
    if isinstance(node, ir.Name):
        if node.name not in bound:
            found[node.name] += times
    elif isinstance(node, ir.Comprehension):
        _collect(node.source, found, bound, 2)
        inside = bound | set(node.source.targets)
        _collect(node.element, found, inside, 2)
        if node.condition is not None:
            _collect(node.condition, found, inside, 2)
    else:
        for part in walk.children(node):
            _collect(part, found, bound, times)


def reads(statement: ir.Statement) -> Counter[str]:
    """The variables a statement itself reads, not those of the statements inside it."""
    return sum(map(uses, walk.expressions(statement)), Counter[str]())


@dataclass(frozen=True, slots=True)
class _Exits:
    after_break: Names
    after_continue: Names


class Liveness:
    """The live variables of one mechanism, by ``id(statement)``.

    ``after`` the statement; ``begin`` where its block starts (the loop's body, or an If's two branches), as a pair of
    "goes in" and "does not"; ``round_end`` between two rounds of a loop. ``reads`` counts what it reads itself.
    """

    def __init__(self, mechanism: ir.Mechanism) -> None:
        self.after: dict[int, Names] = {}
        self.begin: dict[int, tuple[Names, Names]] = {}
        self.reads: dict[int, Counter[str]] = {}
        self.round_end: dict[int, Names] = {}
        self._block(mechanism.body, _NONE, _Exits(_NONE, _NONE))

    def _block(self, body: Sequence[ir.Statement], after: Names, exits: _Exits) -> Names:
        for statement in reversed(body):
            self.after[id(statement)] = after
            after = self._before(statement, after, exits)
        return after

    def _before(self, statement: ir.Statement, after: Names, exits: _Exits) -> Names:
        self.reads[id(statement)] = reads(statement)
        read = frozenset(self.reads[id(statement)])
        match statement:
            case (
                ir.Assign(target=target) | ir.Sample(target=target) | ir.Call(target=target) | ir.Asking(target=target)
            ):
                return (after - {target}) | read
            case ir.Append(target=target):
                return after | read | {target}
            case ir.If(then=then, otherwise=otherwise):
                begin = self._block(then, after, exits), self._block(otherwise, after, exits)
                self.begin[id(statement)] = begin
                return read | begin[0] | begin[1]
            case ir.For(source=source, body=body):
                bound = frozenset(source.targets)
                return self._loop(statement, body, after, _NONE, bound) | read
            case ir.While(body=body):
                return self._loop(statement, body, after, read, _NONE)
            case ir.Return():
                return read
            case ir.Break():
                return exits.after_break
            case ir.Continue():
                return exits.after_continue

    def _loop(self, loop: ir.Statement, body: Sequence[ir.Statement], after: Names, test: Names, bound: Names) -> Names:
        """The variables live where a round begins: the least solution, found by repeating until nothing is added."""
        head = after | test
        while True:
            self.round_end[id(loop)] = head
            begin = self._block(body, head, _Exits(after, head)) - bound
            self.begin[id(loop)] = (begin, after)
            if begin <= head:
                return head
            head |= begin


#: What was found last, by the identity of the mechanism, which is kept so that nothing else can have it.
_FOUND: dict[int, tuple[ir.Mechanism, Liveness]] = {}


def liveness(mechanism: ir.Mechanism) -> Liveness:
    """The live variables of a mechanism, found once: a search walks it thousands of times."""
    if id(mechanism) not in _FOUND:
        if len(_FOUND) > 100:
            _FOUND.clear()
        _FOUND[id(mechanism)] = mechanism, Liveness(mechanism)
    return _FOUND[id(mechanism)][1]
