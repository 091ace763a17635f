"""What is asked of the solver about records: polynomial inequalities, one for each cell of a term with conditions.

The one idea: a term with conditions in it is a polynomial quotient in each of finitely many cells, and a cell is a
conjunction of comparisons. Cells that cannot be are dropped; in each of the others one inequality is asked, multiplied
by what it is divided by (whose sign is squared away), so that no quotient ever reaches the solver.

Every term has a value everywhere: what is divided by 0 is 0, in a cell of its own. So a yes says what it seems to say
of all parameters and records, and nobody has to ask first whether a guess means anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lapwing.kernel.doubt import Unproved
from lapwing.kernel.folds.points import Condition, Points, parts
from lapwing.kernel.folds.signs import Comparison, connected, simplified
from lapwing.kernel.folds.symbols import Symbols, is_length
from lapwing.kernel.folds.whole_numbers import whole_numbers
from lapwing.kernel.prices.polynomials import OPERATORS, Quotient, unknown
from lapwing.kernel.program import ir
from lapwing.kernel.program.comparisons import COMPARED, NEGATED
from lapwing.kernel.program.printer import show
from lapwing.kernel.solver import Terms
from lapwing.kernel.symbolic.terms import Term

#: More cells than any ordinary sum has.
MAX_CELLS = 4000


@dataclass(frozen=True, slots=True)
class Cell:
    """Conditions that hold together."""

    conditions: tuple[Condition, ...] = ()


@dataclass(slots=True)
class Cells:
    """Asks about terms, given ``facts`` (terms that hold) about public parameters and records."""

    terms: Terms
    facts: tuple[Term, ...] = ()
    points: Points = field(default_factory=Points)
    #: of how many unknowns coverings are asked at most; of any number where it is None
    covered: int | None = None
    _cells: int = 0
    _possible: dict[tuple[object, ...], bool] = field(default_factory=dict)
    _floors: dict[tuple[object, ...], str] = field(default_factory=dict)
    #: by ``id``: terms without conditions in them, which are the same in every cell
    _plain: dict[int, tuple[Term, Quotient | None]] = field(default_factory=dict)
    #: unknowns, and comparisons of them, as terms of the solver
    _unknowns: dict[tuple[str, ir.Type], Any] = field(default_factory=dict)
    _terms: dict[tuple[object, ...], Any] = field(default_factory=dict)

    def always(self, goal: Term, symbols: Symbols, facts: Sequence[Term] = ()) -> bool:
        """Whether a truth value always holds, given the facts."""
        self._cells = 0
        for start in self._given((*self.facts, *facts), Cell(), symbols):
            for cell in self._truths(goal, False, start, symbols):
                if not self._asked(cell, Condition("<", Quotient.of(0)), symbols):
                    return False
        return True

    def at_least_zero(self, value: Term, symbols: Symbols, facts: Sequence[Term] = ()) -> bool:
        """Whether a number is never below 0, given the facts."""
        self._cells = 0
        for start in self._given((*self.facts, *facts), Cell(), symbols):
            for cell, quotient in self.cells(value, start, symbols):
                if quotient.above.is_zero:
                    continue
                if not self._asked(cell, Condition(">=", quotient), symbols):
                    return False
        return True

    # --- cells ----------------------------------------------------------------------------------------------

    def _given(self, facts: Sequence[Term], cell: Cell, symbols: Symbols) -> Iterator[Cell]:
        if not facts:
            yield cell
            return
        for each in self._truths(facts[0], True, cell, symbols):
            yield from self._given(facts[1:], each, symbols)

    def cells(self, term: Term, cell: Cell, symbols: Symbols) -> Iterator[tuple[Cell, Quotient]]:
        """The term in every cell inside ``cell``."""
        self.terms.limit.count()
        plain = self._everywhere(term)
        if plain is not None:
            yield cell, plain
            return
        match term:
            case ir.Negate(operand):
                yield from ((each, -value) for each, value in self.cells(operand, cell, symbols))
            case ir.Arithmetic(symbol, left, right):
                for one, a in self.cells(left, cell, symbols):
                    for two, b in self.cells(right, one, symbols):
                        if symbol == "/":
                            yield from self._divided(a, b, two, symbols)
                        else:
                            yield two, OPERATORS[symbol](a, b)
            case ir.Conditional(condition, then, otherwise):
                for truth, side in ((True, then), (False, otherwise)):
                    for each in self._truths(condition, truth, cell, symbols):
                        yield from self.cells(side, each, symbols)
            case ir.Builtin("//", (left, right)):
                for one, a in self.cells(left, cell, symbols):
                    for two, b in self.cells(right, one, symbols):
                        yield from self._floored(a, b, two, symbols)
            case _:
                raise Unproved("a term is not a number that is followed")

    def _everywhere(self, term: Term) -> Quotient | None:
        """The term, if it has no conditions in it."""
        if id(term) not in self._plain:
            self._plain[id(term)] = term, self._written(term)  # the term is held, so that its id stays its own
        return self._plain[id(term)][1]

    def _written(self, term: Term) -> Quotient | None:
        match term:
            case ir.Number(value):
                return Quotient.of(value)
            case ir.Name(name):
                return unknown(name)
            case ir.Index():
                return unknown(show(term))
            case ir.Negate(operand):
                found = self._everywhere(operand)
                return None if found is None else -found
            case ir.Arithmetic(symbol, left, right):
                a, b = self._everywhere(left), self._everywhere(right)
                if a is None or b is None or (symbol == "/" and not b.number):
                    return None
                return OPERATORS[symbol](a, b)
        return None

    def _divided(self, a: Quotient, b: Quotient, cell: Cell, symbols: Symbols) -> Iterator[tuple[Cell, Quotient]]:
        for each in self._compared("!=", b, cell, symbols):
            yield each, a / b
        for each in self._compared("==", b, cell, symbols):
            yield each, Quotient.of(0)

    def _floored(self, a: Quotient, b: Quotient, cell: Cell, symbols: Symbols) -> Iterator[tuple[Cell, Quotient]]:
        """The whole number q for which a lies between b·q and b·q + b: one name for what is equal to a and to b."""
        name = self._floors.setdefault((parts(a), parts(b)), f"%//{len(self._floors)}")
        symbols.whole.add(name)
        left = a - b * unknown(name)
        for sign, symbol, beyond in ((">", ">=", "<"), ("<", "<=", ">")):
            for side in self._compared(sign, b, cell, symbols):
                known = Condition(symbol, left), Condition(beyond, left - b)
                yield Cell((*side.conditions, *(each for each in known if each not in side.conditions))), unknown(name)
        for side in self._compared("==", b, cell, symbols):
            yield side, Quotient.of(0)

    def _truths(self, term: Term, wanted: bool, cell: Cell, symbols: Symbols) -> Iterator[Cell]:
        """The cells inside ``cell`` in which a truth value is as wanted; they do not overlap."""
        self.terms.limit.count()
        match term:
            case ir.Truth(value):
                if value == wanted:
                    yield cell
            case ir.Not(operand):
                yield from self._truths(operand, not wanted, cell, symbols)
            case ir.And(operands) | ir.Or(operands):
                yield from self._joined(operands, wanted, isinstance(term, ir.And) == wanted, cell, symbols)
            case ir.Conditional(condition, then, otherwise):
                for truth, side in ((True, then), (False, otherwise)):
                    for each in self._truths(condition, truth, cell, symbols):
                        yield from self._truths(side, wanted, each, symbols)
            case ir.Name() | ir.Index():
                yield from self._within(cell, Condition(str(wanted), None, show(term)), symbols)
            case ir.Compare(symbol, left, right):
                difference = ir.Arithmetic("-", left, right)
                for each, quotient in self.cells(difference, cell, symbols):
                    yield from self._compared(symbol if wanted else NEGATED[symbol], quotient, each, symbols)
            case _:
                raise Unproved("a condition is not one that is followed")

    def _joined(
        self, operands: Sequence[Term], wanted: bool, every: bool, cell: Cell, symbols: Symbols
    ) -> Iterator[Cell]:
        if not operands:
            if every:
                yield cell
            return
        first, rest = operands[0], operands[1:]
        for each in self._truths(first, wanted, cell, symbols):
            if every:
                yield from self._joined(rest, wanted, every, each, symbols)
            else:
                yield each
        if not every:
            for each in self._truths(first, not wanted, cell, symbols):
                yield from self._joined(rest, wanted, every, each, symbols)

    def _compared(self, symbol: str, value: Quotient, cell: Cell, symbols: Symbols) -> Iterator[Cell]:
        if value.number is None:
            yield from self._within(cell, Condition(symbol, value), symbols)
        elif COMPARED[symbol](value.number, 0):
            yield cell

    def _within(self, cell: Cell, condition: Condition, symbols: Symbols) -> Iterator[Cell]:
        """The part of a cell where a condition holds too, if there is any."""
        if condition in cell.conditions:
            yield cell
            return
        if _opposite(condition) in cell.conditions:
            return
        inner = Cell((*cell.conditions, condition))
        self._cells += 1
        if self._cells > MAX_CELLS:
            raise Unproved("there are too many cases to look at")
        if self.points.some(inner.conditions) or not self._asked(cell, _opposite(condition), symbols, whole=False):
            yield inner

    # --- the solver -----------------------------------------------------------------------------------------

    def _asked(self, cell: Cell, goal: Condition, symbols: Symbols, *, whole: bool = True) -> bool:
        """Whether the goal follows in a cell: over the reals, or (``whole``) knowing which unknowns are whole numbers.

        That a cell cannot be is asked over the reals only: one that stays for nothing is one more question.
        """
        key = (frozenset(each.key for each in cell.conditions), goal.key, whole)
        if key not in self._possible:
            ways = (False, True) if whole else (False,)
            self._possible[key] = any(self._entailed(cell, goal, symbols, whole=each) for each in ways)
        return self._possible[key]

    def _entailed(self, cell: Cell, goal: Condition, symbols: Symbols, *, whole: bool) -> bool:
        conditions = (*cell.conditions, goal)
        comparisons: Sequence[Comparison] = simplified([each for each in conditions if each.value])
        if goal.value is not None and not whole:  # what cannot be of whole numbers may be told by any of them
            comparisons = connected(comparisons)
        # in one order always: how long coverings take depends on it
        names = sorted(frozenset[str]().union(*(each.polynomial.names for each in comparisons)))
        counts = frozenset(name for name in names if whole and (name in symbols.whole or is_length(name)))
        if whole and not counts:
            return False
        numbers = {name: self._unknown(name, ir.Integer() if name in counts else ir.Real()) for name in names}
        if goal.value is not None and self._fails_at(whole_numbers(comparisons[:-1], counts), comparisons, numbers):
            return False
        truths = [self._truth(each) for each in conditions if each.value is None]
        told = [self._comparison(each, numbers, counts) for each in comparisons]
        asked = (truths if goal.value is None else told).pop()
        lengths, zero = filter(is_length, names), self.terms.number(0)
        facts = [*truths, *told, *(self.terms.compare(">=", numbers[name], zero) for name in lengths)]
        # coverings, which the solver takes where all is real, look at no clock where there are many unknowns
        many = self.covered is not None and len(names) > self.covered
        return self.terms.entailed(facts, asked, "QF_NIRA" if whole or many else "QF_NRA")

    def _fails_at(self, counts: Mapping[str, int], comparisons: Sequence[Comparison], numbers: dict[str, Any]) -> bool:
        """Whether the last comparison fails for these whole numbers and some reals, where the others hold."""
        if not counts:
            return False
        given = {**numbers, **{name: self.terms.number(value) for name, value in counts.items()}}
        *facts, asked = (self._written_out(each, given) for each in comparisons)
        return self.terms.fails(facts, asked)

    def _written_out(self, comparison: Comparison, numbers: Mapping[str, Any]) -> Any:  # noqa: ANN401  # a term of the solver
        polynomial = self.terms.polynomial(comparison.polynomial.terms, numbers)
        return self.terms.compare(comparison.symbol, polynomial, self.terms.number(0))

    def _unknown(self, name: str, kind: ir.Type) -> Any:  # noqa: ANN401  # a term of the solver
        """One for all questions, which do not know of each other."""
        if (name, kind) not in self._unknowns:
            self._unknowns[name, kind] = self.terms.fresh(kind, name)
        return self._unknowns[name, kind]

    def _truth(self, condition: Condition) -> Any:  # noqa: ANN401  # a term of the solver
        found = self._unknown(condition.name, ir.Boolean())
        return found if condition.symbol == "True" else self.terms.negate(found)

    def _comparison(self, comparison: Comparison, numbers: dict[str, Any], counts: frozenset[str]) -> Any:  # noqa: ANN401  # a term of the solver
        terms = comparison.polynomial.terms
        key = comparison.symbol, frozenset(terms.items()), counts
        if key not in self._terms:
            self._terms[key] = self._written_out(comparison, numbers)
        return self._terms[key]


def _opposite(condition: Condition) -> Condition:
    if condition.value is None:
        return Condition("False" if condition.symbol == "True" else "True", None, condition.name)
    return Condition(NEGATED[condition.symbol], condition.value)
