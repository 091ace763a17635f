"""Steps on a sample: a loop over the records that passes over each one with a coin of its own.

Claim: let a block use the records in one place only, a loop whose rounds begin with ``flip(p)`` and do nothing unless
it is True. Then the block does to the records what :func:`thinned` does to a sample of them, in which each record is
kept with probability p, and their order. ``s = sample(xs, p)`` is such a loop, which puts the kept ones into s.

If that is (e, d)-private for one record more or fewer, the block is (ln(1 + p(e^e - 1)), p d)-private ([BBG18] Thm 8):
with probability 1 - p the record is not in the sample, and then both runs do the same. The theorem is about the
sample, so nothing else may tell of the records: not their number, not the coins, not where the loop ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.program import ir, walk
from lapwing.kernel.symbolic.publics import over_parameters


@dataclass(frozen=True, slots=True)
class Thinned:
    """What a block does to a sample, as a block on records, and the chance of a record to be in it."""

    block: tuple[ir.Statement, ...]
    chance: ir.Expression


def thinned(mechanism: ir.Mechanism, block: Sequence[ir.Statement]) -> Thinned:
    """The block with its sample taken for the records; refuses one that uses them in another way."""
    records = _records(mechanism)
    place = next((number for number, each in enumerate(block) if samples(each, records)), None)
    loop = None if place is None else block[place]
    if place is None or not isinstance(loop, ir.For):
        raise at(block[0], f"this takes no sample of '{records}'")
    drawing, kept = _round(loop)
    inside = (*kept, *(each for number, each in enumerate(block) if number != place))
    _check_records(records, inside, loop)
    _check_coins(drawing.target, kept, inside, loop, mechanism)
    chance = over_parameters(mechanism, drawing.arguments[0])
    whole = (*block[:place], replace(loop, body=kept), *block[place + 1 :])
    return Thinned(_without_copy(whole, place, records), chance)


def samples(statement: ir.Statement, records: str) -> bool:
    """Whether a statement is a loop over the records that passes over each with a coin of its own."""
    if not isinstance(statement, ir.For) or not isinstance(statement.source, ir.Over):
        return False
    alone = len(statement.source.items) == 1 and statement.source.index is None
    if not alone or statement.source.items[0][1] != ir.Name(records):
        return False
    try:
        _round(statement)
    except Unproved:
        return False
    return True


def _records(mechanism: ir.Mechanism) -> str:
    """The one private parameter: records of which there may be one more or fewer."""
    private = [each for each in mechanism.parameters if each.private]
    if len(private) != 1 or private[0].relation is None or private[0].relation.kind != "added":
        raise Unproved("only one list of records with added() is sampled")
    return private[0].name


def _check_records(records: str, inside: Sequence[ir.Statement], loop: ir.For) -> None:
    """Nothing but the sample tells of the records."""
    if records in _mentioned(inside):
        raise at(loop, f"'{records}' is used beside its sample")


def _check_coins(
    coin: str, kept: Sequence[ir.Statement], inside: Sequence[ir.Statement], loop: ir.For, mechanism: ir.Mechanism
) -> None:
    """Nobody learns how a coin fell, nor the record that came last, which the loop's own variable still holds."""
    own = {coin, *loop.source.targets}
    elsewhere = [each for each in walk.statements(mechanism.body) if not _within(each, loop)]
    if coin in _mentioned(kept) or own & _mentioned(elsewhere) or own & set(walk.assigned(inside)):
        raise at(loop, "what decides on a sample is used again")


def _round(loop: ir.For) -> tuple[ir.Sample, tuple[ir.Statement, ...]]:
    """The coin of a round, and what is done with a record that is kept."""
    match loop.body:
        case (ir.Sample(coin, "flip") as drawing, ir.If(ir.Name(tested), kept, ())) if coin == tested:
            return drawing, kept
        case (ir.Sample(coin, "flip") as drawing, ir.If(ir.Not(ir.Name(tested)), (ir.Continue(),), ()), *kept) if (
            coin == tested
        ):
            return drawing, tuple(kept)
    raise at(loop, "a round does not begin with a coin that decides on all of it")


def _without_copy(block: tuple[ir.Statement, ...], place: int, records: str) -> tuple[ir.Statement, ...]:
    """``s = []`` and a loop that puts every record into s make s another name of the records."""
    loop = block[place]
    match loop:
        case ir.For(ir.Over(((row, _),)), (ir.Append(name, ir.Name(put)),)) if put == row:
            pass
        case _:
            return block
    empty = [number for number, each in enumerate(block[:place]) if each == ir.Assign(name, ir.ListOf(()))]
    others = [each for number, each in enumerate(block) if number != place and number not in empty[-1:]]
    if not empty or name in _mentioned(block[empty[-1] + 1 : place]) or name in walk.assigned(others):
        return block
    for each in (part for statement in others for part in walk.nodes(statement)):
        if isinstance(each, ir.Over | ir.Range) and {name, records} & set(each.targets):
            return block
    return walk.rewritten(tuple(others), lambda each: replaced(each, {ir.Name(name): ir.Name(records)}))


def _mentioned(block: Sequence[ir.Statement]) -> set[str]:
    """Every name that a block reads or appends to, wherever."""
    found = {each.name for statement in block for each in walk.nodes(statement) if isinstance(each, ir.Name)}
    return found | {each.target for each in walk.statements(block) if isinstance(each, ir.Append)}


def _within(statement: ir.Statement, loop: ir.For) -> bool:
    return statement is loop or any(statement is each for each in walk.statements(loop.body))
