"""Proofs about programs with ln, exp and sqrt: what is known of the numbers is enough, and never too much."""

from dataclasses import replace
from time import process_time

import pytest

from lapwing.decide.privacy import decide_text
from lapwing.kernel.formulas.reading import formula
from lapwing.kernel.prices.exponential_sums import Comparing
from lapwing.kernel.prices.named_functions import named
from lapwing.kernel.prices.prices import Parameters
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.relational.certificate import Proved, check_certificate
from lapwing.kernel.solver import Terms
from lapwing.search.privacy import attempts
from lapwing.source import parse_text
from tests.search.privacy.proving import unproved

HEAD = "from lapwing import *\n\n\n"


def program(scale, claim="epsilon", given="k >= 1 and 0 < delta < 1 / 3", noise="laplace"):
    stated = f"zcdp('{claim}')" if noise == "gaussian" else f"'{claim}'"
    return (
        f"{HEAD}@mechanism(x=within(1), claim={stated})\n"
        f"def f(x: float, k: int, delta: float, epsilon: float) -> float:\n"
        f"    assert {given}\n    return x + {noise}({scale})\n"
    )


PRIVATE = [
    program("sqrt(k) / epsilon"),
    program("sqrt(2 * k + 1) / epsilon"),
    program("ln(1 / delta) / epsilon"),
    program("-ln(delta) / epsilon"),
    program("exp(k) / epsilon"),
    program("sqrt(k * ln(1 / delta)) / epsilon"),
    program("(1 + ln(k)) / epsilon"),
    program("ln(3) / epsilon", "epsilon * 0.9103"),
    program("sqrt(1 / (2 * epsilon))", noise="gaussian"),
    program("sqrt(k / (2 * epsilon))", "epsilon / k", noise="gaussian"),
    program("sqrt(1 / (2 * epsilon)) * exp(delta)", noise="gaussian", given="delta > 0"),
]
#: The last digit counts: rounded the wrong way these claims are false, if only just.
NOT = [
    program("1 / (epsilon * sqrt(2))", "epsilon * sqrt(2)"),
    program("ln(2) / epsilon"),
    program("1 / (epsilon * sqrt(k))"),
    program("sqrt(k) / epsilon", given="k >= 0 and delta == delta and k < 1 or k >= 0"),
    program("exp(-k) / epsilon", given="k >= 0"),
    program("ln(delta) * -1 / epsilon", given="0 < delta < 1"),
]


@pytest.mark.parametrize("source", PRIVATE)
def test_proved(source):
    assert decide_text(source, "f").verdict == "proved"


@pytest.mark.parametrize("source", NOT)
def test_never_proved(source):
    module = parse_text(source)
    for attempt in attempts(module, "f", "<text>", 10):
        assert not isinstance(attempt, type(None))
        if hasattr(attempt, "bound"):
            assert not isinstance(check_certificate(attempt, module), Proved)


def test_a_false_price_of_a_count_is_refused_at_once():
    module = parse_text(program("1 / (epsilon * sqrt(k))"))
    attempt, before = next(iter(attempts(module, "f", "<text>", 10))), process_time()
    assert check_certificate(attempt, module) == Rejected("the prices of the draws may pass the claim")
    assert process_time() - before < 2  # as long as the solver may think, without an example: 20


def test_a_bound_speaks_of_no_name_of_ours():
    module = parse_text(program("sqrt(k) / epsilon").replace(", claim='epsilon'", ""))
    found = next(each for each in attempts(module, "f", "<text>") if hasattr(each, "bound"))
    assert found.bound == "epsilon / sqrt(k)"
    assert isinstance(check_certificate(found, module), Proved)
    for bound in ("epsilon / outward_1", "epsilon / sqrt(k + 1)", "epsilon / (sqrt(k) + 1)", "epsilon / sqrt(-k)"):
        assert not isinstance(check_certificate(replace(found, bound=bound), module), Proved), bound


def test_one_name_for_one_value_and_nothing_else():
    source = program("(sqrt(k) + sqrt(k) + sqrt(delta)) / epsilon")
    mechanism = named(parse_text(source), "f")["f"]
    assert [each.name for each in mechanism.parameters[4:]] == ["outward_1", "outward_2"]
    taken = parse_text(source.replace("k: int", "k: int, outward_1: float"))
    assert [each.name for each in named(taken, "f")["f"].parameters[-2:]] == ["outward_2", "outward_3"]


def test_public_quotients_and_remainders_in_couplings():
    source = (
        f"{HEAD}@mechanism(q=each(1), claim='epsilon')\n"
        "def f(q: list[float], t: float, k: int, epsilon: float) -> int:\n    assert k >= 2\n"
        "    bar = t + k // 2 + ln(k) / epsilon + laplace(2 / epsilon)\n"
        "    for i, x in enumerate(q):\n"
        "        if x + i % 2 + laplace(4 / epsilon) >= bar:\n            return i\n    return -1\n"
    )
    assert decide_text(source, "f").verdict == "proved"
    assert unproved(source.replace("4 / epsilon", "2 / epsilon"), "f")


@pytest.mark.parametrize(
    ("given", "scale", "left", "right", "holds"),
    [
        ("0 < delta < 1", "ln(1 / delta)", "exp(-outward_1)", "delta", True),
        ("0 < delta < 1", "ln(1 / delta)", "exp(-outward_1)", "delta * 0.99", False),
        ("0 < delta < 1", "ln(1 / delta)", "1 / delta", "exp(outward_1)", True),
        ("0 < delta < 1", "ln(1 / delta)", "exp(outward_1)", "1 / delta", False),
        ("0 < delta < 1", "ln(1 / delta)", "exp(-2 * outward_1)", "delta * delta", True),
        ("0 < delta < 1", "ln(1 / delta)", "delta", "exp(-outward_1)", False),
        ("0 < delta < 1", "ln(delta)", "exp(outward_1)", "delta", True),
        ("0 < delta < 1", "ln(delta)", "delta", "exp(outward_1)", False),
        ("delta > 1", "ln(delta)", "exp(-outward_1)", "1 / delta", True),
        ("delta > 1", "ln(1 / delta)", "exp(-outward_1)", "delta", False),
    ],
)
def test_powers_of_rounded_logarithms(given, scale, left, right, holds):
    mechanism = named(parse_text(program(f"{scale} / epsilon", given=given)), "f")["f"]
    comparing = Comparing(Parameters(Terms(), mechanism))
    assert comparing.at_most(comparing.read(formula(left)), comparing.read(formula(right))) == holds
