"""Noise that is drawn into a list before a loop that reads it place by place is drawn in the loop.

``nus = [laplace(b) for _ in q]`` and then ``nus[i]`` in round ``i``: draws are independent of everything, and what
nobody has looked at may as well be drawn later; what nobody looks at at all need not be drawn. Each place is read in
one round only, so that no noise is drawn twice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.program import ir, walk
from lapwing.source.arranging.unfolding import opened_up
from lapwing.source.built_lists import (
    ONE,
    ZERO,
    Block,
    Variables,
    changed,
    forgotten,
    length,
    mentioned,
    places,
    rewrite,
    settled,
)


@dataclass(frozen=True, slots=True)
class _Made:
    """How each element of a list is made: statements, and the value that is appended, at ``place``."""

    name: str
    rounds: ir.Expression
    place: str | None
    #: the variable that holds the element of another list, and that list
    element: tuple[str, str] | None
    body: Block
    value: ir.Expression

    @property
    def own(self) -> set[str]:
        """The variables that are set on the way."""
        return changed(self.body)

    @property
    def reads(self) -> set[str]:
        """What the elements rest on."""
        bound = {self.place} if self.element is None else {self.place, self.element[0]}
        walked = set() if self.element is None else {self.element[1]}
        return (mentioned((*self.body, ir.Return(self.value))) - self.own - bound) | walk.names(self.rounds) | walked

    def at(self, place: ir.Expression, kind: ir.Type) -> tuple[Block, ir.Expression]:
        """The statements and the value of the element at a place."""
        meanings: dict[ir.Expression, ir.Expression] = {}
        if self.place is not None:
            meanings[ir.Name(self.place)] = place
        if self.element is not None:
            meanings[ir.Name(self.element[0])] = ir.Index(ir.Name(self.element[1]), place, kind)
        return rewrite(self.body, meanings), replaced(self.value, meanings)


def put_off(body: Block, names: Variables) -> Block:
    """The body of a mechanism in which such noise is drawn where it is read."""
    for start, statement in enumerate(body):
        if not isinstance(statement, ir.Assign) or statement.value != ir.ListOf(()):
            continue
        uses = [at for at in range(start + 1, len(body)) if statement.target in mentioned(body[at : at + 1])]
        made = _made(body, statement.target, uses[0]) if len(uses) == 2 else None
        if made is None:
            continue
        first, second = uses
        others = (*body[:first], *body[first + 1 :])
        if made.own & mentioned(others) or made.reads & changed(body[first + 1 : second + 1]):
            continue
        opened = opened_up(body[second], made.name, names)
        around = (*body[:second], *opened, *body[second + 1 :])
        second += len(opened) // 2  # the loop of three statements, or the one that stands there
        if made.name in mentioned(around[second + 1 :]):
            continue  # what was opened up reads it once more, and that has to be the same noise
        loop = _reading(around, second, made, names)
        if loop is not None and _missed(around, first, second, loop) <= {made.name}:
            kept = (*around[:start], *around[start + 1 : first], *around[first + 1 : second])
            return put_off((*kept, loop, *around[second + 1 :]), names)
    return body


def _missed(body: Block, first: int, second: int, loop: ir.Statement) -> set[str]:
    """The variables that the two loops set, that nothing sets any more, and that are read after them."""
    no_more = changed(body[second : second + 1]) - changed((loop,))
    missed = {each for each in changed(body[first : first + 1]) if not forgotten(body[first + 1 :], each)}
    return missed | {each for each in no_more if not forgotten(body[second + 1 :], each)}


def _made(body: Block, name: str, position: int) -> _Made | None:
    """The list that a loop of the body fills with noise."""
    match body[position]:
        case ir.For(source, (*most, ir.Append(target, value))) if target == name:
            inside = tuple(most)
        case _:
            return None
    draws = any(isinstance(each, ir.Sample) for each in inside)
    if not draws or not all(isinstance(each, ir.Sample | ir.Assign) for each in inside):
        return None
    if name in mentioned((*inside, ir.Return(value))) or set(source.targets) & changed(inside):
        return None
    if any(isinstance(part, ir.Comprehension) for part in walk.parts(inside)):
        return None  # its variables might hide others
    match source:
        case ir.Range(place, first, stop) if first == ZERO:
            return _Made(name, settled(body, stop), place, None, inside, value)
        case ir.Over(((each, ir.Name(walked)),), place):
            return _Made(name, length(walked), place, (each, walked), inside, value)
    return None


def _reading(body: Block, position: int, made: _Made, names: Variables) -> ir.Statement | None:
    """The loop that reads the list, with the noise drawn in it."""
    match body[position]:
        case ir.For(ir.Range(counter, ir.Number(), stop) as source, inside) as loop:
            whole = replaced(stop, {length(made.name): made.rounds})
            if counter in changed(inside) or settled(body, whole) != made.rounds:
                return None
            drawn = _drawn(inside, made, ir.Name(counter), names)
            return None if drawn is None else replace(loop, source=replace(source, stop=whole), body=drawn)
        case ir.For(ir.Over() as source, inside) as loop:
            return _walking(body, loop, source, inside, made, names)
        case ir.While(condition, inside) as loop:
            return _while(body, position, loop, condition, inside, made, names)
    return None


def _walking(
    body: Block, loop: ir.For, source: ir.Over, inside: Block, made: _Made, names: Variables
) -> ir.Statement | None:
    """A loop over lists, of which one may be the list of noise itself."""
    lists = [each.name for _, each in source.items if isinstance(each, ir.Name)]
    kept = tuple((name, each) for name, each in source.items if each != ir.Name(made.name))
    no_longer = not kept or any(made.rounds in (length(each), places(body, each)) for each in lists)
    if len(lists) < len(source.items) or not no_longer or len(kept) < len(lists) - 1:
        return None
    if set(source.targets) & changed(inside):
        return None
    counter = source.index or names.fresh("place", ir.Integer())
    element = next((name for name, each in source.items if each == ir.Name(made.name)), None)
    if element is not None:
        inside = rewrite(inside, {ir.Name(element): ir.Index(ir.Name(made.name), ir.Name(counter), _kind(made, names))})
    drawn = _drawn(inside, made, ir.Name(counter), names)
    if drawn is None:
        return None
    used = counter in mentioned(drawn) or source.index is not None
    walked = ir.Over(kept, counter if used else None, span=source.span)
    return replace(loop, source=walked if kept else ir.Range(counter, ZERO, made.rounds, span=source.span), body=drawn)


def _while(
    body: Block, position: int, loop: ir.While, condition: ir.Expression, inside: Block, made: _Made, names: Variables
) -> ir.Statement | None:
    """A loop that raises its counter by 1 in every round, after all that it reads at it."""
    tests = condition.operands if isinstance(condition, ir.And) else (condition,)
    for at, test in enumerate(tests):
        match test:
            case ir.Compare("<", ir.Name(counter), stop):
                whole = replaced(stop, {length(made.name): made.rounds})
            case _:
                continue
        raised = ir.Assign(counter, ir.Arithmetic("+", ir.Name(counter), ONE))
        before = [each for each in body[:position] if counter in changed((each,))]
        begins = before[-1:] == [ir.Assign(counter, ZERO)]
        settings = [each for each in walk.statements(inside) if counter in walk.targets(each)]
        if settled(body, whole) != made.rounds or not begins or settings != [raised] or walk.continues(inside):
            continue
        end = next((place for place, each in enumerate(inside) if each is settings[0]), None)
        if end is None or made.name in mentioned(inside[end:]):
            continue
        here = ir.Name(counter)
        late = [each for each in tests if made.name in walk.names(each)]
        if test in late or walk.names(ir.And(tests)) & made.own:
            continue
        if not late:
            drawn = _drawn(inside, made, here, names)
            return None if drawn is None else replace(loop, body=drawn)
        if made.name in mentioned(inside):
            continue  # read before the round and in it
        early = tuple(each for each in (test, *tests[:at], *tests[at + 1 :]) if each not in late)
        going = names.fresh("going", ir.Boolean())
        asked = _drawn((ir.Assign(going, late[0] if len(late) == 1 else ir.And(tuple(late))),), made, here, names)
        if asked is None:
            continue
        span = loop.span
        first = (
            ir.Assign(going, early[0] if len(early) == 1 else ir.And(early), span=span),
            ir.If(ir.Name(going), asked, (), span=span),
            ir.If(ir.Not(ir.Name(going)), (ir.Break(span=span),), (), span=span),
        )
        return replace(loop, condition=ir.Truth(True), body=(*first, *inside))
    return None


def _kind(made: _Made, names: Variables) -> ir.Type:
    kind = names.types[made.name]
    return kind.element if isinstance(kind, ir.List) else ir.Real()


def _drawn(inside: Block, made: _Made, place: ir.Name, names: Variables) -> Block | None:
    """A round with the noise of its place drawn just before it is read; None where another place is read."""
    kind = ir.Real() if made.element is None else names.types[made.element[0]]
    statements, value = made.at(place, kind)
    held = (
        value.name
        if isinstance(value, ir.Name) and value.name in made.own
        else names.fresh(made.name, _kind(made, names))
    )
    if value != ir.Name(held):
        statements = (*statements, ir.Assign(held, value, span=statements[-1].span))
    here = ir.Index(ir.Name(made.name), place, _kind(made, names))
    changed_round = rewrite(inside, {here: ir.Name(held), length(made.name): made.rounds})
    if made.name in mentioned(changed_round):
        return None
    return _before(changed_round, held, statements)


def _before(block: Block, name: str, statements: Block) -> Block:
    """The block with statements just before the first that reads a variable, as deep inside as they may stand."""
    uses = [at for at in range(len(block)) if name in mentioned(block[at : at + 1])]
    if not uses:
        return block
    first = uses[0]
    use = block[first]
    if len(uses) == 1 and isinstance(use, ir.If) and name not in walk.names(use.condition):
        sides = [name in mentioned(side) for side in (use.then, use.otherwise)]
        if sides == [True, False]:
            return (*block[:first], replace(use, then=_before(use.then, name, statements)), *block[first + 1 :])
        if sides == [False, True]:
            return (
                *block[:first],
                replace(use, otherwise=_before(use.otherwise, name, statements)),
                *block[first + 1 :],
            )
    return (*block[:first], *statements, *block[first:])
