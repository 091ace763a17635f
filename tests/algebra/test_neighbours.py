import pytest

from lapwing.algebra.neighbours import ROW, Neighbours, Unit
from lapwing.errors import InvalidInput


def test_the_two_notions_are_different_and_say_what_they_mean():
    assert Neighbours.ADDED is not Neighbours.REPLACED
    assert Neighbours.ADDED.phrase == "one unit more or fewer"
    assert Neighbours.REPLACED.phrase == "one unit changed"


def test_units_are_compared_by_name():
    assert Unit("person") == Unit("person") != ROW


@pytest.mark.parametrize("name", ["", "  "])
def test_a_unit_has_a_name(name):
    with pytest.raises(InvalidInput, match="A110"):
        Unit(name)
