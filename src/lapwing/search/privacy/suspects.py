"""What a failed proof points at: inputs on which an alignment broke, or the pair of records that moves answers most.

The one idea: a model says nothing about privacy, since another alignment may survive it; but where every alignment
that was tried fails, the inputs on which the last ones did are the first on which to look for a violation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import z3  # type: ignore[import-untyped]  # z3 ships no type information

from lapwing.kernel.evidence.values import Value
from lapwing.kernel.folds.values import LEFT, RIGHT
from lapwing.kernel.program import ir
from lapwing.search.privacy.encoding import Entry, Pair, Truths
from lapwing.search.privacy.inputs import Inputs
from lapwing.search.privacy.terms import is_literal, length, literal

#: Longer lists of a model are cut down to the elements that were read.
LONGEST = 6


@dataclass(frozen=True, slots=True)
class Suspect:
    """Two inputs that differ as neighbours do; public parameters that did not matter are left out."""

    left: Mapping[str, Value]
    right: Mapping[str, Value]


def suspect(inputs: Inputs, model: z3.ModelRef) -> Suspect | None:
    """The inputs of both runs in a model; None where it gives no rational numbers."""
    try:
        sides = {each.name: _parameter(each, inputs, model) for each in inputs.mechanism.parameters}
    except _NoValue:
        return None
    known = {name: both for name, both in sides.items() if both is not None}
    return Suspect(*({name: both[side] for name, both in known.items()} for side in (0, 1)))


def of_records(mechanism: ir.Mechanism, records: ir.Parameter, here: Mapping[str, Fraction | bool]) -> Suspect | None:
    """Inputs that differ in one record, whose fields, and whose public parameters, are told by their names."""
    kind = records.type.element if isinstance(records.type, ir.List) else records.type
    try:
        left, right = (_record(kind, side, here) for side in (LEFT, RIGHT))
    except _NoValue:
        return None
    numbers = [each.name for each in mechanism.parameters if not each.private]
    public = {name: here[name] for name in numbers if name in here}
    if not isinstance(records.type, ir.List):
        return Suspect({**public, records.name: left}, {**public, records.name: right})
    alone = records.relation is not None and records.relation.kind == "added"
    others = () if alone else (left,) * (int(here.get(f"len({records.name})", 1)) - 1)
    rows = (others, (left,)) if alone else ((*others, left), (*others, right))
    return Suspect(*({**public, records.name: each} for each in rows))


def _record(kind: ir.Type, name: str, here: Mapping[str, Fraction | bool]) -> Value:
    """A record whose fields that did not matter are 0."""
    match kind:
        case ir.Tuple(elements):
            return tuple(_record(part, f"{name}.{place}", here) for place, part in enumerate(elements))
        case ir.Boolean():
            return bool(here.get(name, False))
        case ir.Integer() | ir.Real():
            number = Fraction(here.get(name, 0))
            if isinstance(kind, ir.Real) or number.denominator == 1:
                return number
    raise _NoValue


class _NoValue(Exception):
    """A term is not a rational number or truth value in the model."""


def _parameter(parameter: ir.Parameter, inputs: Inputs, model: z3.ModelRef) -> tuple[Value, Value] | None:
    if isinstance(parameter.type, ir.List):
        return _list(parameter, inputs, model)
    entry = inputs.scalars.get(parameter.name)
    if entry is None or (not parameter.private and model[entry.value] is None):
        return None
    return _both(entry, model)


def _list(parameter: ir.Parameter, inputs: Inputs, model: z3.ModelRef) -> tuple[Value, Value] | None:
    read = {
        _number(model.eval(index.value, model_completion=True)): _both(entry, model)
        for name, index, entry in inputs.elements
        if name == parameter.name
    }
    size = _number(model.eval(length(parameter.name), model_completion=True))
    if size > LONGEST or any(place < 0 for place in read):
        found = list(read.values())[:LONGEST]
    else:
        same: tuple[Fraction | bool, Fraction | bool] = (Fraction(0), Fraction(0))
        if isinstance(parameter.type, ir.List) and isinstance(parameter.type.element, ir.Boolean):
            same = (False, False)
        found = [read.get(Fraction(place), same) for place in range(int(size))]
    return tuple(left for left, _ in found), tuple(right for _, right in found)


def _both(entry: Entry, model: z3.ModelRef) -> tuple[Fraction | bool, Fraction | bool]:
    match entry:
        case Pair(value, hat):
            left = _number(model.eval(value, model_completion=True))
            return left, left + _number(model.eval(hat, model_completion=True))
        case Truths(value, other):
            left, right = (model.eval(each, model_completion=True) for each in (value, other))
            return z3.is_true(left), z3.is_true(right)
    raise _NoValue


def _number(term: z3.ExprRef) -> Fraction:
    if not is_literal(term):
        raise _NoValue
    return literal(term)
