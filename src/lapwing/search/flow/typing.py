"""Noninterference by typing: every variable gets one label, and nothing flows down.

The one idea: Volpano and Smith's rules. An assignment must go up from the value's label joined with that of the tests
around it (pc). A list has two labels, one for its length. The least labels are found by repeating the walk until they
stand still; the rules then hold of everything but, perhaps, the result.

Claim: if no judgement fails, two runs that agree on what is below the result's label have the same distribution of
answers, and one ends if and only if the other does; with authorisation checks, if they also answer those alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lapwing.kernel.evidence.flow import Typing
from lapwing.kernel.flow.derived_labels import may_not_end
from lapwing.kernel.flow.visibility import Policy, policy
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.printer import show

#: The labels of a value and of its length; the second is below the first.
Labels = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Judgement:
    """One rule used at one line: ``statement`` under ``pc``, and why it may (or may not) be."""

    line: int
    pc: str
    rule: str
    statement: str
    reason: str
    holds: bool = True


@dataclass(frozen=True, slots=True)
class Typed:
    """The outcome: the labels found, and every judgement in program order."""

    labels: Mapping[str, Labels]
    judgements: tuple[Judgement, ...]
    #: every ``match`` that is an authorisation check, by ``id``
    checks: frozenset[int]

    @property
    def holds(self) -> bool:
        """Whether every judgement does."""
        return all(judgement.holds for judgement in self.judgements)

    @property
    def proof(self) -> Typing:
        """The labels as a certificate has them."""
        return Typing(tuple((name, *labels) for name, labels in self.labels.items()))


def typed(module: ir.Module, name: str, *, match: bool) -> Typed:
    """Type a mechanism, with ``match`` as an authorisation check or as an ordinary comparison."""
    walker = _Walk(module[name], module, policy(module[name]), match)
    while True:  # labels only rise, so this ends
        before = (dict(walker.labels), dict(walker.loops))
        walker.judgements.clear()
        walker.checks.clear()
        walker.block(walker.mechanism.body, walker.bottom, None)
        if before == (walker.labels, walker.loops):
            return Typed(walker.labels, tuple(walker.judgements), frozenset(walker.checks))


@dataclass(slots=True)
class _Walk:
    mechanism: ir.Mechanism
    module: ir.Module
    policy: Policy
    declassify: bool
    labels: dict[str, Labels] = field(default_factory=dict)
    #: what decides how often each loop goes round, by ``id`` of the loop
    loops: dict[int, str] = field(default_factory=dict)
    judgements: list[Judgement] = field(default_factory=list)
    bound: dict[str, Labels] = field(default_factory=dict)
    checks: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        for statement in walk.statements(self.mechanism.body):
            for name in walk.targets(statement):
                self.labels[name] = (self.bottom, self.bottom)

    @property
    def bottom(self) -> str:
        return self.policy.lattice.bottom

    def join(self, *labels: str) -> str:
        return self.policy.lattice.join(*labels)

    def below(self, label: str) -> bool:
        return self.policy.lattice.below(label, self.policy.result)

    # --- statements ---------------------------------------------------------------------------------------

    def block(self, block: Sequence[ir.Statement], pc: str, loop: int | None) -> None:
        for statement in block:
            self.statement(statement, pc, loop)

    def statement(self, statement: ir.Statement, pc: str, loop: int | None) -> None:
        match statement:
            case ir.Assign(target, value):
                value_label, length = self.expression(value)
                self.raised(target, (self.join(pc, value_label), self.join(pc, length)))
                text = f"{target} = {show(value)}"
                self.say(statement, pc, self.rule("Assign", value), text, self.flows(show(value), value_label, target))
            case ir.Append(target, value):
                label, _ = self.expression(value)
                self.raised(target, (self.join(pc, label), pc))
                text = f"{target}.append({show(value)})"
                self.say(statement, pc, self.rule("Append", value), text, self.flows(show(value), label, target))
            case ir.Sample(target, kind, arguments, _):
                label = self.join(*(self.expression(argument)[0] for argument in arguments))
                self.raised(target, (self.join(pc, label), self.join(pc, label)))
                text = f"{target} = {kind}({', '.join(show(each) for each in arguments)})"
                self.say(statement, pc, "Sample", text, self.flows(kind, label, target))
            case ir.Call():
                self.call(statement, pc)
            case ir.If(condition, then, otherwise):
                label, _ = self.expression(condition)
                inner = self.join(pc, label)
                self.say(statement, pc, self.rule("If", condition), f"if {show(condition)}", f"inside pc = {inner}")
                self.block(then, inner, loop)
                self.block(otherwise, inner, loop)
            case ir.For() | ir.While():
                self.loop(statement, pc, loop)
            case ir.Break() | ir.Continue() if loop is not None:
                self.loops[loop] = self.join(self.loops[loop], pc)
                word = "break" if isinstance(statement, ir.Break) else "continue"
                self.say(statement, pc, "Leave", word, f"the loop's pc ⊒ {pc}")
            case ir.Return(value):
                label, length = self.expression(value)
                got = self.join(pc, label, length)
                if loop is not None:
                    self.loops[loop] = self.join(self.loops[loop], pc)
                holds = self.below(got)
                reason = (
                    f"{show(value)} : {label}, pc : {pc}; {got} {'⊑' if holds else '⋢'} result : {self.policy.result}"
                )
                self.say(statement, pc, self.rule("Return", value), f"return {show(value)}", reason, holds)

    def loop(self, statement: ir.For | ir.While, pc: str, outer: int | None) -> None:
        """The pc inside covers whatever decides whether there is another round: the tests, and every way out."""
        key = id(statement)
        if isinstance(statement, ir.While):
            decides, _ = self.expression(statement.condition)
            text = f"while {show(statement.condition)}"
        else:
            decides = self.rounds(statement.source)
            over = ", ".join(show(part) for part in walk.expressions(statement))
            counted = f"range({over})" if isinstance(statement.source, ir.Range) else over
            text = f"for {', '.join(statement.source.targets)} in {counted}"
        inner = self.loops[key] = self.join(self.loops.get(key, self.bottom), pc, decides)
        holds, reason = True, f"inside pc = {inner}"
        if isinstance(statement, ir.While):
            holds = self.below(inner)
            reason = f"whether it ends : {inner} {'⊑' if holds else '⋢'} result : {self.policy.result}"
            self.say(statement, pc, self.rule("While", statement.condition), text, reason, holds)
        else:
            self.say(statement, pc, "For", text, reason)
            for name, labels in self.steps(statement.source).items():
                self.raised(name, (self.join(inner, labels[0]), self.join(inner, labels[1])))
        self.block(statement.body, inner, key)
        if outer is not None and any(isinstance(each, ir.Return) for each in walk.statements(statement.body)):
            self.loops[outer] = self.join(self.loops[outer], self.loops[key])

    def call(self, statement: ir.Call, pc: str) -> None:
        """A callee may do anything with its arguments, and needs not end where it has a while loop."""
        label = self.join(pc, *(self.expression(argument)[0] for argument in statement.arguments))
        self.raised(statement.target, (label, label))
        holds = self.below(label) or not may_not_end(self.module, statement.mechanism)
        text = f"{statement.target} = {statement.mechanism}(…)"
        self.say(statement, pc, "Call", text, f"arguments and pc : {label} ⊑ {statement.target} : {label}", holds)

    def raised(self, name: str, labels: Labels) -> None:
        value, length = self.labels[name]
        self.labels[name] = (self.join(value, *labels), self.join(length, labels[1]))

    def say(self, place: ir.Node, pc: str, rule: str, statement: str, reason: str, holds: bool = True) -> None:
        self.judgements.append(Judgement(place.span.line, pc, rule, statement, reason, holds))

    def flows(self, text: str, label: str, target: str) -> str:
        return f"{text} : {label} ⊑ {target} : {self.labels[target][0]}"

    def rule(self, name: str, expression: ir.Expression) -> str:
        return f"{name}, Match" if any(id(part) in self.checks for part in walk.nodes(expression)) else name

    # --- expressions --------------------------------------------------------------------------------------

    def expression(self, expression: ir.Expression) -> Labels:
        match expression:
            case ir.Number() | ir.Truth():
                return (self.bottom, self.bottom)
            case ir.Name(name):
                if name in self.policy.labels and name not in self.bound:
                    return (self.policy.labels[name], self.policy.lengths[name])
                return self.bound.get(name) or self.labels[name]
            case ir.Builtin("len", (operand,)):
                return (self.expression(operand)[1], self.bottom)
            case ir.Builtin("match", (left, right)):
                return self.match(expression, self.expression(left)[0], self.expression(right)[0])
            case ir.Slice(sequence, start, stop):
                value, length = self.expression(sequence)
                ends = [self.expression(end)[0] for end in (start, stop) if end is not None]
                return (self.join(value, *ends), self.join(length, *ends))
            case ir.ListOf(elements):
                return (self.join(*(self.expression(element)[0] for element in elements)), self.bottom)
            case ir.Conditional(condition, then, otherwise):
                test = self.expression(condition)[0]
                sides = [self.expression(then), self.expression(otherwise)]
                return (self.join(test, *(side[0] for side in sides)), self.join(test, *(side[1] for side in sides)))
            case ir.Comprehension():
                return self.comprehension(expression)
        label = self.join(*(self.expression(child)[0] for child in walk.children(expression)))  # type: ignore[arg-type]  # expressions
        return (label, label)

    def match(self, expression: ir.Builtin, left: str, right: str) -> Labels:
        """The rule Match of [VS00], for a whole parameter e: from e : ℓ₁ and ẽ : ℓ₂ the check gets ℓ₁ ⊓ ℓ₂.

        Only then is each match a guess at all of the secret. One computed from it could be asked bit by bit
        (``match(secret >= guess, True)``), and so could one that is compared with something computed from it.
        The guess has to be visible to whoever sees the result: two secrets that are compared are no guess at either.
        """
        lattice, names = self.policy.lattice, {parameter.name for parameter in self.mechanism.parameters}
        meet = lattice.meet(left, right)
        sides = zip(expression.arguments, (left, right), strict=True)
        lowered = [side for side, label in sides if not lattice.below(label, meet)]
        whole = all(isinstance(side, ir.Name) and side.name in names for side in lowered)
        visible = self.below(left) or self.below(right)  # then so is the meet
        if self.declassify and lowered and whole and visible and not self.bound:
            self.checks.add(id(expression))
            return (meet, meet)
        label = self.join(left, right)
        return (label, label)

    def comprehension(self, expression: ir.Comprehension) -> Labels:
        length = self.rounds(expression.source)
        steps = self.steps(expression.source)
        outer, self.bound = self.bound, {**self.bound, **steps}
        if expression.condition is not None:
            length = self.join(length, self.expression(expression.condition)[0])
        value = self.join(length, self.expression(expression.element)[0])
        self.bound = outer
        return (value, length)

    def steps(self, source: ir.Over | ir.Range) -> dict[str, Labels]:
        """The labels of what walking over ``source`` sets, beside those of how often it goes round."""
        if isinstance(source, ir.Range):
            start = self.expression(source.start)[0]
            return {source.target: (start, start)}
        found = {} if source.index is None else {source.index: (self.bottom, self.bottom)}
        for name, value in source.items:
            label = self.expression(value)[0]
            found[name] = (label, label)
        return found

    def rounds(self, source: ir.Over | ir.Range) -> str:
        """The label of how often ``source`` goes round."""
        if isinstance(source, ir.Range):
            return self.join(self.expression(source.start)[0], self.expression(source.stop)[0])
        return self.join(*(self.expression(value)[1] for _, value in source.items))
