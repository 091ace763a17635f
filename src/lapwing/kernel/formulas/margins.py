"""The margins of an accuracy condition: which of its parts allow for noise, and the condition with others there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import count

from lapwing.kernel.program import ir, walk

#: Names that a condition may use although the mechanism has no such parameter.
OPEN = ("gamma", "beta")


def replaced(expression: ir.Expression, meanings: Mapping[ir.Expression, ir.Expression]) -> ir.Expression:
    """The expression with parts replaced by what they stand for.

    What a comprehension walks with is its own: it is not replaced there, and nothing that is put in is taken for it.
    """
    if expression in meanings:
        return meanings[expression]
    if isinstance(expression, ir.Comprehension) and _mistaken(expression, meanings):
        expression = _with_other_names(expression, meanings)
    made = walk.with_parts(expression, lambda part: replaced(part, meanings))
    if isinstance(made, ir.Item) and isinstance(made.record, ir.TupleOf):
        return made.record.elements[made.position]
    return made


def _mistaken(made: ir.Comprehension, meanings: Mapping[ir.Expression, ir.Expression]) -> bool:
    """Whether a variable of a comprehension has the name of something that is replaced, or put in, inside it."""
    own = set(made.source.targets)
    parts = [each for inner in (made.element, made.condition) if inner is not None for each in walk.nodes(inner)]
    return any(
        old in parts and (old in {ir.Name(each) for each in own} or own & (walk.names(new) - walk.names(old)))
        for old, new in meanings.items()
    )


def _with_other_names(made: ir.Comprehension, meanings: Mapping[ir.Expression, ir.Expression]) -> ir.Comprehension:
    """The comprehension, its variables with names that stand nowhere else."""
    every = (made, *meanings, *meanings.values())
    taken = {part.name for node in every for part in walk.nodes(node) if isinstance(part, ir.Name)}
    taken = taken.union(*map(walk.walked, every))
    others: dict[str, str] = {}
    for name in made.source.targets:
        others[name] = next(each for n in count(1) if (each := f"{name}_{n}") not in taken)
        taken.add(others[name])
    return renamed(made, others)


def renamed(made: ir.Comprehension, names: Mapping[str, str]) -> ir.Comprehension:
    """The comprehension with other names for what it walks with, which stand nowhere in it."""
    inside: dict[ir.Expression, ir.Expression] = {ir.Name(old): ir.Name(new) for old, new in names.items()}
    source = walk.with_targets(made.source, names)
    condition = None if made.condition is None else replaced(made.condition, inside)
    return replace(made, element=replaced(made.element, inside), source=source, condition=condition)
