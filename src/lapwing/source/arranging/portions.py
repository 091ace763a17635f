"""Budgets of which every round takes a share: what is left is multiplied, and the share is a part of that.

The one idea: ``e = left / 2`` and then ``left = left - e`` says that ``left`` is halved, and that ``e`` is as much as
is left then; ``epsilon / 2 ** (i + 1)`` in round ``i`` is what was there a round before, halved. A proof follows the
one variable that is multiplied in every round.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.program import ir, walk
from lapwing.source.built_lists import ONE, ZERO, Block, Variables, changed, is_public, mentioned, rewrite

Loop = ir.For | ir.While


def shared_out(mechanism: ir.Mechanism, body: Block, names: Variables) -> Block:
    """The body with budgets that are multiplied in the loops at its top."""
    body = _each_loop(body, lambda before, loop, _: _without_powers(mechanism, before, loop, names))
    return _each_loop(body, lambda _, loop, all_of_it: (_multiplied(all_of_it, loop, names),))


def _each_loop(body: Block, change: Callable[[Block, Loop, Block], Block]) -> Block:
    done: list[ir.Statement] = []
    for position, each in enumerate(body):
        if isinstance(each, Loop):
            done += change(tuple(done), each, (*done, *body[position:]))
        else:
            done.append(each)
    return tuple(done)


# --- powers ----------------------------------------------------------------------------------------------------


def _without_powers(mechanism: ir.Mechanism, before: Block, loop: Loop, names: Variables) -> Block:
    """``epsilon / 2 ** (i + 1)`` in a round as a number that every round divides by 2."""
    match loop:
        case ir.For(ir.Range(counter, ir.Number(first)), (ir.Assign(power, start), ir.For(inner) as raising, *rest)):
            pass
        case _:
            return (loop,)
    match inner, raising.body:
        case ir.Range(_, zero, stop), (ir.Assign(name, ir.Arithmetic("*", ir.Name(own), ir.Number(base))),):
            more = _more(stop, counter)
        case _:
            return (loop,)
    if (zero, start, name, own) != (ZERO, ONE, power, power) or more is None or base <= 1 or counter in changed(rest):
        return (loop,)
    made = ir.Name(power)
    taken = {
        part
        for part in walk.parts(rest)
        if isinstance(part, ir.Arithmetic) and part.operator == "/" and made in (part.left, part.right)
    }
    budgets = {each.left if each.right == made else each.right for each in taken}
    if len(budgets) != 1 or not isinstance(budget := budgets.pop(), ir.Name):
        return (loop,)
    if not is_public(mechanism, budget.name, length=False) or budget.name in changed((*before, loop)):
        return (loop,)
    share = ir.Name(names.fresh("share", ir.Real()))
    meanings: dict[ir.Expression, ir.Expression] = {
        ir.Arithmetic("/", budget, made): share,
        ir.Arithmetic("/", made, budget): ir.Arithmetic("/", ONE, share),
    }
    body = rewrite(tuple(rest), meanings)
    if power in mentioned(body) or first + more < 0 or (first + more).denominator != 1:
        return (loop,)
    begun = _part(budget, base ** int(1 - first - more))
    halved = ir.Assign(share.name, ir.Arithmetic("/", share, ir.Number(base)), span=loop.span)
    return ir.Assign(share.name, begun, span=loop.span), replace(loop, body=(halved, *body))


def _more(stop: ir.Expression, counter: str) -> Fraction | None:
    """By how much a number is above a counter."""
    match stop:
        case ir.Name(name) if name == counter:
            return Fraction(0)
        case ir.Arithmetic("+", ir.Name(name), ir.Number(value)) | ir.Arithmetic("+", ir.Number(value), ir.Name(name)):
            return value if name == counter else None
    return None


# --- shares ----------------------------------------------------------------------------------------------------


def _multiplied(body: Block, loop: Loop, names: Variables) -> Loop:
    """The loop with one budget multiplied, and its shares parts of it."""
    settings = walk.assigned(loop.body)
    for position, each in enumerate(loop.body):
        if isinstance(each, ir.Assign) and names.types.get(each.target) == ir.Real():
            budget = each.target
            shares = _shares(body, loop, budget, position, names)
            early = {name: by for name, (by, place) in shares.items() if place < position}
            meant = replaced(each.value, {ir.Name(name): _part(ir.Name(budget), by) for name, by in early.items()})
            ratio = _ratio(meant, budget)
            if settings.count(budget) != 1 or ratio is None or not 0 < ratio < 1:
                continue
            if not shares and _is_product(each.value):
                continue
            left = ir.Name(budget)
            first: dict[ir.Expression, ir.Expression] = {ir.Name(name): _part(left, by) for name, by in early.items()}
            late: dict[ir.Expression, ir.Expression] = {
                ir.Name(name): _part(left, by / ratio if name in early else by) for name, (by, _) in shares.items()
            }
            kept = [
                part
                for part in (
                    *rewrite(loop.body[:position], first),
                    ir.Assign(budget, _part(left, ratio), span=each.span),
                    *rewrite(loop.body[position + 1 :], late),
                )
                if not (isinstance(part, ir.Assign) and part.target in shares)
            ]
            for name in shares:
                del names.types[name]
            return replace(loop, body=tuple(kept))
    return loop


def _shares(body: Block, loop: Loop, budget: str, position: int, names: Variables) -> dict[str, tuple[Fraction, int]]:
    """The variables of a round that are parts of a budget, with how large, and where they are set."""
    found: dict[str, tuple[Fraction, int]] = {}
    for place, each in enumerate(loop.body):
        if place == position or not isinstance(each, ir.Assign) or names.types.get(each.target) != ir.Real():
            continue
        size = _ratio(each.value, budget)
        once = walk.assigned(body).count(each.target) == 1
        elsewhere = mentioned(tuple(part for part in body if part is not loop))
        tested = walk.names(loop.condition) if isinstance(loop, ir.While) else frozenset[str]()
        early = mentioned(loop.body[:place])
        if size and once and each.target not in elsewhere | tested | early:
            found[each.target] = size, place
    return found


def _is_product(value: ir.Expression) -> bool:
    match value:
        case ir.Arithmetic("*" | "/", ir.Name(), ir.Number()) | ir.Arithmetic("*", ir.Number(), ir.Name()):
            return True
    return False


def _part(of: ir.Expression, by: Fraction) -> ir.Expression:
    """So much of something, as people write it."""
    if by == 1:
        return of
    if by.numerator == 1:
        return ir.Arithmetic("/", of, ir.Number(Fraction(by.denominator)))
    return ir.Arithmetic("*", of, ir.Number(by))


def _ratio(value: ir.Expression, name: str) -> Fraction | None:
    """How many times a variable a value is, if it is nothing else."""
    match value:
        case ir.Name(own):
            return Fraction(1) if own == name else None
        case ir.Arithmetic("+" | "-" as symbol, left, right):
            one, two = _ratio(left, name), _ratio(right, name)
            return None if one is None or two is None else one + two if symbol == "+" else one - two
        case ir.Arithmetic("*", inner, ir.Number(by)) | ir.Arithmetic("*", ir.Number(by), inner):
            found = _ratio(inner, name)
            return None if found is None else found * by
        case ir.Arithmetic("/", inner, ir.Number(by)) if by:
            found = _ratio(inner, name)
            return None if found is None else found / by
    return None
