"""Loops over a part of a list, which draw noise, said as loops over its places.

The one idea: ``for x in q[1:]`` reads ``q[i]`` for ``i`` from 1 on, and proofs follow places and know no slices. Ends
are counted from the front: ``q[:n]`` ends at n or where the list does, if n is 0 or more for sure; ``q[:-1]`` one
before the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.comparisons import MIRRORED
from lapwing.source.built_lists import ZERO, Block, Variables, changed, is_public, length

#: What says of a number that it is 0 or more, beside another number; and of a place that it is not behind the end.
_ABOVE, _BEFORE = (">", ">=", "=="), ("<", "<=", "==")


def unsliced(mechanism: ir.Mechanism, body: Block, names: Variables) -> Block:
    """The body with such loops over places."""
    unsliced = _Unsliced.of(mechanism, body, names)
    made = unsliced.block(body)
    read = {part.name for each in made for part in walk.nodes(each) if isinstance(part, ir.Name)}
    left = set(unsliced.parts) - read  # nobody looks at it any more
    return tuple(each for each in made if not (isinstance(each, ir.Assign) and each.target in left))


@dataclass(frozen=True, slots=True)
class _Unsliced:
    names: Variables
    #: parameters as long in both runs, and variables
    lists: frozenset[str]
    #: variables that are set once, to a part of a parameter
    parts: Mapping[str, ir.Slice]
    #: comparisons that are known to hold of what never changes
    known: frozenset[tuple[str, ir.Expression, ir.Expression]]

    @staticmethod
    def of(mechanism: ir.Mechanism, body: Block, names: Variables) -> _Unsliced:
        every = walk.assigned(body)
        parameters = {each.name for each in mechanism.parameters} - set(every)
        kept = {name for name in parameters if is_public(mechanism, name, length=True)}
        parts = {
            each.target: each.value
            for each in body
            if isinstance(each, ir.Assign) and every.count(each.target) == 1 and isinstance(each.value, ir.Slice)
        }
        parts = {name: part for name, part in parts.items() if walk.names(part) <= parameters}
        known = frozenset(fact for each in mechanism.preconditions for fact in _facts(each))
        return _Unsliced(names, frozenset(kept | (set(every) - parameters)), parts, known)

    def block(self, block: Block) -> Block:
        """The statements with such loops over places."""
        found: list[ir.Statement] = []
        for each in block:
            match each:
                case ir.For(ir.Over(((name, walked),), index), inside):
                    part = self.parts.get(walked.name) if isinstance(walked, ir.Name) else walked
                    inside = self.block(inside)
                    made = self.loop(replace(each, body=inside), name, part, index)
                    found.append(made or replace(each, body=inside))
                case _:
                    found.append(walk.with_blocks(each, self.block))
        return tuple(found)

    def loop(self, loop: ir.For, name: str, part: ir.Expression | None, index: str | None) -> ir.For | None:
        """The loop over places, if it draws, and neither the list nor the ends change meanwhile."""
        match part:
            case ir.Slice(ir.Name(walked), start, stop) if walked in self.lists and self._draws(loop):
                ends = self.first(walked, start), self.last(walked, stop)
            case _:
                return None
        kind = self.names.types.get(name)
        if ends[0] is None or ends[1] is None or kind is None or walk.names(part) & changed(loop.body):
            return None
        place = self.names.fresh("place", ir.Integer())
        begun: list[ir.Statement] = [ir.Assign(name, ir.Index(ir.Name(walked), ir.Name(place), kind), span=loop.span)]
        if index is not None:
            begun.append(ir.Assign(index, ir.Arithmetic("-", ir.Name(place), ends[0]), span=loop.span))
        return replace(loop, source=ir.Range(place, ends[0], ends[1], span=loop.source.span), body=(*begun, *loop.body))

    def _draws(self, loop: ir.For) -> bool:
        return any(isinstance(each, ir.Sample | ir.Call | ir.Asking) for each in walk.statements(loop.body))

    def first(self, walked: str, start: ir.Expression | None) -> ir.Expression | None:
        """The place at which a slice begins, which may be behind the end."""
        match start:
            case None:
                return ZERO
            case ir.Negate(ir.Number(value) as back) if value > 0:
                return ir.Builtin("max", (ZERO, ir.Arithmetic("-", length(walked), back)))
        return start if self.is_natural(start) else None

    def last(self, walked: str, stop: ir.Expression | None) -> ir.Expression | None:
        """The place behind the last one."""
        end = length(walked)
        match stop:
            case None:
                return end
            case ir.Negate(ir.Number(value) as back) if value > 0:
                return ir.Arithmetic("-", end, back)
        if not self.is_natural(stop):
            return None
        inside = stop == end or any((symbol, stop, end) in self.known for symbol in _BEFORE)
        return stop if inside else ir.Builtin("min", (stop, end))

    def is_natural(self, node: ir.Expression) -> bool:
        """Whether a whole number is 0 or more for sure."""
        match node:
            case ir.Number(value):
                return value >= 0
            case ir.Builtin("len"):
                return True
            case ir.Name():
                return any(
                    symbol in _ABOVE and left == node and isinstance(right, ir.Number) and right.value >= 0
                    for symbol, left, right in self.known
                )
            case ir.Arithmetic("+" | "*", left, right):
                return self.is_natural(left) and self.is_natural(right)
        return False


def _facts(condition: ir.Expression) -> Iterator[tuple[str, ir.Expression, ir.Expression]]:
    """The comparisons that hold where a precondition does, from both sides."""
    match condition:
        case ir.And(operands):
            for each in operands:
                yield from _facts(each)
        case ir.Compare(symbol, left, right):
            yield symbol, left, right
            yield MIRRORED[symbol], right, left
