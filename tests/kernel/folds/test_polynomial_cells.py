"""What is said to hold of a term with cases holds wherever it is tried."""

import os
import random
from fractions import Fraction

import pytest

from lapwing.kernel.doubt import Unproved
from lapwing.kernel.folds.polynomial_cells import Cells
from lapwing.kernel.folds.symbols import Symbols
from lapwing.kernel.folds.values import floored
from lapwing.kernel.program import ir
from lapwing.kernel.solver import Terms
from lapwing.kernel.symbolic.terms import arithmetic, both, choose, compare, either, extreme, magnitude, negate
from tests.conftest import EXPLORE
from tests.kernel.folds.meaning import evaluated

PART = 40
#: Of each part, a run takes every so many.
STEP = 1 if EXPLORE else 2
PARTS = 40 if os.environ.get("LAPWING_THOROUGH") else 2
#: Of so many questions, this many are answered with yes at the least, so that the test says something.
FEWEST = 6 // STEP
ORDERS = ["<", "<=", ">", ">=", "==", "!="]


class Asker:
    """Writes random terms over two reals, a whole number and a truth value."""

    def __init__(self, seed):
        self.chance = random.Random(seed)

    def number(self, depth):
        if depth == 0 or self.chance.random() < 0.25:
            return self.chance.choice([ir.Name("x"), ir.Name("x"), ir.Name("y"), ir.Name("n"), ir.Name("len(w)"),
                                       ir.Number(Fraction(self.chance.choice([0, 1, 2])))])  # fmt: skip
        a, b = self.number(depth - 1), self.number(depth - 1)
        match self.chance.randrange(9):
            case 0 | 1:
                return arithmetic(self.chance.choice("+-"), a, b)
            case 2:
                return arithmetic("*", a, self.number(0))
            case 3:
                return magnitude(a)
            case 4 | 5:
                return extreme(self.chance.choice(["min", "max"]), [a, b])
            case 6:
                return arithmetic("/", a, self.chance.choice([ir.Name("y"), ir.Number(Fraction(2)), ir.Name("n")]))
            case 7:
                return floored(a, self.chance.choice([ir.Name("y"), ir.Number(Fraction(2)), ir.Name("n")]))
        return choose(self.truth(depth - 1), a, b)

    def truth(self, depth):
        if self.chance.random() < 0.15:
            return ir.Name("b")
        found = compare(self.chance.choice(ORDERS), self.number(depth), self.number(0))
        if depth == 0 or self.chance.random() < 0.5:
            return found
        other = self.truth(depth - 1)
        return self.chance.choice([both((found, other)), either((found, other)), negate(found)])

    def question(self):
        """A number that may be at least 0, and what is known."""
        a = self.number(2)
        shapes = [a, arithmetic("+", magnitude(a), self.number(1)), extreme("max", [a, ir.Number(Fraction(0))]),
                  arithmetic("-", extreme("max", [a, self.number(1)]), a), arithmetic("*", a, a),
                  arithmetic("-", magnitude(arithmetic("+", a, ir.Name("x"))), a)]  # fmt: skip
        return self.chance.choice(shapes), tuple(self.truth(1) for _ in range(self.chance.randrange(3)))

    def point(self):
        reals = [Fraction(self.chance.randint(-6, 6), self.chance.choice([1, 2, 3])) for _ in range(2)]
        whole, length = self.chance.randint(-4, 4), self.chance.randint(0, 4)
        return {"x": reals[0], "y": reals[1], "n": whole, "len(w)": length, "b": self.chance.random() < 0.5}


@pytest.mark.parametrize("part", range(PARTS))
def test_a_yes_holds_wherever_it_is_tried(part):
    yes = 0
    for seed in range(part * PART, (part + 1) * PART, STEP):
        asker = Asker(seed)
        value, facts = asker.question()
        goal = compare(asker.chance.choice(ORDERS), value, asker.number(0))
        for asked in (value, goal):
            questions, symbols = Cells(Terms(milliseconds=200)), Symbols(whole={"n"}, truths={"b"})
            try:
                sure = (questions.at_least_zero if asked is value else questions.always)(asked, symbols, facts)
            except Unproved:
                continue
            yes += sure
            for _ in range(300 if sure else 0):
                point = asker.point()
                if all(evaluated(each, point) for each in facts):
                    found = evaluated(asked, point)
                    assert found >= 0 if asked is value else found, (asked, facts, point)
    assert yes >= FEWEST


X, ONE, ZERO = ir.Name("x"), ir.Number(Fraction(1)), ir.Number(Fraction(0))


@pytest.mark.parametrize(("term", "answer"), [
    (compare("==", arithmetic("/", X, X), ONE), False),
    (compare("<=", arithmetic("/", X, X), ONE), True),
    (compare("!=", arithmetic("/", ONE, X), ZERO), False),
    (compare("==", arithmetic("*", arithmetic("/", ONE, X), X), ONE), False),
    (compare("==", arithmetic("*", arithmetic("/", X, X), X), X), True),
    (compare("!=", arithmetic("/", ONE, arithmetic("+", magnitude(X), ONE)), ZERO), True),
    (compare("<=", floored(X, X), ONE), True),
    (compare("==", floored(X, X), ONE), False),
    (either((compare("!=", X, ZERO), compare("==", floored(ONE, X), ZERO))), True),
])  # fmt: skip
def test_what_divides_by_zero_is_zero(term, answer):
    assert Cells(Terms()).always(term, Symbols()) is answer


def test_truth_values_alone_are_asked_about():
    """More of them than the points tell apart, and nothing is compared: no number to factor is no error."""
    questions, symbols = Cells(Terms()), Symbols()
    many = tuple(symbols.truth("one") for _ in range(40))
    assert not questions.always(ir.Truth(False), symbols, (ir.And(many),))
    assert questions.always(many[0], symbols, (ir.And(many),))
