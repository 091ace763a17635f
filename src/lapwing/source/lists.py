"""Lists that a program builds, and loops that walk through them: what both have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.program import ir, walk

Block = tuple[ir.Statement, ...]
ZERO, ONE = ir.Number(Fraction(0)), ir.Number(Fraction(1))


@dataclass(frozen=True, slots=True)
class Variables:
    """The types of all variables, and every name that is taken."""

    types: dict[str, ir.Type]
    taken: set[str]

    def fresh(self, stem: str, kind: ir.Type) -> str:
        """A new variable."""
        number = 1
        while (name := f"{stem}_{number}") in self.types or name in self.taken:
            number += 1
        self.types[name] = kind
        return name


def length(name: str) -> ir.Expression:
    """``len(name)``."""
    return ir.Builtin("len", (ir.Name(name),))


def changed(block: Iterable[ir.Statement]) -> set[str]:
    """The variables that a block sets, also inside."""
    return {name for each in walk.statements(tuple(block)) for name in walk.targets(each)}


def mentioned(block: Sequence[ir.Statement]) -> set[str]:
    """The variables that a block sets or reads, also inside."""
    read = {name for each in walk.statements(block) for part in walk.expressions(each) for name in walk.names(part)}
    return read | changed(block)


def rewrite(block: Block, meanings: dict[ir.Expression, ir.Expression]) -> Block:
    """The block with parts of its expressions replaced."""
    return walk.rewritten(block, lambda each: replaced(each, meanings))


def jumps(block: Block) -> bool:
    """Whether a round of the loop around may end before its last statement."""
    return any(
        isinstance(each, ir.Return | ir.Break | ir.Continue)
        or (isinstance(each, ir.If) and (jumps(each.then) or jumps(each.otherwise)))
        or (isinstance(each, ir.For | ir.While) and any(isinstance(s, ir.Return) for s in walk.statements(each.body)))
        for each in block
    )


def settled(block: Block, expression: ir.Expression) -> ir.Expression:
    """A number of rounds over what never changes: a variable that is set once, to such a number, is that number."""
    for _ in block:
        for name in walk.names(expression):
            match [each for each in walk.statements(block) if name in walk.targets(each)]:
                case [ir.Assign(_, ir.Number() | ir.Builtin("len", (ir.Name(),)) as value)]:
                    if not walk.names(value) & changed(block):  # a list that grows is longer later
                        expression = replaced(expression, {ir.Name(name): value})
                        break
        else:
            break
    return expression
