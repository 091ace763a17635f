"""Random programs with real noise: exact probabilities against the same text run by Python with NumPy's draws."""

import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chi2

from lapwing.kernel.distribution.probability import distribution
from lapwing.kernel.distribution.states import Limits
from lapwing.kernel.uncomputable import Uncomputable
from lapwing.source.parse import parse_text

RUNS = 15_000
PROGRAMS = 60
LOOP, LEFT, LAST = "        n += 32", "        break", "        n += 64"


def program(seed):
    """Few draws, scaled, shifted, copied, compared with numbers and with each other."""
    generator = random.Random(seed)
    pick = generator.choice

    def noise():
        return f"{pick(['laplace', 'laplace', 'exponential', 'gaussian'])}({pick(['1', '2', '1 / 3', 's'])})"

    def number():
        return pick(["0", "1", "-1", "1 / 2", "x", "3 / 7"])

    lines = [f"a = {pick(['', '2 * ', '-', '1 / 3 * '])}{noise()} + {number()}", "n = 0"]
    parts = [
        [f"if a > {number()}:", "    n += 1"],
        [f"b = {pick(['a', '2 * a', noise()])} + {number()}", f"if b < {number()}:", "    n += 2"],
        [f"c = {pick(['max', 'min'])}(a, {number()})", f"if c >= {number()}:", "    n += 4"],
        [f"if abs(a - {number()}) < 1:", "    n += 8"],
        [f"d = {noise()}", "if d > a:", f"    a = {pick(['d', 'a', 'd + 1', '2 * d'])}", "    n += 16"],
        [f"for y in [{number()}, {number()}]:", f"    if y + {noise()} > a:", LOOP, pick([LEFT, LAST])],
        [f"e = a + {noise()}", f"if e > {number()}:", "    n += 128"],
    ]  # fmt: skip
    for part in generator.sample(parts, 3):
        lines += part
    body = "\n    ".join([*lines, "return n"])
    return f"def f(x: float, s: float) -> int:\n    {body}\n"


def run_by_python(text, seed):
    generator = np.random.default_rng(seed)
    scope = {
        "laplace": lambda scale: generator.laplace(0, scale),
        "exponential": lambda scale: generator.exponential(scale),
        "gaussian": lambda sigma: generator.normal(0, sigma),
    }
    exec(text, scope)  # noqa: S102  # a program that this module wrote
    return Counter(scope["f"](0.25, 1.5) for _ in range(RUNS))


def p_value(found, seen):
    statistic, cells, rest = 0.0, 0, [1.0, RUNS]
    for answer, mass in found.masses.items():
        expected = float(mass) * RUNS
        if expected >= 8:
            statistic += (seen[int(answer)] - expected) ** 2 / expected
            cells += 1
            rest = [rest[0] - float(mass), rest[1] - seen[int(answer)]]
    if rest[0] * RUNS >= 8:
        statistic, cells = statistic + (rest[1] - rest[0] * RUNS) ** 2 / (rest[0] * RUNS), cells + 1
    return chi2.sf(statistic, max(cells - 1, 1))


HEAD = "from lapwing import exponential, gaussian, laplace, mechanism, within\n\n\n@mechanism(x=within(1))\n"
TRIED, COMPUTED = set(), set()


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_exact_probabilities_are_those_of_python(seed):
    text = program(seed)
    module = parse_text(HEAD + text)
    TRIED.add(seed)
    try:
        found = distribution(module, "f", {"x": Fraction(1, 4), "s": Fraction(3, 2)}, Limits(20_000, seconds=4))
    except Uncomputable:
        pytest.skip("beyond what is computed")
    COMPUTED.add(seed)
    total = sum(float(mass) for mass in found.masses.values())
    assert total == pytest.approx(1, abs=1e-9), text
    seen = run_by_python(text, seed)
    assert all(Fraction(answer) in found.masses for answer in seen), text
    assert p_value(found, seen) > 1e-7, text


def test_most_of_them_are_computed():
    if len(TRIED) == PROGRAMS:  # in this process, and not in another beside it
        assert len(COMPUTED) >= PROGRAMS // 2
