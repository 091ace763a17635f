"""What steps cost together is held against the claim before the kernel is asked."""

import pytest

from lapwing.kernel.evidence.certificate import Certificate, Composed
from lapwing.kernel.prices.polynomials import unknown
from lapwing.search.privacy.attempts import attempts
from lapwing.search.privacy.composing import passes
from lapwing.search.privacy.outcome import Failed
from lapwing.source.parse import parse_text

STEPS = """from lapwing import laplace, mechanism, within

@mechanism(a=within(1), b=within(1), claim="{claim}")
def both(a: float, b: float, epsilon: float) -> tuple[float, float]:
    assert {given}
    return a + laplace({scale}), b + laplace({scale})
"""


def both(claim, given="epsilon > 0", scale="2 / epsilon"):
    return parse_text(STEPS.format(claim=claim, given=given, scale=scale))["both"]


EPSILON = unknown("epsilon")


@pytest.mark.parametrize(("price", "claim", "given", "scale", "answer"), [
    (EPSILON, "epsilon", "epsilon > 0", "2 / epsilon", False),
    (EPSILON, "0.99 * epsilon", "epsilon > 0", "2 / epsilon", True),
    # where a claim is irrational it is rounded up
    (EPSILON, "exp(epsilon)", "epsilon > 0", "2 / epsilon", False),
    (EPSILON, "ln(1 + epsilon)", "epsilon > 0", "2 / epsilon", True),
    # nothing is drawn with a scale below 0, and no price is paid
    (EPSILON, "0.99 * epsilon", "epsilon > 0", "0 - epsilon", False),
    # what an irrational precondition allows is left to the kernel
    (EPSILON * EPSILON, "epsilon", "epsilon > 0 and exp(epsilon) <= 2", "2 / epsilon", False),
    (EPSILON * EPSILON, "epsilon", "epsilon > 0 and epsilon <= 2 / 3", "2 / epsilon", False),
    (EPSILON * EPSILON, "epsilon", "epsilon > 0", "2 / epsilon", True),
])  # fmt: skip
def test_a_price_passes_a_claim_where_ordinary_parameters_say_so(price, claim, given, scale, answer):
    assert passes(price, both(claim, given, scale)) is answer


EACH = """from lapwing import laplace, mechanism, each

@mechanism(q=each(1), claim="{claim}")
def every(q: list[float], epsilon: float) -> list[float]:
    assert epsilon > 0 and len(q) > 0
    out = []
    for x in q:
        out.append(x + laplace(len(q) / epsilon))
    return out
"""


@pytest.mark.parametrize(("claim", "passed"), [("epsilon", False), ("epsilon / 2", True)])
def test_steps_that_cost_more_than_the_claim_are_no_proof(claim, passed):
    found = list(attempts(parse_text(EACH.format(claim=claim)), "every", "<text>"))
    assert any(isinstance(each, Certificate) and isinstance(each.proof, Composed) for each in found) is not passed
    assert any(isinstance(each, Failed) and "that passes the claim" in each.reason for each in found) is passed
