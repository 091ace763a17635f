"""A list of zeros that a loop fills place by place is one to which the loop appends.

``out = [0.0] * n`` and then ``out[i] = e`` for every ``i`` in ``range(n)``: nobody sees the list before it is full.
Where the list holds something by then (counts, to which noise is added in place), the loop makes another one of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.program import ir, walk
from lapwing.source.arranging.staying import staying
from lapwing.source.built_lists import (
    ONE,
    ZERO,
    Block,
    Variables,
    changed,
    jumps,
    length,
    mentioned,
    places,
    rewrite,
    settled,
)

#: A loop, the counter of its rounds, and how many there are.
_Counting = tuple[ir.For, str, ir.Expression]


def filled(body: Block, names: Variables) -> Block:
    """The body of a mechanism in which such lists grow."""
    for start, statement in enumerate(body):
        if not isinstance(statement, ir.Assign) or (begun := _begun(statement)) is None:
            continue
        uses = [at for at in range(start + 1, len(body)) if statement.target in mentioned(body[at : at + 1])]
        counting = _counting(body, uses[0]) if uses else None
        if counting is None or walk.names(begun[1]) & changed(body[start : uses[0] + 1]):
            continue
        loop, counter, rounds = counting
        places = {settled(body, each) for each in (begun[1], length(statement.target))}
        if settled(body, rounds) not in places:
            continue
        stays = staying(loop, body[uses[0] + 1 :], names)
        before, loop = ((), loop) if stays is None else ((stays[0],), stays[1])
        inside = _growing(loop, statement.target, counter, begun, names)
        if inside is not None:
            whole = replaced(rounds, {length(statement.target): begun[1]})
            source = replace(loop.source, stop=whole) if isinstance(loop.source, ir.Range) else loop.source
            grown = replace(loop, source=source, body=inside)
            empty = replace(statement, value=ir.ListOf(()))
            return filled(
                (*body[:start], empty, *body[start + 1 : uses[0]], *before, grown, *body[uses[0] + 1 :]), names
            )
    return body


def renewed(body: Block, names: Variables) -> Block:
    """The body in which a loop that changes a list place by place makes another list, with a name of its own."""
    for at, statement in enumerate(body):
        counting = _counting(body, at)
        if counting is None:
            continue
        loop, counter, rounds = counting
        for name in sorted(changed(loop.body)):
            if not isinstance(names.types.get(name), ir.List) or name in mentioned(body[at : at + 1]) - changed(
                (loop,)
            ):
                continue
            whole = replaced(rounds, {length(name): places(body, name) or rounds})
            if places(body, name) is None or settled(body, whole) != places(body, name):
                continue
            if not any(isinstance(each, ir.Sample) for each in walk.statements(loop.body)):
                continue  # without noise it is followed as it is
            new = names.fresh(name, names.types[name])
            inside = _growing(loop, name, counter, (name, whole), names, new)
            if inside is None:
                continue
            source = replace(loop.source, stop=whole) if isinstance(loop.source, ir.Range) else loop.source
            empty = ir.Assign(new, ir.ListOf(()), span=statement.span)
            rest = tuple(_called(body[at + 1 :], name, new))
            return renewed((*body[:at], empty, replace(loop, source=source, body=inside), *rest), names)
    return body


def _called(block: Block, name: str, new: str) -> Iterator[ir.Statement]:
    """The block in which a variable has another name, wherever it is set or read."""
    for each in rewrite(block, {ir.Name(name): ir.Name(new)}):
        match each:
            case ir.Assign(target) | ir.Append(target) | ir.Sample(target) | ir.Call(target) | ir.Asking(target) if (
                target == name
            ):
                yield replace(each, target=new)
            case _:
                yield walk.with_blocks(each, lambda inner: tuple(_called(inner, name, new)))


def _begun(statement: ir.Assign) -> tuple[ir.Expression | str, ir.Expression] | None:
    """What stands at every place at first, a number, a truth value or a list's element; and the number of places."""
    match statement.value:
        case ir.Comprehension(ir.Number() | ir.Truth() as element, ir.Range(_, start, stop), None) if start == ZERO:
            return element, stop
        case ir.Comprehension(ir.Name(each), ir.Over(((name, ir.Name(walked)),), None), None) if each == name:
            return walked, length(walked)
        case ir.Name(walked) | ir.Slice(ir.Name(walked), None, None):
            return walked, length(walked)
    return None


