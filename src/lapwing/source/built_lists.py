"""Lists that a program builds, and loops that walk through them: what both have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.program import ir, walk

Block = walk.Block
ZERO, ONE = ir.ZERO, ir.ONE


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
    return set(walk.assigned(tuple(block)))


def mentioned(block: Sequence[ir.Statement]) -> set[str]:
    """The variables that a block sets or reads, also inside."""
    return walk.read(block) | changed(block)


def rewrite(block: Block, meanings: dict[ir.Expression, ir.Expression]) -> Block:
    """The block with parts of its expressions replaced."""
    return walk.rewritten(block, lambda each: replaced(each, meanings))


def with_others(block: Block, others: Mapping[int, Block]) -> Block:
    """The block with others, or none, for the statements that have these identities."""
    return walk.exchanged(block, lambda each: others.get(id(each)))


def jumps(block: Block) -> bool:
    """Whether a round of the loop around may end before its last statement."""
    return any(walk.jumps(block)) or any(isinstance(each, ir.Return) for each in walk.statements(block))


def acts(statement: ir.Statement) -> bool:
    """Whether a statement draws, calls, asks or loops: such a one is numbered, and may not be said twice."""
    return isinstance(statement, ir.Sample | ir.Call | ir.Asking | ir.For | ir.While)


def with_comparisons(condition: ir.Expression, change: Callable[[ir.Compare], ir.Expression]) -> ir.Expression:
    """A condition with every comparison that it is put together from changed."""
    match condition:
        case ir.And(operands) | ir.Or(operands):
            return replace(condition, operands=tuple(with_comparisons(each, change) for each in operands))
        case ir.Not(operand):
            return replace(condition, operand=with_comparisons(operand, change))
        case ir.Compare():
            return change(condition)
    return condition


def is_public(mechanism: ir.Mechanism, name: str, *, length: bool) -> bool:
    """Whether a name is that of a public number, or (with ``length``) of a list as long in both runs."""
    parameter = mechanism.parameter(name)
    if parameter is None:
        return False
    if length:
        return isinstance(parameter.type, ir.List) and parameter.as_long
    return not parameter.private and isinstance(parameter.type, ir.Real | ir.Integer)


def forgotten(block: Block, name: str) -> bool:
    """Whether a block never reads what a variable held before it."""
    for each in block:
        read = {part for expression in walk.expressions(each) for part in walk.names(expression)}
        match each:
            case _ if name not in mentioned((each,)):
                continue
            case ir.Assign(target) | ir.Sample(target) if target == name:
                return name not in read
            case ir.For(source) if name in source.targets and name not in read:
                continue  # every round sets it first, but there may be none
            case _:
                return False
    return True


def settled(body: Block, expression: ir.Expression) -> ir.Expression:
    """A number of rounds over what never changes: a variable that is set once, to such a number, is that number.

    ``body`` is that of the mechanism. What is read before it is set is a parameter, and was something else there.
    """
    for _ in body:
        for name in walk.names(expression):
            match [at for at in range(len(body)) if name in changed(body[at : at + 1])]:
                case [at] if name not in mentioned(body[:at]):
                    value = _number(body[at])
                    if value is not None and not walk.names(value) & changed(body):  # a list that grows is longer later
                        expression = replaced(expression, {ir.Name(name): value})
                        break
        else:
            break
    return expression


def places(body: Block, name: str) -> ir.Expression | None:
    """How long a list is that is made once, at the top, of a range or of another list; later its elements may change.

    ``body`` is that of the mechanism.
    """
    every = [each for each in walk.statements(body) if name in walk.targets(each)]
    if not every or all(each is not every[0] for each in body) or not all(_keeps(each, name) for each in every[1:]):
        return None
    match every[0]:
        case ir.Assign(_, ir.Comprehension(_, ir.Range(_, start, stop), None)) if start == ZERO:
            found = settled(body, stop)
        case ir.Assign(_, ir.Comprehension(_, ir.Over(((_, ir.Name(walked)),), _), None)):
            found = length(walked)
        case _:
            return None
    return None if walk.names(found) & changed(body) else found


def _keeps(statement: ir.Statement, name: str) -> bool:
    """Whether a list is set to one with an element for each of its own."""
    match statement:
        case ir.Assign(_, ir.Comprehension(_, ir.Over(((_, ir.Name(walked)),), _), None)):
            return walked == name
    return False


def _number(statement: ir.Statement) -> ir.Expression | None:
    match statement:
        case ir.Assign(_, ir.Number() | ir.Builtin("len", (ir.Name(),)) as value):
            return value
    return None
