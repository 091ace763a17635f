"""Expressions on a batch of states: one evaluation for all of them.

The one idea: an expression is pure and total, so evaluating it on columns is evaluating it in every state. Three
things interrupt it and are settled by whoever asked (:mod:`lapwing.refute.batches`): states that must be told apart
(:class:`~lapwing.refute.values.Split`), fresh noise that must be enumerated
(:class:`~lapwing.refute.values.Touched`), and a comparison of fresh noise, which has a closed form (:class:`Decide`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import cast

import numpy as np

from lapwing.program import ir
from lapwing.program.evaluate import division_by_zero
from lapwing.refute import values
from lapwing.refute.limits import Rounds
from lapwing.refute.values import Column, Flags, Number, Pending, Plain, Truth, Value

_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


class Decide(Exception):  # not an error: the batch falls into the states where it holds and the others
    """The comparison ``node`` is ``noise operator other``; its truth is a fresh coin whose bias is a cdf."""

    def __init__(self, node: ir.Compare, noise: Pending, operator: str, other: Number) -> None:
        super().__init__()
        self.node = node
        self.noise = noise
        self.operator = operator
        self.other = other


def zero(kind: ir.Type) -> Plain:
    """What reading outside a list gives."""
    match kind:
        case ir.Boolean():
            return False
        case ir.List():
            return ()
        case ir.Tuple(elements=elements):
            return tuple(zero(element) for element in elements)
        case _:
            return Fraction(0)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Variables of a batch of ``rows`` states, and comparisons already decided.

    ``patience`` counts rounds of loops.
    """

    variables: Mapping[str, Value]
    rows: int
    decided: Mapping[int, bool]
    patience: Rounds

    def __call__(self, node: ir.Expression) -> Value:
        """The value of an expression in every state of the batch."""
        match node:
            case ir.Name(name=name):
                return self.variables[name]
            case ir.Number(value=value):
                return value
            case ir.Truth(value=truth):
                return truth
            case ir.Negate(operand=operand):
                return values.scale(self(operand), Fraction(-1))
            case ir.Arithmetic():
                return self._arithmetic(node)
            case ir.Compare():
                return self._compare(node)
            case ir.And(operands=operands):
                return self._all(operands, stop=False)
            case ir.Or(operands=operands):
                return self._all(operands, stop=True)
            case ir.Not(operand=operand):
                return self._negated(cast(Truth, self(operand)))
            case ir.Conditional(condition=condition, then=then, otherwise=otherwise):
                chosen = cast(Truth, self(condition))
                if isinstance(chosen, bool):
                    return self(then if chosen else otherwise)
                return values.where(chosen, self(then), self(otherwise))
            case ir.Builtin(function=function, arguments=arguments):
                return self._builtin(function, tuple(self(argument) for argument in arguments))
            case ir.Index():
                return self._index(node)
            case ir.Slice(sequence=sequence, start=start, stop=stop):
                items = values.sequence(self(sequence))
                return items[self._bound(start) : self._bound(stop)]
            case ir.Item(record=record, position=position):
                return values.sequence(self(record))[position]
            case ir.ListOf(elements=elements) | ir.TupleOf(elements=elements):
                return tuple(self(element) for element in elements)
            case ir.Comprehension():
                return tuple(self._comprehension(node))

    def _arithmetic(self, node: ir.Arithmetic) -> Value:
        left, right = self(node.left), self(node.right)
        match node.operator:
            case "+":
                return values.add(left, right)
            case "-":
                return values.add(left, values.scale(right, Fraction(-1)))
            case "*":
                return values.multiply(left, right)
            case "/":
                divisor = values.one_number(right)  # public, so the same in all states
                return values.scale(left, 1 / divisor) if divisor else division_by_zero(node)

    def _compare(self, node: ir.Compare) -> Truth:
        if id(node) in self.decided:
            return self.decided[id(node)]
        left, right = self(node.left), self(node.right)
        if isinstance(left, Pending) and not isinstance(right, Pending):
            raise Decide(node, left, node.operator, values.number(right))
        if isinstance(right, Pending) and not isinstance(left, Pending):
            raise Decide(node, right, _MIRRORED[node.operator], values.number(left))
        return values.compare(node.operator, left, right)

    def _all(self, operands: tuple[ir.Expression, ...], *, stop: bool) -> Truth:
        """And (stop at False) or Or (stop at True); evaluation is total, so later operands may be evaluated too."""
        result: Truth = not stop
        for operand in operands:
            value = cast(Truth, self(operand))
            if isinstance(value, bool):
                if value is stop:
                    return stop
            elif isinstance(result, bool):
                result = value
            else:
                result = Flags(result.bits | value.bits if stop else result.bits & value.bits)
        return result

    def _negated(self, value: Truth) -> Truth:
        return not value if isinstance(value, bool) else Flags(~value.bits)

    def _bound(self, node: ir.Expression | None) -> int | None:
        return None if node is None else int(values.one_number(self(node)))

    def _builtin(self, function: str, arguments: tuple[Value, ...]) -> Value:
        match function:
            case "abs":
                return self._extreme(max, (arguments[0], values.scale(values.number(arguments[0]), Fraction(-1))))
            case "len":
                return Fraction(len(values.sequence(arguments[0])))
            case "sum":
                return reduce(values.add, values.sequence(arguments[0]), cast(Value, Fraction(0)))
            case "min" | "max":
                items = values.sequence(arguments[0]) if len(arguments) == 1 else arguments
                return self._extreme(min if function == "min" else max, items) if items else Fraction(0)
            case "clip":
                value, low, high = arguments
                return self._extreme(max, (low, self._extreme(min, (value, high))))
            case "match":
                return self._same(arguments[0], arguments[1])
            case _:
                raise AssertionError(f"{function} is for claims only")

    def _extreme(self, choose: object, items: tuple[Value, ...]) -> Value:
        def better(left: Value, right: Value) -> Value:
            a, b = values.number(left), values.number(right)
            if isinstance(a, Fraction) and isinstance(b, Fraction):
                return min(a, b) if choose is min else max(a, b)
            x, y, unit = values.aligned(values.as_column(a, self.rows), values.as_column(b, self.rows))
            return Column(np.minimum(x, y) if choose is min else np.maximum(x, y), unit)

        return reduce(better, items)

    def _same(self, left: Value, right: Value) -> Truth:
        if isinstance(left, tuple) and isinstance(right, tuple):
            if len(left) != len(right):
                return False
            result: Truth = True
            for a, b in zip(left, right, strict=True):
                part = self._same(a, b)
                if isinstance(part, bool):
                    if not part:
                        return False
                else:
                    result = part if isinstance(result, bool) else Flags(result.bits & part.bits)
            return result
        return values.compare("==", left, right)

    def _index(self, node: ir.Index) -> Value:
        items = values.sequence(self(node.sequence))
        place = values.number(self(node.index))
        if isinstance(zero(node.element), tuple):  # lists in a list: one place for all states
            place = values.one_number(place)
        if isinstance(place, Fraction):
            position = int(place)
            return items[position] if -len(items) <= position < len(items) else zero(node.element)
        result: Value = zero(node.element)
        for position, item in enumerate(items):
            here = cast(Flags, values.compare("==", place, Fraction(position)))
            from_end = cast(Flags, values.compare("==", place, Fraction(position - len(items))))
            result = values.where(Flags(here.bits | from_end.bits), item, result)
        return result

    def _comprehension(self, node: ir.Comprehension) -> Iterator[Value]:
        for bound in self.rounds(node.source):
            inner = Evaluation({**self.variables, **bound}, self.rows, self.decided, self.patience)
            if node.condition is None or values.one_truth(inner(node.condition)):
                yield inner(node.element)

    def rounds(self, source: ir.Over | ir.Range) -> Iterator[dict[str, Value]]:
        """What each round of a loop binds."""
        if isinstance(source, ir.Range):
            start, stop = values.one_number(self(source.start)), values.one_number(self(source.stop))
            self.patience.spend(max(0, int(stop) - int(start)), source.span)
            for k in range(int(start), int(stop)):
                yield {source.target: Fraction(k)}
            return
        lists = [(name, values.sequence(self(items))) for name, items in source.items]
        length = min(len(items) for _, items in lists)
        self.patience.spend(length, source.span)
        for k in range(length):
            bound: dict[str, Value] = {name: items[k] for name, items in lists}
            if source.index is not None:
                bound[source.index] = Fraction(k)
            yield bound
