"""Conditions without what does not decide their sign say the same as before, at every point where they are defined."""

from fractions import Fraction
from math import prod

from hypothesis import given
from hypothesis import strategies as st

from lapwing.kernel.folds import signs
from lapwing.kernel.folds.points import Condition
from lapwing.kernel.folds.signs import simplified
from lapwing.kernel.prices.polynomials import Polynomial, Quotient

HOLDS = {
    "<": lambda v: v < 0,
    "<=": lambda v: v <= 0,
    ">": lambda v: v > 0,
    ">=": lambda v: v >= 0,
    "==": lambda v: v == 0,
    "!=": lambda v: v != 0,
}
A, B, E = map(Polynomial.unknown, "abe")
FACTORS = (A, B, E, A - B, A + B, A * A + B, B - Polynomial.of(1), E * A + Polynomial.of(2))


def product(factors, number=1):
    found = Polynomial.of(number)
    for each in factors:
        found = found * each
    return found


def value(polynomial, point):
    return sum(
        (
            factor * prod(point[name] ** power for name, power in monomial)
            for monomial, factor in polynomial.terms.items()
        ),
        Fraction(0),
    )


factors = st.lists(st.sampled_from(FACTORS), max_size=3)
conditions = st.builds(
    lambda symbol, above, below, number: Condition(symbol, Quotient(product(above, number), product(below))),
    st.sampled_from(sorted(HOLDS)),
    factors,
    st.lists(st.sampled_from(FACTORS), max_size=2),
    st.sampled_from([-2, -1, 1, 3]),
)
points = st.fixed_dictionaries({name: st.sampled_from([Fraction(i, 2) for i in range(-5, 6)]) for name in "abe"})


def held(condition, point):
    return HOLDS[condition.symbol](value(condition.value.above, point) / value(condition.value.below, point))


def is_met(comparison, point):
    return HOLDS[comparison.symbol](value(comparison.polynomial, point))


@given(st.lists(conditions, max_size=4), conditions, st.lists(points, min_size=1, max_size=20))
def test_the_same_points_meet_them(facts, goal, tried):
    *known, asked = simplified([*facts, goal])
    for point in tried:
        if all(value(each.value.below, point) for each in (*facts, goal)):
            every = all(held(each, point) for each in facts)
            assert all(is_met(each, point) for each in known) == every
            assert not every or is_met(asked, point) == held(goal, point)


def compared(symbol, above, below=()):
    return Condition(symbol, Quotient(product(above), product(below)))


def test_a_square_that_something_is_divided_by_goes():
    *_, asked = simplified([compared(">=", [A, B], [A - B, A - B])])
    assert asked.polynomial.terms == (A * B).terms


def test_a_factor_of_known_sign_goes_if_it_is_not_zero():
    above = compared(">=", [E])
    *_, asked = simplified([above, compared(">=", [E, A], [E, E])])
    assert (asked.symbol, asked.polynomial.terms) == (">=", A.terms)
    *_, asked = simplified([compared("<", [A - B]), compared(">=", [A - B, E])])
    assert (asked.symbol, asked.polynomial.terms) == ("<=", E.terms)


def test_a_factor_that_may_be_zero_stays():
    *_, asked = simplified([compared(">=", [E]), compared(">", [E, A])])
    assert asked.polynomial.terms == (E * A).terms
    *_, asked = simplified([compared(">", [A, A, B])])
    assert asked.polynomial.terms == (A * A * B).terms


def test_a_product_with_a_square_that_may_be_zero_tells_no_sign():
    *_, asked = simplified([compared("!=", [A]), compared(">=", [A, B, B]), compared(">=", [A, E])])
    assert asked.polynomial.terms == (A * E).terms


def test_the_condition_that_tells_a_sign_is_kept():
    known = simplified([compared(">", [E]), compared(">=", [E, A])])
    assert any(each.symbol == ">" and each.polynomial.terms == E.terms for each in known[:-1])


def test_large_ones_are_left_as_they_are(monkeypatch):
    monkeypatch.setattr(signs, "MOST_TERMS", 1)
    goal = compared(">=", [A, A - B], [A - B])
    defined, asked = simplified([goal])
    assert defined.polynomial.terms == (A - B).terms
    assert asked.polynomial.terms == (A * (A - B) * (A - B)).terms


def test_numbers_alone_are_conditions_too():
    *_, asked = simplified([compared(">=", [])])
    assert asked.polynomial.terms == {(): 1}
