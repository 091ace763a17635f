"""Inequalities with exponentials: what is confirmed is true, and what a proof needs is confirmed."""

import math
import random

import pytest

from lapwing.kernel.doubt import Unproved
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.prices.exponential_sums import Comparing
from lapwing.kernel.prices.prices import Parameters
from lapwing.kernel.solver import Terms
from lapwing.search.privacy.exponential_text import shown_exponentials
from lapwing.source.parse import parse_text

TEXT = """from lapwing import laplace, mechanism, within


@mechanism(x=within(1))
def f(x: float, epsilon: float, high: float, low: float, delta: float) -> float:
    assert epsilon > 0 and epsilon < 1 and low < high and delta > 0
    return x + laplace(1 / epsilon)
"""


def comparing(milliseconds=2000):
    return Comparing(Parameters(Terms(milliseconds=milliseconds), parse_text(TEXT)["f"]))


def at_most(left, right):
    compared = comparing()
    return compared.at_most(compared.read(formula(left)), compared.read(formula(right)))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("exp(2 * epsilon / 6) - exp(-ln(3))", "exp(epsilon / 2) * (1 - exp(-ln(3)))"),
        ("1 + epsilon", "exp(epsilon)"),
        ("exp(epsilon)", "3"),
        ("exp(-epsilon)", "1 - epsilon / 2"),
        ("exp(-epsilon * (high - low))", "1"),
        ("2.59 * exp(epsilon / 2 - epsilon * (high - low) / 4)", "10 / epsilon * exp(1 - epsilon * (high - low) / 12)"),
        ("exp(-epsilon * ln(1 / delta) / epsilon)", "delta"),
        ("delta", "exp(ln(delta))"),
        ("sqrt(27)", "3 * sqrt(3)"),
        ("ln(2)", "0.6932"),
        ("exp(1)", "2.72"),
        ("exp(3 / 2 * ln(3))", "5.1962"),
    ],
)
def test_what_is_true_and_needed_is_confirmed(left, right):
    assert at_most(left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("exp(2 * epsilon / 6) - exp(-ln(3))", "exp(epsilon / 2.5) * (1 - exp(-ln(3)))"),
        ("exp(epsilon)", "1 + epsilon"),
        ("exp(epsilon)", "2.7"),
        ("exp(-epsilon * (high - low))", "1 / 2"),
        ("exp(epsilon * high)", "exp(epsilon * low)"),
        ("ln(2)", "0.6931"),
        ("exp(1)", "2.718"),
        ("5.1962", "exp(3 / 2 * ln(3))"),
        ("ln(delta)", "0"),
    ],
)
def test_what_is_false_is_not(left, right):
    assert not at_most(left, right)


@pytest.mark.parametrize("text", ["1 / (high - low)", "ln(high)", "1 / low", "sqrt(high)", "exp(exp(epsilon))", "x"])
def test_what_may_be_undefined_is_refused(text):
    with pytest.raises(Unproved):
        comparing().read(formula(text))


def _random(generator):
    """A sum of a few products with exponentials, as text."""
    parts = []
    for _ in range(generator.randint(1, 2)):
        exponent = " + ".join(
            f"{generator.choice([-2, -1, 1, 2])} / {generator.choice([1, 2, 3])} * {generator.choice(ATOMS)}"
            for _ in range(1)
        )
        factor = generator.choice(["1", "2", "1 / 3", "epsilon", "delta", "sqrt(2)", "ln(3)"])
        parts.append(f"{generator.choice(['', '-'])}{factor} * exp({exponent})")
    return " + ".join(parts)


ATOMS = ["epsilon", "epsilon * (high - low)", "1"]
WORDS = {"exp": math.exp, "ln": math.log, "sqrt": math.sqrt}


def test_random_inequalities_that_are_confirmed_hold():
    generator, confirmed = random.Random(7), 0
    for _ in range(20):
        left, right = _random(generator), f"{generator.choice([1, 3, 9])} * ({_random(generator)})"
        compared = comparing(400)
        try:
            held = compared.at_most(compared.read(formula(left)), compared.read(formula(right)))
        except Unproved:
            continue
        confirmed += held
        for _ in range(200 if held else 0):
            point = {"epsilon": generator.random(), "low": generator.uniform(-3, 3), "delta": generator.random() * 3}
            point["high"] = point["low"] + generator.random() * generator.choice([0.01, 1, 9])
            one, two = (eval(text, {**WORDS, **point}) for text in (left, right))  # noqa: S307  # our own text
            assert one <= two + 1e-9 * (1 + abs(one) + abs(two)), (left, right, point)
    assert confirmed >= 3


def test_what_is_printed_is_read_as_the_same():
    generator = random.Random(3)
    for _ in range(60):
        compared = comparing()
        value = compared.read(formula(_random(generator)))
        again = compared.read(formula(shown_exponentials(value)))
        assert value == again, shown_exponentials(value)
    assert shown_exponentials(compared.of(compared.parameters.of(formula("epsilon / 2")))) == "epsilon / 2"
