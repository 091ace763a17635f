"""The value of an expression in a fold: sums of records become terms over one record.

What is not listed here is refused. Noise has one rule: it may be added to one number and scaled by numbers as written;
anything else that reads it has it made public first (``release``), at its price.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from lapwing.kernel.doubt import Unproved, at
from lapwing.kernel.folds.moving import of_totals
from lapwing.kernel.folds.own_values import is_own, of_record_alone
from lapwing.kernel.folds.record_lists import Lists
from lapwing.kernel.folds.symbols import Symbols
from lapwing.kernel.folds.values import (
    PLACE,
    POSITION,
    UNKNOWN,
    Flag,
    Lost,
    Noisy,
    Number,
    Parts,
    Rows,
    Truth,
    Value,
    add,
    divided,
    flagged,
    floored,
    is_small,
    names,
    negated,
    of_record,
    picked,
    scaled,
    shared,
)
from lapwing.kernel.program import ir, walk
from lapwing.kernel.symbolic.terms import (
    ZERO,
    Term,
    arithmetic,
    both,
    choose,
    compare,
    either,
    extreme,
    magnitude,
    minus,
    negate,
    times,
)

#: Makes noise that was added to a value public, at its price.
Release = Callable[[Noisy], Number]


@dataclass(frozen=True, slots=True)
class Look:
    """Expressions where variables hold ``values``; ``release`` hears of noise that has to be public here.

    ``places``: whether the k-th element of a list of records stays that of record k for both neighbours.
    ``inside``: whether this is about one record already. All records have one name, so none may be walked over there.
    """

    symbols: Symbols
    values: Mapping[str, Value]
    release: Release
    places: bool
    inside: bool = False

    def binding(self, values: Mapping[str, Value]) -> Look:
        """With further variables."""
        return replace(self, values={**self.values, **values})

    def of_a_record(self, values: Mapping[str, Value]) -> Look:
        """Inside a walk over the records, with further variables."""

        def release(noisy: Noisy) -> Number:
            if not shared(noisy.plus) or POSITION in walk.names(noisy.plus.base):
                raise at(noisy.draw, "one noise is used for many records, which sums over records do not cover")
            return self.release(noisy)

        return replace(self.binding(values), inside=True, release=release)

    def without_noise(self) -> Look:
        """For what is looked at later: no noise may be released by then."""
        return replace(self, values=dict(self.values), release=_refused)

    def element(self, node: ir.Expression) -> Value:
        """An element of a list that is known by its positions: one expression for all of them, so without noise."""
        found = self.value(node)
        return Lost("one noise would be in many elements of a list") if isinstance(found, Noisy) else found

    # --- kinds ----------------------------------------------------------------------------------------------

    def plain(self, node: ir.Expression) -> Value:
        """What an expression is, with noise in it released."""
        found = self.value(node)
        return self.release(found) if isinstance(found, Noisy) else found

    def as_number(self, value: Value, node: ir.Node) -> Number:
        """A value that must be a number, with noise in it released."""
        found = self.release(value) if isinstance(value, Noisy) else value
        if not isinstance(found, Number):
            raise at(node, "a number is expected here")
        return found

    def public(self, node: ir.Expression) -> Term:
        """A number that no total has a part in."""
        found = self.as_number(self.value(node), node)
        if found.is_total:
            raise at(node, "this depends on a total that is not released")
        return found.base

    def shared(self, node: ir.Expression) -> Term:
        """A number that no record has a part in: a scale, or where a list is cut."""
        found = self.public(node)
        if of_record(found):
            raise at(node, "a private value decides how much noise there is, how long a list is, or where it is read")
        return found

    def whole(self, node: ir.Expression) -> Term:
        """The end of a range: a whole number, or there would be more rounds than there are steps to its end.

        One of a record, where there is one: its rounds are then of that record.
        """
        found = self.as_number(self.value(node), node)
        if not (found.whole and (is_own(found) if self.inside else shared(found))):
            raise at(node, "a private value decides how many rounds there are, or one that may not be a whole number")
        return found.base

    def truth(self, node: ir.Expression) -> Term:
        """A truth value."""
        return self.as_truth(self.value(node), node)

    def as_truth(self, value: Value, node: ir.Node) -> Term:
        """A value that must be a truth value which no total has a part in."""
        if isinstance(value, Flag):
            raise at(node, "a test is about a total that is not released")
        if not isinstance(value, Truth):
            raise at(node, "a truth value is expected here")
        return value.term

    # --- expressions ----------------------------------------------------------------------------------------

    def value(self, node: ir.Expression) -> Value:
        """What an expression is; of one record, if it is not followed, something of the record's own."""
        try:
            found = self._value(node)
            if isinstance(found, Lost):
                raise at(node, found.reason)
            if not is_small(found):
                raise at(node, "there are too many cases to look at")
        except Unproved:
            own = of_record_alone(self.symbols, node, self.values) if self.inside else None
            if own is None:
                raise
            return own
        return found

    def _value(self, node: ir.Expression) -> Value:
        match node:
            case ir.Number(value):
                return Number(node, whole=value.denominator == 1)
            case ir.Truth():
                return Truth(node)
            case ir.Name(name):
                return self.values.get(name, Lost(f"'{name}' is not followed"))
            case ir.Negate(operand):
                return self._scaled(self.value(operand), Fraction(-1), node)
            case ir.Arithmetic(symbol, left, right):
                return self._arithmetic(node, symbol, left, right)
            case ir.Compare(symbol, left, right):
                return self._compare(symbol, left, right)
            case ir.And(operands):
                return self._joined(operands, both)
            case ir.Or(operands):
                return self._joined(operands, either)
            case ir.Not(operand):
                return self._joined((operand,), lambda terms: negate(*terms))
            case ir.Conditional(condition, then, otherwise):
                test = self.value(condition)
                if isinstance(test, Flag):
                    return flagged(test, self.plain(then), self.plain(otherwise))
                return picked(self.as_truth(test, condition), self.plain(then), self.plain(otherwise))
            case ir.TupleOf(elements):
                return Parts(tuple(self.plain(each) for each in elements))
            case ir.ListOf(elements):
                return Lists(self).literal(elements)
            case ir.Item(record, position):
                found = self.value(record)
                if isinstance(found, Parts):
                    return found.values[position]
            case ir.Index(sequence, ir.Name(name)) if self.values.get(name) == PLACE:
                found = self.value(sequence)
                if isinstance(found, Rows) and found.in_place:
                    return found.element
            case ir.Index(sequence, index):
                return Lists(self).element(node, self.value(sequence), self.public(index))
            case ir.Slice(sequence, start, stop):
                return Lists(self).cut(node, self.value(sequence), start, stop)
            case ir.Comprehension():
                return Lists(self).comprehension(node)
            case ir.Builtin(function, arguments):
                return self._builtin(node, function, arguments)
        return Lost("this expression is not followed in sums over records")

    def _joined(self, operands: tuple[ir.Expression, ...], join: Callable[[list[Term]], Term]) -> Truth | Flag:
        """A truth value made of others; of such that totals decide, and of shared ones, one that totals decide."""
        values = [self.value(each) for each in operands]
        flags = [each.number for each in values if isinstance(each, Flag)]
        if not flags or self.inside or not all(isinstance(each, Flag) or shared(each) for each in values):
            return Truth(join([self.as_truth(value, node) for value, node in zip(values, operands, strict=True)]))
        return of_totals(self.symbols, flags, alone=not self.places)

    def _scaled(self, value: Value, factor: Fraction, node: ir.Node) -> Value:
        if isinstance(value, Noisy):
            plain = self._scaled(value.plus, factor, node)
            return Noisy(value.draw, value.scale, value.factor * factor, self.as_number(plain, node))
        moved = scaled(self.as_number(value, node), ir.Number(abs(factor)), whole=factor.denominator == 1)
        return negated(moved) if factor < 0 else moved

    def _arithmetic(self, node: ir.Expression, symbol: str, left: ir.Expression, right: ir.Expression) -> Value:
        one, two = self.value(left), self.value(right)
        if symbol in ("+", "-"):
            two = self._scaled(two, Fraction(-1), right) if symbol == "-" else two
            match one, two:
                case (Noisy() as noise, Number() as other) | (Number() as other, Noisy() as noise):
                    return replace(noise, plus=add(noise.plus, other))
            return add(self.as_number(one, left), self.as_number(two, right))
        if symbol == "*":
            for noisy, by in ((one, right), (two, left)):
                if isinstance(noisy, Noisy) and isinstance(by, ir.Number) and by.value:
                    return self._scaled(noisy, by.value, node)
            a, b = self.as_number(one, left), self.as_number(two, right)
            if a.is_total and b.is_total:
                raise at(node, "a total is multiplied by a total")
            return scaled(b, a.base, whole=a.whole) if b.is_total else scaled(a, b.base, whole=b.whole)
        if isinstance(one, Noisy) and isinstance(right, ir.Number) and right.value:
            return self._scaled(one, 1 / right.value, node)
        return divided(self.as_number(one, left), self.public(right))

    def _compare(self, symbol: str, left: ir.Expression, right: ir.Expression) -> Truth | Flag:
        one, two = self.plain(left), self.plain(right)
        if isinstance(one, Truth) and isinstance(two, Truth):
            same = either((both((one.term, two.term)), both((negate(one.term), negate(two.term)))))
            return Truth(same if symbol == "==" else negate(same))
        if not isinstance(one, Number) or not isinstance(two, Number):
            raise at(left, "a test is about a total that is not released")
        if one.is_total or two.is_total:
            if self.inside or any(of_record(each.base) for each in (one, two)):
                raise at(left, "a test is about a total that is not released")
            return of_totals(self.symbols, (one, two), alone=not self.places)
        return Truth(compare(symbol, one.base, two.base))  # type: ignore[arg-type]  # one of six

    # --- functions ------------------------------------------------------------------------------------------

    def _builtin(self, node: ir.Builtin, function: str, arguments: tuple[ir.Expression, ...]) -> Value:
        match function, arguments:
            case "len", (sequence,):
                return Lists(self).length(node, self.value(sequence))
            case "sum", (sequence,):
                return Lists(self).sum(node, self.value(sequence))
            case (("min" | "max"), (sequence,)):
                return Lists(self).extreme(node, function, self.value(sequence))
            case (("min" | "max"), _):
                return self._of_numbers(arguments, lambda terms: extreme(function, terms))
            case "abs", (_,):
                return self._of_numbers(arguments, lambda terms: magnitude(terms[0]))
            case "clip", (_, _, _):
                return self._of_numbers(arguments, lambda t: extreme("max", [t[1], extreme("min", [t[0], t[2]])]))
            case "match", (left, right):
                return self._compare("==", left, right)
            case (("//" | "%"), (left, right)):
                return _parted(self, function, left, right)
            case "/", (left, right):
                return self._quotient(left, right)
        return Lost(f"{function}(…) is not followed in sums over records")

    def _quotient(self, left: ir.Expression, right: ir.Expression) -> Number:
        """A quotient by what is not public: as a run computes it, or of released values alone some shared number."""
        above, below = (self.as_number(self.value(each), each) for each in (left, right))
        if not (is_own(above) and is_own(below)):
            raise at(right, "a private number is divided, or divided by: release it with noise first")
        if all(name.startswith(UNKNOWN) or not name.startswith("%") for each in (above, below) for name in names(each)):
            return Number(self.symbols.number("quotient"))
        return Number(arithmetic("/", above.base, below.base))

    def _of_numbers(self, arguments: tuple[ir.Expression, ...], make: Callable[[list[Term]], Term]) -> Number:
        """A function that moves no further than the one of its arguments that moves furthest: of totals it is loose.

        Which one that is, is unknown, and the same for both neighbours: whatever holds of a price holds for each.
        """
        values = [self.as_number(self.value(each), each) for each in arguments]
        whole, totals = all(each.whole for each in values), [each for each in values if each.is_total]
        if not totals:
            return Number(make([each.base for each in values]), whole=whole)
        if any(of_record(each.base) for each in values):
            raise at(arguments[0], "a total of all records is used for each record")
        furthest = totals[0].each
        for each in totals[1:]:
            furthest = choose(self.symbols.truth("furthest"), furthest, each.each)
        return Number(ZERO, furthest, whole, loose=True)


def _refused(noisy: Noisy) -> Number:
    raise at(noisy.draw, "noise is used in many elements of a list at once")


def _parted(look: Look, function: str, left: ir.Expression, right: ir.Expression) -> Number:
    """The quotient rounded down, or what is left: of a number by a shared one, which a run refuses if it is 0."""
    above, below = look.as_number(look.value(left), left), look.as_number(look.value(right), right)
    if above.is_total or not shared(below):
        raise at(left, "a total that is not released is divided in whole numbers, or something by a private one")
    quotient = floored(above.base, below.base)
    if function == "//":
        return Number(quotient, whole=True)
    return Number(minus(above.base, times(below.base, quotient)), whole=above.whole and below.whole)
