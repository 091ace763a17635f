"""Draws that are multiplied: probabilities by cells, held against closed forms, samples and their own laws."""

import math
import random
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest
from flint import arb
from scipy.integrate import quad
from scipy.stats import norm

from lapwing.errors import InvalidInput
from lapwing.kernel.distribution.last_resort import distribution, probability
from lapwing.kernel.distribution.probability_cells import Multiplied, Open, Run, explored
from lapwing.kernel.distribution.states import Limits
from lapwing.kernel.distribution.witness import Accepted, check_witness
from lapwing.kernel.evidence.event import AnyOf, Between
from lapwing.kernel.rejected import Rejected
from lapwing.kernel.uncomputable import Uncomputable
from lapwing.search.violation.search import refute
from lapwing.search.violation.subject import Subject
from lapwing.source.parse import parse_text

HEAD = (
    "from lapwing import exponential, flip, gaussian, laplace, mechanism, uniform, within, discrete_laplace\n"
    "@mechanism(x=within(1), claim='2/5')\n"
)
PATIENT = Limits(states=60_000)


def program(body, returns="bool"):
    return parse_text(f"{HEAD}def f(x: float) -> {returns}:\n    " + body.replace("\n", "\n    ") + "\n")


def chance(body, event=True, x=0, returns="bool", limits=PATIENT):
    return probability(program(body, returns), "f", {"x": Fraction(x)}, event, limits)


def above(x):
    """P(x + laplace > 0)."""
    return 1 - math.exp(-x) / 2 if x >= 0 else math.exp(x) / 2


def both(p, q):
    return p * q + (1 - p) * (1 - q)


def tail(least):
    """P(laplace * laplace > least)."""
    return quad(lambda a: math.exp(-a) * math.exp(-least / a) / 2, 0, math.inf)[0]


