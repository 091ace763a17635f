"""A guarantee in numbers: exact, rounded outward, and refused where it means nothing."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from lapwing import ZCDP, ApproxDP, PureDP
from lapwing.algebra.balls import ball, precision
from lapwing.errors import InvalidInput
from lapwing.kernel.evidence.guarantee import Guarantee
from lapwing.source.parse import parse_text

HEAD = """
from lapwing import added, each, mechanism

@mechanism(q=each("b"), rows=added())
def f(q: list[float], rows: list[bool], limit: int, b: float, epsilon: float, w: list[int]) -> int:
"""


def guarantee(bound, measure="epsilon", preconditions=("b >= 0", "len(q) >= 1")):
    asserts = "".join(f"    assert {each}\n" for each in preconditions)
    text = f"{HEAD}{asserts}    return 0\n"
    return Guarantee(parse_text(text)["f"], measure, bound, "0" * 64)


@given(st.fractions(0, 10), st.fractions(0, 10), st.integers(0, 10**9))
def test_rational_bounds_are_exact(epsilon, b, length):
    found = guarantee("len(q) * b * epsilon", preconditions=()).at(epsilon=epsilon, b=b, q=length)
    assert found == PureDP(length * b * epsilon)


@pytest.mark.parametrize("tenth", [0.1, "0.1", "1/10", Decimal("0.1"), Fraction(1, 10), np.float64(0.1)])
def test_a_tenth_is_a_tenth(tenth):
    assert guarantee("epsilon").at(epsilon=tenth) == PureDP(Fraction(1, 10))


@given(st.fractions(Fraction(1, 1000), 1000))
def test_irrational_bounds_are_rounded_up_and_hardly(epsilon):
    found = guarantee("ln(1 + epsilon)").at(epsilon=epsilon).epsilon
    with precision(2000):
        truth: arb = (1 + ball(epsilon)).log()
        assert ball(found) >= truth
        assert ball(found) <= truth * (1 + ball(Fraction(1, 2**70)))


def test_rho():
    assert guarantee("epsilon * epsilon / 2", "rho").at(epsilon=1) == ZCDP("1/2")


def test_epsilon_and_delta():
    mechanism = guarantee("epsilon").mechanism
    found = Guarantee(mechanism, "approximate", "2 * epsilon", "0" * 64, "exp(-b)")
    price = found.at(epsilon=1, b=3, q=1)
    assert isinstance(price, ApproxDP)
    assert price.epsilon == 2
    assert 0.0497 < price.delta < 0.0498
    assert found.to_json()["bound"] == ["2 * epsilon", "exp(-b)"]
    with pytest.raises(InvalidInput, match=r"Y101.*b"):
        found.at(epsilon=1)
    with pytest.raises(InvalidInput, match="Y103"):
        Guarantee(mechanism, "approximate", "epsilon", "0" * 64, "2").at(epsilon=1)
    for measure, delta in (("approximate", None), ("epsilon", "0"), ("rho", "0")):
        with pytest.raises(AssertionError):
            Guarantee(mechanism, measure, "epsilon", "0" * 64, delta)


def test_only_what_the_bound_mentions_is_needed_and_the_rest_may_be_there():
    assert guarantee("epsilon").at(epsilon=1) == guarantee("epsilon").at(epsilon=1, limit=3, b=2, q=4, w=[1, 2])


def test_lengths_of_public_lists_and_numpy_lengths():
    assert guarantee("len(w) + len(q)").at(w=[1, 2, 3], q=np.int64(4)) == PureDP(7)


@pytest.mark.parametrize(
    ("public", "says"),
    [
        ({}, "Y101 the bound len(q) * b * epsilon of f needs b, epsilon, q"),
        ({"epsilon": 1, "b": 1}, "Y101 the bound len(q) * b * epsilon of f needs q"),
        ({"eps": 1}, "Y102 f has no parameter 'eps'"),
        ({"rows": 3}, "Y102 'rows' is private"),
        ({"q": [1, 2]}, "Y102 'q' is private, and its length is not"),
        ({"q": -1}, "Y102 'q' is private, and its length is not"),
        ({"q": True}, "Y102 'q' is private, and its length is not"),
        ({"q": 1, "b": -1, "epsilon": -1}, "Y103 f asserts b >= 0"),
        ({"q": 0, "b": 1, "epsilon": 1}, "Y103 f asserts len(q) >= 1"),
        ({"q": 1, "b": 1, "epsilon": -1}, "Y103 the bound len(q) * b * epsilon of f is no price"),
        ({"q": 1, "b": 1, "epsilon": float("nan")}, "A001"),
        ({"limit": "1/2"}, "P205"),
    ],
)
def test_what_has_no_meaning_is_refused(public, says):
    with pytest.raises(InvalidInput) as caught:
        guarantee("len(q) * b * epsilon").at(**public)
    assert str(caught.value).startswith(says)


@pytest.mark.parametrize("bound", ["1 / epsilon", "ln(epsilon)", "ln(1 + epsilon) / epsilon", "sqrt(epsilon - 1)"])
def test_a_bound_without_a_value_is_no_price(bound):
    with pytest.raises(InvalidInput, match="Y103"):
        guarantee(bound).at(epsilon=0)


def test_as_json():
    assert guarantee("epsilon").to_json() == {
        "kind": "guarantee",
        "function": "f",
        "neighbours": {"q": "each('b')", "rows": "added()"},
        "measure": "epsilon",
        "bound": "epsilon",
        "source": "0" * 64,
        "parameters": dict(guarantee("epsilon").parameters),
        "preconditions": ["b >= 0", "len(q) >= 1"],
    }
