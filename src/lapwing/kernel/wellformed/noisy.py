"""Where real noise can be inside a number, and what must not be asked of such a number.

The one idea: a noisy number is never equal to another (it has probability 0), so a program that asks says something
other than it seems to: ``==`` and ``!=`` are refused where real noise can be in one side, and so are noisy scores of
``choose``, whose chances would have to be drawn from numbers that are never fully known. Whole-number noise may be
compared. What noise merely decides (``1 if laplace(1) > 0 else 2``) holds none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lapwing.errors import InvalidProgram
from lapwing.kernel.program import ir, types, walk
from lapwing.kernel.wellformed.refusing import refused

REAL_NOISE = frozenset({"laplace", "exponential", "gaussian"})
#: Functions whose value is no number, or a whole one, whatever they are given.
_PLAIN = frozenset({"len", "match", "all"})

Names = frozenset[str]


def check(mechanism: ir.Mechanism, callees: Mapping[str, ir.Mechanism]) -> None:
    """Refuse a mechanism that compares noisy numbers for equality, or scores choices by them."""
    _Reach(callees).answer(mechanism, frozenset())


@dataclass(slots=True)
class _Reach:
    callees: Mapping[str, ir.Mechanism]
    #: whether the answer of a mechanism holds noise, by name and by the parameters that are given some
    known: dict[tuple[str, Names], bool] = field(default_factory=dict)

    def answer(self, mechanism: ir.Mechanism, given: Names) -> bool:
        """Whether noise can be in the answer, where the parameters ``given`` hold some."""
        situation = (mechanism.name, given)
        if situation not in self.known:
            self.known[situation] = self.walk(mechanism, given)
        return self.known[situation]

    def walk(self, mechanism: ir.Mechanism, given: Names) -> bool:
        noisy = set(given)
        answered = False
        while True:  # noisy variables only grow in number, so this ends
            before = len(noisy)
            for statement in walk.statements(mechanism.body):
                match statement:
                    case ir.Sample(target, kind) if kind in REAL_NOISE:
                        noisy.add(target)
                    case ir.Call(target) if self.called(statement, frozenset(noisy)):
                        noisy.add(target)
                    case ir.Assign(target, value) | ir.Append(target, value) if holds(value, frozenset(noisy)):
                        noisy.add(target)
                    case ir.For(ir.Over(items), _):
                        noisy |= {name for name, value in items if holds(value, frozenset(noisy))}
                    case ir.Return(value):
                        answered = answered or holds(value, frozenset(noisy))
            if len(noisy) == before:
                break
        kinds = types.types_of(mechanism)
        for statement in walk.statements(mechanism.body):
            if isinstance(statement, ir.Sample) and statement.kind == "choose":
                scores = statement.arguments[0]
                if _real(scores, frozenset(noisy), kinds):
                    problem = "the scores of choose hold real noise"
                    raise refused("P186", scores.span, problem, "Score with exact numbers, or with discrete noise")
            for expression in walk.expressions(statement):
                _check(expression, frozenset(noisy), kinds)
        return answered

    def called(self, statement: ir.Call, noisy: Names) -> bool:
        callee = self.callees[statement.mechanism]
        pairs = zip(callee.parameters, statement.arguments, strict=True)
        given = frozenset(parameter.name for parameter, argument in pairs if holds(argument, noisy))
        try:
            return self.answer(callee, given)
        except InvalidProgram as error:
            problem = f"{callee.name} cannot be called with noisy numbers: {error.problem}"
            raise refused(error.code, statement.span, problem, error.remedy) from None


def holds(expression: ir.Expression, noisy: Names) -> bool:
    """Whether real noise can be in the value of ``expression``, where it can be in the variables ``noisy``."""
    match expression:
        case ir.Name(name):
            return name in noisy
        case ir.Number() | ir.Truth() | ir.Compare() | ir.And() | ir.Or() | ir.Not():
            return False
        case ir.Builtin(function, arguments):
            return function not in _PLAIN and any(holds(argument, noisy) for argument in arguments)
        case ir.Conditional(_, then, otherwise):
            return holds(then, noisy) or holds(otherwise, noisy)
        case ir.Index(sequence, _, _) | ir.Slice(sequence, _, _):
            return holds(sequence, noisy)
        case ir.Comprehension(element, source, _):
            return holds(element, _bound(source, noisy))
    return any(holds(child, noisy) for child in walk.children(expression))  # type: ignore[arg-type]  # expressions


def _bound(source: ir.Over | ir.Range, noisy: Names) -> Names:
    items = source.items if isinstance(source, ir.Over) else ()
    return noisy - set(source.targets) | {name for name, value in items if holds(value, noisy)}


def _check(expression: ir.Expression, noisy: Names, kinds: Mapping[str, ir.Type]) -> None:
    match expression:
        case ir.Compare("==" | "!=", left, right) | ir.Builtin("match", (left, right)):
            if _real(left, noisy, kinds) or _real(right, noisy, kinds):
                problem = "a noisy number is never equal to another"
                raise refused("P185", expression.span, problem, "Compare with < or >, or use discrete noise")
        case ir.Comprehension(element, source, condition):
            for _, value in source.items if isinstance(source, ir.Over) else ():
                _check(value, noisy, kinds)
            inner = {**kinds, **types.bound_types(source, kinds)}
            for part in (element,) if condition is None else (element, condition):
                _check(part, _bound(source, noisy), inner)
            return
    for child in walk.children(expression):
        _check(child, noisy, kinds)  # type: ignore[arg-type]  # the children of these are expressions


def _real(expression: ir.Expression, noisy: Names, kinds: Mapping[str, ir.Type]) -> bool:
    return holds(expression, noisy) and _has_real(types.type_of(expression, kinds))


def _has_real(kind: ir.Type) -> bool:
    match kind:
        case ir.List(element):
            return _has_real(element)
        case ir.Tuple(elements):
            return any(_has_real(element) for element in elements)
    return not isinstance(kind, ir.Integer | ir.Boolean)
