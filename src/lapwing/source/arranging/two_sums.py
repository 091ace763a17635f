"""Two sums over records of which only the difference is looked at, said as one number.

The one idea: ``low = sum(clip(x, 0, b) …)``, ``high = sum(clip(x, 0, b + 1) …)`` and then ``low - high`` once: what one
record moves is the difference, which may be far less than either. A proof that is told the difference finds that, and
one that is told two sums has each of them move by itself.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from lapwing.kernel.program import ir, walk
from lapwing.source.built_lists import Block, Variables, changed, rewrite

_SUMS = ("sum", "len")


def taken_together(body: Block, names: Variables) -> Block:
    """The body with such differences, and sums of two sums, as variables of their own."""
    every = Counter(walk.assigned(body))
    read = Counter(part.name for part in walk.parts(body) if isinstance(part, ir.Name))
    once = frozenset(name for name, count in every.items() if count == 1 and read[name] == 1)
    return _block(body, once, names) if len(once) > 1 else body


def _block(block: Block, once: frozenset[str], names: Variables) -> Block:
    made = tuple(walk.with_blocks(each, lambda inner: _block(inner, once, names)) for each in block)
    totals = {
        each.target: at
        for at, each in enumerate(made)
        if isinstance(each, ir.Assign) and each.target in once and _is_sum(each.value)
    }
    for at, each in enumerate(made):
        for part in (part for value in walk.expressions(each) for part in walk.nodes(value)):
            match part:
                case ir.Arithmetic("+" | "-", ir.Name(one), ir.Name(other)) if {one, other} <= set(totals):
                    if (places := sorted((totals[one], totals[other])))[1] < at and one != other:
                        whole = _together(made, places, part, names)
                        if whole is not None:
                            return _block(whole, once, names)
    return made


def _together(block: Block, places: list[int], part: ir.Arithmetic, names: Variables) -> Block | None:
    """The block with one number in place of both, where the second is set, if the first is the same there."""
    first, second = (block[at] for at in places)
    assert isinstance(first, ir.Assign)  # noqa: S101  # totals are set
    assert isinstance(second, ir.Assign)  # noqa: S101  # as above
    if walk.names(first.value) & changed(block[places[0] + 1 : places[1]]):
        return None
    meanings: dict[ir.Expression, ir.Expression] = {ir.Name(each.target): each.value for each in (first, second)}
    whole = replace(part, left=meanings[part.left], right=meanings[part.right])
    kinds = {names.types[each.target] for each in (first, second)}
    together = names.fresh("together", ir.Real() if ir.Real() in kinds else ir.Integer())
    rest = rewrite(block[places[1] + 1 :], {part: ir.Name(together)})
    before = (*block[: places[0]], *block[places[0] + 1 : places[1]])
    return (*before, ir.Assign(together, whole, span=second.span), *rest)


def _is_sum(value: ir.Expression) -> bool:
    """Whether this adds up something of each record."""
    match value:
        case ir.Builtin(word, (ir.Comprehension(),)) if word in _SUMS:
            return True
    return False
