"""Variables in which a loop adds up what it pays, and what they may reach: read off the loop."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.printer import show


def accounts(loop: ir.For | ir.While, known: frozenset[str]) -> Iterator[tuple[str, list[str]]]:
    """``spent``, or ``-left``, with limits that it may keep to."""
    seen: dict[str, list[tuple[str, ir.Expression]]] = {}
    for each in walk.statements(loop.body):
        match each:
            case ir.Assign(name, ir.Arithmetic("+" | "-" as symbol, ir.Name(own), by)) if own == name and name in known:
                seen.setdefault(name, []).append((symbol, by))
            case ir.Assign(name, ir.Arithmetic("+", by, ir.Name(own))) if own == name and name in known:
                seen.setdefault(name, []).append(("+", by))
    for name, changes in seen.items():
        rising = all(symbol == "+" for symbol, _ in changes)
        if not rising and any(symbol == "+" for symbol, _ in changes):
            continue
        steps = [by for _, by in changes]
        yield name if rising else f"-{name}", list(dict.fromkeys(map(show, _limits(loop, name, steps, rising))))


def _limits(loop: ir.For | ir.While, name: str, steps: list[ir.Expression], rising: bool) -> Iterator[ir.Expression]:
    """What the variable is compared with; where a step may go beyond that, so much more."""
    zero = ir.Number(Fraction(0))
    ends: list[ir.Expression] = [] if rising else [zero]
    tests = [loop.condition] if isinstance(loop, ir.While) else []
    tests += [each.condition for each in walk.statements(loop.body) if isinstance(each, ir.If)]
    for test in (part for each in tests for part in walk.nodes(each)):
        if isinstance(test, ir.Compare):
            for side, other in ((test.left, test.right), (test.right, test.left)):
                if name in walk.names(side) and name not in walk.names(other):
                    ends.append(other if rising else ir.Negate(other))
    for end in dict.fromkeys(ends):
        yield end
    for end in dict.fromkeys(ends):
        for step in dict.fromkeys(steps):
            yield step if end == zero else ir.Arithmetic("+", end, step)
