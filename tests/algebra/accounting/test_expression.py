"""Expressions: what is read, what is refused, and that nothing hostile costs time."""

import time
from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapwing.algebra.accounting.expression import Expression, parse
from lapwing.algebra.accounting.terms import (
    Approx,
    Concentrated,
    Gaussian,
    Laplace,
    Poisson,
    Pure,
    RandomizedResponse,
)
from lapwing.errors import InvalidInput, LapwingError, Unbounded


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("100 * laplace(10) + 5 * gaussian(20)", [(100, Laplace(10)), (5, Gaussian(20))]),
        ("laplace(0.1) * 3", [(3, Laplace(Fraction(1, 10)))]),
        ("2 * (pure(1/3) + 3 * (approx(0.1, 1e-9)))", [(2, Pure(Fraction(1, 3))), (6, Approx("0.1", "1e-9"))]),
        ("laplace(10, steps=1) + laplace(10, 2)", [(1, Laplace(10, steps=1)), (1, Laplace(10, 2))]),
        ("zcdp(rho=0.5)\n + randomized_response(3/4)", [(1, Concentrated("0.5")), (1, RandomizedResponse("3/4"))]),
        ("exponential(1) + pure(1)", [(2, Pure(1))]),
        ("poisson(0.01, gaussian(1)) * 10", [(10, Poisson("0.01", Gaussian(1)))]),
        ("poisson(1/2, poisson(0.1, laplace(1)))", [(1, Poisson("0.05", Laplace(1)))]),
        ("poisson(0.1, approx(1, 1e-6))", [(1, Poisson("0.1", Approx(1, "1e-6")))]),
        ("1000000000 * pure(1)", [(10**9, Pure(1))]),
    ],
)
def test_read(text, terms):
    assert parse(text) == Expression.of(terms)


@pytest.mark.parametrize(
    ("text", "where", "remedy"),
    [
        ("laplase(3)", "'laplase' is not a known term, at column 1", "laplace(scale"),
        ("5 * gauss(3)", "column 5", "gaussian(sigma"),
        ("pure(1) - pure(2)", "not a term", "Use one of"),
        ("3 * 4", "'4' is not a term, at column 5", "Use one of"),
        ("laplace(x)", "'x' is not a number, at column 9", "1/3"),
        ("laplace(1, 2, 3, 4)", "column 1", "laplace(scale, sensitivity=1, steps=N)"),
        ("laplace(10, steps=0.5)", "column 19", "whole|steps"),
        ("laplace(scale=1, scale=2)", "cannot be read|no such parameter", "laplace"),
        ("approx(1)", "approx is given 1 numbers", "approx(epsilon, delta)"),
        ("1.5 * pure(1)", "count '1.5'", "Count"),
        ("0 * pure(1)", "count '0'", "Count"),
        ("2000000000 * pure(1)", "count", "Count"),
        ("pure(1/0)", "column 6", "1/3"),
        ("pure(True)", "column 6", "epsilon"),
        ("pure(1_0)", "column 1", "sum"),
        ("poisson(0.1, 3 * pure(1))", "one term", "poisson(rate, term)"),
        ("poisson(0.1, zcdp(1))", "zcdp(1)", "laplace"),
        ("pure(__import__('os'))", "column 1", "sum"),
        ("(lambda: 1)()", "not a known term", "Use one of"),
        ("pure(1).epsilon", "not a term", "Use one of"),
        ("[pure(1)]", "not a term", "Use one of"),
        ("laplace(10", "cannot be read", "sum"),
        ("", "nothing to compose", "laplace"),
    ],
)
def test_refused_with_column_and_remedy(text, where, remedy):
    with pytest.raises(InvalidInput) as refusal:
        parse(text)
    message = str(refusal.value)
    assert "\n" not in message
    assert any(part in message for part in where.split("|"))
    assert any(part in refusal.value.remedy for part in remedy.split("|"))


@pytest.mark.parametrize(
    "text", ["laplace(0)", "laplace(-1)", "gaussian(0)", "pure(0)", "poisson(2, pure(1))", "zcdp(0)"]
)
def test_parameters_without_meaning_are_refused(text):
    with pytest.raises(InvalidInput, match="at column"):
        parse(text)


def test_a_response_that_always_tells_is_unbounded():
    with pytest.raises(Unbounded, match="A504"):
        parse("randomized_response(1)")


@pytest.mark.parametrize(
    "text",
    [
        "10**10**10",
        "pure(10**10**10)",
        "(" * 5000 + "pure(1)" + ")" * 5000,
        "-" * 9000 + "1",
        "2 * " * 2000 + "pure(1)",
        "pure(1)" + " + pure(1)" * 20000,
        "9" * 9000 + " * pure(1)",
        "pure(1e999999999)",
        "pure(" + "9" * 6000 + ")",
        " + ".join(f"pure({i})" for i in range(1, 400)),
        "\u0661 * pure(1)",
        "pure(1)\x00",
    ],
)
def test_hostile_expressions_are_refused_at_once(text):
    started = time.process_time()
    with pytest.raises(LapwingError) as refusal:
        parse(text)
    assert time.process_time() - started < 1
    assert len(str(refusal.value)) < 400


share = st.fractions(Fraction(1, 99), Fraction(98, 99), max_denominator=99)
size = st.fractions(Fraction(1, 99), 99, max_denominator=99)
steps = st.none() | st.integers(1, 9)
base = st.one_of(
    st.builds(Laplace, size, size, steps),
    st.builds(Gaussian, size, size, steps),
    st.builds(Pure, size),
    st.builds(RandomizedResponse, share),
)
term = st.one_of(base, st.builds(Approx, size, share), st.builds(Concentrated, size), st.builds(Poisson, share, base))


@given(st.lists(st.tuples(st.integers(1, 10**6), term), min_size=1, max_size=5))
def test_what_is_shown_is_read_back(pairs):
    expression = Expression.of(pairs)
    assert parse(str(expression)) == expression


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text):
    with suppress(LapwingError):
        assert isinstance(parse(text), Expression)
