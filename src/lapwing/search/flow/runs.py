"""Concrete runs: what a mechanism answers on given inputs, what its ``match`` checks asked, and whether it ever ends.

The one idea: expressions are evaluated by the program room itself; this file only keeps count. Noise with finitely many
outcomes is followed through all of them, each with its exact probability.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.values import Value
from lapwing.kernel.program import ir, walk
from lapwing.kernel.run import evaluate, interpret
from lapwing.kernel.run.evaluate import Closure, Environment, Meter

#: Statements of one run, and outcomes of the noise of one input, looked at before giving up.
STEPS, OUTCOMES = 20_000, 20_000

_BREAK, _CONTINUE = object(), object()


class GaveUp(Exception):
    """A run took too many steps to tell how it ends."""


class Endless(Exception):
    """A run came back to a state it was in: without noise it goes round for ever."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended: its answer (``None``: it never ends), what was asked of ``match`` checks, and how often."""

    answer: Value | None
    #: (parameter, value) or (parameter, other parameter) pairs whose equality was asked for
    asked: frozenset[tuple[str, Value | str]]
    matches: int


@dataclass(slots=True)
class _Run:
    """What one run keeps count of."""

    steps: int
    tape: Sequence[int] = ()
    #: how many outcomes each draw had, and with which probability the outcome taken
    drawn: list[tuple[int, Fraction]] = field(default_factory=list)
    asked: set[tuple[str, Value | str]] = field(default_factory=set)
    matches: int = 0

    def tick(self) -> None:
        self.steps -= 1
        if self.steps < 0:
            raise GaveUp

    def draw(self, count: int, chances: Callable[[int], Fraction]) -> int:
        """The next outcome that the tape says, or the first."""
        place = len(self.drawn)
        taken = self.tape[place] if place < len(self.tape) else 0
        self.drawn.append((count, chances(taken)))
        return taken


_RUN = "%run"
Step = Callable[[Environment], object]


