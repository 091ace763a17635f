"""What is done where one record decides: in a loop over records, and in a branch on a private number.

Only assignments and branches are followed, appending one value to a list, rounds that change a table place by place
(:mod:`placewise`) and loops that read one record (:mod:`own_values`); all else is refused. So nothing is released,
drawn or answered there, no round is left, and both sides of every branch come together: what a variable then holds is
one term over the record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.folds.expressions import Look
from lapwing.kernel.folds.own_values import left_by
from lapwing.kernel.folds.values import (
    BEFORE,
    Flag,
    Lost,
    Noisy,
    Rows,
    Truth,
    Value,
    flagged,
    names,
    of_one_record,
    picked,
)
from lapwing.kernel.program import ir, walk
from lapwing.kernel.symbolic.terms import Term, both, negate

#: Whether a loop over records was left by ``break``.
STOPPED = "%stopped"


@dataclass(slots=True)
class RecordBody:
    """Statements executed for one record; ``takes`` are the lists that may take in a value of it."""

    look: Callable[[Mapping[str, Value]], Look]
    typed: Callable[[str, Value], Value]
    kind: Callable[[str], ir.Type | None]
    takes: frozenset[str] = frozenset()
    filled: dict[str, Rows] = field(default_factory=dict)
    #: what variables hold after a public loop that every record goes through
    rounds: Callable[[RecordBody, ir.For, Mapping[str, Value], Term], Mapping[str, Value]] | None = None

    def block(self, block: Sequence[ir.Statement], values: Mapping[str, Value], here: Term) -> Mapping[str, Value]:
        """What variables hold after a block; ``here`` is the condition on the record under which it is reached."""
        for statement in straight(block):
            match statement:
                case ir.Assign(target, value):
                    found = self.look(values).value(value)
                    if isinstance(found, Noisy):
                        raise at(statement, "each record gets noise of its own, which sums over records do not cover")
                    values = {**values, target: self.typed(target, found)}
                case ir.If(condition, then, otherwise):
                    test = self.look(values).truth(condition)
                    values = self.parted(test, then, otherwise, values, here)
                case ir.Append(target, value) if target in self.takes:
                    self._fill(statement, target, self.look(values).value(value), here)
                case ir.For() | ir.While() if self.rounds is not None:
                    values = self._looped(statement, values, here)
                case _:
                    raise at(statement, "private data decide whether this is done, which sums do not cover")
        return values

    def _looped(self, loop: ir.For | ir.While, values: Mapping[str, Value], here: Term) -> Mapping[str, Value]:
        """What variables hold after a loop for one record: tables place by place, or what is of that record alone."""
        doubt: Unproved | None = None
        if isinstance(loop, ir.For) and self.rounds is not None:
            try:
                return self.rounds(self, loop, values, here)
            except Unproved as found:
                doubt = found
        try:
            return {**values, **left_by(self.look(values).symbols, loop, values, self.kind)}
        except Unproved as found:
            raise doubt or found from None

    def parted(
        self,
        test: Term | Flag,
        then: Sequence[ir.Statement],
        otherwise: Sequence[ir.Statement],
        values: Mapping[str, Value],
        here: Term,
    ) -> Mapping[str, Value]:
        """What variables hold where the two sides of a branch come together."""
        one_side = Lost("a variable is set on one side of a branch only")
        if isinstance(test, Flag):
            yes, no = self.block(then, values, here), self.block(otherwise, values, here)
            return {name: flagged(test, yes.get(name, one_side), no.get(name, one_side)) for name in {**yes, **no}}
        yes = self.block(then, values, both((here, test)))
        no = self.block(otherwise, values, both((here, negate(test))))
        return {name: picked(test, yes.get(name, one_side), no.get(name, one_side)) for name in {**yes, **no}}

    def _fill(self, node: ir.Node, target: str, element: Value, here: Term) -> None:
        """One value for each record that comes here: of the record alone, whatever was done for others."""
        if target in self.filled:
            raise at(node, f"'{target}' takes in several values of one record, which is not followed")
        if not of_one_record(element) or any(name.startswith(BEFORE) for name in names(element) | names(Truth(here))):
            raise at(node, f"'{target}' takes in more than one record's own values")
        self.filled[target] = Rows(element, here, place=False)


def unbroken(loop: ir.For) -> ir.For:
    """The same without ``break``: the rounds that would not come any more do nothing."""
    if not walk.breaks(loop.body):
        return loop
    skip = ir.If(ir.Name(STOPPED), (ir.Continue(),), (), span=loop.span)
    return replace(loop, body=(skip, *_without_break(loop.body)))


def _without_break(block: Sequence[ir.Statement]) -> Iterator[ir.Statement]:
    for each in block:
        match each:
            case ir.Break():
                yield from (ir.Assign(STOPPED, ir.Truth(True), span=each.span), ir.Continue(span=each.span))
            case ir.If():
                yield walk.with_blocks(each, lambda side: tuple(_without_break(side)))
            case _:
                yield each  # what is in another loop leaves that loop


def straight(block: Sequence[ir.Statement]) -> Sequence[ir.Statement]:
    """The same without ``continue``: what follows a branch that may leave the round is put into its sides."""
    for place, statement in enumerate(block):
        match statement:
            case ir.Continue():
                return block[:place]
            case ir.If(_, then, otherwise) if any(isinstance(e, ir.Continue) for e in walk.statements((statement,))):
                rest = block[place + 1 :]
                sides = straight((*then, *rest)), straight((*otherwise, *rest))
                return (*block[:place], replace(statement, then=tuple(sides[0]), otherwise=tuple(sides[1])))
    return block