def _counting(body: Block, position: int) -> _Counting | None:
    """The loop at a place of the body, if it counts its rounds from 0; so does a ``while`` whose counter is its own."""
    loop = body[position]
    match loop:
        case ir.For(ir.Range(counter, start, stop), inside) if start == ZERO and counter not in changed(inside):
            return loop, counter, stop
        case ir.For(ir.Over(((_, ir.Name(walked)),), str() as counter), inside):
            return None if {counter, walked} & changed(inside) else (loop, counter, length(walked))
        case ir.While(ir.Compare("<", ir.Name(counter), stop), (*most, last)):
            inside = tuple(most)
            fixed = not (walk.names(stop) | {counter}) & changed(inside)
            before = [each for each in body[:position] if counter in changed((each,))]
            raised = ir.Assign(counter, ir.Arithmetic("+", ir.Name(counter), ONE))
            if not fixed or last != raised or before[-1:] != [ir.Assign(counter, ZERO)]:
                return None
            if counter not in mentioned(body[position + 1 :]):
                return ir.For(ir.Range(counter, ZERO, stop), inside, loop.number, span=loop.span), counter, stop
    return None


def _growing(
    loop: ir.For,
    name: str,
    counter: str,
    begun: tuple[ir.Expression | str, ir.Expression],
    names: Variables,
    new: str | None = None,
) -> Block | None:
    """The rounds of a loop that append what they set at their own place, and look at no other."""
    kind = names.types[name]
    if jumps(loop.body) or not isinstance(kind, ir.List):
        return None
    if isinstance(loop.source, ir.Over) and name in walk.names(loop.source):
        return None  # it is walked over, and would be empty then
    here = ir.Index(ir.Name(name), ir.Name(counter), kind.element)
    first = ir.Index(ir.Name(begun[0]), ir.Name(counter), kind.element) if isinstance(begun[0], str) else begun[0]
    if new is None and isinstance(begun[0], str) and begun[0] in changed(loop.body):
        return None
    item = names.fresh(f"{name}_item", kind.element)
    inside = _with_item(loop.body, here, ir.Name(item), item)
    if name in mentioned(inside):
        return None  # another place is looked at
    settings = [at for at, each in enumerate(inside) if item in changed((each,))]
    if len(settings) == 1 and item not in mentioned(inside[settings[0] + 1 :]):
        direct = list(_with_item(loop.body, here, first, item))
        match direct[settings[0]]:
            case ir.Assign(_, value) as put:
                direct[settings[0]] = ir.Append(new or name, value, span=put.span)
                return tuple(direct)
    return (ir.Assign(item, first, span=loop.span), *inside, ir.Append(new or name, ir.Name(item), span=loop.span))


def _with_item(block: Block, here: ir.Index, read: ir.Expression, item: str) -> Block:
    """The block with ``read`` for the element at this round's place, and ``item`` set to what is put there."""
    return rewrite(_setting(block, here, item), {here: read})


def _setting(block: Block, here: ir.Index, item: str) -> Block:
    def set_(statement: ir.Statement) -> Block | None:
        value = _put(statement, here)
        return None if value is None else (ir.Assign(item, value, span=statement.span),)

    return walk.exchanged(block, set_)


def _put(statement: ir.Statement, here: ir.Index) -> ir.Expression | None:
    """What ``name[i] = value`` puts at this round's place."""
    match statement:
        case ir.Assign(
            target,
            ir.Comprehension(
                ir.Conditional(ir.Or((ir.Compare("==", ir.Name(counter), place), from_end)), value, ir.Name(each)),
                ir.Over(((own, walked),), index),
                None,
            ),
        ) if (own, index, walked, place) == (each, counter, here.sequence, here.index) and ir.Name(target) == walked:
            backwards = ir.Arithmetic("-", ir.Name(counter), length(target))
            if from_end != ir.Compare("==", backwards, place) or counter in walk.names(value):
                return None
            return replaced(value, {ir.Name(each): here})
    return None
