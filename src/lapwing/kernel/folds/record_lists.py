"""Lists in a fold: records taken one by one, shared lists by place, and what is made of either.

Each rule keeps the meaning of lists (:mod:`values`): a list made of records has one element for each record that is
kept, in their order; any other list has a length that both neighbours share, and something at each place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from lapwing.kernel.doubt import at
from lapwing.kernel.folds.values import (
    PLACE,
    POSITION,
    RECORD,
    ROUND,
    UNKNOWN,
    Flag,
    Items,
    Lost,
    Noisy,
    Number,
    Parts,
    Rows,
    Truth,
    Value,
    add,
    of_one_record,
    of_record,
    picked,
    replaced,
    shared,
    zero,
)
from lapwing.kernel.program import ir, walk
from lapwing.kernel.symbolic.terms import (
    ONE,
    TRUE,
    ZERO,
    Term,
    both,
    choose,
    compare,
    constant,
    extreme,
    inside,
    minus,
    plus,
)

if TYPE_CHECKING:
    from lapwing.kernel.folds.expressions import Look

HERE = ir.Name(POSITION)


@dataclass(frozen=True, slots=True)
class Steps:
    """What a loop or comprehension walks over: records, or ``count`` shared rounds; and what it sets at a place."""

    rows: Rows | None
    count: Term
    at: Callable[[Term], dict[str, Value]]


@dataclass(frozen=True, slots=True)
class Lists:
    """Lists as seen by an expression."""

    look: Look

    def literal(self, elements: tuple[ir.Expression, ...]) -> Items:
        """A list written out."""
        values = [self.look.plain(each) for each in elements]

        def element(position: Term) -> Value:
            place = constant(position)
            if place is not None and 0 <= place < len(values):
                return values[int(place)]
            found: Value = values[-1] if values else Lost("an element of an empty list is read")
            for other in range(len(values) - 2, -1, -1):
                found = picked(compare("==", position, ir.Number(Fraction(other))), values[other], found)
            return found

        return Items(ir.Number(Fraction(len(values))), element)

    def element(self, node: ir.Node, found: Value, index: Term) -> Value:
        """The element at an index, which is 0 (or False) outside the list; of records, the one walked over.

        A record may be the index only where what is at a place is said by the place: something shared that is unknown
        is one unknown for all records, and would be the same for both neighbours.
        """
        if isinstance(found, Rows) and index == HERE and found.in_place:
            return found.element
        if isinstance(found, Rows) and found.in_place and found.length is not None and not self.look.inside:
            return self._at(node, found, self._place(index, found.length))
        if not isinstance(found, Items):
            raise at(node, "one element of a list of records is read, which sums over records do not cover")
        place = self._place(index, found.length)
        self._not_of_all(node, found, place)
        known = self.look.symbols.count
        value, there = found.at(place), inside(place, found.length)
        if of_record(place) and self.look.symbols.count > known:
            raise at(node, "a private value decides where a list is read that is not a public one")
        if isinstance(value, Items) and not found.everywhere:  # outside there is an empty list
            return Items(choose(there, value.length, ZERO), value.at)
        return value if found.everywhere or there == TRUE else picked(there, value, zero(value))

    def _at(self, node: ir.Node, found: Value, place: Term) -> Value:
        """The element at a place that neighbours share; of records a sum, to which only the record there adds."""
        if isinstance(found, Items):
            return found.at(place)
        if not isinstance(found, Rows) or of_record(place) or POSITION in walk.names(place):
            raise at(node, "one element of a list of records is read, which sums over records do not cover")
        return _only(compare("==", HERE, place), found.element)

    def cut(self, node: ir.Node, found: Value, start: ir.Expression | None, stop: ir.Expression | None) -> Value:
        """A slice: of records, those whose place lies between its ends, where neighbours share their places."""
        if start is None and stop is None:
            return found
        if isinstance(found, Items):
            return self._part(found, start, stop)
        if self.look.inside or not isinstance(found, Rows) or found.length is None or not found.in_place:
            raise at(node, "this slice is not followed in sums over records")
        kept = []
        if start is not None:
            kept.append(compare("<=", self._place(self.look.shared(start), found.length), HERE))
        if stop is not None:
            kept.append(compare("<", HERE, self._place(self.look.shared(stop), found.length)))
        return Rows(found.element, both(kept), place=False)

    def _part(self, found: Items, start: ir.Expression | None, stop: ir.Expression | None) -> Items:
        """A slice of a list known by its places: both ends lie in the list, and the first is place 0 of the slice."""
        places = (ZERO if start is None else self.look.whole(start), None if stop is None else self.look.whole(stop))
        ends = [found.length if each is None else self._place(each, found.length) for each in places]
        begin, end = (extreme("max", [ZERO, extreme("min", [each, found.length])]) for each in ends)
        count = extreme("max", [ZERO, minus(end, begin)])
        return Items(count, lambda place: found.at(plus(begin, place)))

    def _place(self, index: Term, length: Term) -> Term:
        """The place that an index means: from the end if it is negative."""
        known = constant(index)
        if known is not None:
            return index if known >= 0 else plus(length, index)
        if isinstance(index, ir.Name) and (index == HERE or index.name.startswith(ROUND)):
            return index
        return choose(compare(">=", index, ZERO), index, plus(length, index))

    def _not_of_all(self, node: ir.Node, found: Items, place: Term) -> None:
        """Refuse a total at the place of a record: all records have one name, and the total is about others, too.

        What is at any place is asked, not at this one: with the place put in, it may look as if nothing were added.
        """
        of_some = of_record(place) or POSITION in walk.names(place)
        if of_some and not of_one_record(found.at(ir.Name(self.look.symbols.round()))):
            raise at(node, "a total of all records is used for each record")

    # --- walking --------------------------------------------------------------------------------------------

    def walked(self, source: ir.Over | ir.Range) -> Steps:
        """What is walked over; refused inside a walk over records, where the name of the record has its meaning."""
        found = self._range(source) if isinstance(source, ir.Range) else self._over(source)
        if found.rows is not None and self.look.inside:
            raise at(source, "all records are walked over for each record")
        return found

    def _range(self, source: ir.Range) -> Steps:
        if not self.look.places and source.start == ZERO and _is_of_all(self.look.value(source.stop)):
            return Steps(Rows(Lost("a row")), ZERO, lambda _place: {source.target: PLACE})
        begin, end = self.look.whole(source.start), self.look.whole(source.stop)
        if begin == ZERO and self.look.places:  # range(len(xs)): round i is about record i, which neighbours share
            for each in self.look.values.values():
                if isinstance(each, Rows) and each.in_place and each.length == end:
                    rows = Rows(Lost("a row"), length=end)
                    return Steps(rows, ZERO, lambda place: {source.target: Number(place, whole=True)})
        return _counted(source.target, begin, end)

    def by_place(self, source: ir.Over | ir.Range) -> Steps | None:
        """A walk over records as rounds that both neighbours make alike, where they share the places of the list."""
        if not self.look.places:
            return None
        if isinstance(source, ir.Range):
            return _counted(source.target, self.look.whole(source.start), self.look.whole(source.stop))
        lists = [(name, self.look.value(node)) for name, node in source.items]
        lengths = [each.length for _, each in lists if isinstance(each, Rows | Items)]
        if any(isinstance(each, Rows) and not each.in_place for _, each in lists):
            return None

        def values(place: Term) -> dict[str, Value]:
            found = {name: self._at(source, each, place) for name, each in lists}
            return found if source.index is None else {**found, source.index: Number(place, whole=True)}

        return Steps(None, extreme("min", [each for each in lengths if each is not None]), values)

    def _over(self, source: ir.Over) -> Steps:
        lists: list[tuple[str, Rows | Items]] = []
        for name, node in source.items:
            value = self.look.value(node)
            if not isinstance(value, Rows | Items):
                raise at(node, "this list is not followed")
            lists.append((name, value))
        rows = [found for _, found in lists if isinstance(found, Rows)]
        lengths = [found.length for _, found in lists if isinstance(found, Items)]
        beside = len(rows) < len(lists) or source.index is not None
        alike = all(each.keep == rows[0].keep for each in rows)  # then the k-th of each is of one and the same record
        if rows and not (alike if not beside else self.look.places and all(each.in_place for each in rows)):
            raise at(source, "records are counted or paired, and a record more moves all that follow it")

        def values(place: Term) -> dict[str, Value]:
            for _, each in lists:
                if isinstance(each, Items):
                    self._not_of_all(source, each, place)
            found = {name: each.element if isinstance(each, Rows) else each.at(place) for name, each in lists}
            return found if source.index is None else {**found, source.index: Number(place, whole=True)}

        if not rows:
            return Steps(None, extreme("min", lengths), values)
        # the walk ends with the shortest list, so a record behind the end of another list is left out
        keep = both([*(each.keep for each in rows), *(compare("<", HERE, each) for each in lengths)])
        return Steps(Rows(Lost("a row"), keep, rows[0].place, rows[0].length if keep == TRUE else None), ZERO, values)

    def comprehension(self, node: ir.Comprehension) -> Value:
        """A list made of another, element by element."""
        found = self.walked(node.source)
        if found.rows is not None:
            return self._of_records(node, found.rows, found.at(HERE))
        later = self.look.without_noise()
        if node.condition is None:
            return Items(found.count, lambda place: later.binding(found.at(place)).element(node.element))
        every = later.binding(found.at(ir.Name(self.look.symbols.round())))
        element = every.value(node.element)
        if not shared(element) or of_record(every.truth(node.condition)) or of_record(found.count):
            raise at(node, "some of a list of totals is picked, which is not followed")
        length = self.look.symbols.number("length", whole=True)
        return Items(length, lambda _place: self.look.symbols.like(element), everywhere=True)

    def _of_records(self, node: ir.Comprehension, rows: Rows, values: dict[str, Value]) -> Rows:
        look = self.look.of_a_record(values)
        keep = both((rows.keep, TRUE if node.condition is None else look.truth(node.condition)))
        element = look.value(node.element)
        if isinstance(element, Noisy):
            raise at(node, "each record gets noise of its own, which sums over records do not cover")
        if not of_one_record(element):
            raise at(node, "a total of all records is used for each record")
        plain = keep == TRUE
        return Rows(element, keep, rows.place and plain, rows.length if plain else None)

    # --- numbers of lists -----------------------------------------------------------------------------------

    def length(self, node: ir.Node, found: Value) -> Number:
        """How many elements there are."""
        if isinstance(found, Items):
            return Number(found.length, whole=True)
        if not isinstance(found, Rows):
            raise at(node, "this list is not followed")
        counted = found.counted()
        if counted.is_total and self.look.inside:
            raise at(node, "a total of all records is used for each record")
        return counted

    def sum(self, node: ir.Node, found: Value) -> Number:
        """The sum: of records, a total; of a few elements, theirs; of shared ones, something shared."""
        if isinstance(found, Rows) and isinstance(found.element, Number) and not self.look.inside:
            return Number(ZERO, choose(found.keep, found.element.base, ZERO), found.element.whole)
        if (every := self._few(node, found)) is not None:
            total = Number(ZERO, whole=True)
            for each in every:
                total = add(total, each)
            return total
        return self._shared(node, found)

    def extreme(self, node: ir.Node, function: str, found: Value) -> Number:
        """The largest or smallest: of records, of a few elements, or something shared.

        Of one number for each record, where neighbours have equally many: it moves no further than one of them does.
        """
        if isinstance(found, Rows) and found.in_place and self.look.places and not self.look.inside:
            one = self.look.as_number(found.element, node)
            return Number(ZERO, one.base, one.whole, loose=True)
        if isinstance(found, Rows) and not self.look.inside:
            return self._extreme_of_records(node, function, found)
        every = self._few(node, found)
        if every and not any(each.is_total for each in every):
            return Number(extreme(function, [each.base for each in every]), whole=all(each.whole for each in every))
        return self._shared(node, found)

    def _extreme_of_records(self, node: ir.Node, function: str, rows: Rows) -> Number:
        """The largest of one record, and of the largest that any other one has (0 where there is none).

        What is unknown may be read at the place of a record, where neighbours share places: another one has another.
        """
        one, symbols = self.look.as_number(rows.element, node), self.look.symbols
        own = (POSITION, RECORD, UNKNOWN) if self.look.places else (POSITION, RECORD)
        about = {each for term in (one.base, rows.keep) for each in walk.names(term)}
        other = {each: symbols.another(each) for each in sorted(about) if each.startswith(own)}
        there = both((symbols.truth("another"), replaced(rows.keep, other)))
        theirs = replaced(one.base, other)
        without = choose(there, theirs, ZERO)
        beside = choose(there, extreme(function, [one.base, theirs]), one.base)
        moves = minus(choose(rows.keep, beside, without), without)
        return Number(symbols.number("others"), moves, one.whole)

    def _few(self, node: ir.Node, found: Value) -> list[Number] | None:
        """The elements of a list of known length."""
        if not isinstance(found, Items) or not isinstance(found.length, ir.Number):
            return None
        places = range(int(found.length.value))
        return [self.look.as_number(found.at(ir.Number(Fraction(place))), node) for place in places]

    def _shared(self, node: ir.Node, found: Value) -> Number:
        """Some number made of a list of shared ones alone."""
        one = found.at(ir.Name(self.look.symbols.round())) if isinstance(found, Items) else None
        if not isinstance(one, Number) or not shared(one) or not shared(found):
            raise at(node, "this is computed of many totals, or not from numbers, and is not followed")
        return Number(self.look.symbols.number("of_list", whole=one.whole), whole=one.whole)


def _only(there: Term, value: Value) -> Value:
    """What a record has at one place of a list, as part of a sum over all records."""
    match value:
        case Number(base, whole=whole, loose=loose):
            return Number(ZERO, choose(there, base, ZERO), whole, loose)
        case Truth(term):
            return Flag(Number(ZERO, choose(both((there, term)), ONE, ZERO), whole=True))
        case Parts(values):
            return Parts(tuple(_only(there, each) for each in values))
    return Lost("an element of this list of records is not followed")


def _counted(target: str, begin: Term, end: Term) -> Steps:
    """The rounds of a range."""
    count = extreme("max", [ZERO, minus(end, begin)])
    return Steps(None, count, lambda place: {target: Number(plus(begin, place), whole=True)})


def _is_of_all(stop: Value) -> bool:
    """Whether this is how many records there are: the sum of 1 for each, and nothing else."""
    return stop == Number(ZERO, ONE, whole=True)
