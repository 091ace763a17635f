"""Loops: over records, which add up, and of rounds that both neighbours make alike.

* A loop over records changes a variable v by v' - v in each round. If that does not depend on what earlier rounds left
  in any variable (asked of the solver), the loop adds Σ (v' - v)(record) to v: a fold.
* A ``while`` that counts its rounds is a ``for`` over a range (:mod:`counting_whiles`).
* A loop of shared rounds is read once, for any round: variables that it changes begin as any shared value of their
  type, and must be shared when the round ends, or are lost. What it releases is priced for all rounds (:mod:`prices`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.folds.bodies import STOPPED, RecordBody, straight, unbroken
from lapwing.kernel.folds.carried import Carried
from lapwing.kernel.folds.moving import gained
from lapwing.kernel.folds.placewise import place_by_place
from lapwing.kernel.folds.record_lists import HERE, Steps
from lapwing.kernel.folds.symbols import age
from lapwing.kernel.folds.values import (
    BEFORE,
    POSITION,
    RECORD,
    Items,
    Lost,
    Noisy,
    Number,
    Truth,
    Value,
    has_type,
    names,
    of_record,
    replaced,
    shared,
    substituted,
)
from lapwing.kernel.folds.ways import Reading, Rounds, Way
from lapwing.kernel.program import ir, walk
from lapwing.kernel.symbolic.terms import (
    FALSE,
    TRUE,
    ZERO,
    Term,
    choose,
    compare,
    inside,
    plus,
    times,
)

if TYPE_CHECKING:
    from lapwing.kernel.folds.extraction import Extraction


def as_long_as(reader: Extraction, loop: ir.While, state: Reading) -> Reading:
    """A ``while`` whose test is about what neighbours share: both make equally many rounds, however many."""
    rounds = ir.For(ir.Range("%while", ZERO, ZERO), loop.body, loop.number, span=loop.span)
    steps = Steps(None, reader.symbols.number("rounds", whole=True), lambda _number: {})
    return in_rounds(reader, rounds, steps, state, test=loop.condition)


def _counters(reader: Extraction, loop: ir.For, state: Reading) -> dict[str, tuple[Number, Number]]:
    """Variables that go up once in every round, by what no round changes: what they begin with, and their step."""
    body, found = list(walk.statements(loop.body)), dict[str, tuple[Number, Number]]()
    moved = [*(name for each in body for name in walk.targets(each)), *loop.source.targets]
    for each in () if any(isinstance(part, ir.Continue) for part in body) else loop.body:
        match each:
            case ir.Assign(name, ir.Arithmetic("+", ir.Name(same), by)) if name == same and moved.count(name) == 1:
                first = state.values.get(name)
                step = None if walk.names(by) & set(moved) else reader.look(state).without_noise().value(by)
                if isinstance(first, Number) and isinstance(step, Number) and shared(first) and shared(step):
                    found[name] = first, step
    return found


def _at(number: str, counter: tuple[Number, Number]) -> Number:
    """What a counter holds when a round begins: what it began with, and its step for each round before."""
    first, step = counter
    return Number(plus(first.base, times(ir.Name(number), step.base)), whole=first.whole and step.whole)


def over_records(reader: Extraction, loop: ir.For, walked: Steps, values: Mapping[str, Value]) -> dict[str, Value]:
    """What variables hold after a loop over records: one round, for any record, from whatever earlier rounds left."""
    stopped = unbroken(loop)
    if stopped is not loop:
        loop, values = stopped, {**values, STOPPED: Truth(FALSE)}
    bound, changed = walked.at(HERE), _changed(loop)
    if walked.rows is None or changed & set(bound):
        raise at(loop, "this loop is not one over the records, or changes its own variable")
    keep = walked.rows.keep
    lists = {name for name in changed if _is_empty(values.get(name)) and name not in _set_anew(loop.body)}
    begin = {name: _begin(reader, name, value) for name, value in values.items() if name in changed}
    begin |= {
        name: reader.symbols.named(f"{BEFORE}{name}", reader.kind(name) or ir.Real())
        for name in begin
        if isinstance(values[name], Noisy) and _is_only_added_to(loop, name)
    }
    body = reader.for_a_record(frozenset(lists))
    body.rounds = partial(place_by_place, reader)
    end = body.block(loop.body, {**values, **begin, **bound}, keep)
    after: dict[str, Value] = {**values}
    carried = Carried.of(reader, {name: values[name] for name in begin}, end, keep)
    carried.tests = _asked_of_state(body, loop, {**values, **begin})
    for name in changed | set(bound):
        before = values.get(name)
        after[name] = Lost(f"'{name}' holds what the last record left")
        if isinstance(before, Number) and name in changed:
            after[name] = walked.rows.summed(_folded(reader, carried, name, before, end[name], keep), before)
        if isinstance(before, Noisy) and name in changed and _is_only_added_to(loop, name):
            total = _folded(reader, carried, name, before.plus, end[name], keep)
            after[name] = replace(before, plus=total) if isinstance(total, Number) else total
        if isinstance(before, Truth) and shared(before) and name in changed - {STOPPED}:
            after[name] = carried.truth(name)
        if isinstance(before, Items) and name in changed - lists:
            after[name] = _folded_places(reader, name, before, end[name], keep)
        if before is not None and name in lists:
            made = body.filled.get(name)
            # where no record is left out, each has put in one
            after[name] = (
                before if made is None else replace(made, length=walked.rows.length if made.keep == TRUE else None)
            )
    return after


def _is_only_added_to(loop: ir.For, name: str) -> bool:
    """Whether a loop does nothing with a variable but add to it: noise in it is then used by nothing else."""
    for each in walk.statements(loop.body):
        match each:
            case ir.Assign(target, ir.Arithmetic("+" | "-", ir.Name(same), part)) if target == same == name:
                read = walk.names(part)
            case ir.Assign(target, ir.Arithmetic("+", part, ir.Name(same))) if target == same == name:
                read = walk.names(part)
            case _:
                read = frozenset().union(walk.targets(each), *map(walk.names, walk.expressions(each)))
        if name in read:
            return False
    return True


def _begin(reader: Extraction, name: str, before: Value) -> Value:
    """What earlier records left in a variable: a number that is unknown, or a list of them."""
    kind = reader.kind(name)
    match before, kind:
        case Number(), _:
            return reader.symbols.named(f"{BEFORE}{name}", kind or ir.Real())
        case Truth(), _:
            return reader.symbols.named(f"{BEFORE}{name}", ir.Boolean())
        case Items(length, element), ir.List(inner) if length != ZERO and _holds_numbers(inner):
            return _begun(ir.Name(f"{BEFORE}{name}"), length, element, inner)
    return Lost(f"'{name}' is read before it is set for each record")


def _begun(left: Term, length: Term, element: Callable[[Term], Value], inner: ir.Type) -> Items:
    """A list that earlier records left, as long as the one before them all; of lists, each as long as it was."""

    def at_place(place: Term) -> Value:
        here = ir.Index(left, place, inner)
        if not isinstance(inner, ir.List):
            return Number(here, whole=inner == ir.Integer())
        row = element(place)
        return (
            _begun(here, row.length, row.at, inner.element) if isinstance(row, Items) else Lost("a row is not followed")
        )

    return Items(length, at_place)


def _holds_numbers(kind: ir.Type) -> bool:
    return isinstance(kind, ir.Real | ir.Integer) or (isinstance(kind, ir.List) and _holds_numbers(kind.element))


def _asked_of_state(body: RecordBody, loop: ir.For, values: Mapping[str, Value]) -> list[Term]:
    """The comparisons in a loop that are about what earlier records left, and not about this one or its place.

    Facts about a place would be shown to last from one round to the next at the same place, and rounds have others.
    """
    look, found = body.look(values), dict[Term, None]()
    for part in walk.nodes(loop):
        if isinstance(part, ir.Compare):
            with suppress(Unproved):
                found[look.truth(part)] = None
    return [each for each in found if not any(name.startswith((RECORD, POSITION)) for name in walk.names(each))]


def _folded(reader: Extraction, carried: Carried, name: str, before: Number, after: Value, keep: Term) -> Value:
    """The variable after all rounds: what it was, and the sum of what each record adds; or what bounds its moves."""
    if before.loose or not isinstance(after, Number) or after.loose or after.is_total:
        return Lost(f"'{name}' changes in a loop over records in a way that is not followed")
    step = choose(keep, gained(after.base, ir.Name(f"{BEFORE}{name}")), ZERO)
    added = _of_this_record(reader, step, ())
    whole = before.whole and after.whole
    if added is not None:
        return Number(before.base, plus(before.each, added), whole)
    lost = Lost(f"what a record adds to '{name}' depends on the records before it, and nothing bounds how far")
    return carried.number(name, whole=whole) or lost


def _folded_places(reader: Extraction, name: str, before: Items, after: Value, keep: Term) -> Value:
    """A list after all rounds: at each place what was there, and the sum of what each record adds there.

    Of lists in a list, the same at each place of each of them.
    """
    lost = Lost(f"'{name}' changes in a loop over records in a way that is not followed")
    was, ended, places, facts = _begin(reader, name, before), after, list[str](), list[Term]()
    known = reader.symbols.count
    while isinstance(was, Items) and isinstance(ended, Items) and was.length == ended.length:
        places.append(place := reader.symbols.round())
        facts.append(inside(ir.Name(place), was.length))
        known += 1
        was, ended = was.at(ir.Name(place)), ended.at(ir.Name(place))
    if reader.symbols.count > known or not isinstance(was, Number):
        return lost  # what is unknown at some place would be the same unknown at all places
    if not isinstance(ended, Number) or ended.loose or ended.is_total or not places:
        return lost
    step = choose(keep, gained(ended.base, was.base), ZERO)
    added = _of_this_record(reader, step, facts)
    if added is None:
        return Lost(f"what a record adds to '{name}' depends on the records before it")

    def with_sums(old: Value, here: tuple[Term, ...]) -> Value:
        if isinstance(old, Items) and len(here) < len(places):
            return Items(old.length, lambda place: with_sums(old.at(place), (*here, place)))
        if not isinstance(old, Number) or old.loose or len(here) < len(places):
            return lost
        meant = dict(zip(places, here, strict=True))
        return Number(old.base, plus(old.each, replaced(added, meant)), old.whole and ended.whole)

    return with_sums(before, ())


def _of_this_record(reader: Extraction, step: Term, facts: Sequence[Term]) -> Term | None:
    """What a record adds, if from any two states that earlier rounds may have left the same is added."""
    read = {each for each in walk.names(step) if each.startswith(BEFORE)}
    if not read:
        return step
    other: dict[str, Term] = {each: ir.Name(f"{each}'") for each in read}
    reader.symbols.whole |= {f"{each}'" for each in read & reader.symbols.whole}
    if not reader.questions.always(compare("==", step, replaced(step, other)), reader.symbols, facts):
        return None
    return replaced(step, {each: FALSE if each in reader.symbols.truths else ZERO for each in read})


def in_rounds(
    reader: Extraction,
    loop: ir.For,
    walked: Steps,
    state: Reading,
    *,
    private: frozenset[str] = frozenset(),
    test: ir.Expression | None = None,
) -> Reading:
    """Any one round of a loop that both neighbours make equally often; ``private`` is what some round leaves so.

    ``test`` is asked before every round, and of what neighbours share.
    """
    since, number, changed = reader.symbols.count, reader.symbols.round(), _changed(loop)
    last = Lost("a variable holds what the last round left")
    begin: dict[str, Value] = {
        name: Lost(f"'{name}' was drawn before a loop and is used in it")
        for name, value in state.values.items()
        if isinstance(value, Noisy)
    }
    begun = {name for name in changed - private if shared(state.values.get(name))}
    begin |= {name: reader.symbols.any(name, reader.kind(name)) if name in begun else last for name in changed}
    begin |= {name: _at(number, each) for name, each in _counters(reader, loop, state).items() if name in begun}
    inner = Reading({**state.values, **begin, **walked.at(ir.Name(number))}, (inside(ir.Name(number), walked.count),))
    if test is not None:
        holds = reader.look(inner).truth(test)
        if of_record(holds):
            raise at(loop, "private data decide how often this loop turns")
        inner = inner.knowing(holds)
    ended, reader.ways = reader.ways, []
    taken: dict[str, Value] = {}
    try:
        ends = _round(reader, loop, inner, taken, _taking(loop, state.values))
    finally:  # a loop that is not followed may be read in another way, and the answers before it are still given
        returned, reader.ways = reader.ways, ended
    left = {name for name in begun if not all(shared(each.values.get(name)) for each in ends)}
    if left:  # it was not shared when the next round began: once more, without that
        return in_rounds(reader, loop, walked, state, private=private | left, test=test)
    ways = (*(Way(each.known, each.released) for each in ends), *returned)
    released = (*state.released, Rounds(walked.count, number, since, ways))
    if returned:  # the answer is given in some round; what was released before the loop is released too
        reader.ways.append(Way(state.known, released))
    after = {name: reader.symbols.any(name, reader.kind(name)) if name in begun else last for name in changed}
    rounds = walked.count, number, since
    after |= {name: _one_each(reader, loop, name, value, rounds) for name, value in taken.items()}
    after |= dict.fromkeys(loop.source.targets, last)
    some = any(way.released for way in ways)
    return Reading({**state.values, **after}, state.known, released if some else state.released, state.used)


def _round(
    reader: Extraction, loop: ir.For, state: Reading, taken: dict[str, Value], taking: set[str]
) -> list[Reading]:
    """Where a round leads; what a list takes in, in every round once, is put down in ``taken``."""
    states = [state]
    for statement in straight(loop.body):
        match statement, states:
            case ir.Append(target, value), [one] if target in taking:
                taken[target] = reader.look(one).plain(value)
            case _:
                states = reader.block((statement,), states)
    return states


def _taking(loop: ir.For, values: Mapping[str, Value]) -> set[str]:
    """Empty lists that take in one value at one place of every round, and that nothing in a round reads."""
    read, targets = walk.read(loop.body), walk.assigned(loop.body)
    direct = [each.target for each in loop.body if isinstance(each, ir.Append)]
    return {name for name in direct if targets.count(name) == 1 and name not in read and _is_empty(values.get(name))}


def _one_each(reader: Extraction, loop: ir.For, name: str, given: Value, rounds: tuple[Term, str, int]) -> Value:
    """The list of what each round gave; what else a round made of its own would differ from round to round."""
    count, number, since = rounds
    kind = reader.kind(name)
    inner = kind.element if isinstance(kind, ir.List) else None
    if not has_type(given, inner):
        raise at(loop, f"'{name}' may take in what is not a whole number")
    if shared(given):
        return Items(count, lambda _place: reader.symbols.any(name, inner))
    own = sorted(each for each in names(given) if age(each) > since and each != number)
    if any(each.startswith(RECORD) for each in own):
        raise at(loop, f"the totals in '{name}' are made with values that change from round to round")

    def element(place: Term) -> Value:  # what a round made of its own is another thing at every place
        others = {each: reader.symbols.another(each) for each in own}
        return substituted(given, {number: place, **others})

    return Items(count, element)


def _is_empty(value: Value | None) -> bool:
    return isinstance(value, Items) and value.length == ZERO


def _changed(loop: ir.For) -> set[str]:
    return set(walk.assigned(loop.body))


def _set_anew(block: Sequence[ir.Statement]) -> set[str]:
    """The variables that a block sets to something else, and does not only append to."""
    others = (each for each in walk.statements(block) if not isinstance(each, ir.Append))
    return {name for each in others for name in walk.targets(each)}
