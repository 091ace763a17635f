"""Arithmetic over answers: values as SQL has them, and intervals that always hold the answer without noise."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapwing.query.answers import Cells
from lapwing.query.answers.answer_expressions import evaluate, truth
from lapwing.query.answers.statistics import count, deviation, mean, total, variance
from lapwing.query.expressions import Call, Column, Kind, Literal, Word
from lapwing.query.plan import Bounding, Function, Measurement


def number(value):
    return Literal(Fraction(value), Kind.REAL)


def noisy(values, reach):
    return Cells.around(np.array(values, np.float64), reach)


WORDS = [Word.ADD, Word.SUBTRACT, Word.MULTIPLY, Word.DIVIDE, Word.LEAST, Word.GREATEST]
reals = st.floats(-1e6, 1e6).map(lambda x: round(x, 3))


@given(st.sampled_from(WORDS), reals, reals, st.floats(0, 100), st.floats(-1, 1), st.floats(-1, 1))
def test_an_interval_holds_the_answer_without_noise(word, a, b, reach, s, t):
    columns = {"a": noisy([a], reach), "b": noisy([b], reach)}
    cells = evaluate(Call(word, (Column("a"), Column("b"))), columns, 1)
    true = {"a": Cells.known([a + s * reach]), "b": Cells.known([b + t * reach])}
    exact = evaluate(Call(word, (Column("a"), Column("b"))), true, 1)
    if not exact.missing[0] and not cells.missing[0]:
        slack = 1e-9 * (1 + abs(exact.numbers[0]))
        assert cells.lows[0] - slack <= exact.numbers[0] <= cells.highs[0] + slack


@given(st.lists(reals, min_size=1, max_size=6), st.floats(0, 5))
def test_rounding_and_size_keep_the_answer_inside(values, reach):
    columns = {"x": noisy(values, reach)}
    for word in (Word.ABS, Word.FLOOR, Word.CEIL, Word.ROUND, Word.NEGATE):
        cells = evaluate(Call(word, (Column("x"),)), columns, len(values))
        assert np.all(cells.lows <= cells.numbers)
        assert np.all(cells.numbers <= cells.highs)


def test_division_by_zero_is_null_and_a_divisor_near_zero_has_no_margin():
    columns = {"a": noisy([5.0, 5.0], 1), "b": noisy([0.0, 0.5], 1)}
    cells = evaluate(Call(Word.DIVIDE, (Column("a"), Column("b"))), columns, 2)
    assert list(cells.missing) == [True, False]
    assert np.isinf(cells.margins()[1])


def test_a_number_too_large_to_be_one_is_null():
    columns = {"a": noisy([1e200, 2.0], 1)}
    cells = evaluate(Call(Word.MULTIPLY, (Column("a"), Column("a"))), columns, 2)
    assert list(cells.missing) == [True, False]


def test_null_is_neither_true_nor_false():
    columns = {"a": Cells.known([1, None, 3])}
    above = Call(Word.GREATER, (Column("a"), Literal(1, Kind.INTEGER)))
    assert list(truth(above, columns, 3)) == [False, False, True]
    assert list(truth(Call(Word.NOT, (above,)), columns, 3)) == [True, False, False]
    either = Call(Word.OR, (above, Call(Word.IS_NULL, (Column("a"),))))
    assert list(truth(either, columns, 3)) == [False, True, True]


def test_case_takes_the_first_true_branch():
    columns = {"a": noisy([1.0, 20.0], 2)}
    small = Call(Word.LESS, (Column("a"), number(10)))
    cells = evaluate(Call(Word.CASE, (small, number(0), Column("a"))), columns, 2)
    assert list(cells.numbers) == [0, 20]
    assert list(cells.margins()) == [0, 2]


def test_text_of_keys():
    columns = {"k": Cells.known(["Aa", "b%", None])}
    like = Call(Word.LIKE, (Column("k"), Literal("_\u0061", Kind.TEXT)))
    assert list(truth(like, columns, 3)) == [True, False, False]
    assert list(evaluate(Call(Word.UPPER, (Column("k"),)), columns, 3).values) == ["AA", "B%", None]


TOTAL = Measurement(
    "t", Function.TOTAL, Column("x"), Bounding.NONE, 1, 1, Fraction(0), Fraction(100), Fraction(1), centre=50
)


@given(st.lists(st.integers(0, 100), min_size=1, max_size=50), st.floats(-10, 10), st.floats(-500, 500))
def test_a_mean_is_inside_its_interval(values, count_noise, sum_noise):
    rows = noisy([len(values) + count_noise], 10)
    sums = noisy([sum(v - 50 for v in values) + sum_noise], 500)
    cells = mean(sums, rows, TOTAL)
    assert cells.lows[0] - 1e-9 <= np.mean(values) <= cells.highs[0] + 1e-9
    assert 0 <= cells.numbers[0] <= 100


@given(st.lists(st.integers(0, 100), min_size=1, max_size=50), st.floats(-3, 3), st.floats(-50, 50))
def test_a_variance_is_inside_its_interval(values, count_noise, sum_noise):
    rows = noisy([len(values) + count_noise], 3)
    sums = noisy([sum(v - 50 for v in values) + sum_noise], 50)
    squares = noisy([sum((v - 50) ** 2 for v in values) + 10 * sum_noise], 500)
    cells = variance(squares, sums, rows, [TOTAL, TOTAL, TOTAL])
    assert cells.lows[0] - 1e-6 <= np.var(values) <= cells.highs[0] + 1e-6
    spread = deviation(cells)
    assert spread.lows[0] - 1e-6 <= np.std(values) <= spread.highs[0] + 1e-6


def test_weighted_counts_are_shown_whole():
    weighted = Measurement("n", Function.ROWS, None, Bounding.WEIGHTS, 3, 2**16)
    cells = count(noisy([10.4], 1.0), weighted)
    assert cells.values.dtype == np.int64
    assert cells.values[0] == 10
    assert cells.margins()[0] == pytest.approx(1.4)


def test_sums_too_large_for_whole_numbers_stay_real():
    whole = Measurement("s", Function.TOTAL, None, Bounding.NONE, 1, 1, step=Fraction(2**20))
    with np.errstate(all="raise"):
        large, small = total(noisy([3.0, 2.0**63], 1.0), whole), total(noisy([3.0, -(2.0**61)], 1.0), whole)
    assert large.values.tolist() == [3.0, 2.0**63]
    assert small.values.dtype == np.int64
    assert small.values.tolist() == [3, -(2**61)]


NULL = Literal(None, None)


@pytest.mark.parametrize(
    "expression",
    [
        Call(Word.CASE, (Call(Word.EQUAL, (Column("x"), number(0))), NULL, Column("x"))),  # NULLIF(x, 0)
        Call(Word.CASE, (Call(Word.GREATER, (Column("x"), number(0))), Column("x"), NULL)),  # without ELSE
        Call(Word.COALESCE, (NULL, Column("x"))),
        Call(Word.COALESCE, (Column("x"), NULL)),
    ],
)
def test_null_beside_numbers_leaves_them_numbers(expression):
    cells = evaluate(expression, {"x": noisy([5.0, 7.0], 1)}, 2)
    assert list(cells.values) == [5.0, 7.0]
    assert list(cells.margins()) == [1.0, 1.0]
    doubled = evaluate(Call(Word.ADD, (expression, expression)), {"x": noisy([5.0, 7.0], 1)}, 2)
    assert list(doubled.values) == [10.0, 14.0]
    assert list(truth(Call(Word.GREATER, (expression, number(6))), {"x": noisy([5.0, 7.0], 1)}, 2)) == [False, True]
