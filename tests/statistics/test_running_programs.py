"""Running programs follow the laws of real noise, at awkward scales too."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy import integrate, stats

from lapwing import exponential, gaussian, laplace, mechanism, within
from lapwing.kernel.distribution.probability import probability
from lapwing.kernel.program.ir import List, Real, Tuple
from lapwing.kernel.run import inputs
from lapwing.source import load
from tests.corpus import programs
from tests.statistics.chi_squared import THRESHOLD, p_value

SCALES = [Fraction(1, 3), Fraction(7, 5), Fraction(1000003, 7)]
DRAWS = 8_000
X = Fraction(1, 3)


@mechanism(x=within(1))
def laplace_sum(x: float, scale: float) -> float:
    return x + laplace(scale)


@mechanism(x=within(1))
def exponential_sum(x: float, scale: float) -> float:
    return x + exponential(scale)


@mechanism(x=within(1))
def gaussian_sum(x: float, scale: float) -> float:
    return x + gaussian(scale)


LAWS = [(laplace_sum, stats.laplace), (exponential_sum, stats.expon), (gaussian_sum, stats.norm)]


@pytest.mark.parametrize("scale", SCALES, ids=str)
@pytest.mark.parametrize(("program", "law"), LAWS, ids=["laplace", "exponential", "gaussian"])
def test_a_noisy_number_follows_its_law(program, law, scale):
    answers = np.array([program(X, scale) for _ in range(DRAWS)])
    assert np.all(answers * 2**20 % 1 == 0)
    # a floor moves a number by at most 2^-20, and the law by as much: far below what so many draws can show
    exact = law(loc=float(X), scale=float(scale))
    assert stats.kstest(answers, exact.cdf).pvalue > THRESHOLD
    edges = exact.ppf(np.linspace(0, 1, 41)[1:-1])
    cells = np.bincount(np.searchsorted(edges, answers), minlength=40)
    assert p_value(cells, [1 / 40] * 40) > THRESHOLD


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_no_fraction_of_the_private_number_shows(scale):
    """On a lattice the fraction of x would come back; over the reals it is drowned like the rest."""
    answers = np.array([laplace_sum(X, scale) for _ in range(4_000)]) * 2**20
    last = np.bincount((answers % 16).astype(int), minlength=16)
    assert p_value(last, [1 / 16] * 16) > THRESHOLD


@mechanism(x=within(1))
def above(x: float, threshold: float, scale: float) -> tuple[bool, bool]:
    noisy = threshold + laplace(scale)
    first = x + laplace(2 * scale) >= noisy
    return (first, x - 1 + gaussian(scale) >= noisy)


@pytest.mark.parametrize("scale", SCALES[:2], ids=str)
def test_two_comparisons_with_one_threshold(scale):
    s = float(scale)

    def chance(one, two):
        def density(t):
            p, q = stats.laplace.sf(t - 1, scale=2 * s), stats.norm.sf(t, scale=s)
            return stats.laplace.pdf(t, loc=0.5, scale=s) * (p if one else 1 - p) * (q if two else 1 - q)

        return integrate.quad(density, -40 * s, 40 * s, points=[0.5, 1], limit=400)[0]

    outcomes = [(one, two) for one in (False, True) for two in (False, True)]
    found = [above(1, 0.5, scale) for _ in range(DRAWS)]
    assert p_value([found.count(each) for each in outcomes], [chance(*each) for each in outcomes]) > THRESHOLD


@mechanism(x=within(1))
def products(x: float) -> tuple[float, bool]:
    n = laplace(1)
    m = exponential(2)
    return (x + n * m - m * n, n * m > 0)


def test_products_of_draws_cancel_and_keep_their_signs():
    found = [products(X) for _ in range(2_000)]
    assert {value for value, _ in found} == {float(Fraction(int(X * 2**20), 2**20))}
    positive = sum(sign for _, sign in found)
    assert p_value([positive, len(found) - positive], [0.5, 0.5]) > THRESHOLD


def test_draws_at_a_prompt():
    for draw, law in ((laplace, stats.laplace), (exponential, stats.expon), (gaussian, stats.norm)):
        answers = np.array([draw(Fraction(7, 5)) for _ in range(DRAWS)])
        assert all(isinstance(each, float) for each in (draw(1), draw("1/3")))
        assert stats.kstest(answers, law(scale=1.4).cdf).pvalue > THRESHOLD


RUNS = 2_000
#: Besides the examples of the corpus: numbers on no lattice.
AWKWARD = {
    "sparse_vector": {"q": [0, 1, Fraction(-1, 3)], "threshold": 0, "limit": 1, "epsilon": Fraction(7, 5)},
    "noisy_max": {"q": [Fraction(1, 3), 0, Fraction(7, 5)], "epsilon": Fraction(7, 5)},
}


def whole(kind):
    """Whether answers of this type are not real numbers, so that each has a probability."""
    match kind:
        case List(element):
            return whole(element)
        case Tuple(elements):
            return all(map(whole, elements))
    return kind != Real()


def frozen(value):
    return tuple(map(frozen, value)) if isinstance(value, list | tuple) else value


def cases():
    for program in programs():
        runnable = load(program.path, program.mechanism)
        if whole(runnable.ir.returns):
            yield pytest.param(runnable, dict(program.example), id=program.label)
            if program.label == f"proved/{runnable.name}" and runnable.name in AWKWARD:
                yield pytest.param(runnable, AWKWARD[runnable.name], id=f"{program.label}, awkward")


@pytest.mark.parametrize(("runnable", "arguments"), list(cases()))
def test_runs_have_the_probabilities_that_the_kernel_computes(runnable, arguments):
    exact = {
        each.name: (inputs.private if each.private else inputs.public)(arguments[each.name], each.type, each.name)
        for each in runnable.ir.parameters
    }
    found = Counter(frozen(runnable.run(arguments)) for _ in range(RUNS))
    chances = {each: float(probability(runnable.module, runnable.name, exact, each)) for each in found}
    assert min(chances.values()) > 0
    common = [answer for answer, chance in chances.items() if chance * RUNS >= 20]
    rest = max(0.0, 1 - sum(chances[answer] for answer in common))
    cells, masses = [found[answer] for answer in common], [chances[answer] for answer in common]
    if rest * RUNS >= 20:
        cells, masses = [*cells, RUNS - sum(cells)], [*masses, rest]
    assert p_value(cells, np.array(masses) / sum(masses)) > THRESHOLD
