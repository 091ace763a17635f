"""Sums of products: written so that people recognise them, and equal to what they came from."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lapwing.kernel.run.evaluate import evaluate
from lapwing.search.privacy.bounds import added, divided, multiplied, products, read, text


@pytest.mark.parametrize(
    ("formula", "written"),
    [
        ("1 / (4 / epsilon) + 2 * limit / (4 / (3 * epsilon))", "(1 + 6 * limit) / 4 * epsilon"),
        ("1 / (2 / epsilon) + 2 * limit / (4 * limit / epsilon)", "epsilon"),
        ("limit / (2 * limit / epsilon)", "epsilon / 2"),
        ("len(a) * b / (1 / epsilon)", "len(a) * b * epsilon"),
        ("1 / (sigma * sigma) / 2", "1 / (2 * sigma * sigma)"),
        ("epsilon - epsilon", "0"),
        ("3", "3"),
        ("limit - 1", "limit - 1"),
    ],
)
def test_a_price_reads_as_people_write_it(formula, written):
    assert text(products(read(formula))) == written


_names = st.sampled_from(["epsilon", "limit", "b"])
_powers = st.dictionaries(_names, st.integers(-2, 2).filter(bool), max_size=2).map(lambda d: tuple(sorted(d.items())))
_sums = st.dictionaries(_powers, st.fractions(-5, 5, max_denominator=6).filter(bool), max_size=3)
_values = {"epsilon": Fraction(2, 3), "limit": Fraction(3), "b": Fraction(5, 7)}


def _value(whole):
    return evaluate(read(text(whole)), dict(_values))


@given(_sums, _sums)
def test_sums_and_products_keep_their_value(left, right):
    assert _value(added(left, right)) == _value(left) + _value(right)
    assert _value(multiplied(left, right)) == _value(left) * _value(right)


@given(_sums)
def test_what_is_written_reads_back_as_the_same_sum(whole):
    again = products(read(text(whole)))
    assert again is None or again == whole


def test_division_is_by_one_product_only():
    assert divided(products(read("epsilon")), products(read("1 + epsilon"))) is None
    assert products(read("1 / (1 + epsilon)")) is None
