"""The one machine: statements become Python functions of the variables, once per mechanism.

Where its noise comes from is up to who starts it: a run draws (:mod:`~lapwing.kernel.run.interpret`), and who only asks
whether or how a program ends gives numbers. Before a statement its checks are made
(:mod:`~lapwing.kernel.wellformed.secrecy`), so that a run can only fail for public reasons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from lapwing.algebra.exact import shown
from lapwing.algebra.outward import outward
from lapwing.errors import InvalidInput
from lapwing.kernel.program import ir
from lapwing.kernel.program.printer import show
from lapwing.kernel.run import arguments
from lapwing.kernel.run.claim_values import enclosed
from lapwing.kernel.run.coins import compiled_chance
from lapwing.kernel.run.evaluate import METER, Closure, Environment, Meter, Value, compiled, division_by_zero, walker
from lapwing.kernel.run.lists import appended
from lapwing.kernel.wellformed.secrecy import Check, Delegated, Facts, analyse

#: Gives a fresh draw for its exact arguments.
Drawing = Callable[[ir.NoiseKind, Sequence[Value]], Value]


@dataclass(frozen=True, slots=True)
class _Answer:
    value: Value


_BREAK, _CONTINUE = object(), object()

#: Runs one statement; gives ``None``, or why the block is left.
Step = Callable[[Environment, Meter], object]
Checking = Callable[[Environment, Meter], None]
Program = Callable[[Environment, Meter], Value]


def made(module: ir.Module, name: str, draw: Drawing) -> Program:
    """A function that runs a mechanism on exact inputs (one per parameter), with this noise, and gives its answer."""
    callees = {mechanism.name: mechanism for mechanism in module}
    return _Compiler(callees, draw).mechanism(analyse(module[name], callees))


@dataclass(slots=True)
class _Compiler:
    callees: Mapping[str, ir.Mechanism]
    draw: Drawing

    def mechanism(self, facts: Facts) -> Program:
        first = self.checks(facts.checks.get(0, ()))
        run = self.block(facts.mechanism.body, facts)

        def execute(env: Environment, meter: Meter) -> Value:
            env[METER] = meter
            first(env, meter)
            left = run(env, meter)
            assert isinstance(left, _Answer)  # noqa: S101  # structure.check: every path returns
            return left.value

        return execute

    def block(self, statements: Sequence[ir.Statement], facts: Facts) -> Step:
        steps = [self.checked(statement, facts) for statement in statements]

        def run(env: Environment, meter: Meter) -> object:
            for step in steps:
                meter.tick()
                left = step(env, meter)
                if left is not None:
                    return left
            return None

        return run

    def checked(self, statement: ir.Statement, facts: Facts) -> Step:
        step = self.statement(statement, facts)
        found = facts.checks.get(id(statement), ())
        if not found:
            return step
        check = self.checks(found)

        def run(env: Environment, meter: Meter) -> object:
            check(env, meter)
            return step(env, meter)

        return run

    def statement(self, statement: ir.Statement, facts: Facts) -> Step:
        match statement:
            case ir.Assign(target, value):
                return _storing(target, compiled(value))
            case ir.Sample():
                return self.sample(statement)
            case ir.Call():
                return self.call(statement, facts)
            case ir.Asking():
                return _asking(statement)
            case ir.Append(target, value):
                return _appending(target, compiled(value))
            case ir.If(condition, then, otherwise):
                return _branching(compiled(condition), self.block(then, facts), self.block(otherwise, facts))
            case ir.For(source, body):
                return _looping(walker(source), source.targets, self.block(body, facts))
            case ir.While(condition, body):
                return _repeating(compiled(condition), self.block(body, facts))
            case ir.Break():
                return lambda _env, _meter: _BREAK
            case ir.Continue():
                return lambda _env, _meter: _CONTINUE
            case ir.Return(value):
                result = compiled(value)
                return lambda env, _meter: _Answer(result(env))

    def sample(self, statement: ir.Sample) -> Step:
        arguments = [compiled_chance(argument) for argument in statement.arguments]
        target, kind, draw = statement.target, statement.kind, self.draw

        def run(env: Environment, _meter: Meter) -> None:
            env[target] = draw(kind, [argument(env) for argument in arguments])

        return run

    def call(self, statement: ir.Call, facts: Facts) -> Step:
        inner = facts.calls[id(statement)]
        callee = self.mechanism(inner)
        names = [parameter.name for parameter in inner.mechanism.parameters]
        arguments = [compiled(argument) for argument in statement.arguments]

        def run(env: Environment, meter: Meter) -> None:
            given = {name: argument(env) for name, argument in zip(names, arguments, strict=True)}
            env[statement.target] = callee(given, meter)

        return run

    # --- checks: public, and made before anything private decides --------------------------------------------

    def checks(self, found: Sequence[Check | Delegated]) -> Checking:
        made = [self.check(each) if isinstance(each, Check) else self.delegated(each) for each in found]

        def run(env: Environment, meter: Meter) -> None:
            for check in made:
                check(env, meter)

        return run

    def check(self, check: Check) -> Checking:
        if check.rule == "claim":
            return _claim(check.operands[0])
        guards = [(compiled(test), truth) for test, truth in check.when]
        operands = [compiled_chance(operand) for operand in check.operands]
        rule = _RULES[check.rule]

        def run(env: Environment, _meter: Meter) -> None:
            if all(bool(test(env)) == truth for test, truth in guards):
                rule(check.place, *(operand(env) for operand in operands))

        return run

    def delegated(self, check: Delegated) -> Checking:
        guards = [(compiled(test), truth) for test, truth in check.when]
        arguments = {name: compiled(argument) for name, argument in check.arguments}
        callee = self.checks(check.facts.checks.get(0, ()))

        def run(env: Environment, meter: Meter) -> None:
            if all(bool(test(env)) == truth for test, truth in guards):
                callee({METER: meter, **{name: argument(env) for name, argument in arguments.items()}}, meter)

        return run


def _storing(target: str, value: Closure) -> Step:
    def run(env: Environment, _meter: Meter) -> None:
        env[target] = value(env)

    return run


def _asking(statement: ir.Asking) -> Step:
    function, *told = (compiled(argument) for argument in statement.arguments)
    target = statement.target

    def run(env: Environment, _meter: Meter) -> None:
        env[target] = function(env)([each(env) for each in told])

    return run


def _appending(target: str, value: Closure) -> Step:
    def run(env: Environment, _meter: Meter) -> None:
        env[target] = appended(env[target], value(env))

    return run


def _branching(condition: Closure, then: Step, otherwise: Step) -> Step:
    return lambda env, meter: then(env, meter) if condition(env) else otherwise(env, meter)


def _looping(steps: Callable[[Environment], Iterable[tuple[Value, ...]]], names: tuple[str, ...], body: Step) -> Step:
    def run(env: Environment, meter: Meter) -> object:
        for values in steps(env):
            meter.tick()
            env.update(zip(names, values, strict=True))
            left = body(env, meter)
            if left is _BREAK:
                return None
            if isinstance(left, _Answer):
                return left
        return None

    return run


def _repeating(condition: Closure, body: Step) -> Step:
    def run(env: Environment, meter: Meter) -> object:
        watch = meter.turning()
        while condition(env):
            meter.tick()
            if watch is not None:
                watch(env)
            left = body(env, meter)
            if left is _BREAK:
                return None
            if isinstance(left, _Answer):
                return left
        return None

    return run


def _divisor(place: ir.Node, divisor: Value) -> None:
    if divisor == 0:
        division_by_zero(place)


def _index(place: ir.Node, length: int, index: int) -> None:
    if not -length <= index < length:
        raise InvalidInput(
            "P202", f"index {shown(index)} is outside a list of {length} ({place.span})", "Index inside it"
        )


def _draw(place: ir.Node, *given: Value) -> None:
    assert isinstance(place, ir.Sample)  # noqa: S101  # secrecy makes this check for draws only
    try:
        arguments.check(place.kind, given)
    except InvalidInput as error:
        raise InvalidInput(error.code, f"{error.problem} ({place.span})", error.remedy) from None


def _function(place: ir.Node, argument: Value) -> None:
    assert isinstance(place, ir.Builtin)  # noqa: S101  # secrecy makes this check for functions only
    try:
        outward(place.function.removeprefix("~"), argument)
    except InvalidInput as error:
        raise InvalidInput(error.code, f"{error.problem} ({place.span})", error.remedy) from None


def _assertion(place: ir.Node, holds: bool) -> None:
    if not holds:
        assert isinstance(place, ir.Expression)  # noqa: S101  # secrecy makes this check for preconditions only
        raise InvalidInput("P201", f"{show(place)} does not hold ({place.span})", "Give parameters for which it does")


def _claim(claim: ir.Expression) -> Checking:
    """No mechanism keeps a claim below 0, so none runs under one; the kernel's proofs may use that."""

    def run(env: Environment, _meter: Meter) -> None:
        if enclosed(claim, env).upper < 0:
            problem = f"what is claimed is below 0 for these parameters ({claim.span})"
            raise InvalidInput("P216", problem, "Give parameters for which the claim is 0 or more")

    return run


_RULES: dict[str, Callable[..., None]] = {
    "divisor": _divisor,
    "index": _index,
    "draw": _draw,
    "assert": _assertion,
    "function": _function,
}
