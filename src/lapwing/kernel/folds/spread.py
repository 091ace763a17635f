"""Rounds of which a record has a part only in a few that follow one another: windows, differences, places of a list.

The one idea: a window of w places that moves by one place in each round holds a record in w rounds at most. If no two
rounds that are w or more apart see one and the same pair of records, all rounds that do lie among w in a row; so all of
them together cost at most w times what the dearest costs, whatever was released on the way.

How wide is guessed here, from the tests in which the number of a round stands: how far from where one of them turns
another one does. Whether it is so is asked of the solver (:mod:`prices`).
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product

from lapwing.kernel.folds.symbols import Symbols, age
from lapwing.kernel.folds.values import POSITION, RECORD, replaced
from lapwing.kernel.folds.ways import Released, Rounds, Way
from lapwing.kernel.prices.polynomials import Quotient, unknown
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.printer import show
from lapwing.kernel.symbolic.terms import ONE, ZERO, Term, both, compare, either, inside, number, plus, times

#: Widths that are tried, and ways to read a comparison with conditions in it.
MAX_WIDTHS, MAX_READINGS = 12, 16


@dataclass(frozen=True, slots=True)
class SeenRounds:
    """What the rounds of a loop release, in loops inside it too."""

    rounds: Rounds
    released: tuple[Released, ...]
    #: for each of them what holds where it is released: which way a round goes there, and the rounds of loops inside
    reached: tuple[tuple[Term, ...], ...]

    @staticmethod
    def of(rounds: Rounds) -> SeenRounds:
        """Everything that some round releases."""
        found = list(_gather(rounds.ways, ()))
        return SeenRounds(rounds, tuple(each for each, _ in found), tuple(facts for _, facts in found))

    @property
    def scales(self) -> Iterator[Term]:
        """Scales that every round draws noise of, and that are the same in all: a run has them above 0."""
        if len(self.rounds.ways) == 1:
            for each in self.rounds.ways[0].released:
                if isinstance(each, Released) and all(
                    age(name) <= self.rounds.since for name in walk.names(each.scale)
                ):
                    yield each.scale

    @property
    def is_private(self) -> bool:
        """Whether a record has a part in anything."""
        return any(each.each != ZERO or each.other not in (None, ZERO) for each in self.released)

    @property
    def by_place(self) -> bool:
        """Whether the place of a record decides which rounds see it: both records of a pair are at one place."""
        return any(POSITION in walk.names(each.each) for each in self.released)

    @property
    def depends(self) -> bool:
        """Whether what a record has a part in depends on which round it is."""
        return any(self.rounds.number in walk.names(each.each) for each in self.released)

    def sees(
        self, side: str, at: Term, records: tuple[Mapping[str, Term], ...], symbols: Symbols
    ) -> tuple[Term, tuple[Term, ...]]:
        """Whether some record has a part in round ``at``, of which all that is its own is named after ``side``."""
        seen: list[Term] = []
        for place, record in enumerate(records):
            for each, reached in zip(self.released, self.reached, strict=True):
                for moved in (each.each, each.other):
                    if moved is not None:
                        there = both((*reached, compare("!=", moved, ZERO)))
                        meant = {**record, **self._own(there, side, place, symbols), self.rounds.number: at}
                        seen.append(replaced(there, meant))
        facts = [inside(ir.Name(self.rounds.number), self.rounds.count)]
        if len(self.rounds.ways) == 1:
            facts += [each for each in self.rounds.ways[0].known if each not in facts]
        named = ({**self._own(fact, side, 0, symbols), self.rounds.number: at} for fact in facts)
        known = [replaced(fact, meant) for fact, meant in zip(facts, named, strict=True)]
        return either(seen), tuple(known)

    def _own(self, term: Term, side: str, record: int, symbols: Symbols) -> dict[str, Term]:
        """Names for what another round has another of, and for what each of two records has its own of there."""
        found: dict[str, Term] = {}
        for name in walk.names(term):
            if age(name) > self.rounds.since:
                other = f"{name}.{side}{record}" if name.startswith(RECORD) else f"{name}.{side}"
                found[name] = ir.Name(other)
                for those in (symbols.whole, symbols.truths):
                    those |= {other} if name in those else set()
        return found

    def widths(self, whole: Container[str]) -> list[Term]:
        """How many rounds in a row may see a record: whole numbers, the smaller ones first."""
        turns = [turn for each in self.released for turn in self._turns(each.each)]
        between = {show(found): found for a, b in product(turns, repeat=2) for found in _public(a - b, whole)}
        wide = {show(each): each for width in between.values() for each in (width, plus(width, ONE))}
        numbers = sorted({each.value for each in wide.values() if isinstance(each, ir.Number) and each.value > 1})
        others = [text for text, each in wide.items() if not isinstance(each, ir.Number | ir.Negate)]
        # a list's own length is seldom a width, and always wide enough
        others.sort(key=lambda text: ("len(" in text, text.startswith("-"), len(text)))
        return [ONE, *map(number, numbers), *(wide[text] for text in others)][:MAX_WIDTHS]

    def _turns(self, term: Term) -> Iterator[Quotient]:
        """The numbers of a round at which comparisons turn, one for each step of the number."""
        for part in walk.nodes(term):
            if not isinstance(part, ir.Compare) or self.rounds.number not in walk.names(part):
                continue
            for left, right in islice(product(_readings(part.left), _readings(part.right)), MAX_READINGS):
                first, second, third = ((left - right).at(self.rounds.number, Quotient.of(at)) for at in range(3))
                slope = second - first
                if slope.number and (third - second).agrees(slope):
                    yield -first / slope


def _gather(ways: tuple[Way, ...], reached: tuple[Term, ...]) -> Iterator[tuple[Released, tuple[Term, ...]]]:
    for way in ways:
        here = (*reached, *way.known)  # in a round of a loop, it is known first that it is one
        for each in way.released:
            if isinstance(each, Released):
                yield each, here
            else:
                yield from _gather(each.ways, here)


def _readings(term: Term) -> Iterator[Quotient]:
    """What a number is, on each side of every condition in it."""
    match term:
        case ir.Number(value):
            yield Quotient.of(value)
        case ir.Name(name):
            yield unknown(name)
        case ir.Negate(operand):
            yield from (-each for each in _readings(operand))
        case ir.Arithmetic("+" | "-" | "*" as symbol, left, right):
            for a, b in product(list(_readings(left)), list(_readings(right))):
                yield a + b if symbol == "+" else a - b if symbol == "-" else a * b
        case ir.Conditional(_, then, otherwise):
            yield from _readings(then)
            yield from _readings(otherwise)


def _public(width: Quotient, whole: Container[str]) -> Iterator[Term]:
    """The width as a term, if it is a sum of products of public whole numbers: rounds come in whole numbers."""
    total: Term = ZERO
    if any(name.startswith("%") or (name not in whole and not name.startswith("len(")) for name in width.names):
        return
    for monomial, factor in width.above.terms.items():
        value = factor / width.below.terms[()] if width.below.is_number else Fraction(1, 2)
        if value.denominator != 1:
            return
        part = number(value)
        for name, power in monomial:
            for _ in range(power):
                part = times(part, ir.Name(name))
        total = plus(total, part)
    yield total
