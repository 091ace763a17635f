"""A run without noise, step by step, on given inputs: its answer, or the certainty that there is none.

The one idea: a state at the head of a loop that was there before will be there again for ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from lapwing.kernel.boundary import Doubt
from lapwing.kernel.distribution.expressions import Evaluator
from lapwing.kernel.distribution.values import NOTHING, Value
from lapwing.kernel.program import ir

#: Statements executed before a check is given up.
STEPS = 50_000

#: A question that a check asked: a parameter, and the value or the other parameter that it was compared with.
Question = tuple[str, Value | None, str | None]


class Endless(Exception):
    """The run goes round for ever."""


@dataclass(slots=True)
class _Count:
    steps: int
    asked: set[Question] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Listening(Evaluator):
    """An evaluator that notes what authorisation checks ask, where they are evaluated."""

    checks: frozenset[int]
    parameters: frozenset[str]
    count: _Count

    def value(self, node: ir.Expression) -> Value:
        if isinstance(node, ir.Builtin) and id(node) in self.checks:
            names = [
                side.name if isinstance(side, ir.Name) and side.name in self.parameters else None
                for side in node.arguments
            ]
            if names[0] is not None:
                other = None if names[1] is not None else self.value(node.arguments[1])
                self.count.asked.add((names[0], other, names[1]))
            elif names[1] is not None:
                self.count.asked.add((names[1], self.value(node.arguments[0]), None))
        return Evaluator.value(self, node)  # super() does not find its class under slots


def answer(
    module: ir.Module, name: str, inputs: dict[str, Value], checks: frozenset[int], steps: int = STEPS
) -> tuple[Value | None, frozenset[Question]]:
    """The answer (``None``: there never is one) and every question that an authorisation check asked."""
    count = _Count(steps)
    try:
        return _Machine(module, name, checks, count).run(inputs), frozenset(count.asked)
    except Endless:
        return None, frozenset(count.asked)


@dataclass(slots=True)
class _Machine:
    module: ir.Module
    name: str
    checks: frozenset[int]
    count: _Count
    state: dict[str, Value] = field(default_factory=dict)

    def run(self, inputs: dict[str, Value]) -> Value:
        self.state = dict(inputs)
        left = self.block(self.module[self.name].body)
        if not isinstance(left, tuple):
            raise Doubt("a run ends without an answer")
        found: Value = left[0]
        return found

    def look(self) -> _Listening:
        mechanism = self.module[self.name]
        names = frozenset(parameter.name for parameter in mechanism.parameters)
        return _Listening(self.state, NOTHING, self.checks, names, self.count)

    def block(self, block: Sequence[ir.Statement]) -> tuple[Value] | str | None:
        """``None`` at the end of the block, the answer in a tuple, or the word that left it."""
        for statement in block:
            self.count.steps -= 1
            if self.count.steps < 0:
                raise Doubt("the run takes too many steps to be checked")
            left = self.statement(statement)
            if left is not None:
                return left
        return None

    def statement(self, statement: ir.Statement) -> tuple[Value] | str | None:
        look = self.look()
        match statement:
            case ir.Assign(target, value):
                self.state[target] = look.value(value)
            case ir.Append(target, value):
                self.state[target] = (*look.sequence(ir.Name(target)), look.value(value))
            case ir.If(condition, then, otherwise):
                return self.block(then if look.truth(condition) else otherwise)
            case ir.Return(value):
                return (look.value(value),)
            case ir.Break():
                return "break"
            case ir.Continue():
                return "continue"
            case ir.For(source, body):
                for row in look.rows(source):
                    self.state.update(zip(source.targets, row, strict=True))
                    left = self.block(body)
                    if left == "break":
                        break
                    if isinstance(left, tuple):
                        return left
            case ir.While(condition, body):
                return self.repeat(condition, body)
            case ir.Call(target, callee, arguments, _):
                names = [parameter.name for parameter in self.module[callee].parameters]
                given = {name: look.value(each) for name, each in zip(names, arguments, strict=True)}
                self.state[target] = _Machine(self.module, callee, frozenset(), self.count).run(given)
            case ir.Sample():
                raise Doubt("the program draws noise, so it has no one answer")
        return None

    def repeat(self, condition: ir.Expression, body: Sequence[ir.Statement]) -> tuple[Value] | None:
        seen: set[frozenset[tuple[str, Value]]] = set()
        while self.look().truth(condition):
            here = frozenset(self.state.items())
            if here in seen:
                raise Endless
            seen.add(here)
            left = self.block(body)
            if left == "break":
                return None
            if isinstance(left, tuple):
                return left
        return None


def same_answers(questions: frozenset[Question], left: dict[str, Value], right: dict[str, Value]) -> bool:
    """Whether both inputs answer every question alike."""

    def asked(inputs: dict[str, Value], question: Question) -> bool:
        name, value, other = question
        return bool(inputs[name] == (value if other is None else inputs[other]))

    return all(asked(left, question) == asked(right, question) for question in questions)
