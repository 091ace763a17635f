from fractions import Fraction

import pytest

from lapwing.algebra import parameters
from lapwing.errors import InvalidInput


@pytest.mark.parametrize(
    ("door", "good", "bad", "code"),
    [
        (parameters.epsilon, ["1e-9", 5], [0, -1, "-1e5000"], "A101"),
        (parameters.delta, [0, "0.999"], [1, -1, "1e4000"], "A102"),
        (parameters.positive_delta, ["1e-300"], [0], "A103"),
        (parameters.scale, ["1/3"], [0, -2], "A104"),
        (parameters.probability, [0, 1, "1/2"], [-1, "1.0001"], "A105"),
    ],
)
def test_doors(door, good, bad, code):
    for value in good:
        assert door(value) == Fraction(value)
    for value in bad:
        with pytest.raises(InvalidInput, match=code):
            door(value)
    for value in (float("nan"), float("inf"), None, True):
        with pytest.raises(InvalidInput, match="A001"):
            door(value)


def test_ranges():
    assert parameters.interval(1, 1) == (1, 1)
    with pytest.raises(InvalidInput, match="A106 range is 2:1"):
        parameters.interval(2, 1)


def test_distances():
    assert parameters.nonnegative(0, "distance") == 0
    with pytest.raises(InvalidInput, match="A107 distance is -1/3, below 0"):
        parameters.nonnegative("-1/3", "distance")


def test_counts():
    assert parameters.whole(3, "count") == 3
    assert parameters.whole(0, "count", least=0) == 0
    for value in (0, -(10**5000), 2.0, True, "3"):
        with pytest.raises(InvalidInput, match="A108"):
            parameters.whole(value, "count")


def test_errors_are_one_line_with_the_value_and_a_remedy():
    with pytest.raises(InvalidInput) as refused:
        parameters.epsilon("-0.123456789012345678901234567890")
    assert (
        str(refused.value)
        == "A101 epsilon is -0.123457…, not above 0. Give a positive number: small is private, 0.1 to 1 is usual."
    )
    assert "\n" not in str(refused.value)
