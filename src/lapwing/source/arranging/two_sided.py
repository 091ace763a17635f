"""Laplace noise that is put together from one-sided noise, drawn as Laplace noise.

The one idea: the difference of two exponential draws of one scale is distributed as a Laplace draw of that scale, and
so is an exponential draw with the sign of a fair coin. Where nothing else is read of the two draws, one draw does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from lapwing.kernel.program import ir, walk
from lapwing.source.built_lists import ONE, Block, Variables, changed, mentioned, rewrite, with_others

#: How the chance of a fair coin is written.
FAIR = ((ir.Number(Fraction(1, 2)),), (ir.Arithmetic("/", ONE, ir.Number(Fraction(2))),))


def two_sided(body: Block, names: Variables) -> Block:
    """The body with Laplace noise for such pairs of draws."""
    drawn = [each.kind for each in walk.statements(body) if isinstance(each, ir.Sample)]
    if "exponential" not in drawn:
        return body
    for plain, read_once in ((body, []), _said_where_read(body)):
        joined = plain
        while (found := next(_joined(joined, joined), None)) is not None:
            joined, gone = found
            read_once = [*read_once, gone]
        if joined is not plain:
            for name in read_once:
                del names.types[name]
            return two_sided(joined, names)
    return body


def _said_where_read(body: Block) -> tuple[Block, list[str]]:
    """The body without second names of draws, and ``sign = 1 if coin else -1``, that are read once; and those names."""
    gone: list[str] = []
    while (found := next(_second_names(body), None)) is not None:
        name, body = found
        gone.append(name)
    return body, gone


def _second_names(body: Block) -> Iterator[tuple[str, Block]]:
    for block in _blocks(body):
        here = {each.target for each in block if isinstance(each, ir.Sample)}
        for each in block:
            if not isinstance(each, ir.Assign):
                continue
            value, name = each.value, each.target
            plain = isinstance(value, ir.Name) or (isinstance(value, ir.Conditional) and _is_sign(value))
            (drawn, *_) = (*walk.names(value), name) if plain else (name,)
            once = [walk.assigned(body).count(other) for other in (name, drawn)] == [1, 1]
            if plain and drawn in here and once and _reads(body, name) == _reads(body, drawn) == 1:
                yield name, rewrite(with_others(body, {id(each): ()}), {ir.Name(name): value})


def _is_sign(value: ir.Conditional) -> bool:
    """Whether this is 1 or -1, by one truth value."""
    named = value.condition.operand if isinstance(value.condition, ir.Not) else value.condition
    return isinstance(named, ir.Name) and {value.then, value.otherwise} == {ONE, ir.Negate(ONE)}


def _joined(body: Block, block: Block) -> Iterator[tuple[Block, str]]:
    """The whole body with one draw for two of a block, and the variable that is gone."""
    for position, first in enumerate(block):
        for inside in walk.blocks(first):
            yield from _joined(body, inside)
        if not isinstance(first, ir.Sample):
            continue
        for second in _drawn_with(first, block[position + 1 :]):
            for one, other in ((first, second), (second, first)):
                without = _without(body, one, other)
                if without is not None:
                    yield without, other.target


def _drawn_with(first: ir.Sample, behind: Block) -> Iterator[ir.Sample]:
    """The draws that nothing but draws, and what is computed without the first, stand between."""
    if first.kind not in ("exponential", "flip"):
        return
    fixed = {first.target}.union(*(walk.names(each) for each in first.arguments))
    for position, each in enumerate(behind):
        if isinstance(each, ir.Sample):
            yield each
        elif not isinstance(each, ir.Assign):
            return
        if first.target in mentioned((each,)) or fixed & changed(behind[: position + 1]):
            return


def _without(body: Block, noise: ir.Sample, other: ir.Sample) -> Block | None:
    """The body in which the first draw is Laplace noise, and the other is not made."""
    if noise.kind != "exponential":
        return None
    laplace = replace(noise, kind="laplace")
    if other.kind == "exponential" and other.arguments == noise.arguments:
        read = _read_together(body, noise.target, other.target, 1)
        new = None if read is None else _difference(read, noise.target, other.target)
    elif other.kind == "flip" and other.arguments in FAIR:
        flipped = _turned(body, noise.target, other.target)
        if flipped is not None:
            return with_others(flipped, {id(noise): (laplace,), id(other): ()})
        read = _read_together(body, noise.target, other.target, 2)
        new = None if read is None else _signed(read, noise.target, other.target)
    else:
        return None
    if read is None or new is None:
        return None
    return rewrite(with_others(body, {id(noise): (laplace,), id(other): ()}), {read: new})


def _reads(body: Block, name: str) -> int:
    return sum(isinstance(part, ir.Name) and part.name == name for part in walk.parts(body))


def _read_together(body: Block, noise: str, other: str, times: int) -> ir.Expression | None:
    """The smallest sum, product or choice in which both are read, if they are set once and read nowhere else."""
    if [walk.assigned(body).count(each) for each in (noise, other)] != [1, 1] or _reads(body, other) != 1:
        return None
    if not 1 <= _reads(body, noise) <= times:
        return None
    both = [each for each in walk.parts(body) if isinstance(each, ir.Expression) and {noise, other} <= walk.names(each)]
    smallest = both[-1] if both else None
    inside = [] if smallest is None else [each.name for each in walk.nodes(smallest) if isinstance(each, ir.Name)]
    return smallest if inside.count(noise) == _reads(body, noise) else None


# --- differences -----------------------------------------------------------------------------------------------


def _difference(node: ir.Expression, noise: str, other: str) -> ir.Expression | None:
    """A sum in which one is added and the other taken away, without the other."""
    signs = dict(_signs(node))
    if signs.get(noise, 0) * signs.get(other, 0) != -1:
        return None
    return _dropped(node, other)


def _signs(node: ir.Expression, sign: int = 1) -> Iterator[tuple[str, int]]:
    """The names that are terms of a sum, with their signs."""
    match node:
        case ir.Name(name):
            yield name, sign
        case ir.Negate(operand):
            yield from _signs(operand, -sign)
        case ir.Arithmetic("+" | "-" as symbol, left, right):
            yield from _signs(left, sign)
            yield from _signs(right, sign if symbol == "+" else -sign)


def _dropped(node: ir.Expression, name: str) -> ir.Expression | None:
    """A sum without one of its terms."""
    match node:
        case ir.Name(own) if own == name:
            return None
        case ir.Negate(operand):
            inner = _dropped(operand, name)
            return None if inner is None else replace(node, operand=inner)
        case ir.Arithmetic("+" | "-" as symbol, left, right):
            one, two = _dropped(left, name), _dropped(right, name)
            if one is None:
                return two if symbol == "+" or two is None else ir.Negate(two, span=node.span)
            return one if two is None else replace(node, left=one, right=two)
    return node


# --- signs -----------------------------------------------------------------------------------------------------


def _signed(node: ir.Expression, noise: str, coin: str) -> ir.Expression | None:
    """``noise if coin else -noise``, or the noise times 1 or -1."""
    own = ir.Name(noise)
    match node:
        case ir.Conditional(condition, then, otherwise):
            turned = _is_coin(condition, coin) and {then, otherwise} == {own, ir.Negate(own)}
        case ir.Arithmetic("*", left, right):
            sign = right if left == own else left
            if own not in (left, right) or not isinstance(sign, ir.Conditional):
                return None
            turned = _is_coin(sign.condition, coin) and _is_sign(sign)
        case _:
            turned = False
    return own if turned else None


def _is_coin(condition: ir.Expression, coin: str) -> bool:
    return condition in (ir.Name(coin), ir.Not(ir.Name(coin)))


def _turned(body: Block, noise: str, coin: str) -> Block | None:
    """The body without ``if coin: noise = -noise``, where nothing else is done with the coin, or the noise before."""
    turning = ir.Assign(noise, ir.Negate(ir.Name(noise)))
    if walk.assigned(body).count(noise) != 2 or walk.assigned(body).count(coin) != 1 or _reads(body, coin) != 1:
        return None
    for block in _blocks(body):
        for each in block:
            if not (isinstance(each, ir.If) and _is_coin(each.condition, coin)):
                continue
            drawn = [place for place, part in enumerate(block) if isinstance(part, ir.Sample) and part.target == noise]
            place = block.index(each)
            if {each.then, each.otherwise} != {(turning,), ()} or not drawn or place < drawn[0]:
                return None
            return None if noise in mentioned(block[drawn[0] + 1 : place]) else with_others(body, {id(each): ()})
    return None


def _blocks(block: Block) -> Iterator[Block]:
    yield block
    for each in block:
        for inside in walk.blocks(each):
            yield from _blocks(inside)