TWO = "a = laplace(1)\nb = laplace(1)\n"
CASES = {
    "signs": ("return (x + laplace(1)) * (1 + laplace(1)) > 0", lambda x: both(above(x), above(1))),
    "factored": (TWO + "return x + x * b + a + a * b > 0", lambda x: both(above(x), above(1))),
    "square": ("a = x + laplace(1)\nreturn a * a > 1", lambda x: above(x - 1) + 1 - above(x + 1)),
    "normal": ("return (x + gaussian(1)) * (2 + gaussian(1)) > 0", lambda x: both(norm.cdf(x), norm.cdf(2))),
    "one sided": ("return (x + laplace(2)) * exponential(3) > 0", lambda x: above(x / 2)),
    "beyond": (TWO + "return a * b > 1", lambda _: tail(1)),
    "coins": ("a = laplace(1) if flip(1/3) else x\nreturn a * laplace(1) > 0", lambda x: 1 / 2 if x else 1 / 6),
    "dice": ("k = uniform(3)\nreturn laplace(1) * (laplace(1) + k) > 0", lambda _: 1 / 2),
    "branches": (
        "a = x + laplace(1)\nb = 1 + laplace(1)\nif a * b > 0:\n    return a > 0\nreturn False",
        lambda x: above(x) * above(1),
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("x", [0, 1, -2])
def test_cells_enclose_the_closed_form(name, x):
    body, truth = CASES[name]
    found = chance(body, x=x)
    assert found.lower - 10**-12 <= truth(x) <= found.upper + 10**-12
    assert found.width < Fraction(1, 20)


def test_a_product_that_leaves_is_a_number():
    body = TWO + "return x + a * b"
    assert float(chance(body, Between(Fraction(1)), returns="float").lower) < tail(1)
    assert float(chance(body, Between(Fraction(1)), returns="float").upper) > tail(1)
    halves = [chance(body, each, returns="float") for each in (Between(Fraction(0)), Between(None, Fraction(0)))]
    assert all(each.lower < Fraction(1, 2) < each.upper for each in halves)
    with pytest.raises(Uncomputable, match="C115"):
        distribution(program(body, "float"), "f", {"x": Fraction(0)}, PATIENT)


def test_answers_are_told_apart():
    found = distribution(program(TWO + "return [a * b > 0, b > 0]", "list[bool]"), "f", {"x": Fraction(0)}, PATIENT)
    assert len(found.masses) == 4
    assert all(each.lower <= Fraction(1, 4) <= each.upper for each in found.masses.values())


def test_more_patience_narrows_what_less_has_found():
    body = CASES["signs"][0]
    widths = [chance(body, x=1, limits=Limits(states=20 * cells)) for cells in (50, 400, 3000)]
    for wide, narrow in pairwise(widths):
        assert wide.lower <= narrow.lower <= narrow.upper <= wide.upper
        assert narrow.width < wide.width


def test_cells_are_all_there_is():
    module = program(CASES["branches"][0])
    found, left = explored(module, "f", {"x": Fraction(1)}, bool, 4_000, 10)
    assert sum(found.values()) + left == 1
    assert left > 0


def random_formula(rng, depth=3):
    if depth == 0 or rng.random() < 0.2:
        return rng.choice(["a", "b", "x", "1", "c", "1/2"])
    left, right = random_formula(rng, depth - 1), random_formula(rng, depth - 1)
    return rng.choice([f"({left} + {right})", f"({left} - {right})", f"({left} * {right})", f"max({left}, {right})"])


@pytest.mark.parametrize("seed", range(12))
def test_cells_enclose_what_is_sampled(seed):
    """Random formulas of two or three draws: 4,000 samples must not lie five deviations outside."""
    rng = random.Random(seed)
    formula = f"({random_formula(rng)}) * (a - b) * c"
    body = f"a = laplace(1)\nb = x + gaussian(1)\nc = exponential(2) - 1\nreturn {formula} > 1/3"
    found = chance(body, x=1, limits=Limits(states=30_000))
    hits = 0
    for _ in range(4000):
        drawn = {
            "a": rng.choice((-1, 1)) * rng.expovariate(1),
            "b": 1 + rng.gauss(0, 1),
            "c": rng.expovariate(1 / 2) - 1,
            "x": 1,
        }
        hits += eval(formula, {"max": max}, drawn) > 1 / 3  # noqa: S307  # our own formula
    share, slack = hits / 4000, 5 * math.sqrt(0.25 / 4000)
    assert float(found.lower) - slack <= share <= float(found.upper) + slack


# --- numbers in a cell ----------------------------------------------------------------------------------------


def noisy(*fixed):
    run = Run(list(fixed))
    return [run.draw("laplace", [1]) for _ in fixed]


def test_what_cancels_is_a_number_again():
    (a, b) = noisy((4, 3), (4, 9))
    assert a * b - b * a == 0
    assert (a + b) * (a - b) - a * a + b * b == 0
    assert a - a + 7 == 7
    assert not a == b  # noqa: SIM201  # what is asked


def test_a_draw_without_digits_is_open_on_every_side():
    (a,) = noisy((0, 0))
    for ask in (lambda: a > 0, lambda: a < 0, lambda: a * a >= 1000):
        with pytest.raises(Open):
            ask()


def test_a_tail_is_open_however_many_digits_it_has():
    (a,) = noisy((30, 0))
    assert not a.ball.is_finite()
    with pytest.raises(Open):
        _ = a < 10**9


@pytest.mark.parametrize("law", ["laplace", "exponential", "gaussian"])
def test_the_parts_of_a_draw_are_inside_it(law):
    for digits in range(2, 8):
        for number in range(1 << digits):
            run = Run([(digits, number), (digits + 1, 2 * number), (digits + 1, 2 * number + 1)])
            whole, *parts = (run.draw(law, [Fraction(3, 2)]).ball for _ in range(3))
            for part in parts:
                if whole.is_finite():
                    assert whole.contains(part.mid())


def test_the_ball_of_a_cell_holds_the_quantile():
    run = Run([(4, 0b1100)])
    low, high = -Fraction(math.log(5 / 8)), -Fraction(math.log(4 / 8))
    found = run.draw("laplace", [1]).ball
    assert found.contains(arb(float(-(low + high) / 2)))
    assert found < 0


def test_noise_that_no_cell_holds_is_refused():
    for kind, arguments in (("discrete_laplace", [1]), ("choose", [(0, 1), 1])):
        with pytest.raises(Uncomputable):
            Run().draw(kind, arguments)
    (a,) = noisy((4, 3))
    with pytest.raises(Uncomputable):
        Run().draw("laplace", [a])


def test_a_number_of_too_many_products_is_given_up():
    draws = noisy(*[(4, 3 + i) for i in range(9)])
    total = Multiplied.total(draws)
    with pytest.raises(Uncomputable, match="products"):
        _ = total * total * total


def test_a_refusal_of_the_run_is_not_taken_for_a_cell():
    module = parse_text(f"{HEAD}def f(x: float, n: int) -> bool:\n    return (x + laplace(1)) * laplace(1) / n > 0\n")
    with pytest.raises(InvalidInput, match="P203"):
        explored(module, "f", {"x": Fraction(0), "n": Fraction(0)}, bool, 4_000, 10)


# --- witnesses ------------------------------------------------------------------------------------------------


def refuting():
    module = program(CASES["normal"][0])
    subject = Subject(module, module["f"])
    witness = refute(subject).witness(subject, "f.py")
    assert witness is not None
    return module, witness


def test_a_program_that_multiplies_noise_is_refuted_and_forgeries_are_not_believed():
    module, witness = refuting()
    assert isinstance(check_witness(witness, module), Accepted)
    exact = witness.probability_right
    for forged in (
        replace(witness, probability_right=type(exact)(exact.lower / 2, exact.lower / 2)),
        replace(witness, left=witness.right, right=witness.left),
        replace(witness, left=witness.left, right=witness.left),
        replace(witness, output=AnyOf((True, False))),
    ):
        assert isinstance(check_witness(forged, module), Rejected)
