"""A secret that is held between two numbers has few values, and each is looked at by itself."""

import pytest

from tests.search.privacy.proving import proved, unproved
from tests.strangers import HEAD

BITS = """
@mechanism(pair=replaced(), claim="epsilon")
def bits(pair: int, epsilon: float) -> tuple[int, int]:
    assert epsilon > 0
    held = {held}
    first = held // 2
    second = held % 2
    if flip(1 / (1 + exp(epsilon{share}))):
        first = 1 - first
    if flip(1 / (1 + exp(epsilon{share}))):
        second = 1 - second
    return first, second
"""
HADAMARD = """
@mechanism(v=replaced(), claim="epsilon")
def hadamard(v: int, epsilon: float) -> int:
    assert epsilon > 0
    held = clip(v, 0, 3)
    column = uniform(4)
    parity = ((held % 2) * (column % 2) + (held // 2) * (column // 2)) % 2
    kept = flip(exp(epsilon) / ({below} + exp(epsilon)))
    sign = 1 if parity == 0 else -1
    if not kept:
        sign = -sign
    return sign * (column + 1)
"""


@pytest.mark.parametrize("text", [BITS.format(held="pair % 4", share=" / 2"), HADAMARD.format(below=1)])
def test_proved(text):
    assert proved(HEAD + text).bound == "epsilon"


@pytest.mark.parametrize(
    "text",
    [
        # -1 // 2 is -1 and -1 % 2 is 1, as 4 // 2 is 2: a first bit that no flip gives to the others
        BITS.format(held="clip(pair, -1, 3)", share=" / 2"),
        BITS.format(held="pair % 5", share=" / 2"),
        BITS.format(held="pair % 40", share=" / 2"),  # more values than are looked at
    ],
)
def test_not_proved(text):
    assert unproved(HEAD + text)
