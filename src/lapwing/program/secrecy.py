"""Which values are public: the same on neighbouring inputs, whatever noise is drawn.

The one idea: an error is an answer, so errors may depend on public values only, and so may whether the check is
reached. A walk over the program marks every variable that a private input or a draw can influence, directly or by
deciding what runs. Divisors, scales and probabilities must be public. Each thing that can fail becomes a
:class:`Check` of public expressions, attached to the outermost statement whose branches private data decide: a run
makes all checks of that statement first, whichever branch it then takes. Nothing inside can change them, because
what is set where private data decide is not public.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

from lapwing.errors import InvalidProgram
from lapwing.program import ir, walk
from lapwing.program.scope import Scope

#: What a private parameter or a draw can influence: the value, and the length of a list.
Secret = tuple[bool, bool]
PUBLIC: Secret = (False, False)
SECRET: Secret = (True, True)

Rule = Literal["divisor", "index", "draw", "assert"]


@dataclass(frozen=True, slots=True)
class Check:
    """Something public that must hold: ``rule`` of ``operands``, where all public tests ``when`` come out as said."""

    rule: Rule
    operands: tuple[ir.Expression, ...]
    when: tuple[tuple[ir.Expression, bool], ...]
    place: ir.Node


@dataclass(frozen=True, slots=True)
class Delegated:
    """The checks of a callee, made before a branch is chosen, on those arguments that are there by then.

    The others were set where private data decide, so no check looks at them.
    """

    arguments: tuple[tuple[str, ir.Expression], ...]
    facts: Facts
    when: tuple[tuple[ir.Expression, bool], ...]


@dataclass(slots=True)
class Facts:
    """What the walk found out about one mechanism in one situation."""

    mechanism: ir.Mechanism
    secrets: dict[str, Secret] = field(default_factory=dict)
    #: by ``id`` of the statement before which they are made; 0 is before the first
    checks: dict[int, list[Check | Delegated]] = field(default_factory=dict)
    #: the callee's facts, by ``id`` of the call
    calls: dict[int, Facts] = field(default_factory=dict)


def with_variables(scope: Scope, mechanism: ir.Mechanism, callees: Mapping[str, ir.Mechanism]) -> ir.Mechanism:
    """``mechanism`` with its variables marked public or not; refuses private divisors, scales and the like."""
    facts = analyse(mechanism, callees, scope=scope)
    kinds = {variable.name: variable.type for variable in mechanism.variables}
    order: dict[str, None] = {}
    for statement in walk.statements(mechanism.body):
        order.update(dict.fromkeys(walk.targets(statement)))
    marked = (ir.Variable(name, kinds[name], *(not each for each in facts.secrets[name])) for name in order)
    return replace(mechanism, variables=tuple(marked))


def analyse(
    mechanism: ir.Mechanism,
    callees: Mapping[str, ir.Mechanism],
    *,
    private: frozenset[str] = frozenset(),
    decided: bool = False,
    scope: Scope | None = None,
) -> Facts:
    """The facts of ``mechanism``.

    ``private`` are parameters that the caller fills with private or noisy values; ``decided`` says that private data
    decide whether it runs at all.
    """
    walker = _Walker(mechanism, callees, Facts(mechanism), scope)
    labels = dict(mechanism.flow.labels) if mechanism.flow is not None else {}
    for parameter in mechanism.parameters:
        secret = PUBLIC
        if parameter.relation is not None:
            secret = (True, not parameter.relation.keeps_length)
        elif parameter.name in private or labels.get(parameter.name, "public") != "public":
            secret = SECRET
        walker.facts.secrets[parameter.name] = secret
    for statement in walk.statements(mechanism.body):
        for name in walk.targets(statement):
            walker.facts.secrets.setdefault(name, PUBLIC)
    while True:  # secrets only grow, so this ends
        before = dict(walker.facts.secrets)
        walker.facts.checks.clear()
        walker.facts.calls.clear()
        walker.whole(decided)
        if walker.facts.secrets == before:
            return walker.facts


@dataclass(slots=True)
class _Walker:
    mechanism: ir.Mechanism
    callees: Mapping[str, ir.Mechanism]
    facts: Facts
    scope: Scope | None
    #: where checks go while private data decide what runs
    collector: list[Check | Delegated] | None = None
    when: tuple[tuple[ir.Expression, bool], ...] = ()
    #: variables of the comprehensions being walked
    bound: dict[str, Secret] = field(default_factory=dict)

    # --- statements ---------------------------------------------------------------------------------------

    def whole(self, decided: bool) -> None:
        self.collector = self.facts.checks.setdefault(0, []) if decided else None
        self.when = ()
        first = self.facts.checks.setdefault(0, [])
        for condition in self.mechanism.preconditions:
            self.require_public(condition, condition, "P181", "an assert depends on private data")
            first.append(Check("assert", (condition,), (), condition))
        self.block(self.mechanism.body)

    def block(self, block: Sequence[ir.Statement]) -> None:
        for statement in block:
            self.statement(statement)

    def statement(self, statement: ir.Statement) -> None:
        open_here = self.collector is None
        own: list[Check | Delegated] = []
        if open_here:
            self.facts.checks[id(statement)] = own
        decided = self.decides(statement)
        if open_here and decided:
            self.collector = own
        match statement:
            case ir.If(condition, then, otherwise):
                self.visit(condition, own)
                if self.collector is None or self.secret(condition)[0]:
                    self.block(then)
                    self.block(otherwise)
                else:
                    for branch, truth in ((then, True), (otherwise, False)):
                        outer, self.when = self.when, (*self.when, (condition, truth))
                        self.block(branch)
                        self.when = outer
            case ir.For(source, body):
                for expression in walk.expressions(statement):
                    self.visit(expression, own)
                for name, secret in self.steps(source).items():
                    self.mark(name, secret)
                self.block(body)
            case ir.While(condition, body):
                self.visit(condition, own)
                self.block(body)
            case ir.Sample():
                for expression in statement.arguments:
                    self.visit(expression, own)
                self.sample(statement, own)
            case ir.Call():
                for expression in statement.arguments:
                    self.visit(expression, own)
                self.call(statement)
            case ir.Assign(target, value):
                self.visit(value, own)
                self.mark(target, self.secret(value))
            case ir.Append(target, value):
                self.visit(value, own)
                self.mark(target, (self.secret(value)[0], False))
            case ir.Return(value):
                self.visit(value, own)
        if open_here and not (decided and _returns(statement)):
            self.collector = None  # both ways come together again; after a private return they do not

    def decides(self, statement: ir.Statement) -> bool:
        """Whether private data decide what runs inside ``statement``, or after it."""
        match statement:
            case ir.If(condition, _, _):
                return self.secret(condition)[0] or self.leaves(statement, loop=False)
            case ir.While(condition, body):
                return self.secret(condition)[0] or any(self.leaves(each, loop=True) for each in body)
            case ir.For(source, body):
                return self.length(source) or any(self.leaves(each, loop=True) for each in body)
        return False

    def leaves(self, statement: ir.Statement, *, loop: bool, private: bool = False) -> bool:
        """Whether private data decide that ``statement`` returns, or leaves the round (``loop``) it stands in."""
        match statement:
            case ir.Return():
                return private
            case ir.Break() | ir.Continue():
                return private and loop
            case ir.If(condition, then, otherwise):
                inside = private or self.secret(condition)[0]
                return any(self.leaves(each, loop=loop, private=inside) for each in (*then, *otherwise))
            case ir.For(source, body):
                inside = private or self.length(source) or any(self.leaves(each, loop=True) for each in body)
                return any(self.leaves(each, loop=False, private=inside) for each in body)
            case ir.While(condition, body):
                inside = private or self.secret(condition)[0] or any(self.leaves(each, loop=True) for each in body)
                return any(self.leaves(each, loop=False, private=inside) for each in body)
        return False

    def mark(self, name: str, secret: Secret) -> None:
        old = self.facts.secrets[name]
        decided = self.collector is not None
        self.facts.secrets[name] = (old[0] or secret[0] or decided, old[1] or secret[1] or decided)

    def sample(self, statement: ir.Sample, own: list[Check | Delegated]) -> None:
        self.mark(statement.target, SECRET)
        arguments = statement.arguments
        first: tuple[ir.Expression, ...] = ()
        if statement.kind == "choose":
            scores, scale = arguments
            if self.secret(scores)[1]:
                raise self.refused(
                    "P182", scores, "the number of scores depends on private data", "Score a fixed list of choices"
                )
            length = self.countable(scores)
            if length is None:
                raise self.refused(
                    "P182", scores, "the scores are made of noisy values here", "Set them before the branch"
                )
            first = (length,)
            arguments = (scale,)
        for argument in arguments:
            problem = f"the argument of {statement.kind} depends on private data or noise"
            self.require_public(argument, argument, "P183", problem)
        self.check("draw", (*first, *arguments), statement, own)

    def call(self, statement: ir.Call) -> None:
        callee = self.callees[statement.mechanism]
        self.mark(statement.target, SECRET)
        private: set[str] = set()
        for parameter, argument in zip(callee.parameters, statement.arguments, strict=True):
            value, length = self.secret(argument)
            if parameter.relation is None and value:
                private.add(parameter.name)
            if parameter.relation is not None and parameter.relation.keeps_length and length:
                problem = f"the length of '{parameter.name}' is public in {callee.name}, and private here"
                raise self.refused(
                    "P184", argument, problem, "Declare the callee's parameter with added(), or fix the length"
                )
        try:
            facts = analyse(
                callee, self.callees, private=frozenset(private), decided=self.collector is not None, scope=self.scope
            )
        except InvalidProgram as error:
            problem = f"{callee.name} cannot be called with private or noisy values here: {error.problem}"
            raise self.refused(
                "P184", statement, problem, "Pass it public values, or call it where only public data decide"
            ) from None
        self.facts.calls[id(statement)] = facts
        if self.collector is not None:
            named = zip((parameter.name for parameter in callee.parameters), statement.arguments, strict=True)
            there = tuple((name, argument) for name, argument in named if not all(self.secret(argument)))
            self.collector.append(Delegated(there, facts, self.when))

    # --- expressions --------------------------------------------------------------------------------------

    def visit(self, expression: ir.Expression, own: list[Check | Delegated]) -> None:
        """Collect what can fail inside ``expression``, under the public tests that guard it."""
        match expression:
            case ir.Arithmetic("/", left, right):
                self.visit(left, own)
                self.visit(right, own)
                self.require_public(right, right, "P180", "the divisor depends on private data or noise")
                if self.collector is not None and walk.names(right) & set(self.bound):
                    raise self.refused(
                        "P180", right, "the divisor changes where private data decide", "Divide by a public value"
                    )
                self.check("divisor", (right,), expression, own)
            case ir.Index(sequence, index):
                self.visit(sequence, own)
                self.visit(index, own)
                length = self.countable(sequence)
                if length is not None and not self.secret(index)[0]:
                    self.check("index", (length, index), expression, own)
            case ir.Conditional(condition, then, otherwise):
                self.visit(condition, own)
                self.guarded(condition, ((then, True), (otherwise, False)), own)
            case ir.And(operands) | ir.Or(operands):
                truth = isinstance(expression, ir.And)
                outer_when, outer_collector = self.when, self.collector
                for operand in operands:
                    self.visit(operand, own)
                    if not self.secret(operand)[0]:
                        self.when = (*self.when, (operand, truth))
                    elif self.collector is None:
                        self.collector = own
                self.when, self.collector = outer_when, outer_collector
            case ir.Comprehension(element, source, condition):
                for part in walk.children(source):
                    self.visit(part, own)  # type: ignore[arg-type]  # the children of a source are expressions
                outer_bound, outer_collector = dict(self.bound), self.collector
                self.bound.update(self.steps(source))
                if condition is not None:
                    self.visit(condition, own)
                if self.length(source) or (condition is not None and self.secret(condition)[0]):
                    self.collector = own if self.collector is None else self.collector
                self.visit(element, own)
                self.bound, self.collector = outer_bound, outer_collector
            case _:
                for child in walk.children(expression):
                    self.visit(child, own)  # type: ignore[arg-type]  # the children of these are expressions

    def guarded(
        self, condition: ir.Expression, branches: Sequence[tuple[ir.Expression, bool]], own: list[Check | Delegated]
    ) -> None:
        outer_when, outer_collector = self.when, self.collector
        for branch, truth in branches:
            if self.secret(condition)[0]:
                self.collector = own if self.collector is None else self.collector
            else:
                self.when = (*outer_when, (condition, truth))
            self.visit(branch, own)
            self.when, self.collector = outer_when, outer_collector

    def check(
        self, rule: Rule, operands: tuple[ir.Expression, ...], place: ir.Node, own: list[Check | Delegated]
    ) -> None:
        if any(walk.names(operand) & set(self.bound) for operand in operands):
            return  # changes from element to element of a comprehension: found while it is evaluated
        when = tuple(guard for guard in self.when if not walk.names(guard[0]) & set(self.bound))
        target = own if self.collector is None else self.collector
        target.append(Check(rule, operands, when, place))

    def countable(self, sequence: ir.Expression) -> ir.Expression | None:
        """The length of a list as an expression that a check can evaluate; ``None`` if there is none.

        It is public, and reads no variable set where private data decide: those may not be there at the check.
        """
        length: ir.Expression
        match sequence:
            case ir.ListOf(elements):
                length = ir.Number(Fraction(len(elements)))
            case ir.Comprehension(_, source, condition):
                ones = ir.Comprehension(ir.Number(Fraction(1)), source, condition)
                length = ir.Builtin("len", (ones,))
            case _:
                length = ir.Builtin("len", (sequence,))
        there = not any(all(self.secret(ir.Name(name))) for name in walk.names(length))
        return length if there and not self.secret(sequence)[1] else None

    def secret(self, expression: ir.Expression) -> Secret:
        """What of ``expression`` private inputs or noise can influence."""
        match expression:
            case ir.Name(name):
                return self.bound.get(name) or self.facts.secrets.get(name, PUBLIC)
            case ir.Builtin("len", (operand,)):
                return (self.secret(operand)[1], False)
            case ir.Index(sequence, index):
                value, length = self.secret(sequence)
                hidden = value or length or self.secret(index)[0]
                return (hidden, hidden)
            case ir.Item(record, _):
                value, _ = self.secret(record)
                return (value, value)
            case ir.Slice(sequence, start, stop):
                value, length = self.secret(sequence)
                moved = any(end is not None and self.secret(end)[0] for end in (start, stop))
                return (value or length or moved, length or moved)
            case ir.ListOf(elements):
                return (any(any(self.secret(element)) for element in elements), False)
            case ir.Comprehension(element, source, condition):
                outer = dict(self.bound)
                self.bound.update(self.steps(source))
                filtered = condition is not None and self.secret(condition)[0]
                hidden = any(self.secret(element))
                self.bound = outer
                length = self.length(source) or filtered
                return (hidden or length, length)
            case ir.Conditional(condition, then, otherwise):
                picked = self.secret(condition)[0]
                a, b = self.secret(then), self.secret(otherwise)
                return (picked or a[0] or b[0], picked or a[1] or b[1])
        parts = [self.secret(child) for child in walk.children(expression)]  # type: ignore[arg-type]  # expressions
        hidden = any(any(part) for part in parts)
        return (hidden, hidden)

    def steps(self, source: ir.Over | ir.Range) -> Mapping[str, Secret]:
        """What of the variables that ``source`` sets is secret."""
        if isinstance(source, ir.Range):
            start = self.secret(source.start)[0]
            return {source.target: (start, start)}
        found: dict[str, Secret] = {} if source.index is None else {source.index: PUBLIC}
        found.update({name: (SECRET if any(self.secret(value)) else PUBLIC) for name, value in source.items})
        return found

    def length(self, source: ir.Over | ir.Range) -> bool:
        """Whether private data decide how often ``source`` goes round."""
        if isinstance(source, ir.Range):
            return self.secret(source.start)[0] or self.secret(source.stop)[0]
        return any(self.secret(value)[1] for _, value in source.items)

    # --- refusing -----------------------------------------------------------------------------------------

    def require_public(self, expression: ir.Expression, place: ir.Node, code: str, problem: str) -> None:
        if self.secret(expression)[0]:
            raise self.refused(
                code, place, problem, "Use public parameters, lengths that are public, and counters only"
            )

    def refused(self, code: str, place: ir.Node, problem: str, remedy: str) -> InvalidProgram:
        if self.scope is None:
            return InvalidProgram(code, f"{problem} ({place.span})", remedy)
        return self.scope.refused(code, place.span, problem, remedy)


def _returns(statement: ir.Statement) -> bool:
    return any(isinstance(inner, ir.Return) for inner in walk.statements((statement,)))