class Program:
    """A mechanism made ready to run many times. ``checks`` are the ``id`` of its authorisation checks."""

    def __init__(self, module: ir.Module, name: str, checks: frozenset[int] = frozenset()) -> None:
        self.mechanism = module[name]
        self.module = module
        self._checks = checks
        self._body = self._block(self.mechanism.body)
        self._conditions = [evaluate.compiled(each) for each in self.mechanism.preconditions]
        self._quiet = not is_noisy(self.mechanism)

    def run(self, inputs: Mapping[str, Value], steps: int = STEPS) -> Ended:
        """Run once, without noise."""
        run = _Run(steps)
        return Ended(self._answer(inputs, run), frozenset(run.asked), run.matches)

    def outcomes(self, inputs: Mapping[str, Value], steps: int = STEPS, limit: int = OUTCOMES) -> dict[Value, Fraction]:
        """Every answer with its exact probability; refuses noise with infinitely many outcomes."""
        found: dict[Value, Fraction] = {}
        tape: list[int] | None = []
        seen = 0
        while tape is not None:
            run = _Run(steps, tape)
            answer = self._answer(inputs, run)
            seen += 1
            if answer is None or seen > limit:
                raise GaveUp
            found[answer] = found.get(answer, Fraction(0)) + math.prod(
                (each for _, each in run.drawn), start=Fraction(1)
            )
            taken = [tape[i] if i < len(tape) else 0 for i in range(len(run.drawn))]
            tape = _following(taken, [count for count, _ in run.drawn])
        return {answer: chance for answer, chance in found.items() if chance}

    def check_accepted(self, inputs: Mapping[str, Value], steps: int = STEPS) -> None:
        """Refuse public inputs that a run refuses, such as an index outside a list; what is hidden plays no part."""
        given = {name: working(value) for name, value in inputs.items()}
        try:
            interpret.program(self.module, self.mechanism.name)(given, Meter(steps))
        except InvalidInput as error:
            if error.code != "P206":  # out of patience is not a refusal
                raise

    def _answer(self, inputs: Mapping[str, Value], run: _Run) -> Value | None:
        env: Environment = {_RUN: run, **{name: working(value) for name, value in inputs.items()}}
        if not all(condition(env) for condition in self._conditions):
            raise InvalidInput("P201", "an assert does not hold", "Give parameters for which it holds")
        try:
            left = self._body(env)
        except Endless:
            return None
        assert isinstance(left, tuple)  # noqa: S101  # structure.check: every path returns
        return frozen(left[0])

    # --- statements ---------------------------------------------------------------------------------------

    def _block(self, block: Sequence[ir.Statement]) -> Step:
        steps = [self._statement(statement) for statement in block]

        def run(env: Environment) -> object:
            for step in steps:
                env[_RUN].tick()
                left = step(env)
                if left is not None:
                    return left
            return None

        return run

    def _statement(self, statement: ir.Statement) -> Step:
        match statement:
            case ir.Assign(target, value):
                return _storing(target, self._expression(value))
            case ir.Append(target, value):
                return _appending(target, self._expression(value))
            case ir.If(condition, then, otherwise):
                test, yes, no = self._expression(condition), self._block(then), self._block(otherwise)
                return lambda env: yes(env) if test(env) else no(env)
            case ir.For(source, body):
                return self._for(source, self._block(body))
            case ir.While(condition, body):
                return self._while(self._expression(condition), self._block(body))
            case ir.Break():
                return lambda _: _BREAK
            case ir.Continue():
                return lambda _: _CONTINUE
            case ir.Return(value):
                result = self._expression(value)
                return lambda env: (result(env),)
            case ir.Asking():
                raise GaveUp  # what a function answers is not known
            case ir.Sample():
                return self._sample(statement)
            case ir.Call():
                return self._call(statement)

    def _for(self, source: ir.Over | ir.Range, body: Step) -> Step:
        steps, names = evaluate.walker(source), source.targets

        def run(env: Environment) -> object:
            for values in steps(env):
                env[_RUN].tick()
                env.update(zip(names, values, strict=True))
                left = body(env)
                if left is _BREAK:
                    return None
                if isinstance(left, tuple):
                    return left
            return None

        return run

    def _while(self, test: Closure, body: Step) -> Step:
        def run(env: Environment) -> object:
            rounds, kept = 0, _state(env)
            while test(env):
                env[_RUN].tick()
                left = body(env)
                if left is _BREAK:
                    return None
                if isinstance(left, tuple):
                    return left
                rounds += 1
                if self._quiet and _state(env) == kept:  # Brent: compare with the state of the last power of two
                    raise Endless
                if rounds & (rounds - 1) == 0:
                    kept = _state(env)
            return None

        return run

    def _sample(self, statement: ir.Sample) -> Step:
        arguments = [self._expression(argument) for argument in statement.arguments]
        if statement.kind not in ("flip", "uniform"):
            problem = f"{statement.kind} has infinitely many outcomes, or irrational probabilities ({statement.span})"
            raise InvalidInput("W120", problem, "Compare distributions with lapwing loss, or prove with lapwing prove")

        def run(env: Environment) -> None:
            (argument,) = (each(env) for each in arguments)
            if statement.kind == "flip":
                chance = Fraction(argument)
                env[statement.target] = not env[_RUN].draw(2, lambda taken: 1 - chance if taken else chance)
            else:
                env[statement.target] = env[_RUN].draw(int(argument), lambda _: Fraction(1, int(argument)))

        return run

    def _call(self, statement: ir.Call) -> Step:
        callee = Program(self.module, statement.mechanism)
        names = [parameter.name for parameter in callee.mechanism.parameters]
        arguments = [self._expression(argument) for argument in statement.arguments]

        def run(env: Environment) -> None:
            given = {name: argument(env) for name, argument in zip(names, arguments, strict=True)}
            left = callee._body({_RUN: env[_RUN], **given})
            assert isinstance(left, tuple)  # noqa: S101  # structure.check: every path returns
            env[statement.target] = left[0]

        return run

    # --- expressions --------------------------------------------------------------------------------------

    def _expression(self, expression: ir.Expression) -> Closure:
        """The program room's own evaluation, except that ``match`` is counted, in the order of evaluation."""
        if isinstance(expression, ir.Comprehension) or not any(_is_match(part) for part in walk.nodes(expression)):
            return evaluate.compiled(expression)
        match expression:
            case ir.Builtin("match", _):
                return self._match(expression)
            case ir.And(operands):
                parts = [self._expression(each) for each in operands]
                return lambda env: all(part(env) for part in parts)
            case ir.Or(operands):
                parts = [self._expression(each) for each in operands]
                return lambda env: any(part(env) for part in parts)
            case ir.Conditional(condition, then, otherwise):
                test, yes, no = (self._expression(each) for each in (condition, then, otherwise))
                return lambda env: yes(env) if test(env) else no(env)
        inner = {f"%{i}": self._expression(each) for i, each in enumerate(walk.children(expression))}  # type: ignore[arg-type]  # expressions
        outer = evaluate.compiled(_with_names(expression, list(inner)))
        return lambda env: outer({**env, **{name: part(env) for name, part in inner.items()}})

    def _match(self, expression: ir.Builtin) -> Closure:
        left, right = (self._expression(each) for each in expression.arguments)
        check, parameters = id(expression) in self._checks, {each.name for each in self.mechanism.parameters}
        names = [
            each.name if isinstance(each, ir.Name) and each.name in parameters else None
            for each in expression.arguments
        ]

        def ask(env: Environment) -> bool:
            one, two = left(env), right(env)
            env[_RUN].matches += 1
            if check:
                env[_RUN].asked.add(_question(names[0], names[1], one, two))
            return bool(one == two)

        return ask


