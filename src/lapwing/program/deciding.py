"""Whether a condition holds of an answer: yes, no, or it cannot be told.

The one idea: a number with logarithms, roots or exponentials is known as an interval, so a comparison is decided only
where the intervals are apart (or both are points), and ``and``, ``or`` and ``not`` pass on that it was not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from lapwing.algebra.balls import Interval
from lapwing.program import ir, walk
from lapwing.program.claims import enclosed
from lapwing.program.evaluate import Environment, Value, compiled, division_by_zero, walker
from lapwing.program.vocabulary import CLAIM_FUNCTIONS

#: True, False, or None where it cannot be told.
Truth = bool | None


def decider(condition: ir.Expression, known: Mapping[str, Value]) -> Callable[[Value], Truth]:
    """A function that tells whether a condition holds of an answer; None if it cannot be told.

    ``known`` has the parameters, and ``step()``, the lattice. Irrational numbers are enclosed once, for all answers.
    """
    environment = {name: _plain(value) for name, value in known.items()}
    parts = dict.fromkeys(_irrational(condition, environment.keys()))
    test = _Intervals({part: enclosed(part, environment) for part in parts}).truth(condition)
    return lambda answer: test({**environment, "result": _plain(answer)})


def _plain(value: Value) -> Value:
    """The value as a run computes with it: whole numbers are ints."""
    if isinstance(value, tuple | list):
        return tuple(_plain(each) for each in value)
    return int(value) if isinstance(value, Fraction) and value.denominator == 1 else value


def _irrational(node: ir.Node, known: Set[str]) -> Iterator[ir.Expression]:
    """The largest numbers over ``known`` names with logarithms, roots or exponentials in them."""
    if not any(isinstance(part, ir.Builtin) and part.function in CLAIM_FUNCTIONS for part in walk.nodes(node)):
        return
    number = isinstance(node, ir.Arithmetic | ir.Negate) or (isinstance(node, ir.Builtin) and node.function != "all")
    if number and walk.names(node) <= known and not any(isinstance(part, ir.Index) for part in walk.nodes(node)):
        yield cast(ir.Expression, node)
        return
    for child in walk.children(node):
        yield from _irrational(child, known)


@dataclass(frozen=True, slots=True)
class _Intervals:
    """Makes functions of the variables, in which some expressions are known as intervals.

    What is not followed here is left to exact evaluation, which refuses irrational functions.
    """

    known: Mapping[ir.Expression, Interval]

    def _is_exact(self, node: ir.Node) -> bool:
        return not any(part in self.known for part in walk.nodes(node))

    def truth(self, node: ir.Expression) -> Callable[[Environment], Truth]:
        """Whether a condition holds."""
        if self._is_exact(node):
            return compiled(node)
        match node:
            case ir.And(operands):
                parts = [self.truth(each) for each in operands]
                return lambda env: _all(part(env) for part in parts)
            case ir.Or(operands):
                parts = [self.truth(each) for each in operands]
                return lambda env: _not(_all(_not(part(env)) for part in parts))
            case ir.Not(operand):
                inner = self.truth(operand)
                return lambda env: _not(inner(env))
            case ir.Conditional(condition, then, otherwise):
                return _branch(*(self.truth(each) for each in (condition, then, otherwise)))
            case ir.Compare(symbol, left, right):
                one, two = self.number(left), self.number(right)
                return lambda env: _compare(symbol, one(env), two(env))
            case ir.Builtin("all", (ir.Comprehension() as every,)):
                return self._every(every)
        return compiled(node)

    def _every(self, node: ir.Comprehension) -> Callable[[Environment], Truth]:
        steps, names = walker(node.source), node.source.targets
        element = self.truth(node.element)
        kept = self.truth(ir.Truth(True) if node.condition is None else node.condition)

        def holds(env: Environment) -> Iterator[Truth]:
            for step in steps(env):
                local = {**env, **dict(zip(names, step, strict=True))}
                yield _not(_all((kept(local), _not(element(local)))))

        return lambda env: _all(holds(env))

    def number(self, node: ir.Expression) -> Callable[[Environment], Interval]:
        """An interval around a number."""
        if node in self.known:
            found = self.known[node]
            return lambda _: found
        match node:
            case _ if self._is_exact(node):
                exactly = compiled(node)
                return lambda env: Interval.point(exactly(env))
            case ir.Negate(operand):
                inner = self.number(operand)
                return lambda env: _operate("-", Interval.point(0), inner(env), node)
            case ir.Arithmetic(symbol, left, right):
                one, two = self.number(left), self.number(right)
                return lambda env: _operate(symbol, one(env), two(env), node)
            case ir.Conditional(condition, then, otherwise):
                test, yes, no = self.truth(condition), self.number(then), self.number(otherwise)
                return lambda env: _hull(
                    [way(env) for way, other in ((yes, False), (no, True)) if test(env) is not other]
                )
            case ir.Builtin("abs", (operand,)):
                inner = self.number(operand)
                return lambda env: _magnitude(inner(env))
            case ir.Builtin("min" | "max" as function, (_, _, *_) as arguments):
                parts = [self.number(each) for each in arguments]
                return lambda env: _extreme(function, [part(env) for part in parts])
            case ir.Builtin("clip", (value, low, high)):
                below = ir.Builtin("min", (value, high))
                return self.number(ir.Builtin("max", (low, below)))
        exactly = compiled(node)
        return lambda env: Interval.point(exactly(env))


def _branch(
    test: Callable[[Environment], Truth],
    then: Callable[[Environment], Truth],
    otherwise: Callable[[Environment], Truth],
) -> Callable[[Environment], Truth]:
    def taken(env: Environment) -> Truth:
        holds = test(env)
        if holds is not None:
            return then(env) if holds else otherwise(env)
        one, two = then(env), otherwise(env)
        return one if one == two else None

    return taken


def _not(truth: Truth) -> Truth:
    return None if truth is None else not truth


def _all(truths: Iterable[Truth]) -> Truth:
    found: Truth = True
    for each in truths:
        if each is None:
            found = None
        elif not each:
            return False
    return found


def _compare(symbol: str, left: Interval, right: Interval) -> Truth:
    match symbol:
        case "<":
            return True if left.upper < right.lower else False if left.lower >= right.upper else None
        case "<=":
            return True if left.upper <= right.lower else False if left.lower > right.upper else None
        case ">" | ">=":
            return _compare("<" if symbol == ">" else "<=", right, left)
        case "!=":
            return _not(_compare("==", left, right))
    if left.upper < right.lower or right.upper < left.lower:
        return False
    return True if left.is_exact and right.is_exact else None


def _operate(symbol: str, left: Interval, right: Interval, place: ir.Node) -> Interval:
    match symbol:
        case "+":
            return Interval(left.lower + right.lower, left.upper + right.upper)
        case "-":
            return Interval(left.lower - right.upper, left.upper - right.lower)
        case "/":
            if 0 in right:
                division_by_zero(place)
            right = Interval(1 / right.upper, 1 / right.lower)
    ends = [one * two for one in (left.lower, left.upper) for two in (right.lower, right.upper)]
    return Interval(min(ends), max(ends))


def _magnitude(value: Interval) -> Interval:
    ends = sorted((abs(value.lower), abs(value.upper)))
    return Interval(Fraction(0) if 0 in value else ends[0], ends[1])


def _extreme(function: str, values: list[Interval]) -> Interval:
    pick = min if function == "min" else max
    return Interval(pick(each.lower for each in values), pick(each.upper for each in values))


def _hull(values: list[Interval]) -> Interval:
    return Interval(min(each.lower for each in values), max(each.upper for each in values))
