"""What a variable holds while a program is read for its sums, and what that means.

The one idea: fix what both neighbours share, which is the public parameters, all that was released so far, and the
unknowns that stand for either. Then every value below *is* a function of the records, exactly as the program computes
it, and every rule that makes a value of others keeps it so. What no rule covers is :class:`Lost`, and reading it ends
the proof. Two consequences are all that privacy needs:

* a value in which no record has a part (:func:`shared`) is the same for both neighbours;
* a number ``base + Σ each(record)`` moves by what one record adds, or by the difference of what two records add.

One record differs between neighbours, so a number that moves by ``each`` of it is such a sum whatever it is: its
``base`` is then unknown, what is left when ``each`` of all other records is taken away (:mod:`carried`).

Inside a walk over the records, and for a private number (which is one record), terms may name *the* record; a walk
inside a walk is refused, so the name always means one and the same record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import count, islice

from lapwing.kernel.doubt import Unproved
from lapwing.kernel.program import ir, walk
from lapwing.kernel.symbolic.terms import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    Term,
    arithmetic,
    both,
    choose,
    compare,
    constant,
    either,
    minus,
    negate,
    number,
    plus,
    times,
)

#: The record that is looked at; its place among the records; and the two records of a pair of neighbours.
RECORD, POSITION = "%record", "%position"
LEFT, RIGHT = "%x", "%y"
#: What earlier records left in a variable, the number of a round of a public loop, and what else is unknown.
BEFORE, ROUND, UNKNOWN = "%before.", "%#", "%~"
#: More parts than a term of any ordinary program has.
MAX_TERM = 20_000
#: Some place in a list, and the numbers of those places that were asked about.
ANYWHERE, _ASKED = "%anywhere", count(1)


@dataclass(frozen=True, slots=True)
class Number:
    """``base + Σ each(record)``; ``whole``: certainly a whole number, and so is ``each`` of every record.

    ``loose``: not that number, but one that moves no further than it does (its size, or what a clip makes of it).
    """

    base: Term
    each: Term = ZERO
    whole: bool = False
    loose: bool = False

    @property
    def is_total(self) -> bool:
        """Whether all records have a part in it."""
        return self.each != ZERO


@dataclass(frozen=True, slots=True)
class Truth:
    """A truth value, which no total has a part in."""

    term: Term


@dataclass(frozen=True, slots=True)
class Flag:
    """A truth value that records have a part in: 1 where it holds, else 0, as a number."""

    number: Number


@dataclass(frozen=True, slots=True)
class Noisy:
    """``plus + factor · noise`` with noise that nothing else has used."""

    draw: ir.Sample
    #: as it was when the noise was drawn
    scale: Term
    factor: Fraction
    plus: Number


@dataclass(frozen=True, slots=True)
class Rows:
    """A list made of the records one by one: ``element`` of each record of which ``keep`` holds.

    ``place`` says whether element i still is of record i; ``length`` is public where no record is left out and
    neighbours have equally many.
    """

    element: Value
    keep: Term = TRUE
    place: bool = True
    length: Term | None = None

    @property
    def in_place(self) -> bool:
        """Whether element i is of record i, and every record has one."""
        return self.place and self.keep == TRUE

    def counted(self) -> Number:
        """How many elements there are."""
        if self.keep == TRUE and self.length is not None:
            return Number(self.length, whole=True)
        return Number(ZERO, choose(self.keep, ONE, ZERO), whole=True)

    def summed(self, total: Value, before: Number) -> Value:
        """What a walk over these makes of a number: a public one where each record adds the same to it.

        Claim: a sum of n times c is n · c, and neighbours share n where there is a length: no record is left out.
        """
        alike = isinstance(total, Number) and isinstance(total.each, ir.Number) and not total.loose
        if self.length is None or not alike or before.is_total or not isinstance(total, Number):
            return total
        return Number(plus(total.base, times(self.length, total.each)), whole=total.whole)


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """A list with what is at every place; an element may be a total.

    Both neighbours share the ``length``, but of a list that is inside one record, and that is seen only there.

    ``everywhere``: what is said to be at a place may also be what is read outside the list. Two lists are the same only
    if they are one: elements are not compared.
    """

    length: Term
    at: Callable[[Term], Value]
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class Parts:
    """A tuple."""

    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Lost:
    """A value that is not followed; reading it ends the proof."""

    reason: str


#: The place of a record that is walked over by its place, where a record more moves all that follow it: it is good for
#: reading that record, and for nothing else.
PLACE = Lost("the place of a record is used, and a record more moves all that follow it")

Value = Number | Truth | Flag | Noisy | Rows | Items | Parts | Lost


# --- what values are about -----------------------------------------------------------------------------------


def anywhere() -> ir.Name:
    """Some place in a list, and never the same twice: of lists in lists, two places are not one and the same."""
    return ir.Name(f"{ANYWHERE}{next(_ASKED)}")


def of_record(term: Term) -> bool:
    """Whether a term is about one record, or about what earlier records left."""
    return any(name.startswith((RECORD, BEFORE)) for name in walk.names(term))


def shared(value: Value | None) -> bool:
    """Whether no record has a part in a value, so that it is the same for both neighbours."""
    match value:
        case Number(base):
            return not value.is_total and not of_record(base)
        case Truth(term):
            return not of_record(term)
        case Parts(values):
            return all(map(shared, values))
        case Items(length, at):
            try:
                return length == ZERO or (not of_record(length) and shared(at(anywhere())))
            except Unproved:
                return False
    return False


def of_one_record(value: Value) -> bool:
    """Whether a value is made of one record and shared values alone."""
    match value:
        case Number():
            return not value.is_total
        case Truth():
            return True
        case Parts(values):
            return all(map(of_one_record, values))
    return False


def names(value: Value) -> frozenset[str]:
    """The unknowns in a number, a truth value or a tuple of them."""
    match value:
        case Number(base, each):
            return walk.names(base) | walk.names(each)
        case Truth(term):
            return walk.names(term)
        case Parts(values):
            return frozenset().union(*map(names, values))
    raise Unproved("a value in a list is not followed")


def has_type(value: Value, kind: ir.Type | None) -> bool:
    """Whether a value certainly is whole where its type says so."""
    match value, kind:
        case Items(length, at), ir.List(inner) if length != ZERO:
            try:
                return has_type(at(anywhere()), inner)
            except Unproved:
                return True  # reading an element ends the proof
        case Number(whole=whole), ir.Integer():
            return whole
        case Parts(values), ir.Tuple(kinds):
            return all(has_type(each, one) for each, one in zip(values, kinds, strict=True))
    return True


def is_small(value: Value) -> bool:
    """Whether a value is told by terms of a size that can be looked at: one that reads itself twice doubles."""
    match value:
        case Number(base, each):
            return not _is_large(base) and not _is_large(each)
        case Truth(term):
            return not _is_large(term)
        case Flag(number) | Noisy(plus=number):
            return is_small(number)
        case Rows(element, keep):
            return not _is_large(keep) and is_small(element)
        case Parts(values):
            return all(map(is_small, values))
    return True  # elements of a list are looked at when they are read


def _is_large(term: Term) -> bool:
    return next(islice(walk.nodes(term), MAX_TERM, None), None) is not None


def moved_by(number: Number) -> Term:
    """What one record has a part in: what it adds to a total, or a private number (which is one record) itself."""
    return plus(number.base, number.each) if of_record(number.base) else number.each


# --- values of values ----------------------------------------------------------------------------------------


def add(left: Number, right: Number) -> Number:
    """The sum."""
    if (left.loose and right.is_total) or (right.loose and left.is_total):
        raise Unproved("a total that was clipped, or whose size was taken, is added to another")
    whole, loose = left.whole and right.whole, left.loose or right.loose
    return Number(plus(left.base, right.base), plus(left.each, right.each), whole, loose)


def scaled(number: Number, factor: Term, *, whole: bool = False) -> Number:
    """The number times one that no total has a part in."""
    each = times(number.each, factor) if number.is_total and factor != ZERO else ZERO
    return Number(times(number.base, factor), each, number.whole and whole, number.loose)


def negated(number: Number) -> Number:
    """The number with the other sign."""
    return Number(minus(ZERO, number.base), minus(ZERO, number.each), number.whole, number.loose)


def divided(number: Number, divisor: Term) -> Number:
    """The number over a public one, which a run refuses if it is 0."""
    each = arithmetic("/", number.each, divisor) if number.is_total else ZERO
    return Number(arithmetic("/", number.base, divisor), each, loose=number.loose)


def floored(above: Term, below: Term) -> Term:
    """``above // below``, computed where both are numbers; a run refuses a divisor of 0."""
    a, b = constant(above), constant(below)
    return number(a // b) if a is not None and b else ir.Builtin("//", (above, below))


def picked(condition: Term, then: Value, otherwise: Value) -> Value:
    """``then if condition else otherwise``."""
    match then, otherwise:
        case Number(), Number() if then.loose == otherwise.loose:
            each = choose(condition, then.each, otherwise.each)
            whole = then.whole and otherwise.whole
            return Number(choose(condition, then.base, otherwise.base), each, whole, then.loose)
        case Truth(), Truth() if then != otherwise:
            return Truth(either((both((condition, then.term)), both((negate(condition), otherwise.term)))))
        case Parts(), Parts() if len(then.values) == len(otherwise.values):
            return Parts(tuple(picked(condition, a, b) for a, b in zip(then.values, otherwise.values, strict=True)))
        case Items(), Items() if then is not otherwise and then.length == otherwise.length:
            everywhere = then.everywhere and otherwise.everywhere
            return Items(then.length, lambda place: picked(condition, then.at(place), otherwise.at(place)), everywhere)
    return then if then == otherwise else Lost("one of two lists is picked, which is not followed")


def flagged(flag: Flag, then: Value, otherwise: Value) -> Value:
    """``then if flag else otherwise``, of numbers that neighbours share."""
    if then == otherwise:
        return then
    if not (isinstance(then, Number) and isinstance(otherwise, Number) and shared(then) and shared(otherwise)):
        return Lost("private data decide what this is, and it is not one of two public numbers")
    whole = then.whole and otherwise.whole
    return add(otherwise, scaled(flag.number, minus(then.base, otherwise.base), whole=whole))


def zero(like: Value) -> Value:
    """What is read outside a list of such values."""
    match like:
        case Number(whole=whole, loose=loose):
            return Number(ZERO, whole=whole, loose=loose)
        case Truth():
            return Truth(FALSE)
        case Parts(values):
            return Parts(tuple(map(zero, values)))
    return Lost("an element of this list is not followed")


def substituted(value: Value, meant: Mapping[str, Term]) -> Value:
    """The value with names in its terms replaced."""
    match value:
        case Number(base, each, whole, loose):
            return Number(replaced(base, meant), replaced(each, meant), whole, loose)
        case Truth(term):
            return Truth(replaced(term, meant))
        case Parts(values):
            return Parts(tuple(substituted(each, meant) for each in values))
    raise Unproved("a value in a list is not followed")


def replaced(term: Term, meant: Mapping[str, Term]) -> Term:
    """The term with names replaced; terms here have no comprehensions."""
    match term:
        case ir.Name(name):
            return meant.get(name, term)
        case ir.Number() | ir.Truth():
            return term
        case ir.Index(ir.Name() | ir.Index() as sequence, index):  # public, of a record, or what earlier ones left
            read = replaced(sequence, meant)
            return ZERO if read == ZERO else ir.Index(read, replaced(index, meant), term.element)
        case ir.Builtin("//", (left, right)):
            return floored(replaced(left, meant), replaced(right, meant))
        case ir.Negate(operand):
            return minus(ZERO, replaced(operand, meant))
        case ir.Arithmetic(symbol, left, right):
            return arithmetic(symbol, replaced(left, meant), replaced(right, meant))
        case ir.Compare(symbol, left, right):
            return compare(symbol, replaced(left, meant), replaced(right, meant))
        case ir.And(operands):
            return both(replaced(each, meant) for each in operands)
        case ir.Or(operands):
            return either(replaced(each, meant) for each in operands)
        case ir.Not(operand):
            return negate(replaced(operand, meant))
        case ir.Conditional(condition, then, otherwise):
            return choose(*(replaced(each, meant) for each in (condition, then, otherwise)))
    raise Unproved("a term cannot be rewritten")
