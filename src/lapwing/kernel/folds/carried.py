"""What records leave for the records after them: running maxima, limited counts, sums clipped on the way, decay.

The one idea: neighbours have the same state before the record in which they differ; if that record takes a variable
apart by at most c, and no record takes it further apart than c once it is that close, it is c apart at the end.

Claim. Let f(s, x) be the state that a record x makes of s, for a variable v, and c a public number. Suppose that

* a range K holds at the beginning, and K(s) implies K(f(s, x)) for each record x;
* K(s) implies |f(s, x) - s| <= c (a record more), or |f(s, x) - f(s, y)| <= c (a record changed), for v;
* K(s), K(t) and |s - t| <= c imply |f(s, x) - f(t, x)| <= c, for v, where other variables of s and t are as far apart
  as was shown of them before, and otherwise anything in K.

Then v is at most c apart at the end, by induction over the records. What is public at the beginning, and all that a
round reads besides the state and the record, is the same for both neighbours. Where no variable that v may come to
depend on is changed by a record, the record moves nothing: so bins and groups stay apart.

Ranges and distances are guessed, from where the state comes to rest and from how far it jumps; every one is asked, for
all parameters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lapwing.kernel.folds.moving import flag, moving
from lapwing.kernel.folds.polynomial_cells import Cell
from lapwing.kernel.folds.values import BEFORE, RECORD, RIGHT, Flag, Number, Truth, Value, replaced, shared
from lapwing.kernel.prices.polynomials import Monomial, Polynomial, Quotient
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.printer import show
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
    extreme,
    implies,
    minus,
    negate,
    number,
    plus,
    times,
    within,
)

if TYPE_CHECKING:
    from lapwing.kernel.folds.extraction import Extraction

#: Places where the state may rest, and distances, that are tried.
PLACES, DISTANCES = 4, 8


@dataclass(slots=True)
class Carried:
    """The variables that a loop over records carries from round to round.

    ``began``: what they hold before the first record, shared by both neighbours; ``ended``: what they hold after one
    more record, over what earlier records left.
    """

    reader: Extraction
    began: Mapping[str, Term]
    ended: Mapping[str, Term]
    #: how far neighbours may be apart at most, of variables of which that is known
    apart: dict[str, Term] = field(default_factory=dict)
    #: variables that hold truth values
    truths: set[str] = field(default_factory=set)
    #: conditions that the loop asks about, of what earlier records left
    tests: Sequence[Term] = ()

    @staticmethod
    def of(reader: Extraction, before: Mapping[str, Value], after: Mapping[str, Value], keep: Term) -> Carried:
        """What a round makes of numbers and truth values; it leaves them alone where ``keep`` does not hold."""
        began: dict[str, Term] = {}
        ended: dict[str, Term] = {}
        truths = {name for name, value in before.items() if isinstance(value, Truth)}
        for name, end in after.items():
            begin = before.get(name)
            match begin, end:
                case (Number(base), Number(last)) | (Truth(base), Truth(last)) if shared(begin) and _is_plain(end):
                    began[name], ended[name] = base, choose(keep, last, _was(name))
        return Carried(reader, began, ended, truths=truths)

    def distance(self, name: str) -> Term | None:
        """How far a variable may be apart at the end, if something bounds it."""
        needed = self._read_by(name)
        if needed is None or not self._one_record_differs:
            return None
        known = self._ranges(needed)
        found = True
        while found and name not in self.apart:
            found = False
            for each in sorted(needed - set(self.apart)):
                distance = self._smallest(each, known)
                if distance is not None:
                    self.apart[each], found = distance, True
        return self.apart.get(name)

    def number(self, name: str, *, whole: bool) -> Number | None:
        """A number after all records, if something bounds how far one of them moves it."""
        most, symbols = self.distance(name), self.reader.symbols
        if most is None or most == ZERO:
            return None if most is None else Number(symbols.number(name, whole=whole), whole=whole)
        return moving(symbols, self._touched(name), most, alone=self._alone, whole=whole)

    def truth(self, name: str) -> Truth | Flag:
        """A truth value after all records."""
        if name in self.ended and self.distance(name) == ZERO:
            return Truth(self.reader.symbols.truth(name))
        return flag(
            self.reader.symbols, TRUE if self._read_by(name) is None else self._touched(name), alone=self._alone
        )

    def _touched(self, name: str) -> Term:
        """The records that change a variable, or one on which it may come to depend."""
        return either(_changes(self.ended[each], _was(each)) for each in sorted(self._read_by(name) or ()))

    @property
    def _one_record_differs(self) -> bool:
        relation = self.reader.records.relation
        return relation is not None and relation.kind in ("added", "replaced")

    @property
    def _alone(self) -> bool:
        return not self.reader.places

    def _read_by(self, name: str) -> set[str] | None:
        """The variables that a round reads to make this one, and those that it reads to make them; None if unknown."""
        found: set[str] = set()
        left = [name]
        while left:
            one = left.pop()
            if one not in self.ended:
                return None
            if one not in found:
                found.add(one)
                left += [each.removeprefix(BEFORE) for each in walk.names(self.ended[one]) if each.startswith(BEFORE)]
        return found

    def _is_number(self, name: str) -> bool:
        return name not in self.truths

    def _always(self, goal: Term, facts: Sequence[Term]) -> bool:
        return self.reader.questions.always(goal, self.reader.symbols, facts)

    # --- ranges ---------------------------------------------------------------------------------------------

    def _ranges(self, needed: set[str]) -> list[Term]:
        """What holds of the state after any number of records: of some guesses, those that hold each other up."""
        guesses = [
            compare(symbol, _was(name), place)
            for name in sorted(needed)
            if self._is_number(name)
            for place in self._places(name)
            for symbol in (">=", "<=")
        ]
        for name in sorted(needed & self.truths):
            for each in self.tests:
                if {_was(other).name for other in needed} >= set(filter(_is_state, walk.names(each))):
                    guesses += [implies(a, b) for a in _ways(_was(name)) for b in _ways(each)]
        held = [each for each in map(self._from_the_beginning, guesses) if each is not None]
        while True:
            kept = [each for each in held if self._lasts(each, held)]
            if len(kept) == len(held):
                return held
            held = kept

    def _from_the_beginning(self, guess: Term) -> Term | None:
        """A guess that holds before the first record, if need be on the condition that it does."""
        begins = replaced(guess, {_was(each).name: begin for each, begin in self.began.items()})
        if self._begins(begins):
            return guess
        return None if begins == FALSE else implies(begins, guess)

    def _begins(self, begins: Term) -> bool:
        """Whether what a guess says before the first record is so."""
        return self._always(begins, ())

    def _lasts(self, fact: Term, held: Sequence[Term]) -> bool:
        """Whether a fact holds after a record, if those that were held did before."""
        return self._always(replaced(fact, {_was(each).name: end for each, end in self.ended.items()}), held)

    def _places(self, name: str) -> list[Term]:
        """Where a variable begins, what it is compared with, where records leave it, where the first one puts it."""
        found = {show(self.began[name]): self.began[name]}
        for each in self.tests:
            if isinstance(each, ir.Compare) and each.left == _was(name) and not _of_state(each.right):
                found.setdefault(show(each.right), each.right)
        once = replaced(self.ended[name], {_was(name).name: self.began[name]})
        resting = (_at_rest(each, _was(name).name) for each in self._quotients(self.ended[name]))
        for place in (*resting, *map(_public, self._quotients(once))):
            if place is not None and len(found) < PLACES:
                found.setdefault(show(place), place)
        return list(found.values())

    def _quotients(self, term: Term) -> Iterator[Quotient]:
        for _, quotient in self.reader.questions.cells(term, Cell(), self.reader.symbols):
            yield quotient

    # --- distances ------------------------------------------------------------------------------------------

    def _smallest(self, name: str, known: Sequence[Term]) -> Term | None:
        """The first of some distances, nearly in order, of which it is shown that no neighbours are further apart."""
        if self._stays(name, ZERO, known):
            return ZERO
        guesses = self._distances(name, known) if self._is_number(name) else []
        return next((each for each in guesses if self._stays(name, each, known)), None)

    def _stays(self, name: str, distance: Term, known: Sequence[Term]) -> bool:
        """Whether neighbours come this far apart at most, and stay so."""
        return self._jumps(name, distance, known) and self._keeps(name, distance, known)

    def _jumps(self, name: str, distance: Term, known: Sequence[Term]) -> bool:
        """Whether the record in which neighbours differ takes them no further apart than this."""
        return self._always(self._near(name, self.ended[name], self._beside(name), distance), known)

    def _keeps(self, name: str, distance: Term, known: Sequence[Term]) -> bool:
        """Whether a record that both have leaves them no further apart than this, if they were not before."""
        twin: dict[str, Term] = {}
        facts = list(known)
        for each in sorted(self._read_by(name) or ()):
            gap = distance if each == name else self._gap(each)
            if gap == ZERO:
                continue  # the same for both
            was, other = _was(each), ir.Name(f"{_was(each).name}'")
            twin[was.name] = other
            self._like(was.name, other.name)
            if gap is not None:
                facts.append(self._near(each, was, other, gap))
        facts += [replaced(each, twin) for each in known if walk.names(each) & set(twin)]
        one, two = self.ended[name], replaced(self.ended[name], twin)
        # the two are interchangeable, so that one way is both
        goal = compare("<=", minus(one, two), distance) if self._is_number(name) else implies(one, two)
        return self._always(goal, facts)

    def _gap(self, name: str) -> Term | None:
        """How far neighbours may be apart in another variable; None where they may be anything."""
        return self.apart.get(name)

    def _beside(self, name: str) -> Term:
        """What the other neighbour has after the record in which they differ."""
        return _was(name) if self._alone else self._of_another(self.ended[name])

    def _of_another(self, term: Term) -> Term:
        """The same for another record."""
        own = [each for each in walk.names(term) if each.startswith(RECORD)]
        other = {each: RIGHT + each.removeprefix(RECORD) for each in own}
        for each, new in other.items():
            self._like(each, new)
        return replaced(term, {each: ir.Name(new) for each, new in other.items()})

    def _like(self, name: str, other: str) -> None:
        if name in self.reader.symbols.whole:
            self.reader.symbols.whole.add(other)

    def _near(self, name: str, one: Term, two: Term, distance: Term) -> Term:
        if not self._is_number(name):
            return both((implies(one, two), implies(two, one)))
        return within(minus(one, two), minus(ZERO, distance), distance)

    def _distances(self, name: str, known: Sequence[Term]) -> list[Term]:
        """How far a record takes the variable apart, where that is public: from anywhere, and from the range's ends."""
        own = [each for each in known if isinstance(each, ir.Compare) and each.left == _was(name)]
        ends = {show(each.right): each.right for each in own}
        jump = minus(self.ended[name], self._beside(name))
        jumps = [jump, *(replaced(jump, {_was(name).name: each}) for each in ends.values())]
        found: dict[str, Term] = {}
        for jumped in jumps:
            for quotient in self._quotients(jumped):
                size = _public(quotient)
                if size is not None and size != ZERO and len(found) < DISTANCES:
                    found |= {show(each): each for each in (size, minus(ZERO, size))}
        positive = [each for each in found.values() if self._always(compare(">=", each, ZERO), ())]
        positive.sort(key=lambda each: (constant(each) is None, constant(each) or 0, len(show(each))))
        most = [extreme("max", list(found.values()))] if 1 < len(found) < DISTANCES else []
        widths = [minus(high, low) for high in ends.values() for low in ends.values() if high != low]
        return [*positive, *most, *widths]


