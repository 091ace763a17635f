"""A solver that is kept answers as the kernel's new ones do, however many questions came before."""

import random
from fractions import Fraction

import pytest

from lapwing.kernel.boundary import Limit
from lapwing.kernel.doubt import Unproved
from lapwing.kernel.program import ir
from lapwing.kernel.solver import Terms
from lapwing.search.privacy import kept_solver
from lapwing.search.privacy.kept_solver import KeptTerms


def questions(terms, seed):
    """Facts and goals over three numbers."""
    chance = random.Random(seed)
    numbers = [terms.fresh(ir.Real(), name) for name in "xyz"]

    def side():
        first, second = chance.choice(numbers), chance.choice(numbers)
        number = terms.number(Fraction(chance.randint(-4, 4), 2), real=True)
        return chance.choice(
            [first, number, terms.arithmetic("+", first, second), terms.arithmetic("*", number, second)]
        )

    def condition():
        return terms.compare(chance.choice(["<", "<=", ">", ">=", "=="]), side(), side())

    return [([condition() for _ in range(chance.randint(0, 4))], condition()) for _ in range(60)]


@pytest.mark.parametrize("logic", ["QF_UFNIRA", "QF_NRA"])
def test_a_kept_solver_answers_as_new_ones_do(logic, monkeypatch):
    monkeypatch.setattr(kept_solver, "LIFETIME", 40)  # also across a change of solvers
    new, kept = Terms(), KeptTerms()
    answers = [[terms.entailed(facts, goal, logic) for facts, goal in questions(terms, 7)] for terms in (new, kept)]
    assert answers[0] == answers[1]
    assert {*answers[0]} == {True, False}
    assert new.questions == kept.questions == 60


def test_facts_of_one_question_are_not_facts_of_the_next():
    terms = KeptTerms()
    x = terms.fresh(ir.Real(), "x")
    above = terms.compare(">", x, terms.number(1))
    assert terms.entailed([above], terms.compare(">", x, terms.number(0)))
    assert not terms.entailed([], terms.compare(">", x, terms.number(0)))
    assert terms.entailed([above, terms.negate(above)], terms.truth(False))
    assert not terms.entailed([], terms.truth(False))


def test_products_of_whole_numbers_are_asked_of_new_solvers(monkeypatch):
    """A kept solver thought about such a question for a quarter of a minute, whatever its limit."""
    asked = []
    monkeypatch.setattr(Terms, "entailed", lambda *given: asked.append(given[-1]) is None)
    terms = KeptTerms()
    x, y = (terms.fresh(ir.Integer(), name) for name in "xy")
    zero = terms.number(0)
    assert not terms.entailed([], terms.compare(">", terms.arithmetic("*", terms.number(2), x), zero))
    assert asked == []
    assert terms.entailed([], terms.compare(">", terms.arithmetic("*", x, y), zero))
    assert asked == ["QF_UFNIRA"]


def test_a_limit_that_has_passed_refuses():
    terms = KeptTerms(limit=Limit(1e-9))
    with pytest.raises(Unproved):
        terms.entailed([], terms.truth(True))
