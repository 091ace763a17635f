"""Margins are derived for all sizes, as the textbooks have them; what a union bound cannot see stays unknown."""

import pytest

from lapwing.kernel.symbolic.formulas_of_runs import formula
from tests.search.accuracy.deriving import HEADER, derived, gamma_of, of_corpus

TESTED = "all((q[i] >= threshold - gamma) if result[i] else (q[i] <= threshold + gamma) for i in range(len(result)))"
PREFIX = "all(abs(result[i] - sum(q[:i + 1])) <= gamma for i in range(len(result)))"


@pytest.mark.parametrize(
    ("path", "condition", "gamma"),
    [
        ("proved/partial_sum.py", "abs(result - sum(q)) <= gamma", "ln(1 / beta) / epsilon"),
        ("proved/noisy_sum_1.py", "abs(result - sum(a)) <= gamma", "ln(1 / beta) / epsilon"),
        ("proved/gaussian_answer.py", "abs(result - x) <= gamma", "sigma * sqrt(2 * ln(2 / beta))"),
        (
            "proved/histogram.py",
            "all(abs(result[i] - q[i]) <= gamma for i in range(len(result)))",
            "ln(len(q) / beta) / epsilon",
        ),
        ("proved/noisy_max.py", "all(q[result] >= x - gamma for x in q)", "4 / epsilon * ln(len(q) / beta)"),
        (
            "proved/exponential_mechanism.py",
            "scores[result] >= max(scores) - gamma",
            "2 * sensitivity / epsilon * ln(len(scores) / beta)",
        ),
        (
            "proved/sparse_vector.py",
            TESTED,
            "2 / epsilon * ln((1 + 2 * limit) / beta)"
            " + 4 * limit / epsilon * ln((1 + 2 * limit) * len(q) / (2 * limit * beta))",
        ),
        ("proved/prefix_sum.py", PREFIX, "len(q) / epsilon * ln(len(q) / beta)"),
        (
            "proved/between_thresholds.py",
            "result == len(q) or low - gamma <= q[result] <= high + gamma",
            "2 / epsilon * ln(4 / beta) + 6 / epsilon * ln(4 * len(q) / (3 * beta))",
        ),
    ],
)
def test_margins_of_the_corpus(path, condition, gamma):
    certificate, _ = of_corpus(path, condition)
    assert gamma_of(certificate) == gamma


def test_a_probability_for_a_given_margin():
    source = HEADER + (
        "@mechanism(q=one(1))\ndef f(q: list[float], epsilon: float) -> list[float]:\n"
        "    return [x + laplace(1 / epsilon) for x in q]\n"
    )
    condition = "all(abs(result[i] - q[i]) <= gamma for i in range(len(result)))"
    certificate, shown = derived(source, condition, gamma=formula("10"))
    assert certificate.total == "len(q) * exp(-10 / (1 / epsilon))"
    assert "<= 10" in shown.statement
    assert f"{certificate.total}, where that is below 1" in shown.statement  # elsewhere it says nothing
    assert shown.given == ("1 / epsilon > 0", "len(q) >= 1")


def test_draws_that_do_not_matter_cost_nothing():
    source = HEADER + (
        "@mechanism(x=within(1))\ndef f(x: float, epsilon: float) -> tuple[float, float]:\n"
        "    return (x + laplace(1 / epsilon), x + laplace(5 / epsilon))\n"
    )
    certificate, _ = derived(source, "abs(result[0] - x) <= gamma")
    assert gamma_of(certificate) == "ln(1 / beta) / epsilon"
    assert [site.assumed for site in certificate.sites] == ["margin", "nothing"]


def test_shares_follow_the_scales():
    source = HEADER + (
        "@mechanism(x=within(1))\ndef f(x: float, y: float) -> float:\n    return x + laplace(1) + laplace(3)\n"
    )
    certificate, _ = derived(source, "abs(result - x) <= gamma")
    assert [site.failure for site in certificate.sites] == ["beta / 4", "3 * beta / 4"]


def test_a_coin_has_two_sides():
    source = HEADER + (
        "@mechanism(x=within(1))\ndef f(x: float, p: float) -> bool:\n"
        "    assert p > 0 and p < 1\n    lie = flip(p)\n    return not lie\n"
    )
    certificate, _ = derived(source, "result")
    assert (certificate.sites[0].assumed, certificate.total) == ("false", "p")


@pytest.mark.parametrize(
    ("body", "condition", "why"),
    [
        ("    return x", "abs(result - x) >= 1", "does not follow"),
        ("    return x + laplace(1)", "result >= x", "does not follow"),
        (
            "    s = 0\n    while flip(1 / 2):\n        s = s + laplace(1)\n    return s",
            "abs(result) <= gamma",
            "site 2",
        ),
        ("    s = 1.0\n    while s > 0:\n        s = laplace(1)\n    return s", "result <= gamma", "bounds how often"),
    ],
)
def test_what_does_not_follow_is_unknown(body, condition, why):
    source = HEADER + f"@mechanism(x=within(1))\ndef f(x: float) -> float:\n{body}\n"
    certificate, reason = derived(source, condition)
    assert certificate is None
    assert why in str(reason)