def _was(name: str) -> ir.Name:
    return ir.Name(f"{BEFORE}{name}")


def _is_plain(value: Value) -> bool:
    """Whether this is one number or truth value, told exactly."""
    return isinstance(value, Truth) or (isinstance(value, Number) and not value.is_total and not value.loose)


def _changes(term: Term, was: ir.Name) -> Term:
    """A condition on the record without which it leaves the variable as it was."""
    match term:
        case ir.Name() if term == was:
            return FALSE
        case ir.Conditional(condition, then, otherwise) if not _of_state(condition):
            yes, no = _changes(then, was), _changes(otherwise, was)
            return either((both((condition, yes)), both((negate(condition), no))))
    return TRUE


def _of_state(term: Term) -> bool:
    return any(map(_is_state, walk.names(term)))


def _is_state(name: str) -> bool:
    return name.startswith(BEFORE)


def _ways(truth: Term) -> tuple[Term, Term]:
    return truth, negate(truth)


def _at_rest(value: Quotient, name: str) -> Term | None:
    """Where a record leaves the variable as it is: of degree one in it, the solution of ``value == name``."""
    slope = Polynomial({_without(m, name): f for m, f in value.above.terms.items() if dict(m).get(name) == 1})
    rest = Polynomial({m: f for m, f in value.above.terms.items() if name not in dict(m)})
    if len(slope.terms) + len(rest.terms) < len(value.above.terms) or (value.below - slope).is_zero:
        return None
    return _public(Quotient(rest, value.below - slope))


def _without(monomial: Monomial, name: str) -> Monomial:
    return tuple(each for each in monomial if each[0] != name)


def _public(value: Quotient) -> Term | None:
    """The formula, if no record and no state is in it."""
    above, below = _written(value.above), _written(value.below)
    if above is None or below is None:
        return None
    return above if below == ONE else arithmetic("/", above, below)


def _written(polynomial: Polynomial) -> Term | None:
    total: Term = ZERO
    for monomial, factor in polynomial.terms.items():
        product = number(abs(factor))
        for name, power in monomial:
            if name.startswith((RECORD, RIGHT, BEFORE)) or not name.isidentifier():
                return None
            for _ in range(power):
                product = times(product, ir.Name(name))
        total = plus(total, product) if factor > 0 else minus(total, product)
    return total
