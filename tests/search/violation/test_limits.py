"""What grows without end is stopped, with the reason."""

import time
from fractions import Fraction
from itertools import pairwise

import pytest

from lapwing.kernel.distribution.probability import enclosure
from lapwing.kernel.distribution.states import Limits
from lapwing.kernel.uncomputable import Uncomputable
from lapwing.search.violation.landscape import Side
from lapwing.search.violation.search import refute
from lapwing.search.violation.subject import Subject
from lapwing.source.parse import parse_text

HEAD = "from lapwing import choose, discrete_gaussian, exp, flip, laplace, mechanism, uniform, within\n"
HEAD += "@mechanism(x=within(1), claim='1')\n"
BODIES = {
    "while": "while True:\n        x = x + 1",
    "for": "for i in range(1000000000):\n        x = x + 1\n    return x + laplace(1)",
    "comprehension": "return x + laplace(1) + len([i for i in range(1000000000)])",
    "numbers": "for i in range(60):\n        x = x * x + 2\n    return x + laplace(1)",
    "states": "xs = [uniform(9) for i in range(9)]\n    return sum(xs) + sum([y * y * y for y in xs])",
}


def subject_of(body, returns="float"):
    module = parse_text(f"{HEAD}def f(x: float) -> {returns}:\n    {body}\n")
    return Subject(module, module["f"], Limits(100_000, 1000, 3))


@pytest.mark.parametrize("name", BODIES)
def test_a_distribution_stops_with_the_reason(name):
    with pytest.raises(Uncomputable, match="C110"):
        subject_of(BODIES[name]).answers({"x": Fraction(3)})


@pytest.mark.parametrize("name", BODIES)
def test_a_search_that_could_compute_nothing_says_so(name):
    with pytest.raises(Uncomputable, match="C110"):
        refute(subject_of(BODIES[name]))


@pytest.mark.parametrize("other", ["discrete_gaussian(1)", "choose([0, 1], 1)"])
def test_products_beside_noise_that_no_cell_holds_are_refused(other):
    with pytest.raises(Uncomputable, match="C115"):
        refute(subject_of(f"a = laplace(1)\n    b = laplace(1)\n    k = {other}\n    return a * b + k + x"))


@pytest.mark.parametrize(
    "body",
    [
        "return [1, 2] if flip(1/2) else [5]",
        "u = uniform(3)\n    return [1, 2] if u < 2 else [5]",
        "u = uniform(3)\n    return [[1], [2, 3], [4]][u]",
    ],
)
def test_lists_chosen_by_a_draw_are_told_apart_once(body):
    found = subject_of(body, "list[int]").distribution({"x": Fraction(0)})
    assert sum(float(found.probability(answer).lower) for answer in found.masses) == pytest.approx(1)


@pytest.mark.parametrize("rounds", [3, 64, 65, 300])
def test_a_long_loop_that_only_counts_changes_no_probability(rounds):
    subject = subject_of(f"i = 0\n    while i < {rounds}:\n        i += 1\n    return flip(1 / 4)", "bool")
    found = enclosure(subject.chance({"x": Fraction(0)}, True))
    assert found.lower <= Fraction(1, 4) <= found.upper
    assert found.width < Fraction(1, 2**60)


@pytest.mark.parametrize("coin", ["1 / 2", "exp(-1)", "2 / 3"])
def test_a_loop_that_coins_end_is_followed_at_once(coin):
    subject = subject_of(f"n = 0\n    while flip({coin}):\n        n += 1\n    return n", "int")
    begun = time.process_time()
    side = Side(subject.quick, {"x": Fraction(0)})
    chances = [enclosure(side.chance(Fraction(n))) for n in range(60)]
    assert time.process_time() - begun < 1
    assert all(one.lower > two.upper for one, two in pairwise(chances))
    assert 1 - Fraction(1, 2**30) < sum(each.lower for each in chances) <= 1
