"""A public loop for each record, whose round i changes tables at place i alone: ``if r == keys[i]: counts[i] += 1``.

The one idea: no other round reads or changes that place, so what is there after all rounds is what round i makes of
what was there before the first. That a round changes no other place is asked of the solver; that it reads none is seen
from what it makes: elsewhere the table holds unknowns of their own, which then would be in it. Each such reading has
another unknown: one for two places would say that they hold the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from lapwing.kernel.doubt import at
from lapwing.kernel.folds.bodies import RecordBody
from lapwing.kernel.folds.record_lists import Lists
from lapwing.kernel.folds.values import ANYWHERE, Items, Lost, Number, Value, anywhere, names, picked, substituted
from lapwing.kernel.program import ir, walk
from lapwing.kernel.symbolic.terms import Term, compare, inside

if TYPE_CHECKING:
    from lapwing.kernel.folds.extraction import Extraction


def place_by_place(
    reader: Extraction, body: RecordBody, loop: ir.For, values: Mapping[str, Value], here: Term
) -> Mapping[str, Value]:
    """What variables hold after such a loop; nothing is known of those that are no tables."""
    walked = Lists(body.look(values)).walked(loop.source)  # refuses the records: they are walked over already
    number, elsewhere = reader.symbols.round(), reader.symbols.round()
    tables = {name: found for name in sorted(walk.assigned(loop.body)) if isinstance(found := values.get(name), Items)}
    known = reader.symbols.count
    bound, changed = walked.at(ir.Name(number)), set(walk.assigned(loop.body))
    first = {name: table.at(ir.Name(number)) for name, table in tables.items()}
    if reader.symbols.count > known:  # it would be one unknown for all rounds, and every round has another
        raise at(loop, "a loop for each record walks over what is not known by its place")
    if changed & set(bound):
        raise at(loop, "this loop changes its own variable")
    left: dict[str, Value] = {
        name: Lost(f"'{name}' holds what another round of a loop for each record left") for name in changed | set(bound)
    }
    others = {name: reader.symbols.number(name, whole=_is_whole(reader, name)) for name in tables}
    begin = {
        name: _only_at(reader, name, {number: first[name], elsewhere: _of(others[name], table)}, table)
        for name, table in tables.items()
    }
    known = reader.symbols.count
    end = RecordBody(body.look, body.typed, body.kind).block(loop.body, {**values, **left, **begin, **bound}, here)
    for name, table in tables.items():
        ended = end[name]
        if not isinstance(ended, Items) or ended.length != table.length:
            raise at(loop, f"'{name}' changes for each record in a way that is not followed")
        own, other = ended.at(ir.Name(number)), ended.at(ir.Name(elsewhere))
        if not (_is_plain(own) and _is_plain(other)) or reader.symbols.count > known:
            raise at(loop, f"'{name}' changes for each record in a way that is not followed")
        unknown = {each for term in others.values() for each in walk.names(term)}
        apart = compare("!=", ir.Name(number), ir.Name(elsewhere))
        facts = (inside(ir.Name(number), walked.count), inside(ir.Name(elsewhere), table.length), apart)
        same = compare("==", other.base, others[name])  # type: ignore[union-attr]  # a plain number
        if names(own) & unknown or not reader.questions.always(same, reader.symbols, facts):
            raise at(loop, f"a round of this loop reads or changes '{name}' at a place that is not its own")
        left[name] = Items(table.length, _placed(walked.count, number, own, table))
    return {**values, **left}


def _only_at(reader: Extraction, name: str, places: Mapping[str, Value], table: Items) -> Items:
    """A table that is known at some places, by their names; read at any other there is something new and unknown."""

    def element(asked: Term) -> Value:
        name_asked = asked.name if isinstance(asked, ir.Name) else ""
        if name_asked.startswith(ANYWHERE):  # asked for its kind alone
            return table.at(asked)
        found = places.get(name_asked)
        return found or _of(reader.symbols.number(name, whole=_is_whole(reader, name)), table)

    return Items(table.length, element)


def _placed(count: Term, number: str, own: Value, table: Items) -> Callable[[Term], Value]:
    """What is at a place after all rounds: there may be places that no round comes to."""

    def element(place: Term) -> Value:
        return picked(inside(place, count), substituted(own, {number: place}), table.at(place))

    return element


def _of(unknown: Term, table: Items) -> Number:
    """An unknown that is as whole as what is in the table."""
    some = table.at(anywhere())
    return Number(unknown, whole=isinstance(some, Number) and some.whole)


def _is_plain(value: Value) -> bool:
    return isinstance(value, Number) and not value.is_total and not value.loose


def _is_whole(reader: Extraction, name: str) -> bool:
    return reader.kind(name) == ir.List(ir.Integer())
