"""Which values are public: the same on neighbouring inputs, whatever noise is drawn.

The one idea: an error is an answer, so errors may depend on public values only, and so may whether the check is
reached. A walk over the program marks every variable that a private input or a draw can influence, directly or by
deciding what runs. Divisors, scales and probabilities must be public (but for the quotient that has a value for every
divisor, ``ir.Builtin``). Each thing that can fail becomes a
:class:`Check` of public expressions, attached to the outermost statement whose branches private data decide: a run
makes all checks of that statement first, whichever branch it then takes. Nothing inside can change them, because
what is set where private data decide is not public.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from lapwing.errors import InvalidProgram
from lapwing.kernel.program import ir, walk
from lapwing.kernel.wellformed import fitting_types
from lapwing.kernel.wellformed.influence import PUBLIC, SECRET, Influence, Secret, is_update
from lapwing.kernel.wellformed.refusing import refused

Rule = Literal["divisor", "index", "draw", "assert", "claim", "function"]


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
    influence: Influence = field(default_factory=Influence)
    #: by ``id`` of the statement before which they are made; 0 is before the first
    checks: dict[int, list[Check | Delegated]] = field(default_factory=dict)
    #: the callee's facts, by ``id`` of the call
    calls: dict[int, Facts] = field(default_factory=dict)


#: The facts of callees by name, by the parameters that are private there, and by whether private data decide the call.
Known = dict[tuple[str, frozenset[str], bool], Facts]


def with_variables(mechanism: ir.Mechanism, callees: Mapping[str, ir.Mechanism]) -> ir.Mechanism:
    """``mechanism`` with its variables marked public or not; refuses wrong types, private divisors and the like."""
    fitting_types.check(mechanism, callees)
    facts = analyse(mechanism, callees)
    kinds = {variable.name: variable.type for variable in mechanism.variables}
    order = dict.fromkeys(walk.assigned(mechanism.body))
    marked = (ir.Variable(name, kinds[name], *(not each for each in facts.influence.secrets[name])) for name in order)
    return replace(mechanism, variables=tuple(marked))


def analyse(
    mechanism: ir.Mechanism,
    callees: Mapping[str, ir.Mechanism],
    *,
    private: frozenset[str] = frozenset(),
    decided: bool = False,
    known: Known | None = None,
) -> Facts:
    """The facts of ``mechanism``.

    ``private`` are parameters that the caller fills with private or noisy values; ``decided`` says that private data
    decide whether it runs at all. ``known`` are the facts of callees found so far: without them, calls of calls would
    take a time that doubles with each.
    """
    walker = _Walker(mechanism, callees, Facts(mechanism), {} if known is None else known)
    labelled = frozenset[str]() if mechanism.flow is None else mechanism.flow.secrets
    for parameter in mechanism.parameters:
        secret = PUBLIC
        if parameter.relation is not None:
            secret = (True, not parameter.relation.keeps_length)
        elif parameter.name in private or parameter.name in labelled:
            secret = SECRET
        walker.influence.secrets[parameter.name] = secret
    for statement in walk.statements(mechanism.body):
        for name in walk.targets(statement):
            walker.influence.secrets.setdefault(name, PUBLIC)
    while True:  # secrets only grow, so this ends
        before = dict(walker.influence.secrets)
        walker.facts.checks.clear()
        walker.facts.calls.clear()
        walker.whole(decided)
        if walker.influence.secrets == before:
            return walker.facts


@dataclass(slots=True)
class _Walker:
    mechanism: ir.Mechanism
    callees: Mapping[str, ir.Mechanism]
    facts: Facts
    known: Known
    #: where checks go while private data decide what runs
    collector: list[Check | Delegated] | None = None
    when: tuple[tuple[ir.Expression, bool], ...] = ()

    @property
    def influence(self) -> Influence:
        return self.facts.influence

    # --- statements ---------------------------------------------------------------------------------------

    def whole(self, decided: bool) -> None:
        self.collector = self.facts.checks.setdefault(0, []) if decided else None
        self.when = ()
        first = self.facts.checks.setdefault(0, [])
        for condition in self.mechanism.preconditions:
            self.require_public(condition, condition, "P181", "an assert depends on private data")
            first.append(Check("assert", (condition,), (), condition))
        first += [Check("claim", (number,), (), number) for number in ir.claimed(self.mechanism)]
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
                if self.collector is None or self.influence.secret(condition)[0]:
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
                for name, secret in self.influence.steps(source).items():
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
            case ir.Asking(target, arguments):
                for expression in arguments:
                    self.visit(expression, own)
                self.mark(target, SECRET)  # whoever answers may remember what noise decided to ask before
            case ir.Assign(target, value):
                self.visit(value, own)
                self.mark(target, self.influence.secret(value), as_long=is_update(target, value))
            case ir.Append(target, value):
                self.visit(value, own)
                self.mark(target, (self.influence.secret(value)[0], False))
            case ir.Return(value):
                self.visit(value, own)
        if open_here and not (decided and _returns(statement)):
            self.collector = None  # both ways come together again; after a private return they do not

    def decides(self, statement: ir.Statement) -> bool:
        """Whether private data decide what runs inside ``statement``, or after it."""
        match statement:
            case ir.If(condition, _, _):
                return self.influence.secret(condition)[0] or self.leaves(statement, loop=False)
            case ir.While(condition, body):
                return self.influence.secret(condition)[0] or any(self.leaves(each, loop=True) for each in body)
            case ir.For(source, body):
                return self.influence.length(source) or any(self.leaves(each, loop=True) for each in body)
        return False

    def leaves(self, statement: ir.Statement, *, loop: bool, private: bool = False) -> bool:
        """Whether private data decide that ``statement`` returns, or leaves the round (``loop``) it stands in."""
        match statement:
            case ir.Return():
                return private
            case ir.Break() | ir.Continue():
                return private and loop
            case ir.If(condition, then, otherwise):
                inside = private or self.influence.secret(condition)[0]
                return any(self.leaves(each, loop=loop, private=inside) for each in (*then, *otherwise))
            case ir.For(source, body):
                inside = private or self.influence.length(source) or any(self.leaves(each, loop=True) for each in body)
                return any(self.leaves(each, loop=False, private=inside) for each in body)
            case ir.While(condition, body):
                inside = (
                    private or self.influence.secret(condition)[0] or any(self.leaves(each, loop=True) for each in body)
                )
                return any(self.leaves(each, loop=False, private=inside) for each in body)
        return False

    def mark(self, name: str, secret: Secret, *, as_long: bool = False) -> None:
        """Note what a variable gets; ``as_long``: a list with as many elements as the one that it holds already."""
        old = self.influence.secrets[name]
        decided = self.collector is not None
        length = old[1] or secret[1] or (decided and not as_long)
        self.influence.secrets[name] = (old[0] or secret[0] or decided, length)

    def sample(self, statement: ir.Sample, own: list[Check | Delegated]) -> None:
        self.mark(statement.target, SECRET)
        arguments = statement.arguments
        first: tuple[ir.Expression, ...] = ()
        if statement.kind == "choose":
            scores, scale = arguments
            if self.influence.secret(scores)[1]:
                raise self.refused(
                    "P182", scores, "the number of scores depends on private data", "Score a fixed list of choices"
                )
            length = self.influence.countable(scores)
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
            value, length = self.influence.secret(argument)
            if parameter.relation is None and value:
                private.add(parameter.name)
            listed = isinstance(parameter.type, ir.List | ir.Tuple)
            if parameter.relation is not None and parameter.relation.keeps_length and listed and length:
                problem = f"the length of '{parameter.name}' is public in {callee.name}, and private here"
                raise self.refused(
                    "P184", argument, problem, "Declare the callee's parameter with added(), or fix the length"
                )
        situation = (callee.name, frozenset(private), self.collector is not None)
        try:
            facts = self.known.get(situation) or analyse(
                callee,
                self.callees,
                private=situation[1],
                decided=situation[2],
                known=self.known,
            )
        except InvalidProgram as error:
            problem = f"{callee.name} cannot be called with private or noisy values here: {error.problem}"
            raise self.refused(
                "P184", statement, problem, "Pass it public values, or call it where only public data decide"
            ) from None
        self.known[situation] = facts
        self.facts.calls[id(statement)] = facts
        if self.collector is not None:
            named = zip((parameter.name for parameter in callee.parameters), statement.arguments, strict=True)
            there = tuple((name, argument) for name, argument in named if not all(self.influence.secret(argument)))
            for _, argument in there:
                if self.unset(argument):
                    problem = f"what {callee.name} is given is made of values set where private data decide"
                    raise self.refused("P184", argument, problem, "Make it before the branch, or pass the value itself")
            self.collector.append(Delegated(there, facts, self.guards()))

    # --- expressions --------------------------------------------------------------------------------------

    def visit(self, expression: ir.Expression, own: list[Check | Delegated]) -> None:
        """Collect what can fail inside ``expression``, under the public tests that guard it."""
        match expression:
            case ir.Arithmetic("/", left, right) | ir.Builtin("//" | "%", (left, right)):
                self.visit(left, own)
                self.visit(right, own)
                self.require_public(right, right, "P180", "the divisor depends on private data or noise")
                if self.collector is not None and walk.names(right) & set(self.influence.bound):
                    raise self.refused(
                        "P180", right, "the divisor changes where private data decide", "Divide by a public value"
                    )
                self.check("divisor", (right,), expression, own)
            case ir.Builtin(("ln" | "exp" | "sqrt" | "~ln" | "~exp" | "~sqrt") as function, (operand,)):
                word = function.removeprefix("~")
                self.visit(operand, own)
                self.require_public(
                    operand, operand, "P187", f"{word}(…) of a number that depends on private data or noise"
                )
                if self.collector is not None and walk.names(operand) & set(self.influence.bound):
                    problem = f"{word}(…) of a number that changes where private data decide"
                    raise self.refused("P187", operand, problem, "Take it of a public value")
                self.check("function", (operand,), expression, own)
            case ir.Index(sequence, index):
                self.visit(sequence, own)
                self.visit(index, own)
                length = self.influence.countable(sequence)
                if length is not None and not self.influence.secret(index)[0]:
                    self.check("index", (length, index), expression, own)
            case ir.Conditional(condition, then, otherwise):
                self.visit(condition, own)
                self.guarded(condition, ((then, True), (otherwise, False)), own)
            case ir.And(operands) | ir.Or(operands):
                truth = isinstance(expression, ir.And)
                outer_when, outer_collector = self.when, self.collector
                for operand in operands:
                    self.visit(operand, own)
                    if not self.influence.secret(operand)[0]:
                        self.when = (*self.when, (operand, truth))
                    elif self.collector is None:
                        self.collector = own
                self.when, self.collector = outer_when, outer_collector
            case ir.Comprehension(element, source, condition):
                for part in walk.children(source):
                    self.visit(part, own)  # type: ignore[arg-type]  # the children of a source are expressions
                outer_bound, outer_collector = self.influence.bound, self.collector
                counted = self.influence.length(source)
                self.influence.bound = {**outer_bound, **self.influence.steps(source)}
                if counted and self.collector is None:
                    self.collector = own
                if condition is not None:
                    self.visit(condition, own)
                    if self.influence.secret(condition)[0] and self.collector is None:
                        self.collector = own
                self.visit(element, own)
                self.influence.bound, self.collector = outer_bound, outer_collector
            case _:
                for child in walk.children(expression):
                    self.visit(child, own)  # type: ignore[arg-type]  # the children of these are expressions

    def guarded(
        self, condition: ir.Expression, branches: Sequence[tuple[ir.Expression, bool]], own: list[Check | Delegated]
    ) -> None:
        outer_when, outer_collector = self.when, self.collector
        for branch, truth in branches:
            if self.influence.secret(condition)[0]:
                self.collector = own if self.collector is None else self.collector
            else:
                self.when = (*outer_when, (condition, truth))
            self.visit(branch, own)
            self.when, self.collector = outer_when, outer_collector

    def check(
        self, rule: Rule, operands: tuple[ir.Expression, ...], place: ir.Node, own: list[Check | Delegated]
    ) -> None:
        if any(walk.names(operand) & set(self.influence.bound) for operand in operands):
            return  # changes from element to element of a comprehension: found while it is evaluated
        if self.unset(*operands):
            if rule == "index":
                return  # outside the list is the zero of its type
            raise self.refused(
                "P180", place, "this is computed from values set where private data decide", "Use a public value"
            )
        target = own if self.collector is None else self.collector
        target.append(Check(rule, operands, self.guards(), place))

    def guards(self) -> tuple[tuple[ir.Expression, bool], ...]:
        """The public tests around this place that can be evaluated where checks are made; fewer only refuse more."""
        bound = set(self.influence.bound)
        return tuple(guard for guard in self.when if not walk.names(guard[0]) & bound and not self.unset(guard[0]))

    def unset(self, *expressions: ir.Expression) -> bool:
        """Whether a check of these would read what is set only where private data decide, as in ``len([i])``."""
        read = frozenset[str]().union(*map(walk.names, expressions))
        return self.collector is not None and any(all(self.influence.secret(ir.Name(name))) for name in read)

    # --- refusing -----------------------------------------------------------------------------------------

    def require_public(self, expression: ir.Expression, place: ir.Node, code: str, problem: str) -> None:
        if self.influence.secret(expression)[0]:
            remedy = "Use public parameters, lengths that are public, and counters only"
            raise self.refused(code, place, problem, remedy)

    def refused(self, code: str, place: ir.Node, problem: str, remedy: str) -> InvalidProgram:
        return refused(code, place.span, problem, remedy)


def _returns(statement: ir.Statement) -> bool:
    return any(isinstance(inner, ir.Return) for inner in walk.statements((statement,)))
