"""The parts of a mechanism that answers about private values of finite kinds: straight, by position, or by record.

The one idea: what outlives a round of a loop is told by the round (:mod:`~lapwing.kernel.relational.finite`). So the
state after a round is computed from the state before it and from what was told, and

- a loop over records, of which one differs between neighbours, is as private as one of its rounds: all others are the
  same in both runs, given the state before them (parallel composition, [McS09]); several such loops, as their product;
- a loop over positions, whose rounds tell of one secret, has for its probability the product of its rounds'.

What stands before reads no record, what stands behind reads neither records nor what was not told: it is
post-processing, whatever it does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lapwing.kernel.composition.exposure import exposed, targets
from lapwing.kernel.doubt import Unproved
from lapwing.kernel.formulas.margins import replaced
from lapwing.kernel.program import ir, walk

NOTHING = ir.ZERO
#: Neighbours of which at most one element differs, by whatever it may.
ONE_DIFFERS = ("replaced", "one")


@dataclass(frozen=True, slots=True)
class Straight:
    """No loop: the whole body, its secrets, and all its variables."""

    secrets: Mapping[str, ir.Type]
    body: tuple[ir.Statement, ...]
    own: frozenset[str]


@dataclass(frozen=True, slots=True)
class Positions:
    """A loop over positions: what is computed of the secrets before it, and its rounds."""

    secrets: Mapping[str, ir.Type]
    before: tuple[ir.Assign, ...]
    source: ir.Range
    body: tuple[ir.Statement, ...]
    #: variables that outlive a round, and those that do not
    state: frozenset[str]
    own: frozenset[str]


@dataclass(frozen=True, slots=True)
class Records:
    """A loop over records: what is computed before it, and its rounds, with what a record is to them."""

    secrets: Mapping[str, ir.Type]
    before: tuple[ir.Assign, ...]
    body: tuple[ir.Statement, ...]
    state: frozenset[str]
    own: frozenset[str]


def parted(mechanism: ir.Mechanism) -> Straight | Positions | list[Records]:
    """The parts of a mechanism; refuses one that has others."""
    private = [each for each in mechanism.parameters if each.private]
    if any(isinstance(each.type, ir.List) for each in private):
        return _records(mechanism, private)
    secrets = {each.name: each.type for each in private}
    for place, statement in enumerate(mechanism.body):
        if isinstance(statement, ir.For | ir.While):
            return _positions(mechanism, secrets, place)
    return Straight(secrets, mechanism.body, targets(mechanism.body))


def _outliving(mechanism: ir.Mechanism, body: Sequence[ir.Statement], after: Sequence[ir.Statement]) -> frozenset[str]:
    """What a round sets that a later one, or what stands behind the loop, may read before it is set again."""
    return targets(body) & (exposed(body, mechanism) | exposed(after, mechanism))


# --- records ------------------------------------------------------------------------------------------------------


def _records(mechanism: ir.Mechanism, private: Sequence[ir.Parameter]) -> list[Records]:
    match private:
        case [ir.Parameter(rows, ir.List(kind), relation)] if relation is not None and relation.kind in ONE_DIFFERS:
            pass
        case _:
            raise Unproved("the mechanism does not have one private list, of which one element differs")
    found: list[Records] = []
    for place, statement in enumerate(mechanism.body):
        if not _reads_rows(statement, rows):
            continue
        if not isinstance(statement, ir.For):
            raise Unproved("the mechanism does more than answer each row by itself")
        found.append(_round(mechanism, statement, rows, kind, place))
    if not found:
        raise Unproved("no loop goes over the records")
    return found


def _reads_rows(statement: ir.Statement, rows: str) -> bool:
    """Whether a statement reads the records themselves, and not only how many they are."""
    length = ir.Builtin("len", (ir.Name(rows),))
    return any(rows in walk.names(replaced(part, {length: NOTHING})) for part in walk.evaluated((statement,)))


def _round(mechanism: ir.Mechanism, loop: ir.For, rows: str, kind: ir.Type, place: int) -> Records:
    before, after = mechanism.body[:place], mechanism.body[place + 1 :]
    record, body = _walked(loop, rows)
    if any(_reads_rows(each, rows) for each in body):
        raise Unproved("a round reads other records than its own")
    inside = targets(body) | set(loop.source.targets) | {record}
    if record in targets(body) or set(loop.source.targets) & targets(body):
        raise Unproved("a round sets what it is given")
    state = _outliving(mechanism, body, after)
    if (inside - state) & exposed(after, mechanism):
        raise Unproved("what a round is given outlives the loop")
    own = frozenset(inside - state) | {rows}
    secrets: dict[str, ir.Type] = {record: kind}
    for name, listed in _beside(loop, rows):
        element = _element(mechanism, listed)
        if element in (ir.Integer(), ir.Boolean()):  # public, and free to be anything: that can only add cases
            secrets[name] = element
    if isinstance(loop.source, ir.Range) or loop.source.index is not None:
        index = loop.source.target if isinstance(loop.source, ir.Range) else loop.source.index
        secrets[str(index)] = ir.Integer()
    computed, _ = _computed(before, {})
    return Records(secrets, tuple(each for each in computed if each.target not in state), body, state, own)


def _walked(loop: ir.For, rows: str) -> tuple[str, tuple[ir.Statement, ...]]:
    """The name of a record in a round, and the round: ``for x in rows``, or ``rows[i]`` for all positions i."""
    match loop.source:
        case ir.Over(items):
            named = [name for name, listed in items if listed == ir.Name(rows)]
            if len(named) == 1 and not any(rows in walk.names(each) for name, each in items if name != named[0]):
                return named[0], loop.body
        case ir.Range(index, ir.Number(0), ir.Builtin("len", (ir.Name(walked),))) if walked == rows:
            record = "%record"

            def change(part: ir.Expression) -> ir.Expression:
                reads: dict[ir.Expression, ir.Expression] = {
                    each: ir.Name(record)
                    for each in walk.nodes(part)
                    if isinstance(each, ir.Index) and each.sequence == ir.Name(rows) and each.index == ir.Name(index)
                }
                return replaced(part, reads)

            return record, walk.rewritten(loop.body, change)
    raise Unproved("the loop does not go over the records, each once")


def _beside(loop: ir.For, rows: str) -> list[tuple[str, ir.Expression]]:
    """What is walked beside the records."""
    items = loop.source.items if isinstance(loop.source, ir.Over) else ()
    return [(name, listed) for name, listed in items if listed != ir.Name(rows)]


def _element(mechanism: ir.Mechanism, listed: ir.Expression) -> ir.Type | None:
    parameter = mechanism.parameter(listed.name) if isinstance(listed, ir.Name) else None
    if parameter is not None and not parameter.private and isinstance(parameter.type, ir.List):
        return parameter.type.element
    return None


# --- positions ----------------------------------------------------------------------------------------------------


def _positions(mechanism: ir.Mechanism, secrets: Mapping[str, ir.Type], place: int) -> Positions:
    loop, before, after = mechanism.body[place], mechanism.body[:place], mechanism.body[place + 1 :]
    computed, hidden = _computed(before, secrets)
    if not isinstance(loop, ir.For):
        raise Unproved("the loop does not go over positions")
    source, body = _counted(mechanism, loop)
    if (hidden | {source.target}) & targets(body):
        raise Unproved("a round sets what it is given")
    state = _outliving(mechanism, body, after)
    own = frozenset((targets(body) | {source.target} | hidden) - state)
    if own & exposed(after, mechanism):
        raise Unproved("what was not told is read after the loop")
    kept = tuple(each for each in computed if each.target not in state)
    return Positions(secrets, kept, source, body, state, own)


def _computed(before: Sequence[ir.Statement], secrets: Mapping[str, ir.Type]) -> tuple[list[ir.Assign], set[str]]:
    """What is set before a loop, in order, and the names of secrets and of what was computed from them.

    Whatever else is done there reads no secret, and is the same for neighbours.
    """
    hidden, found, elsewhere = set(secrets), list[ir.Assign](), set[str]()
    for statement in before:
        if isinstance(statement, ir.Assign):
            found.append(statement)
            if walk.names(statement.value) & hidden:
                hidden.add(statement.target)
            continue
        if (walk.read((statement,)) | targets((statement,))) & hidden:
            raise Unproved("more than a number is computed from the secret before the loop")
        elsewhere |= targets((statement,))
    # a name that something else sets, too, has no value that is known, nor has what is computed from it
    while more := {each.target for each in found if walk.names(each.value) & elsewhere} - elsewhere:
        elsewhere |= more
    return [each for each in found if each.target not in elsewhere], hidden


def _counted(mechanism: ir.Mechanism, loop: ir.For) -> tuple[ir.Range, tuple[ir.Statement, ...]]:
    """The loop over positions: ``for i in range(…)``, or over a list that is computed for all positions."""
    match loop.source:
        case ir.Range():
            return loop.source, loop.body
        case ir.Over(((name, ir.Name(listed)),), index):
            held = mechanism.variable(listed)
            if held is not None and isinstance(held.type, ir.List) and name not in targets(loop.body):
                position = index or "%position"
                read = ir.Index(ir.Name(listed), ir.Name(position), held.type.element)
                source = ir.Range(position, NOTHING, ir.Builtin("len", (ir.Name(listed),)))
                return source, (ir.Assign(name, read), *loop.body)
    raise Unproved("the loop does not go over positions")
