"""Propose, test, release with the threshold that people write: ln(1 / delta) / epsilon, computed in the program."""

import pytest

from lapwing.kernel.evidence.certificate import Certificate
from lapwing.kernel.relational.certificate import Proved, check_certificate
from lapwing.search.privacy import attempts
from lapwing.source import parse_text

HEAD = """from lapwing import *


@mechanism(gap=within(1), value=within("bound", given="gap > 0"), claim=("2 * epsilon", "delta"))
def f(gap: float, value: float, bound: float, epsilon: float, delta: float) -> tuple[bool, float]:
    assert 0 < delta < 1 and epsilon > 0 and bound > 0
"""
TEST = """    if gap + laplace(1 / epsilon) > {}:
        return (True, value + laplace(bound / epsilon))
    return (False, 0)
"""


def accepted(source, seconds=15):
    module = parse_text(source)
    return any(
        isinstance(each, Certificate) and isinstance(check_certificate(each, module), Proved)
        for each in attempts(module, "f", "<text>", seconds)
    )


@pytest.mark.parametrize(
    "threshold", ["ln(1 / delta) / epsilon", "-ln(delta) / epsilon", "1 + ln(1 / delta) / epsilon"]
)
def test_proved(threshold):
    assert accepted(HEAD + TEST.format(threshold))


@pytest.mark.parametrize("threshold", ["0", "ln(1 / delta) / (4 * epsilon)"])
def test_never_proved(threshold):
    assert not accepted(HEAD + TEST.format(threshold), 3)


def test_never_proved_without_noise():
    assert not accepted(HEAD + TEST.format("ln(1 / delta) / epsilon").replace("gap + laplace(1 / epsilon)", "gap"), 3)
