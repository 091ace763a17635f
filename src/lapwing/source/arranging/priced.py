"""Prices that a round looks up or computes before it pays them, said where they are paid.

The one idea: ``for i in range(len(q))`` with ``price = prices[i]`` inside is ``for i, price in enumerate(prices)``
where both lists are as long. A proof knows what a round begins with as public numbers, and adds up formulas in them.
"""

from __future__ import annotations

from dataclasses import replace

from lapwing.kernel.program import ir, walk
from lapwing.source.built_lists import ZERO, Block, Variables, changed, is_public, length, mentioned, rewrite, settled

#: Prices that are chosen inside each other.
MAX_CHOICES = 2


def walked_over(mechanism: ir.Mechanism, body: Block, names: Variables) -> Block:
    """The body with loops at its top that walk over the prices they pay, and pay them as they are written."""
    for position, loop in enumerate(body):
        match loop:
            case ir.For(ir.Range(counter, start, stop), inside) if start == ZERO and counter not in changed(inside):
                long = settled(body, stop)
                for prices in _prices(mechanism, inside, ir.Name(counter)):
                    if long == length(prices) or _as_long(mechanism, long, length(prices)):
                        made = _walking(loop, counter, prices, names)
                        return walked_over(mechanism, (*body[:position], made, *body[position + 1 :]), names)
    for loop in body:
        if isinstance(loop, ir.For):
            body = _as_written(mechanism, body, loop, names)
    return body


def _prices(mechanism: ir.Mechanism, inside: Block, counter: ir.Name) -> list[str]:
    """The public lists of numbers of which a round reads its own element, and draws noise by it."""
    scales = {
        name
        for each in walk.statements(inside)
        if isinstance(each, ir.Sample)
        for name in walk.names(each.arguments[-1])
    }
    drawn = [each.arguments[-1] for each in walk.statements(inside) if isinstance(each, ir.Sample)]
    drawn += [each.value for each in walk.statements(inside) if isinstance(each, ir.Assign) and each.target in scales]
    return [
        each.name
        for each in mechanism.parameters
        if not each.private and each.type == ir.List(ir.Real())
        for price in [ir.Index(ir.Name(each.name), counter, ir.Real())]
        if any(part == price for value in drawn for part in walk.nodes(value))
    ]


def _as_long(mechanism: ir.Mechanism, one: ir.Expression, other: ir.Expression) -> bool:
    """Whether an assert says that two lengths are the same."""
    parts = [
        part
        for each in mechanism.preconditions
        for part in (each.operands if isinstance(each, ir.And) else (each,))
        if isinstance(part, ir.Compare) and part.operator == "=="
    ]
    return any({one, other} == {each.left, each.right} for each in parts)


def _walking(loop: ir.For, counter: str, prices: str, names: Variables) -> ir.For:
    price = ir.Name(names.fresh("price", ir.Real()))
    inside = rewrite(loop.body, {ir.Index(ir.Name(prices), ir.Name(counter), ir.Real()): price})
    source = ir.Over(((price.name, ir.Name(prices)),), counter, span=loop.span)
    return replace(loop, source=source, body=inside)


def _as_written(mechanism: ir.Mechanism, body: Block, loop: ir.For, names: Variables) -> Block:
    """The body without the variables in which one of its loops holds a price that it draws by, and adds up."""
    for place, each in enumerate(loop.body):
        if not isinstance(each, ir.Assign) or names.types.get(each.target) != ir.Real():
            continue
        before, rest = loop.body[:place], loop.body[place + 1 :]
        others = mentioned((*before, *(part for part in body if part is not loop)))
        known = _known(mechanism, loop)
        if not walk.names(each.value) <= known or not _is_formula(each.value) or known & changed(loop.body):
            continue
        if each.target in others | changed(rest) or not _is_paid(rest, each.target):
            continue
        del names.types[each.target]
        plain = replace(loop, body=(*before, *_with_price(rest, ir.Name(each.target), each.value)))
        return _as_written(mechanism, tuple(plain if part is loop else part for part in body), plain, names)
    return body


def _known(mechanism: ir.Mechanism, loop: ir.For) -> set[str]:
    """The public numbers, and the variables of a loop over public lists or a range."""
    numbers = {each.name for each in mechanism.parameters if is_public(mechanism, each.name, length=False)}
    if isinstance(loop.source, ir.Range):
        return numbers | {loop.source.target}
    lists = {each.name for each in mechanism.parameters if not each.private}
    own = {name for name, walked in loop.source.items if isinstance(walked, ir.Name) and walked.name in lists}
    return numbers | own | ({loop.source.index} if loop.source.index is not None else set())


def _with_price(rest: Block, price: ir.Name, value: ir.Expression) -> Block:
    """The rest of a round with a price written where it is paid; of two prices, on two sides of a test."""
    match value:
        case ir.Conditional(test, then, otherwise):
            sides = [_with_price(rest, price, each) for each in (then, otherwise)]
            return (ir.If(test, sides[0], sides[1], span=value.span),)
    return rewrite(rest, {price: value})


def _is_formula(value: ir.Expression, choices: int = MAX_CHOICES) -> bool:
    match value:
        case ir.Conditional(ir.Compare(), then, otherwise):
            return choices > 0 and all(_is_formula(each, choices - 1) for each in (then, otherwise))
    return all(isinstance(each, ir.Name | ir.Number | ir.Arithmetic | ir.Negate) for each in walk.nodes(value))


def _is_paid(block: Block, price: str) -> bool:
    """Whether noise is drawn by a number, and a variable raised or lowered by it."""
    drawn, paid = False, False
    for each in walk.statements(block):
        match each:
            case ir.Sample(_, _, (*_, scale)) if price in walk.names(scale):
                drawn = True
            case ir.Assign(account, ir.Arithmetic("+" | "-", ir.Name(own), by)) if account == own:
                paid = paid or price in walk.names(by)
    return drawn and paid
