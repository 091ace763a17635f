"""Coins whose bias is a real number: exact where they run, where they are measured, and where they are refused."""

from fractions import Fraction
from math import exp

import pytest

from lapwing.errors import InvalidInput
from lapwing.kernel.distribution.probability import distribution
from lapwing.kernel.program import ir, walk
from lapwing.kernel.program.printer import show, show_mechanism
from lapwing.kernel.run.claim_values import ball_of
from lapwing.kernel.run.coins import RealChance
from lapwing.kernel.run.evaluate import Meter
from lapwing.kernel.run.interpret import program
from lapwing.source.parse import parse_text

HEAD = "from lapwing import *\n\n"


def coin(bias, before="", parameters="epsilon: float"):
    lines = "".join(f"    {line}\n" for line in before.split("\n") if line)
    return f"{HEAD}@mechanism(v=replaced())\ndef f(v: bool, {parameters}) -> bool:\n{lines}    return flip({bias})\n"


def run(module, name, given):
    return program(module, name)(dict(given), Meter(1000))


def bias_of(text):
    """The formula of the only coin."""
    (found,) = (each for each in walk.statements(parse_text(text)["f"].body) if isinstance(each, ir.Sample))
    return found.arguments[0]


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        (coin("exp(epsilon) / (1 + exp(epsilon))"), "exp(epsilon) / (1 + exp(epsilon))"),
        (coin("p", "e = epsilon / 2\np = 1 / (1 + exp(e))"), "1 / (1 + exp(epsilon / 2))"),
        (coin("p", "p = 0.5\np = 1 / (1 + exp(epsilon))"), "p"),  # set twice: its value is a number that was rounded
        (coin("1 / (1 + exp(epsilon))", "epsilon = epsilon / 2"), "1 / (1 + exp(epsilon_1))"),  # it is set twice, too
        (coin("p", "p = epsilon / 2"), "p"),
    ],
)
def test_a_formula_is_written_out_where_every_name_in_it_is_set_once(text, formula):
    assert show(bias_of(text)) == formula


def test_what_is_printed_reads_back_as_the_same():
    module = parse_text(coin("p", "p = exp(epsilon) / (1 + exp(epsilon))"))
    again = parse_text(HEAD + show_mechanism(module["f"]))
    assert again["f"].body == module["f"].body


def test_the_distribution_has_a_closed_form():
    module = parse_text(coin("p", "p = exp(epsilon) / (1 + exp(epsilon))"))
    found = distribution(module, "f", {"v": True, "epsilon": Fraction(1)})
    assert found.is_exact
    assert float(found.probability(True)) == pytest.approx(exp(1) / (1 + exp(1)))
    total = found.masses[True] + found.masses[False]
    assert total.fraction == 1


def test_a_coin_without_a_closed_form_is_computed_with_balls():
    module = parse_text(coin("sqrt(epsilon) / 2"))
    found = distribution(module, "f", {"v": True, "epsilon": Fraction(2)})
    assert not found.is_exact
    assert float(found.probability(True)) == pytest.approx(2**0.5 / 2)


def test_it_runs():
    module = parse_text(coin("1 / (1 + exp(epsilon))"))
    found = [run(module, "f", {"v": True, "epsilon": 3}) for _ in range(400)]
    assert 0 < sum(found) < 100  # 19 are expected; 5 in 10^8 runs of this test have none


@pytest.mark.parametrize("epsilon", [1, Fraction(1, 10**6), 0])
def test_what_is_no_probability_is_refused_before_it_is_drawn(epsilon):
    module = parse_text(coin("exp(epsilon) / 1"))
    if epsilon == 0:
        assert run(module, "f", {"v": True, "epsilon": epsilon}) is True
        return
    with pytest.raises(InvalidInput, match="outside"):
        run(module, "f", {"v": True, "epsilon": epsilon})


def test_what_cannot_be_told_from_one_is_refused():
    module = parse_text(coin("exp(epsilon) / exp(epsilon)"))
    expression = bias_of(coin("exp(epsilon) / exp(epsilon)"))
    with pytest.raises(InvalidInput, match="too close"):
        RealChance(lambda: ball_of(expression, {"epsilon": Fraction(1)})).check()
    with pytest.raises(InvalidInput, match="too close"):
        run(module, "f", {"v": True, "epsilon": 1})


def test_a_division_by_zero_is_refused():
    with pytest.raises(InvalidInput):
        run(parse_text(coin("1 / (exp(epsilon) - 1)")), "f", {"v": True, "epsilon": 0})
