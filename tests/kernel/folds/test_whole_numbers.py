"""Whole numbers at which a question may fail, and facts that have nothing to do with it."""

from fractions import Fraction

from lapwing.kernel.folds.polynomial_cells import Cells
from lapwing.kernel.folds.signs import Comparison, connected
from lapwing.kernel.folds.symbols import Symbols
from lapwing.kernel.folds.whole_numbers import whole_numbers
from lapwing.kernel.prices.polynomials import Polynomial
from lapwing.kernel.program import ir
from lapwing.kernel.solver import Terms
from lapwing.kernel.symbolic.terms import FALSE, ONE, ZERO, compare, plus, times

A, B, X, Y = (Polynomial.unknown(name) for name in ("a", "b", "x", "y"))


def test_an_example_meets_what_is_said_of_whole_numbers_alone():
    facts = [Comparison(">", A - B - Polynomial.of(2)), Comparison(">=", B), Comparison("<", A * X)]
    found = whole_numbers(facts, {"a", "b"})
    assert found["a"] > found["b"] + 2
    assert found["b"] >= 0


def test_there_may_be_none():
    assert whole_numbers([Comparison("==", A - Polynomial.of(Fraction(1, 2)))], {"a"}) == {}
    assert whole_numbers([], set()) == {}


def test_no_length_is_below_zero():
    below = [Comparison("<", Polynomial.unknown("len(q)"))]
    assert whole_numbers(below, {"len(q)"}) == {}


def asked(goal, *facts):
    symbols = Symbols()
    symbols.whole |= {"n", "m"}
    return Cells(Terms()).always(goal, symbols, facts)


def test_what_holds_of_whole_numbers_alone_is_still_found():
    n, m = ir.Name("n"), ir.Name("m")
    two = ir.Number(Fraction(2))
    assert asked(compare("!=", times(two, n), plus(times(two, m), ONE)))
    assert asked(compare(">=", ir.Name("len(q)"), ZERO))
    assert not asked(compare(">", ir.Name("len(q)"), ZERO))


def test_facts_are_connected_by_what_they_share():
    first, second, third = Comparison(">", A - X), Comparison(">", X - Y), Comparison("<", B)
    assert connected([first, second, third, Comparison(">", Y)]) == [first, second, Comparison(">", Y)]
    of_none = Comparison("<", Polynomial.of(0))
    assert connected([first, third, of_none]) == [first, third, of_none]


def test_what_cannot_be_has_no_cells():
    y = ir.Name("y")
    assert asked(FALSE, compare(">", y, ONE), compare("<", y, ZERO))
    assert not asked(FALSE, compare(">", y, ONE), compare(">", ir.Name("n"), y))
