"""Where totals of shifts are compared: at public values that meet the asserts."""

import pytest

from lapwing.search.privacy.totals import points
from lapwing.source.parse import parse_text

HEAD = "from lapwing import *\n\n\n@mechanism(x=within(1), claim=('epsilon', 'delta'))\n"


@pytest.mark.parametrize("asserted", ["delta < 1 / 2", "delta < 1 / 10", "delta <= 1 / 1000", "delta < 0.00001"])
def test_there_are_some_however_small_a_delta_is_asked_for(asserted):
    text = f"{HEAD}def f(x: float, epsilon: float, delta: float) -> float:\n"
    text += f"    assert 0 < epsilon <= 1 and 0 < delta and {asserted}\n    return x + laplace(1 / epsilon)\n"
    mechanism = parse_text(text)["f"]
    assert points(mechanism)