def is_noisy(mechanism: ir.Mechanism) -> bool:
    """Whether noise is drawn, here or (perhaps) in what is called."""
    return any(isinstance(each, ir.Sample | ir.Call) for each in walk.statements(mechanism.body))


def agree(left: Ended, right: Ended, one: Mapping[str, Value], two: Mapping[str, Value]) -> bool:
    """Whether two inputs answer alike every authorisation check that either run asked."""

    def holds(inputs: Mapping[str, Value], name: str, other: Value | str) -> bool:
        return bool(inputs[name] == (inputs[other] if isinstance(other, str) else other))

    return all(holds(one, name, other) == holds(two, name, other) for name, other in left.asked | right.asked)


def _question(first: str | None, second: str | None, one: Value, two: Value) -> tuple[str, Value | str]:
    if first is not None:
        return (first, second if second is not None else frozen(two))
    assert second is not None  # noqa: S101  # a check has a whole parameter on one side
    return (second, frozen(one))


def _is_match(node: ir.Node) -> bool:
    return isinstance(node, ir.Builtin) and node.function == "match"


def _with_names(expression: ir.Expression, names: list[str]) -> ir.Expression:
    """``expression`` with each of its direct parts read from a variable."""
    rest: Iterator[ir.Expression] = (ir.Name(name) for name in names)
    match expression:
        case ir.Negate():
            return ir.Negate(next(rest))
        case ir.Not():
            return ir.Not(next(rest))
        case ir.Arithmetic(operator, _, _):
            return ir.Arithmetic(operator, next(rest), next(rest))
        case ir.Compare(operator, _, _):
            return ir.Compare(operator, next(rest), next(rest))
        case ir.Builtin(function, _):
            return ir.Builtin(function, tuple(rest))
        case ir.ListOf():
            return ir.ListOf(tuple(rest))
        case ir.TupleOf():
            return ir.TupleOf(tuple(rest))
        case ir.Item(_, position):
            return ir.Item(next(rest), position)
        case ir.Index(_, _, element):
            return ir.Index(next(rest), next(rest), element)
    raise GaveUp


def _following(taken: list[int], counts: list[int]) -> list[int] | None:
    """The next tape in the order of digits; ``None`` after the last."""
    while taken:
        if taken[-1] + 1 < counts[len(taken) - 1]:
            return [*taken[:-1], taken[-1] + 1]
        taken = taken[:-1]
    return None


def _storing(target: str, value: Closure) -> Step:
    def run(env: Environment) -> None:
        env[target] = value(env)

    return run


def _appending(target: str, value: Closure) -> Step:
    def run(env: Environment) -> None:
        env[target] = (*env[target], value(env))

    return run


def _state(env: Environment) -> dict[str, object]:
    return {name: value for name, value in env.items() if name != _RUN}


def working(value: Value) -> evaluate.Value:
    """A value of evidence as a run has it: whole numbers are ints."""
    if isinstance(value, tuple):
        return tuple(working(each) for each in value)
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


def frozen(value: evaluate.Value) -> Value:
    """A value of a run as evidence has it."""
    if isinstance(value, bool | Fraction):
        return value
    return tuple(frozen(each) for each in value) if isinstance(value, tuple) else Fraction(value)
