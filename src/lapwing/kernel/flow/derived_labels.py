"""Labels derived from the source alone: what every value hangs on, and which ``match`` is an authorisation check.

The one idea: draw an arrow from everything a value hangs on to that value, directly or by deciding what runs; its label
is the join of the labels of all parameters from which it can be reached. This is the typing of [VS00], computed by
other means than it was found by.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from lapwing.kernel.boundary import Doubt
from lapwing.kernel.flow.visibility import Policy, policy
from lapwing.kernel.program import ir, walk

#: A node of the graph: a parameter or variable, its length, a loop, or a label that a check was given.
Node = tuple[str, str | int]
Nodes = frozenset[Node]
NOTHING: Nodes = frozenset()


@dataclass(frozen=True, slots=True)
class Derived:
    """The label of every variable (of its value, of its length) and the ``id`` of every authorisation check."""

    labels: dict[str, tuple[str, str]]
    checks: frozenset[int]
    #: where something hidden reaches the result, in words; ``None`` if nowhere
    problem: str | None


def derive(module: ir.Module, name: str, *, match: bool) -> Derived:
    """The least labels; with ``match``, whole parameters may be compared with visible guesses.

    It begins by trusting every match and drops those whose guess hangs on something hidden, until all that are left
    may be trusted: labels only rise on the way.
    """
    mechanism = module[name]
    if any(isinstance(each.type, ir.Oracle) for each in mechanism.parameters):
        raise Doubt("what a function among the parameters is told, and answers, is not followed")
    matches = [each for each in walk.nodes(mechanism) if isinstance(each, ir.Builtin) and each.function == "match"]
    trusted = {id(each): each for each in matches} if match else {}
    for key, each in list(trusted.items()):
        if not any(isinstance(side, ir.Name) and mechanism.parameter(side.name) for side in each.arguments):
            del trusted[key]
    while True:
        graph = _Graph(mechanism, module, policy(mechanism), dict(trusted))
        graph.block(mechanism.body, NOTHING, ())
        wrong = [key for key in trusted if not graph.is_check(trusted[key])]
        if not wrong:
            return graph.derived()
        for key in wrong:
            del trusted[key]


@dataclass(slots=True)
class _Graph:
    mechanism: ir.Mechanism
    module: ir.Module
    policy: Policy
    trusted: dict[int, ir.Builtin]
    arrows: dict[Node, set[Node]] = field(default_factory=dict)
    #: what must be visible, where, and what it is
    required: list[tuple[Nodes, ir.Node, str]] = field(default_factory=list)
    bound: dict[str, tuple[Nodes, Nodes]] = field(default_factory=dict)
    #: matches inside comprehensions, which are ordinary comparisons
    ordinary: set[int] = field(default_factory=set)
    operands: dict[int, tuple[Nodes, Nodes]] = field(default_factory=dict)

    # --- what follows from the graph ----------------------------------------------------------------------

    def label(self, nodes: Iterable[Node]) -> str:
        """The join of all labels that reach one of ``nodes``."""
        pending, seen = list(nodes), set[Node]()
        found = self.policy.lattice.bottom
        while pending:
            node = pending.pop()
            if node in seen:
                continue
            seen.add(node)
            pending.extend(self.arrows.get(node, ()))
            kind, name = node
            if kind == "label":
                found = self.policy.lattice.join(found, str(name))
            elif kind == "input":
                found = self.policy.lattice.join(found, self.policy.labels[str(name)])
            elif kind == "input length":
                found = self.policy.lattice.join(found, self.policy.lengths[str(name)])
        return found

    def is_check(self, expression: ir.Builtin) -> bool:
        """Whether this match compares a whole parameter with a guess that the result's readers may see.

        Only then does its answer give away one guess of theirs: comparing two secrets tells of both.
        """
        if id(expression) in self.ordinary or id(expression) not in self.operands:
            return False
        labels = [self.label(side) for side in self.operands[id(expression)]]
        meet = self.policy.lattice.meet(*labels)
        above = [side for side, label in zip(expression.arguments, labels, strict=True) if label != meet]
        if not any(self.policy.lattice.below(label, self.policy.result) for label in labels):
            return False
        return bool(above) and all(self.is_parameter(side) for side in above)

    def derived(self) -> Derived:
        names = dict.fromkeys(walk.assigned(self.mechanism.body))
        labels = {name: (self.label([("value", name)]), self.label([("length", name)])) for name in names}
        problem = None
        for nodes, place, words in self.required:
            label = self.label(nodes)
            if not self.policy.lattice.below(label, self.policy.result):
                problem = f"{words} at {place.span} hangs on what is labelled {label}"
                break
        return Derived(labels, frozenset(self.trusted), problem)

    # --- statements ---------------------------------------------------------------------------------------

    def block(self, block: Sequence[ir.Statement], pc: Nodes, loops: tuple[Node, ...]) -> None:
        for statement in block:
            self.statement(statement, pc, loops)

    def statement(self, statement: ir.Statement, pc: Nodes, loops: tuple[Node, ...]) -> None:
        match statement:
            case ir.Assign(target, value):
                on, length = self.expression(value)
                self.sets(target, on | pc, length | pc)
            case ir.Append(target, value):
                self.sets(target, self.expression(value)[0] | pc, pc)
            case ir.Sample(target, _, arguments, _):
                on = pc.union(*(self.expression(argument)[0] for argument in arguments))
                self.sets(target, on, on)
            case ir.Call(target, callee, arguments, _):
                on = pc.union(*(self.expression(argument)[0] for argument in arguments))
                self.sets(target, on, on)
                if may_not_end(self.module, callee):
                    self.required.append((on, statement, "whether a call ends"))
            case ir.If(condition, then, otherwise):
                inner = pc | self.expression(condition)[0]
                self.block(then, inner, loops)
                self.block(otherwise, inner, loops)
            case ir.For(source, body):
                loop: Node = ("loop", id(statement))
                rounds, steps = self.source(source)
                self.arrow(rounds | pc, loop)
                for name, on in steps.items():
                    self.sets(name, on | {loop}, on | {loop})
                self.block(body, frozenset({loop}), (*loops, loop))
            case ir.While(condition, body):
                loop = ("loop", id(statement))
                self.arrow(self.expression(condition)[0] | pc, loop)
                self.required.append((frozenset({loop}), statement, "whether a loop ends"))
                self.block(body, frozenset({loop}), (*loops, loop))
            case ir.Break() | ir.Continue():
                self.arrow(pc, loops[-1])
            case ir.Return(value):
                for loop in loops:
                    self.arrow(pc, loop)
                self.required.append((pc.union(*self.expression(value)), statement, "an answer"))

    def sets(self, name: str, on: Nodes, length: Nodes) -> None:
        self.arrow(on | length, ("value", name))
        self.arrow(length, ("length", name))

    def arrow(self, sources: Nodes, target: Node) -> None:
        self.arrows.setdefault(target, set()).update(sources)

    # --- expressions: what the value, and what the length, hangs on -----------------------------------------

    def expression(self, expression: ir.Expression) -> tuple[Nodes, Nodes]:
        match expression:
            case ir.Number() | ir.Truth():
                return NOTHING, NOTHING
            case ir.Name(name) if name in self.bound:
                return self.bound[name]
            case ir.Name(name) if name in self.policy.labels:
                return frozenset({("input", name)}), frozenset({("input length", name)})
            case ir.Name(name):
                return frozenset({("value", name)}), frozenset({("length", name)})
            case ir.Builtin("len", (operand,)):
                return self.expression(operand)[1], NOTHING
            case ir.Builtin("match", (left, right)):
                sides = self.expression(left)[0], self.expression(right)[0]
                self.operands[id(expression)] = sides
                if self.bound:
                    self.ordinary.add(id(expression))
                on = sides[0] | sides[1]
                if id(expression) in self.trusted and not self.bound:
                    on = self.guessed(left, right, sides)
                return on, on
            case ir.ListOf(elements):
                return NOTHING.union(*(self.expression(element)[0] for element in elements)), NOTHING
            case ir.Slice(sequence, start, stop):
                values, length = self.expression(sequence)
                ends = NOTHING.union(*(self.expression(end)[0] for end in (start, stop) if end is not None))
                return values | ends, length | ends
            case ir.Conditional(condition, then, otherwise):
                test = self.expression(condition)[0]
                one, two = self.expression(then), self.expression(otherwise)
                return test | one[0] | two[0], test | one[1] | two[1]
            case ir.Comprehension(element, source, condition):
                length, steps = self.source(source)
                outer = self.bound
                self.bound = {**outer, **{name: (nodes, nodes) for name, nodes in steps.items()}}
                if condition is not None:
                    length |= self.expression(condition)[0]
                values = length | self.expression(element)[0]
                self.bound = outer
                return values, length
        parts = [self.expression(child)[0] for child in walk.children(expression) if not isinstance(child, ir.Over)]  # type: ignore[arg-type]  # expressions
        every = NOTHING.union(*parts)
        return every, every

    def guessed(self, left: ir.Expression, right: ir.Expression, sides: tuple[Nodes, Nodes]) -> Nodes:
        """What the answer of a check hangs on: ℓ₁ ⊓ ℓ₂, which is the guess's label, as :meth:`is_check` makes sure."""
        if self.is_parameter(left) and self.is_parameter(right):
            labels = [self.policy.labels[side.name] for side in (left, right) if isinstance(side, ir.Name)]
            return frozenset({("label", self.policy.lattice.meet(*labels))})
        return sides[1] if self.is_parameter(left) else sides[0]

    def is_parameter(self, expression: ir.Expression) -> bool:
        return isinstance(expression, ir.Name) and self.mechanism.parameter(expression.name) is not None

    def source(self, source: ir.Over | ir.Range) -> tuple[Nodes, dict[str, Nodes]]:
        """What the number of rounds, and what each variable, hangs on."""
        if isinstance(source, ir.Range):
            start, stop = self.expression(source.start)[0], self.expression(source.stop)[0]
            return start | stop, {source.target: start}
        lists = {name: self.expression(value) for name, value in source.items}
        steps = {name: values for name, (values, _) in lists.items()}
        if source.index is not None:
            steps[source.index] = NOTHING
        return NOTHING.union(*(length for _, length in lists.values())), steps


def check_labels(stated: Sequence[tuple[str, str, str]], derived: Derived) -> None:
    """The labels of a certificate are those derived, and nothing hidden reaches the result."""
    if {name: (value, length) for name, value, length in stated} != derived.labels or len(stated) != len(
        derived.labels
    ):
        raise Doubt("the labels are not those that the source gives")
    if derived.problem is not None:
        raise Doubt(derived.problem)


def may_not_end(module: ir.Module, name: str) -> bool:
    """Whether a mechanism, or one it calls, has a while loop."""
    inner = walk.statements(module[name].body)
    return any(isinstance(s, ir.While) or (isinstance(s, ir.Call) and may_not_end(module, s.mechanism)) for s in inner)
